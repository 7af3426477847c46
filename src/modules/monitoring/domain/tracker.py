"""From notes of events to outcomes: which text the repair agent was asked about, and what came of it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from src.modules.monitoring.domain.outcome import Batch, Note, Outcome, ParseNote
from src.shared.domain.ports.events import ParseOutcome, RepairAsked, RepairAttempted

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
