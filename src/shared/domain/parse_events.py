"""How the event of a parse is made: the one place that turns a result, or a refusal, into `OutputParsed`."""

from __future__ import annotations

from collections.abc import Iterable

from src.shared.domain.caller import event_name
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.repair import RepairKind

_KINDS = {kind.value: kind for kind in RepairKind}


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
    if isinstance(parsed, AppException):
        outcome, stages, kinds = ParseOutcome.REFUSED, _refusing_stage(parsed), _kinds_before(parsed)
    else:
        outcome, stages = _outcome_of(parsed, by_repair_agent=by_repair_agent), parsed.stages
        kinds = tuple(repair.kind for repair in parsed.repairs for _ in range(repair.count))
    return OutputParsed(
        context_label=event_name(label),
        outcome=outcome,
        model=event_name(reply.model) if reply else "",
        prompt_id=event_name(prompt_id),
        attempt=attempt,
        stages=stages,
        repair_kinds=kinds,
        raw_length=len(raw or ""),
        by_repair_agent=by_repair_agent,
        grade=None if isinstance(parsed, AppException) else parsed.grade,
        text=raw,
    )


def _outcome_of(parsed: ParsedText[object], *, by_repair_agent: bool) -> ParseOutcome:
    if by_repair_agent:
        return ParseOutcome.MODEL_REPAIRED
    return ParseOutcome.REPAIRED if parsed.repairs else ParseOutcome.CLEAN


def _refusing_stage(error: AppException) -> tuple[str, ...]:
    stage = error.details.get("stage")
    return (event_name(stage),) if isinstance(stage, str) else ()


def _kinds_before(error: AppException) -> tuple[RepairKind, ...]:
    """The repairs made before the refusal; an error of another parser may say something else under the name."""
    named = error.details.get("repairs")
    names: Iterable[object] = named if isinstance(named, list | tuple) else ()
    return tuple(_KINDS[name] for name in names if isinstance(name, str) and name in _KINDS)
