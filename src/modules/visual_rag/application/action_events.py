"""The event of a turn that was parsed: as for every other parse, on the one stream of events."""

from __future__ import annotations

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.problems import ProblemKind
from src.shared.domain.exceptions import AppException
from src.shared.domain.parse_events import parsed_event
from src.shared.domain.ports.events import OutputParsed
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import ParsedText

_STAGES = {
    ProblemKind.SEVERAL: "extract",
    ProblemKind.INVENTED: "extract",
    ProblemKind.TAGS: "extract",
    ProblemKind.UNKNOWN_ACTION: "validate",
    ProblemKind.ARGUMENTS: "validate",
}
"""The stage that a refusal belongs to where the JSON reader did not refuse; a text that was cut off has none."""


def action_event(
    label: str, text: str, parsed: ParsedAction, *, reply: LLMReply | None = None, attempt: int = 1
) -> OutputParsed:
    """The event of a turn that was read. Holds no part of the text.

    Args:
        label: the parser's.
        text: what the model wrote; only its length is kept.
        parsed: the action in it, or why there is none.
        reply: the reply that the text came in, for its model; None where a trainer generated it.
        attempt: 1, and 2 for the turn after one without an action.
    """
    return parsed_event(label, text, _result(parsed), reply=reply, attempt=attempt)


def _result(parsed: ParsedAction) -> ParsedText[object] | AppException:
    if parsed.problem is None:
        return ParsedText(parsed.action, parsed.repairs, parsed.stages)
    stage = parsed.problem.details.get("stage") or _STAGES.get(parsed.problem.kind)
    kinds = [repair.kind.value for repair in parsed.repairs]
    return AppException(parsed.problem.message, {"stage": stage, "repairs": list(dict.fromkeys(kinds))})
