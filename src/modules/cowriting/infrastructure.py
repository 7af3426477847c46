"""Envelopes and payloads by layers 1 to 3, for code that asks no model: no loop, no clock, no network, no events."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, TypeVar, overload

from pydantic import JsonValue, TypeAdapter

from src.modules.cowriting.domain import Envelope, Part, Payload, envelope_error, to_read
from src.shared.domain.exceptions import AppException
from src.shared.domain.options import Finished, known_end
from src.shared.domain.ports.output import OutputPort, ParsedText
from src.shared.infrastructure.agents.agent_output import parsed_text, plain_output
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace

_NO_OBJECT_STARTS = frozenset('["-0123456789tfn')


class EnvelopeOutput:
    """The `OutputPort` of an envelope. A payload that is no text keeps each number as it was written."""

    label = Part.ENVELOPE.label
    dto_type = Envelope

    def read(self, raw: str, *, finished: Finished = None) -> ParsedText[Envelope]:
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

    def read(self, raw: str, *, finished: Finished = None) -> ParsedText[JsonValue]:
        """Decode a text; see `OutputPort.read`.

        Raises:
            LLMJsonParseError: it cannot be read without a guess.
        """
        finished = known_end(finished)
        if finished is not False and raw.lstrip()[:1] in _NO_OBJECT_STARTS:
            with suppress(ValueError, RecursionError):
                value: JsonValue = json.loads(raw, parse_constant=_refuse)
                if not (isinstance(value, str) and "{" in value):
                    return ParsedText(value)  # a string with a brace in it may be an object written as a string
        decoded = decode_llm_json(raw, root="object", context_label=self.label, finished=finished)
        return parsed_text(decoded.data, decoded)


def _refuse(name: str) -> float:
    raise ValueError(name)


T = TypeVar("T")


def parse_envelope(raw: str, *, finished: Finished = None) -> Envelope:
    """Read the envelope in a model's raw text.

    Args:
        raw: the text as the model gave it.
        finished: as for `parse_llm_json_output`.

    Raises:
        EnvelopeParseError: there is none that can be read without a guess; `details["layer"]` says how far it got.

    Source: seed 004, parseEnvelope.
    """
    return _read(Part.ENVELOPE, raw, EnvelopeOutput(), finished=finished)


@overload
def parse_payload(payload: Envelope | Payload, *, finished: Finished = None) -> Payload: ...


@overload
def parse_payload(payload: Envelope | Payload, dto_type: type[T], *, finished: Finished = None) -> T | None: ...


def parse_payload(
    payload: Envelope | Payload, dto_type: type[T] | None = None, *, finished: Finished = None
) -> T | Payload:
    """Read a payload: of an envelope, or as it stands.

    Args:
        payload: an envelope, or its payload: a text, damaged or fenced as it may be, or the value itself.
        dto_type: what the payload must be; None leaves it as decoded.
        finished: as for `parse_llm_json_output`. An envelope's payload is whole unless this is False.

    Returns:
        The value, or the validated DTO; None for an empty payload: null, or a text that is blank or says `null`.

    Raises:
        EnvelopeParseError: it cannot be read without a guess, or is none of `dto_type`.

    Source: seed 004, parsePayload.
    """
    found = to_read(payload, finished=known_end(finished))
    if found is None:
        return None
    text, end = found
    if dto_type is None:
        return _read(Part.PAYLOAD, text, AnyPayload(), finished=end)
    typed: T = _read(Part.PAYLOAD, text, plain_output(dto_type), finished=end)
    return typed


def _read(part: Part, text: str, output: OutputPort[T], *, finished: Finished) -> T:
    try:
        return output.read(text, finished=known_end(finished)).value
    except AppException as error:
        raise envelope_error(part, error) from error
