"""The envelope a model's answer comes in, and the layers that a text passes on its way out of one."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, JsonValue


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


class Part(StrEnum):
    """Which of the two texts was read; each is repaired on its own."""

    ENVELOPE = "envelope"
    PAYLOAD = "payload"


class Envelope(BaseModel):
    """What a model sent: facts about the message, and the message.

    Attributes:
        meta: facts about the message.
        payload: the message: a JSON text, mostly, or the value itself. None, or a text of blanks, is no message.

    Other fields are kept as they are. Both fields must be there: an object without them is no envelope.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    meta: dict[str, JsonValue]
    payload: JsonValue
