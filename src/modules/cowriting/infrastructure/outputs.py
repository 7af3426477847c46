"""What the two texts are parsed into by the unified parser: layers 1 to 3. Pure: no model, no clock, no network."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from pydantic import JsonValue, TypeAdapter

from src.modules.cowriting.domain.envelope import Envelope, Part
from src.shared.domain.ports.output import ParsedText
from src.shared.infrastructure.agents.agent_output import parsed_text
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace

_NO_OBJECT_STARTS = frozenset('["-0123456789tfn')


class EnvelopeOutput:
    """The `OutputPort` of an envelope. A payload that is no text keeps each number as it was written."""

    label = Part.ENVELOPE.label
    dto_type = Envelope

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[Envelope]:
        """Parse an envelope; see `OutputPort.read`.

        Raises:
            LLMJsonParseError: there is none that can be read without a guess.
        """
        parsed = parse_llm_json_output_with_trace(raw, self.dto_type, context_label=self.label, finished=finished)
        envelope, decoded = parsed.value, parsed.decoded
        if not isinstance(envelope.payload, str):
            envelope = envelope.model_copy(update={"payload": decoded.data["payload"]})
        return parsed_text(envelope, decoded)


class AnyPayload:
    """The `OutputPort` of a payload whose type nobody asks for.

    A text that is strict JSON may also be a list or a scalar, as for the specification's `JSON.parse`; a damaged text
    must be an object.
    """

    label = Part.PAYLOAD.label

    @property
    def dto_type(self) -> TypeAdapter[Any]:
        """Any JSON value."""
        return TypeAdapter(JsonValue)

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[JsonValue]:
        """Decode a text; see `OutputPort.read`.

        Raises:
            LLMJsonParseError: it cannot be read without a guess.
        """
        if finished is not False and raw.lstrip()[:1] in _NO_OBJECT_STARTS:
            with suppress(ValueError, RecursionError):
                value: JsonValue = json.loads(raw, parse_constant=_refuse)
                if not (isinstance(value, str) and "{" in value):
                    return ParsedText(value)  # a string with a brace in it may be an object written as a string
        decoded = decode_llm_json(raw, root="object", context_label=self.label, finished=finished)
        return parsed_text(decoded.data, decoded)


def _refuse(name: str) -> float:
    raise ValueError(name)
