"""An outcome: what happened to one text, the row of every count; and how rows come of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from src.shared.domain.ports.events import Event, OutputParsed, ParseOutcome, RepairAsked, RepairAttempted

TEXT_LIMIT = 8_000
"""Most characters of a text that are kept where texts are kept at all: its beginning."""
REMEMBERED = 500
"""Refused texts of which more may be heard, the newest; an older one stays as it was."""


@dataclass(slots=True)
class Outcome:
    """What happened to one text of a model; the repair agent's form of a text belongs to the same outcome.

    Attributes:
        at: when it was parsed, or refused, in microseconds since 1970.
        agent: who asked, such as an agent's title.
        outcome: how it ended: `model_repaired` where the repair agent's answer was accepted and read.
        model: the model that wrote the text; empty where the text came from elsewhere.
        prompt_id: identifies the prompt to readers; empty if none was given.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        stage: the stage of the parser that refused it; empty where none did.
        kinds: how often each kind of repair was made in a text that was read.
        asked: whether the repair agent asked a model about it, successfully or not.
        damage: what made the repair agent necessary.
        repair_code: why the repair agent's answer was not accepted, such as `REPAIR_VALUE_CHANGED`; else empty.
        length: characters of the text.
        text: its beginning where texts are kept, else None.
        number: counts the outcomes of one writer from 1; 0 before they are counted.
    """

    at: int
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
    number: int = field(default=0, compare=False)

    @property
    def is_refused(self) -> bool:
        """Whether the text was not read."""
        return self.outcome is ParseOutcome.REFUSED


def outcome_of(event: Event, at: int = 0, text_limit: int = 0) -> Outcome | None:
    """What an event says of a text; None where it says nothing that is counted.

    Of a question of the repair agent's, and of its refusal, it is the text as far as they know it: a refused one.

    Args:
        event: what happened.
        at: when, in microseconds since 1970.
        text_limit: most characters of the text that are kept; 0 keeps none.
    """
    if isinstance(event, OutputParsed):
        if event.by_repair_agent and event.outcome is ParseOutcome.REFUSED:
            return None  # the text stays as it was refused before
        return Outcome(
            at,
            event.context_label,
            event.outcome,
            event.model,
            event.prompt_id,
            event.attempt,
            event.refusing_stage,
            event.kinds,
            length=event.raw_length,
            text=event.text[:text_limit] if text_limit and event.text is not None else None,
        )
    if not isinstance(event, RepairAsked | RepairAttempted):
        return None
    code = event.code if isinstance(event, RepairAttempted) else ""
    if isinstance(event, RepairAttempted) and not code:
        return None  # what was accepted is parsed next
    return Outcome(
        at,
        event.caller.context_label,
        ParseOutcome.REFUSED,
        prompt_id=event.caller.prompt_id,
        asked=True,
        damage=tuple(dict.fromkeys(event.damage)),
        repair_code=code,
        length=event.before_chars,
    )


class OutcomeTracker:
    """Puts together what is said of each text of one process, in the order in which it is said.

    A text is an outcome when it is parsed. When the repair agent asks about it the same outcome counts as asked, and
    when the answer is read as repaired. A text that is asked about and was never parsed here counts as a refused one.
    """

    def __init__(self) -> None:
        self._count = 0
        self._refused: dict[int, Outcome] = {}

    def take(self, heard: Outcome) -> Outcome | None:
        """The outcome that is new, `heard` itself; or the earlier one of which more is known now; None for neither."""
        if heard.outcome is ParseOutcome.MODEL_REPAIRED:
            if found := self._last(heard, asked=True):
                found.outcome, found.stage, found.kinds = heard.outcome, "", heard.kinds
                del self._refused[found.number]
            return found
        if heard.repair_code:
            found = self._last(heard, asked=True)
            if found is None or found.length != heard.length:
                return None  # it was refused without a question
            found.repair_code = heard.repair_code
            del self._refused[found.number]
            return found
        if heard.asked and (found := self._last(heard, asked=False)):
            found.asked, found.damage = True, heard.damage
            return found
        self._count += 1
        heard.number = self._count
        if heard.is_refused:
            self._refused[heard.number] = heard
            if len(self._refused) > REMEMBERED:
                del self._refused[next(iter(self._refused))]
        return heard

    def _last(self, heard: Outcome, *, asked: bool) -> Outcome | None:
        """The newest refused text of an agent that was, or was not, asked about; the likeliest of several."""
        is_answer = not heard.is_refused  # whose length is another one
        return max(
            (one for one in reversed(self._refused.values()) if one.agent == heard.agent and one.asked is asked),
            key=lambda one: (one.prompt_id == heard.prompt_id, is_answer or one.length == heard.length),
            default=None,
        )
