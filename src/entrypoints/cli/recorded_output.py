"""Recorded model outputs in tests of pytest: what `llm-output check` reads, a folder of texts and its manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.commands.check import check_same, compare
from src.entrypoints.cli.contract import load_dto
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError, os_errors_as
from src.entrypoints.cli.recorded import MANIFEST, Manifest, RecordedFolder, Recording, read_manifest, reason_of
from src.shared.domain.answer_type import name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.infrastructure.agents.agent_output import read_text


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
        folder, recording = _recorded(beside / file, dto_type, finish_reason)
        if records:
            _write_text(beside / file, ask)
        return _value(folder, recording, records=records)
    except CommandError as error:
        message = error.message
    pytest.fail(message, pytrace=False)


def _recorded(path: Path, dto_type: Any, finish_reason: str | None) -> tuple[RecordedFolder, Recording]:  # noqa: ANN401 - as above
    """What is recorded of a text and its folder; a new folder has the type of the test."""
    manifest, place = read_manifest(path.parent), None if dto_type is None else _place_of(dto_type)
    manifest = Manifest(dto=place) if manifest == Manifest() and place else manifest
    if place not in (None, manifest.dto):
        raise CommandError(
            "{folder} is recorded into {recorded}, and the test asks for {named}; use another folder",
            folder=path.parent,
            recorded=manifest.dto or manifest.agent or manifest.schema_file or Phrase("plain data"),
            named=place,
        )
    new = Recording.model_validate({"file": path.name, **({"finish_reason": finish_reason} if finish_reason else {})})
    known = (one for one in manifest.recordings if one.file == path.name)
    return RecordedFolder(path.parent, manifest, ()), next(known, new)


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


def _value(folder: RecordedFolder, recording: Recording, *, records: bool) -> Any:  # noqa: ANN401 - as above
    """The value of a text that reads as recorded; its refusal is raised."""
    __tracebackhide__ = True
    path, known = folder.path / recording.file, {one.file: one for one in folder.manifest.recordings}
    if not (path.exists() and (records or recording.file in known)):
        raise CommandError(
            "{file} is not recorded; run pytest --llm-output-record, and read what it writes into {manifest}",
            file=path,
            manifest=MANIFEST,
        )
    text, contract = read_source(str(path)).text, folder.manifest.contract(folder.path)
    value, reason, refused = None, "", None
    try:
        parsed = read_text(text, contract, finished=recording.finished)
        value, now = parsed.value, recording.outcome_of(parsed, contract, traced=True)
    except LLMJsonParseError as error:
        now, reason, refused = recording.outcome(refused=error.details["stage"]), reason_of(error), error
    if records:
        check_same(str(path), recording.read_again(text, contract)[0], now)
        folder.write(tuple({**known, now.file: now}.values()))
    elif finding := compare(str(path), recording, now, reason):
        raise CommandError("{file}: {why}", file=finding.file, why=finding.text())
    if refused:
        raise refused
    return value
