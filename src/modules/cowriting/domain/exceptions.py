"""The co-writing context's exceptions."""

from __future__ import annotations

from src.modules.cowriting.domain.envelope import Layer, Part
from src.shared.domain.exceptions import AppException

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
    message = f"{_PARTS[part]}在{_LAYERS[layer]}失败：{cause.message} (the {part.value} failed in layer {layer.value})"
    facts = {**cause.details, "part": part.value, "layer": layer.value, "cause_code": cause.code}
    return EnvelopeParseError(message, facts)
