"""The co-writing context's exceptions."""

from __future__ import annotations

from src.modules.cowriting.domain.envelope import Layer, Part, layer_of
from src.shared.domain.exceptions import AppException, Told
from src.shared.domain.language import Message
from src.shared.domain.repair_errors import RepairRefusedError

_LAYERS = {
    Layer.EXTRACT: "JSON 提取",
    Layer.NORMALIZE: "字符归一化",
    Layer.PARSE: "解析",
    Layer.REPAIR_AGENT: "JSON 修复 Agent",
}


class EnvelopeParseError(AppException):
    """An envelope, or the payload in it, could not be read.

    `details` are those of the parser's error, and `part` and `layer`: which text it was and the last layer that it did
    not get through; `cause_code` is the code of the error of that layer. Where that is layer 4, `repair` holds the
    details of the refused repair, and the others still say why layers 1 to 3 gave up.

    Attributes:
        part: which text it was.
        layer: the last layer that it did not get through.
        reason: the message of that layer's error alone.
    """

    default_code = "ENVELOPE_PARSE_ERROR"
    part: Part
    layer: Layer
    reason: str


def envelope_error(part: Part, cause: AppException) -> EnvelopeParseError:
    """The error for a text that layers 1 to 3 do not read, from the parser's."""
    layer, told = layer_of(cause), cause.told or Told(cause.message)
    error = _error(_failed(part, layer, cause.message), part, layer, cause, cause.details)
    error.told = Told(_failed(part, layer, told.headline).text(), told.problems)
    return error


def repair_refused(unread: EnvelopeParseError, refusal: RepairRefusedError) -> EnvelopeParseError:
    """The error for a text whose repair was refused: why it needed one, and why the repair is not taken."""
    layer, why = Layer.REPAIR_AGENT, refusal.message
    zh, en = f"{_title(layer)}失败：{why}", f"layer {layer.value} failed: {why}"
    message = Message(f"{unread.message}；{zh}", f"{unread.message}; {en}", f"{unread.message}；{zh}")
    error = _error(message, unread.part, layer, refusal, unread.details | {"repair": refusal.details})
    error.told = unread.told
    return error


def _error(
    message: Message, part: Part, layer: Layer, cause: AppException, details: dict[str, object]
) -> EnvelopeParseError:
    facts = {**details, "part": part.value, "layer": layer.value, "cause_code": cause.code}
    error = EnvelopeParseError(message.text(), facts)
    error.part, error.layer, error.reason = part, layer, cause.message
    error.__cause__ = cause
    return error


def _failed(part: Part, layer: Layer, why: str) -> Message:
    zh, en = f"{part.label}在{_title(layer)}失败：{why}", f"the {part.value} failed in layer {layer.value}"
    return Message.glossed(zh, f"{en}: {why}", en)


def _title(layer: Layer) -> str:
    return f"第 {layer.number} 层（{_LAYERS[layer]}）"
