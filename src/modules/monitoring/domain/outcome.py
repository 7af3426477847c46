"""An outcome: what happened to one text, a row of the store; and how outcomes come of the notes of events."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from src.modules.monitoring.domain.rate import Moment
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


REMEMBERED = 500
"""Refused texts of which more may be heard, the newest; an older one stays as it is in the store."""


class OutcomeTracker:
    """Makes batches of outcomes out of one process's notes, in their order.

    A text is an outcome when it is parsed. When the repair agent asks about it the same outcome counts as asked, and
    when the answer is read as repaired. A text that is asked about and was never parsed here counts as a refused one.
    """

    def __init__(self) -> None:
        self._next = 1
        self._refused: deque[tuple[int, Outcome]] = deque(maxlen=REMEMBERED)

    def batch(self, notes: Iterable[Note]) -> Batch:
        """What the notes add to the store. The batch is the caller's: the next one does not change it."""
        batch = Batch(self._next)
        for note in notes:
            if isinstance(note, ParseNote):
                self._parsed(note, batch)
            elif isinstance(note.event, RepairAsked):
                self._asked(note.at, note.event, batch)
            else:
                self._attempted(note.event, batch)
        return batch

    def _parsed(self, note: ParseNote, batch: Batch) -> None:
        if note.by_repair_agent:
            self._read_again(note, batch)
            return
        outcome = Outcome(
            at=note.at,
            agent=note.agent,
            outcome=note.outcome,
            model=note.model,
            prompt_id=note.prompt_id,
            attempt=note.attempt,
            length=note.length,
            text=note.text,
        )
        if note.outcome is ParseOutcome.REFUSED:
            outcome.stage = note.stages[-1] if note.stages else ""
        elif note.kinds:
            outcome.kinds = Counter(kind.value for kind in note.kinds)
        self._add(outcome, batch)

    def _read_again(self, note: ParseNote, batch: Batch) -> None:
        """The repair agent's form of a text: one that is refused changes nothing."""
        found = self._last(note.agent, note.prompt_id, asked=True)
        if found and note.outcome is not ParseOutcome.REFUSED:
            number, outcome = found
            self._refused.remove(found)
            outcome.outcome, outcome.stage = note.outcome, ""
            outcome.kinds = Counter(kind.value for kind in note.kinds)
            _change(batch, number, outcome)

    def _asked(self, at: int, event: RepairAsked, batch: Batch) -> None:
        caller, damage = event.caller, tuple(dict.fromkeys(event.damage))
        found = self._last(caller.context_label, caller.prompt_id, asked=False, length=event.before_chars)
        if found is None:
            refused = Outcome(at, caller.context_label, ParseOutcome.REFUSED, prompt_id=caller.prompt_id)
            refused.asked, refused.damage, refused.length = True, damage, event.before_chars
            self._add(refused, batch)
            return
        number, outcome = found
        outcome.asked, outcome.damage = True, damage
        _change(batch, number, outcome)

    def _attempted(self, event: RepairAttempted, batch: Batch) -> None:
        """A refusal of the repair agent's; of a text that it did not ask about there is nothing to change."""
        caller = event.caller
        found = self._last(caller.context_label, caller.prompt_id, asked=True, length=event.before_chars)
        if found and event.code and found[1].length == event.before_chars:
            number, outcome = found
            outcome.repair_code = event.code
            self._refused.remove(found)
            _change(batch, number, outcome)

    def _add(self, outcome: Outcome, batch: Batch) -> None:
        if outcome.outcome is ParseOutcome.REFUSED:
            self._refused.append((self._next, outcome))
        batch.new.append(outcome)
        self._next += 1

    def _last(
        self, agent: str, prompt_id: str, *, asked: bool, length: int | None = None
    ) -> tuple[int, Outcome] | None:
        """The newest refused text of an agent that was, or was not, asked about; the likeliest of several."""
        found = [each for each in reversed(self._refused) if each[1].agent == agent and each[1].asked is asked]
        return max(
            found,
            key=lambda each: (each[1].prompt_id == prompt_id, length in {None, each[1].length}),
            default=None,
        )


def _change(batch: Batch, number: int, outcome: Outcome) -> None:
    if number < batch.first:
        batch.changed[number] = outcome
