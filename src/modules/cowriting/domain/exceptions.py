"""The co-writing context's exceptions."""

from __future__ import annotations

from src.modules.cowriting.domain.envelope import Layer, Part
from src.shared.domain.exceptions import AppException, Told
from src.shared.domain.language import Message

_LAYERS = {
    Layer.EXTRACT: "第 1 层 JSON 提取",
    Layer.NORMALIZE: "第 2 层字符归一化",
    Layer.PARSE: "第 3 层解析",
    Layer.REPAIR_AGENT: "第 4 层 JSON 修复 Agent",
}
_PARTS = {Part.ENVELOPE: "信封", Part.PAYLOAD: "payload"}


class EnvelopeParseError(AppException):
    """An envelope, or the payload in it, could not be read.

    `details` are those of the error it is raised from (the parser's, or the repair agent's), and `part` and `layer`:
    which text it was and which layer it did not get through. `cause_code` is the code of that error.
    """

    default_code = "ENVELOPE_PARSE_ERROR"


def envelope_error(cause: AppException, part: Part, layer: Layer) -> EnvelopeParseError:
    """The error for a text that did not get through a layer."""
    told = cause.told or Told(cause.message)
    facts = {**cause.details, "part": part.value, "layer": layer.value, "cause_code": cause.code}
    error = EnvelopeParseError(_failed(part, layer, cause.message).text(), facts)
    error.told = Told(_failed(part, layer, told.headline).text(), told.problems)
    return error


def _failed(part: Part, layer: Layer, why: str) -> Message:
    zh, en = f"{_PARTS[part]}在{_LAYERS[layer]}失败：{why}", f"the {part.value} failed in layer {layer.value}"
    return Message.glossed(zh, f"{en}: {why}", en)
