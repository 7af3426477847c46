"""The JSON of a payload that came as a value, so that it is read and counted as a text is."""

from __future__ import annotations

import json
from decimal import Decimal

from src.modules.cowriting.domain.envelope import Payload


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
