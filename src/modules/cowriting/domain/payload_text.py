"""What there is to read of a payload: its text, or the JSON of one that came as a value."""

from __future__ import annotations

import json
from decimal import Decimal

from src.modules.cowriting.domain.envelope import Envelope, Payload


def to_read(payload: Envelope | Payload, *, finished: bool | None) -> tuple[str, bool | None] | None:
    """The text to read and what is known of its end; None for an empty payload.

    Empty is null, or a text that is blank or says `null`. An envelope's payload is whole unless `finished` is False:
    the envelope goes on behind it. One that came as a value is whole.
    """
    if isinstance(payload, Envelope):
        payload, finished = payload.payload, finished is not False
    if payload is None or (isinstance(payload, str) and payload.strip() in {"", "null"}):
        return None
    return (payload, finished) if isinstance(payload, str) else (payload_text(payload), True)


def payload_text(payload: Payload) -> str:
    """The payload as JSON; a number whose text says more than a float holds stays as it was written."""
    if isinstance(payload, dict):
        members = (f"{json.dumps(name)}: {payload_text(value)}" for name, value in payload.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(payload, list):
        return "[" + ", ".join(map(payload_text, payload)) + "]"
    if isinstance(payload, Decimal) or (isinstance(payload, float) and type(payload) is not float):
        return str(payload)
    return json.dumps(payload)
