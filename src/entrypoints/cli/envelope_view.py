"""What `llm-output envelope` says on stderr: what was repaired in either text, or why one was refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.error_view import report_error
from src.entrypoints.cli.options import ErrorFormat, Finished
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.refusal_view import finished_hint
from src.entrypoints.cli.repairs_view import model_repair, print_repairs
from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.source import Source
from src.entrypoints.cli.spoken import spoken
from src.modules.cowriting.application.reading import Reading
from src.modules.cowriting.domain.envelope import Envelope, Part
from src.modules.cowriting.domain.exceptions import EnvelopeParseError
from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.exceptions import AppException, error_of

_PAYLOAD = "<payload>"
"""What places in the payload's text are shown under; its lines are not the file's."""


@dataclass(frozen=True)
class Opened:
    """An envelope and its payload, as far as they were read.

    Attributes:
        source: where the envelope came from.
        contract: what the payload must be, if that was said.
        envelope: what the layers made of the envelope.
        payload: the same of its payload; None where the envelope was not read.
        finished: what was said of the end.
        with_model: whether a model might be asked.
    """

    source: Source
    contract: Contract | None
    envelope: Reading[Envelope]
    payload: Reading[Any] | None
    finished: Finished
    with_model: bool

    @property
    def readings(self) -> Iterator[tuple[Reading[Any], Source, Contract | None]]:
        """Each text that was read or refused, under what name, and what it must be."""
        yield self.envelope, self.source, Contract(Envelope, (), Part.ENVELOPE.label)
        if self.payload:
            yield self.payload, Source(_PAYLOAD, self.payload.text), self.contract

    @property
    def error(self) -> AppException | None:
        """Why one of them was refused."""
        return self.payload.error if self.payload else self.envelope.error


def tell(opened: Opened, *, explain: bool) -> None:
    """Say how both texts were read."""
    if explain:
        _explain(opened)
        return
    console = stderr()
    for reading, _, _ in opened.readings:
        if reading.parsed and (reading.parsed.repairs or reading.repaired):
            _print_repairs(console, reading)


def _print_repairs(console: Console, reading: Reading[Any]) -> None:
    console.print(Text(spoken(f"{reading.part.label}：", f"{reading.part.value}:"), "bold"))
    if reading.repaired:
        console.print(model_repair(reading.repaired.reply), soft_wrap=True)
    if reading.parsed:
        print_repairs(console, reading.parsed.repairs)


def refuse(opened: Opened, error_format: ErrorFormat, *, explain: bool) -> None:
    """Say why one of the texts was refused."""
    *_, (reading, source, _) = opened.readings
    as_text = error_format is ErrorFormat.TEXT
    if explain and as_text:
        _explain(opened)
    report_error(error_of(reading.error), source, error_format)
    if as_text and reading.unread:
        _hint(opened, reading, reading.unread)


def _hint(opened: Opened, reading: Reading[Any], unread: EnvelopeParseError) -> None:
    """Say which option helps; and where no model could be asked, what it was needed for."""
    console = stderr()
    if not isinstance(reading.error, EnvelopeParseError):
        why = visible(unread.message)
        console.print(spoken(f"需要模型的原因：{why}", f"A model was needed because: {why}"), soft_wrap=True)
    is_cut = unread.details.get("truncated") and reading.part is Part.ENVELOPE
    if is_cut and opened.finished is Finished.UNKNOWN:
        console.print(finished_hint(), soft_wrap=True)
    if not opened.with_model and is_repairable(reading.text, unread):
        hint = spoken("提示：--repair 请模型修复语法。", "Hint: --repair asks a model to repair the syntax.")
        console.print(hint, soft_wrap=True)


def _explain(opened: Opened) -> None:
    from src.entrypoints.cli.explain_layers import (  # noqa: PLC0415 - hardly a call asks for it
        explain_layers,
        explain_unreached,
    )

    console = stderr()
    for reading, _, contract in opened.readings:
        explain_layers(console, reading, contract)
    if opened.payload is None:
        explain_unreached(console, Part.PAYLOAD)
