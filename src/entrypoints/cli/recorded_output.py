"""Recorded model outputs in tests of pytest: what `llm-output check` reads, a folder of texts and its manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.commands.check import check_same, compare
from src.entrypoints.cli.contract import Contract, load_dto
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError, os_errors_as
from src.entrypoints.cli.recorded import MANIFEST, Manifest, RecordedFolder, Recording, read_manifest, reason_of
from src.shared.domain.answer_type import name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.infrastructure.agents.agent_output import read_text


@dataclass(frozen=True)
class RecordedOutput:
    """What the fixture `recorded_output` gives: a function.

    Attributes:
        beside: the folder of the test.
        option: the one that records.
        records: whether it is given.
    """

    beside: Path
    option: str
    records: bool

    def __call__(
        self,
        file: str,
        ask: Callable[[], str] | None = None,
        dto_type: Any = None,  # noqa: ANN401 - any type that Pydantic reads
        *,
        finish_reason: str | None = None,
    ) -> Any:  # noqa: ANN401 - of that type
        """Read a recorded text; the test fails if it no longer reads as recorded: its value, grade or repairs.

        Args:
            file: the text, by its path from the folder of the test: `answers/order.txt`. A folder has one type.
            ask: gives the model's text; called where texts are recorded and there is no such file.
            dto_type: the type, a class of a module or its place as `package.module:Name`; by default that of the
                folder's manifest, and plain data where it names none.
            finish_reason: with a new text: why the model stopped, in any provider's words.

        Returns:
            The value, of its type.

        Raises:
            LLMJsonParseError: the text is refused, as it was recorded.
        """
        __tracebackhide__ = True
        try:
            return self._read(self.beside / file, ask, dto_type, finish_reason)
        except CommandError as error:
            message = error.message
        pytest.fail(message, pytrace=False)

    def _read(
        self,
        path: Path,
        ask: Callable[[], str] | None,
        dto_type: Any,  # noqa: ANN401 - as above
        finish_reason: str | None,
    ) -> Any:  # noqa: ANN401 - as above
        __tracebackhide__ = True
        folder, contract = self._folder(path.parent, dto_type)
        known = {one.file: one for one in folder.manifest.recordings}
        recorded = known.get(path.name) or Recording(file=path.name).model_copy(
            update={"finish_reason": finish_reason} if finish_reason else {}
        )
        if self.records and not path.exists():
            _write_text(path, ask)
        elif not path.exists() or (path.name not in known and not self.records):
            raise CommandError(
                "{file} is not recorded; run pytest {option}, and read what it writes into {manifest}",
                file=path,
                option=self.option,
                manifest=MANIFEST,
            )
        text, reason = read_source(str(path)).text, ""
        refused: LLMJsonParseError | None = None
        try:
            parsed = read_text(text, contract, finished=recorded.finished)
            now = recorded.outcome_of(parsed, contract, traced=True)
        except LLMJsonParseError as error:
            refused, now, reason = error, recorded.outcome(refused=error.details["stage"]), reason_of(error)
        if self.records:
            check_same(str(path), recorded.read_again(text, contract)[0], now)
            folder.write(tuple({**known, now.file: now}.values()))
        elif finding := compare(str(path), recorded, now, reason):
            raise CommandError("{file}: {why}", file=finding.file, why=finding.text())
        if refused:
            raise refused
        return parsed.value

    def _folder(self, path: Path, dto_type: Any) -> tuple[RecordedFolder, Contract | None]:  # noqa: ANN401 - as above
        """A folder as it is recorded, and the type of its texts; a new one has that of the test.

        Raises:
            CommandError: it is recorded into another type, or the type has no name that `llm-output check` finds.
        """
        manifest, place = read_manifest(path), None if dto_type is None else _place_of(dto_type)
        manifest = Manifest(dto=place) if manifest == Manifest() and place else manifest
        if place in (None, manifest.dto):
            return RecordedFolder(path, manifest, ()), manifest.contract(path)
        raise CommandError(
            "{folder} is recorded into {recorded}, and the test asks for {named}; use another folder",
            folder=path,
            recorded=manifest.dto or manifest.agent or manifest.schema_file or Phrase("plain data"),
            named=place,
        )


def _place_of(dto_type: Any) -> str:  # noqa: ANN401 - as above
    """How the manifest names a type, so that `llm-output check` finds it.

    Raises:
        CommandError: it is in no module.
    """
    if isinstance(dto_type, str):
        return dto_type
    place = f"{dto_type.__module__}:{dto_type.__qualname__}" if isinstance(dto_type, type) else ""
    if not place or load_dto(place) is not dto_type:
        raise CommandError(
            "llm-output check would not find {dto}: give it a name in a module, and pass package.module:Name as text",
            dto=name_of(dto_type),
        )
    return place


def _write_text(path: Path, ask: Callable[[], str] | None) -> None:
    """Ask for a text, and write it as it is.

    Raises:
        CommandError: nothing gives it, it cannot be written, or `llm-output check` would not see it.
    """
    text = ask() if ask else None
    if not isinstance(text, str):
        raise CommandError("there is no file {file}, and nothing gives its text: pass a function that does", file=path)
    if path.name.startswith(".") or path.name == MANIFEST:
        raise CommandError("{file} cannot be a recorded text: give it another name", file=path)
    with os_errors_as(Phrase("cannot write {file}", file=path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
