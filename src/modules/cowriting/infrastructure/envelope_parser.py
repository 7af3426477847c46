"""Envelopes and payloads by layers 1 to 3, for code that asks no model: no loop, no clock, no network, no events."""

from __future__ import annotations

from typing import TypeVar, overload

from src.modules.cowriting.domain.envelope import Envelope, Part, Payload
from src.modules.cowriting.domain.exceptions import envelope_error
from src.modules.cowriting.domain.payload_text import to_read
from src.modules.cowriting.infrastructure.outputs import AnyPayload, EnvelopeOutput
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.agent_output import plain_output

T = TypeVar("T")


def parse_envelope(raw: str, *, finished: bool | None = None) -> Envelope:
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
def parse_payload(payload: Envelope | Payload, *, finished: bool | None = None) -> Payload: ...


@overload
def parse_payload(payload: Envelope | Payload, dto_type: type[T], *, finished: bool | None = None) -> T | None: ...


def parse_payload(
    payload: Envelope | Payload, dto_type: type[T] | None = None, *, finished: bool | None = None
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
    found = to_read(payload, finished=finished)
    if found is None:
        return None
    text, end = found
    if dto_type is None:
        return _read(Part.PAYLOAD, text, AnyPayload(), finished=end)
    typed: T = _read(Part.PAYLOAD, text, plain_output(dto_type), finished=end)
    return typed


def _read(part: Part, text: str, output: OutputPort[T], *, finished: bool | None) -> T:
    try:
        return output.read(text, finished=finished).value
    except AppException as error:
        raise envelope_error(part, error) from error
