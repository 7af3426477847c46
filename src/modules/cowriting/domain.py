"""The envelope a model's answer comes in, the layers that a text passes on its way out of one, and its errors."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue, SerializeAsAny

from src.shared.domain.exceptions import AppException, Told
from src.shared.domain.language import Message, Phrase
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.domain.repair_errors import RepairRefusedError
from src.shared.domain.strict_json import json_as_written


class Layer(StrEnum):
    """The four layers of seed 004, in their order; the one a text did not get through is named in the error."""

    EXTRACT = "extract"
    """Layer 1: find the JSON: no text, reasoning only, no object, several objects."""
    NORMALIZE = "normalize"
    """Layer 2: undo damage without a model: the parser's deterministic repairs, characters first."""
    PARSE = "parse"
    """Layer 3: JSON, and what it must be: the root, the envelope's fields, the payload's type."""
    REPAIR_AGENT = "repair_agent"
    """Layer 4: the model that is asked to undo what layer 2 could not."""

    @property
    def number(self) -> int:
        """1 to 4."""
        return list(Layer).index(self) + 1


_LAYERS = {
    Layer.EXTRACT: Phrase("layer|extract"),
    Layer.NORMALIZE: Phrase("layer|normalize"),
    Layer.PARSE: Phrase("layer|parse"),
    Layer.REPAIR_AGENT: Phrase("layer|repair_agent"),
}
LAYER_OF_STAGE = {
    **dict.fromkeys(("empty", "think", "fence", "tool_call", "extract"), Layer.EXTRACT),
    **dict.fromkeys(("control_chars", "repair"), Layer.NORMALIZE),
    **dict.fromkeys(("strict", "root", "normalize", "validate"), Layer.PARSE),
}
"""The parser's stages → the layer of seed 004 they belong to. The stage `normalize` is a type's hooks, not layer 2."""


def layer_of(error: AppException) -> Layer:
    """The layer in which the parser refused a text."""
    if error.details.get("json_error") == SEVERAL_OBJECTS.en:
        return Layer.EXTRACT  # also where they were found in the stage `repair`
    return LAYER_OF_STAGE[error.details["stage"]]


class Part(StrEnum):
    """Which of the two texts was read; each is repaired on its own."""

    ENVELOPE = "envelope"
    PAYLOAD = "payload"

    @property
    def label(self) -> str:
        """What logs and events call it, as `context_label`."""
        return "信封" if self is Part.ENVELOPE else "payload"


Payload: TypeAlias = JsonValue | Decimal
"""Any JSON. The `Decimal` is what has the parser keep a number as it was written; no text is read as one."""


class Envelope(BaseModel):
    """What a model sent: facts about the message, and the message.

    Attributes:
        meta: facts about the message.
        payload: the message: a JSON text, mostly, or the value itself. None, or a text of blanks, is no message.

    Other fields are kept as they are. Both fields must be there: an object without them is no envelope.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    meta: dict[str, JsonValue]
    payload: SerializeAsAny[Payload]


def to_read(payload: Envelope | Payload, *, finished: bool | None) -> tuple[str, bool | None] | None:
    """The text to read and what is known of its end; None for an empty payload.

    Empty is null, or a text that is blank or says `null`. An envelope's payload is whole unless `finished` is False:
    the envelope goes on behind it. One that came as a value is whole.
    """
    if isinstance(payload, Envelope):
        payload, finished = payload.payload, finished is not False
    if payload is None or (isinstance(payload, str) and payload.strip() in {"", "null"}):
        return None
    return (payload, finished) if isinstance(payload, str) else (json_as_written(payload), True)


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
    message = Phrase("{message}; layer {layer} failed: {why}", message=unread.message, layer=_LAYERS[layer], why=why)
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
    named = Message(part.label, part.value)
    return Phrase("the {part} failed in layer {layer}: {why}", part=named, layer=_LAYERS[layer], why=why)
