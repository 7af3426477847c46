"""Holding a provider to a type: what goes into a request as `response_format`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from src.shared.domain.ports.llm import OutputSchema


class StructuredOutput(StrEnum):
    """The provider's mode for calls that name a type; the answer goes through the parser in any case."""

    OFF = "off"
    JSON_OBJECT = "json_object"
    JSON_SCHEMA = "json_schema"


def response_format(mode: StructuredOutput, schema: OutputSchema | None) -> dict[str, Any] | None:
    """Return the `response_format` of a request; None where there is none to send.

    `strict` is not asked for: a provider then refuses schemas with defaults or optional members, which DTOs have.
    """
    if schema is None or not schema.is_object or mode is StructuredOutput.OFF:
        return None
    if mode is StructuredOutput.JSON_OBJECT:
        return {"type": mode.value}
    return {"type": mode.value, "json_schema": {"name": schema.name, "schema": schema.json_schema}}
