"""An outcome: what happened to one text, a row of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from src.modules.monitoring.domain.window import Moment
from src.shared.domain.ports.events import OutputParsed, ParseOutcome, RepairAsked, RepairAttempted
from src.shared.domain.repair import RepairKind

TEXT_LIMIT = 8_000
"""Most characters of a text that are stored where texts are stored at all: its beginning."""


@dataclass(slots=True)
class Outcome:
    """What happened to one text of a model; the repair agent's form of a text belongs to the same outcome.

    Attributes:
        at: when it was parsed, or refused.
        agent: who asked, such as an agent's title.
        model: the model that wrote the text; empty where the text came from elsewhere.
        outcome: how it ended: `model_repaired` where the repair agent's answer was accepted and read.
        prompt_id: identifies the prompt to readers; empty if none was given.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        stage: the stage of the parser that refused it; empty where none did.
        kinds: how often each kind of repair was made in a text that was read.
        asked: whether the repair agent asked a model about it, successfully or not.
        damage: what made the repair agent necessary.
        repair_code: why the repair agent's answer was not accepted, such as `REPAIR_VALUE_CHANGED`; else empty.
        length: characters of the text.
        text: its first `TEXT_LIMIT` characters where texts are stored, else None.
    """

    at: Moment
    agent: str
    outcome: ParseOutcome
    model: str = ""
    prompt_id: str = ""
    attempt: int = 1
    stage: str = ""
    kinds: Mapping[str, int] = field(default_factory=dict)
    asked: bool = False
    damage: tuple[str, ...] = ()
    repair_code: str = ""
    length: int = 0
    text: str | None = None


@dataclass(slots=True)
class Batch:
    """What is written to the store at once.

    Attributes:
        first: the number of the first new outcome among its writer's; the others follow it.
        new: outcomes that are not in the store.
        changed: outcomes of earlier batches, by number, of which more is known now.
    """

    first: int
    new: list[Outcome] = field(default_factory=list)
    changed: dict[int, Outcome] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.new or self.changed)


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
