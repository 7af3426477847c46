"""Recorded model outputs in tests of pytest: what `llm-output check` reads, a folder of texts and its manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.commands import check
from src.entrypoints.cli.contract import load_dto
from src.entrypoints.cli.guard import CommandError, os_errors_as
from src.entrypoints.cli.recorded import MANIFEST, Manifest, RecordedFolder, RecordedReading, Recording, read_manifest
from src.shared.domain.answer_type import name_of
from src.shared.domain.language import Phrase


def read_recorded(
    beside: Path,
    records: bool,  # noqa: FBT001 - as above
    file: str,
    ask: Callable[[], str] | None = None,
    dto_type: Any = None,  # noqa: ANN401 - any type that Pydantic reads
    *,
    finish_reason: str | None = None,
) -> Any:  # noqa: ANN401 - of that type
    """Read a recorded text; the test fails if it no longer reads as recorded: its value, grade or repairs.

    Args:
        beside: the folder of the test.
        records: whether the text and its reading are recorded now.
        file: the text, by its path from there: `answers/order.txt`. A folder has one type.
        ask: gives the model's text; called where texts are recorded and there is no such file.
        dto_type: the type, a class of a module or its place as `package.module:Name`; by default that of the folder's
            manifest, and plain data where it names none.
        finish_reason: with a new text: why the model stopped, in any provider's words.

    Returns:
        The value, of its type.

    Raises:
        LLMJsonParseError: the text is refused, as it was recorded.
    """
    __tracebackhide__ = True
    try:
        now = _read_now(beside / file, ask, dto_type, finish_reason, records=records)
    except CommandError as error:
        raise pytest.fail.Exception(error.message, pytrace=False) from None
    if now.error:
        raise now.error
    return now.value


def _read_now(
    path: Path,
    ask: Callable[[], str] | None,
    dto_type: Any,  # noqa: ANN401 - as above
    why: str | None,
    *,
    records: bool,
) -> RecordedReading:
    """How the text reads, which is recorded, or as it was recorded; `why` the model stopped.

    Raises:
        CommandError: it does not read as recorded, or cannot be recorded.
    """
    folder = RecordedFolder(path.parent, _manifest(path.parent, dto_type), ())
    if records:
        _write_text(path, ask)
    known = {one.file: one for one in folder.manifest.recordings}
    if not (path.exists() and (records or path.name in known)):
        raise CommandError(
            "{file} is not recorded; run pytest --llm-output-record, and read what it writes into {manifest}",
            file=path,
            manifest=MANIFEST,
        )
    new = Recording(file=path.name, finish_reason=why) if why else Recording(file=path.name)
    recording, contract = known.get(path.name, new), folder.manifest.contract(folder.path)
    now, finding = check.read_recorded(path, recording, contract, record=records, traced=True)
    if records:
        folder.write(tuple((known | {path.name: now.recording}).values()))
    elif finding:
        raise CommandError("{file}: {why}", file=finding.file, why=finding.text())
    return now


def _manifest(folder: Path, dto_type: Any) -> Manifest:  # noqa: ANN401 - as above
    """The manifest of a folder; a new one has the type of the test."""
    manifest, place = read_manifest(folder), None if dto_type is None else _place_of(dto_type)
    manifest = Manifest(dto=place) if manifest == Manifest() and place else manifest
    if place not in (None, manifest.dto):
        raise CommandError(
            "{folder} is recorded into {recorded}, and the test asks for {named}; use another folder",
            folder=folder,
            recorded=manifest.dto or manifest.agent or manifest.schema_file or Phrase("plain data"),
            named=place,
        )
    return manifest


def _place_of(dto_type: Any) -> str:  # noqa: ANN401 - as above
    """How the manifest names a type, so that `llm-output check` finds it."""
    if isinstance(dto_type, str):
        return dto_type
    place = f"{dto_type.__module__}:{dto_type.__qualname__}" if isinstance(dto_type, type) else ""
    if not place or load_dto(place, {}) is not dto_type:
        raise CommandError(
            "llm-output check would not find {dto}: give it a name in a module, and pass package.module:Name as text",
            dto=name_of(dto_type),
        )
    return place


def _write_text(path: Path, ask: Callable[[], str] | None) -> None:
    """Ask for a text that is not there, and write it as it is."""
    if path.exists():
        return
    text = ask() if ask else None
    if not isinstance(text, str):
        raise CommandError("there is no file {file}, and nothing gives its text: pass a function that does", file=path)
    if path.name.startswith(".") or path.name == MANIFEST:
        raise CommandError("{file} cannot be a recorded text: give it another name", file=path)
    with os_errors_as(Phrase("cannot write {file}", file=path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
