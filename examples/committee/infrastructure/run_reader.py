"""Reading what a run has left in its folder, whichever version wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from examples.committee.domain.dossier import Dossier
from examples.committee.domain.exceptions import DossierError, RunUnfinishedError, RunUnreadableError
from examples.committee.domain.run_record import VERSION, RecordedRun, record_of
from examples.committee.infrastructure.dossier_reader import load_dossier
from examples.committee.infrastructure.run_files import DOSSIER, HTML, RESULT, created_of, is_run
from src.shared.domain.language import Message

MOST_BYTES = 16_000_000
"""Size of the largest `result.json` that is read."""


def read_run(folder: Path) -> RecordedRun:
    """Read a run's folder.

    Raises:
        RunUnfinishedError: the run has no result yet.
        RunUnreadableError: there is no run, or its result cannot be read.
    """
    data = _data(folder)
    version = data.get("version")
    if isinstance(version, int) and version > VERSION:
        _refuse(folder, f"{RESULT} 的格式版本是 {version}，较新", f"{RESULT} has version {version}, which is newer")
    record, absent, unread = record_of(data)
    return RecordedRun(
        folder, record, absent, unread, dossier_of(folder), created_of(folder), (folder / HTML).is_file()
    )


def dossier_of(folder: Path) -> Dossier | None:
    """What a run is about; None where its folder does not say it in a way that can be read."""
    file = folder / DOSSIER
    try:
        return load_dossier(file) if file.is_file() else None
    except DossierError:
        return None


def _data(folder: Path) -> dict[str, Any]:
    file = folder / RESULT
    try:
        if not file.is_file():
            _without_result(folder)
        with file.open("rb") as opened:
            raw = opened.read(MOST_BYTES + 1)
    except OSError as error:
        why = error.strerror or str(error)
        _refuse(folder, f"{RESULT} 打不开，{why}", f"{RESULT} cannot be opened, {why}")
    if len(raw) > MOST_BYTES:
        _refuse(folder, f"{RESULT} 超过 {MOST_BYTES} 字节", f"{RESULT} is larger than {MOST_BYTES} bytes")
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        _refuse(folder, f"{RESULT} 不是合法 JSON", f"{RESULT} is not valid JSON")
    if not isinstance(data, dict) or not (is_run(folder) or {"symbol", "verdict"} <= data.keys()):
        _refuse(folder, f"{RESULT} 不是委员会的结果", f"{RESULT} is not the result of a committee")
    return data


def _without_result(folder: Path) -> NoReturn:
    if is_run(folder):
        reason = Message("运行没有结束，或仍在进行", "the run has not ended, or is still going on")
        raise RunUnfinishedError.of(folder, reason)
    _refuse(folder, "不是一次运行的文件夹", "no folder of a run")


def _refuse(folder: Path, zh: str, en: str) -> NoReturn:
    raise RunUnreadableError.of(folder, Message(zh, en))
