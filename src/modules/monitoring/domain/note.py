"""What is taken of an event when it is published: as little as the store needs, and as quickly as can be."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from src.modules.monitoring.domain.moment import Moment
from src.modules.monitoring.domain.outcome import TEXT_LIMIT
from src.shared.domain.ports.events import OutputParsed, ParseOutcome, RepairAsked, RepairAttempted
from src.shared.domain.repair import RepairKind


class ParseNote(NamedTuple):
    """A parse; it does not keep the event, which holds the text."""

    at: Moment
    agent: str
    outcome: ParseOutcome
    model: str
    prompt_id: str
    attempt: int
    stages: tuple[str, ...]
    kinds: tuple[RepairKind, ...]
    length: int
    by_repair_agent: bool
    text: str | None

    @classmethod
    def of(cls, at: Moment, event: OutputParsed, *, with_text: bool) -> ParseNote:
        """The note of an event; with the beginning of its text where texts are stored."""
        text = event.text[:TEXT_LIMIT] if with_text and event.text is not None else None
        return cls(
            at,
            event.context_label,
            event.outcome,
            event.model,
            event.prompt_id,
            event.attempt,
            event.stages,
            event.repair_kinds,
            event.raw_length,
            event.by_repair_agent,
            text,
        )


class RepairNote(NamedTuple):
    """A question of the repair agent's, or what came of it."""

    at: Moment
    event: RepairAsked | RepairAttempted


Note: TypeAlias = ParseNote | RepairNote
