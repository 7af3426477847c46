"""How the event of a parse is made: the one place that turns a result, or a refusal, into `OutputParsed`."""

from __future__ import annotations

from collections.abc import Iterable

from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed, ParseOutcome
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import ParsedText
from src.shared.domain.repair import RepairKind

NAME_LIMIT = 200
"""Most characters of a label, a model's name, a prompt's id and a stage in an event."""

_NO_CALL = LLMReply("")
_KINDS = {kind.value: kind for kind in RepairKind}


def parsed_event(
    label: str,
    raw: str | None,
    parsed: ParsedText[object] | AppException,
    *,
    reply: LLMReply | None = None,
    prompt_id: str = "",
    attempt: int = 1,
    model_repaired: bool = False,
) -> OutputParsed:
    """The event of one text that was parsed, or refused. Holds no part of the text.

    Names are cut to `NAME_LIMIT` characters and can be written to any log: some of them come from a provider.

    Args:
        label: who asked, such as an agent's title.
        raw: the text; only its length is kept. `None` counts as empty, as it does for the parser.
        parsed: what the parser returned or raised.
        reply: the call that gave the text, for its model, tokens and latency; None where no model was asked.
        prompt_id: identifies the prompt to readers of the event.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        model_repaired: `parsed` was read from the repair agent's answer and not from `raw`; a refusal is a refusal
            all the same.
    """
    call = reply or _NO_CALL
    if isinstance(parsed, AppException):
        outcome, stages, kinds = ParseOutcome.REFUSED, _refusing_stage(parsed), _kinds_before(parsed)
    else:
        outcome, stages = _outcome_of(parsed, model_repaired=model_repaired), parsed.stages
        kinds = tuple(repair.kind for repair in parsed.repairs for _ in range(repair.count))
    return OutputParsed(
        context_label=_name(label),
        outcome=outcome,
        model=_name(call.model),
        prompt_id=_name(prompt_id),
        attempt=attempt,
        stages=stages,
        repair_kinds=kinds,
        raw_length=len(raw or ""),
        usage=call.usage,
        latency=call.latency,
    )


def _outcome_of(parsed: ParsedText[object], *, model_repaired: bool) -> ParseOutcome:
    if model_repaired:
        return ParseOutcome.MODEL_REPAIRED
    return ParseOutcome.REPAIRED if parsed.repairs else ParseOutcome.CLEAN


def _refusing_stage(error: AppException) -> tuple[str, ...]:
    stage = error.details.get("stage")
    return (_name(stage),) if isinstance(stage, str) else ()


def _kinds_before(error: AppException) -> tuple[RepairKind, ...]:
    """The repairs made before the refusal; an error of another parser may say something else under the name."""
    named = error.details.get("repairs")
    names: Iterable[object] = named if isinstance(named, list | tuple) else ()
    return tuple(_KINDS[name] for name in names if isinstance(name, str) and name in _KINDS)


def _name(text: str) -> str:
    """The name without lone surrogates, which no log can encode."""
    return text[:NAME_LIMIT].encode("utf-8", "backslashreplace").decode("utf-8")[:NAME_LIMIT]
