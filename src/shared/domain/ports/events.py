"""The port that takes what happened: one stream for answers asked for, requests to models, parses and repairs.

Every token and every second of a model is in exactly one kind of event, `CallEnded`: their sum is what was spent.
A run that goes on with an earlier one tells of its own requests only, and of the texts that came in answer to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from src.shared.domain.caller import NOBODY, Caller, event_name
from src.shared.domain.exceptions import AppException
from src.shared.domain.grade import Grade
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.repair import RepairKind, how_often
from src.shared.domain.repair_errors import Difference


class ParseOutcome(StrEnum):
    """How a parse ended."""

    CLEAN = "clean"
    REPAIRED = "repaired"
    MODEL_REPAIRED = "model_repaired"
    """The deterministic reader gave up; the repair agent's answer was accepted."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class AnswerRequested:
    """A typed answer is wanted: one or several requests to a model follow, or none where an earlier run had the answer.

    Attributes:
        context_label: who asks, such as an agent's title.
        output_model: name of the type asked for.
        prompt_id: identifies the prompt to readers of the event; empty if none was given.
    """

    context_label: str
    output_model: str
    prompt_id: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFailed:
    """No attempt gave an answer.

    Attributes:
        context_label: as above.
        output_model: as above.
        code: code of the last error, such as `LLM_JSON_PARSE_ERROR` or a provider's.
        stop: why no further attempt was made, such as `retries_spent`.
        attempts: questions asked, the repair agent's included.
        details: facts of the last error; they may quote the answer.
    """

    context_label: str
    output_model: str
    code: str
    stop: str
    attempts: int
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A request is about to go to a model; one `CallEnded` follows, whatever happens.

    Attributes:
        caller: who asks, and what for.
        model: the model's name as it is asked for; empty where the adapter does not say.
    """

    caller: Caller = NOBODY
    model: str = ""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A request has been answered, has failed, or is waited for no longer; the transport's retries are part of it.

    Attributes:
        caller: who asks, and what for.
        model: the model's name as it was asked for; empty where the adapter does not say.
        response_model: the model's name as the provider gives it; empty where there is no reply.
        finish_reason: why the model stopped writing; `unknown` where there is no reply.
        usage: tokens of the request, estimated where the provider did not count them; of a cancelled one unknown.
        latency: seconds of the request.
        code: why there is no reply: the error's code, `LLM_CALL_CANCELLED`, or the type of an exception that is not
            ours; empty where there is one.
    """

    caller: Caller = NOBODY
    model: str = ""
    response_model: str = ""
    finish_reason: FinishReason = FinishReason.UNKNOWN
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0
    code: str = ""


@dataclass(frozen=True, slots=True)
class OutputParsed:
    """One text of a model was parsed, or refused.

    Attributes:
        context_label: who asked, such as an agent's title.
        outcome: how it ended.
        model: the model's name; empty where the text came from elsewhere.
        prompt_id: identifies the prompt to readers of the event; empty if none was given.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        stages: names of the parser's stages that had something to do; for a refusal the one that refused comes last.
        repairs: how often each kind of repair was made, by its name; of a refused text the kinds noted before, each
            once.
        raw_length: characters of the text.
        grade: how sure the result is; None for a refusal, and where the reader does not say.
        by_repair_agent: whether the text is the repair agent's answer, and so another form of the text that was
            refused before.
        text: the text itself; None where there was none. Private: an adapter passes it on only where the application
            asks for that. No `repr` shows it, and events that differ in nothing else are equal.
    """

    context_label: str
    outcome: ParseOutcome
    model: str = ""
    prompt_id: str = ""
    attempt: int = 1
    stages: tuple[str, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    raw_length: int = 0
    by_repair_agent: bool = False
    grade: Grade | None = None
    text: str | None = field(default=None, repr=False, compare=False)

    @property
    def refusing_stage(self) -> str:
        """The stage that refused it; empty where none did, or none is named."""
        return self.stages[-1] if self.stages and self.outcome is ParseOutcome.REFUSED else ""

    @property
    def kinds(self) -> Mapping[str, int]:
        """How often each kind of repair was made; none of a text that was not read."""
        return {} if self.outcome is ParseOutcome.REFUSED else self.repairs

    def facts(self) -> dict[str, Any]:
        """Everything but the text, as logs and traces have it; each kind of repair once."""
        return {
            "context_label": self.context_label,
            "outcome": self.outcome.value,
            "model": self.model,
            "prompt_id": self.prompt_id,
            "attempt": self.attempt,
            "stages": list(self.stages),
            "repairs": sorted(self.repairs),
            "repair_count": sum(self.repairs.values()),
            "raw_length": self.raw_length,
            "grade": self.grade.value if self.grade else None,
            "by_repair_agent": self.by_repair_agent,
        }


@dataclass(frozen=True, slots=True)
class RepairAsked:
    """The repair agent is about to ask a model for a text that was refused.

    Attributes:
        caller: whose text it is.
        before_chars: characters of the damaged text.
        damage: what made the repair agent necessary: the parser's reason, and the kinds of repair it had found.
    """

    caller: Caller = NOBODY
    before_chars: int = 0
    damage: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepairAttempted:
    """A repair was accepted, refused, or cut short; a text that is too long is refused without asking a model.

    Attributes:
        accepted: whether the answer was taken.
        before_chars: characters of the damaged text.
        after_chars: characters of the answer; 0 where there was none.
        damage: as above.
        code: the refusal's or the provider's error code, such as `REPAIR_VALUE_CHANGED`; `LLM_CALL_CANCELLED` where
            the time was over; empty if accepted.
        difference: the first place where the answer says something else; None if accepted or not compared.
        model: the model's name; empty where it was not asked or did not answer.
        caller: whose text it is.
    """

    accepted: bool
    before_chars: int
    after_chars: int = 0
    damage: tuple[str, ...] = ()
    code: str = ""
    difference: Difference | None = None
    model: str = ""
    caller: Caller = NOBODY


Event: TypeAlias = (
    AnswerRequested | AnswerFailed | CallStarted | CallEnded | OutputParsed | RepairAsked | RepairAttempted
)
"""Everything that is told, in the order in which it happens."""


class EventPort(Protocol):
    """Receives the published events. An adapter never raises."""

    def publish(self, event: Event) -> None:
        """Take note of one event; an adapter ignores the kinds that do not concern it."""
        ...


_KINDS = frozenset(kind.value for kind in RepairKind)


def parsed_event(
    label: str,
    raw: str | None,
    parsed: ParsedText[object] | AppException,
    *,
    reply: LLMReply | None = None,
    prompt_id: str = "",
    attempt: int = 1,
    by_repair_agent: bool = False,
) -> OutputParsed:
    """The event of one text that was parsed, or refused. Besides `text`, nothing in it holds a part of the text.

    Names are as `event_name` makes them.

    Args:
        label: who asked, such as an agent's title.
        raw: the text. `None` counts as empty, as it does for the parser.
        parsed: what the parser returned or raised.
        reply: the reply that the text came in, for its model; None where no model was asked.
        prompt_id: identifies the prompt to readers of the event.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        by_repair_agent: `parsed` was read from the repair agent's answer; a refusal is a refusal all the same.
    """
    stages: tuple[str, ...]
    if isinstance(parsed, AppException):
        outcome, grade, stage = ParseOutcome.REFUSED, None, parsed.details.get("stage")
        stages = (event_name(stage),) if isinstance(stage, str) else ()
        repairs = _repairs_before(parsed)
    else:
        read = ParseOutcome.REPAIRED if parsed.repairs else ParseOutcome.CLEAN
        outcome = ParseOutcome.MODEL_REPAIRED if by_repair_agent else read
        grade, stages = parsed.grade, parsed.stages
        repairs = {kind.value: count for kind, count in how_often(parsed.repairs).items()}
    return OutputParsed(
        context_label=event_name(label),
        outcome=outcome,
        model=event_name(reply.model) if reply else "",
        prompt_id=event_name(prompt_id),
        attempt=attempt,
        stages=stages,
        repairs=repairs,
        raw_length=len(raw or ""),
        by_repair_agent=by_repair_agent,
        grade=grade,
        text=raw,
    )


def _repairs_before(error: AppException) -> dict[str, int]:
    """The repairs made before the refusal; an error of another parser may say something else under the name."""
    named = error.details.get("repairs")
    names: Iterable[object] = named if isinstance(named, list | tuple) else ()
    return {name: 1 for name in names if isinstance(name, str) and name in _KINDS}
