"""Holding a provider to a type: what goes into a request besides the prompt."""

from __future__ import annotations

from typing import Any

from src.shared.domain.ports.llm import OutputSchema
from src.shared.infrastructure.llm.chat_completions.profiles import Dialect, SchemaPlace
from src.shared.infrastructure.llm.provider import StructuredOutput


def held_to(mode: StructuredOutput, schema: OutputSchema | None, dialect: Dialect) -> dict[str, Any]:
    """The members of the body that hold a provider to a type; none where there is nothing to hold it to.

    A type that is no object is left to the prompt in the mode `json_object`, which would force one.

    Raises:
        NotStrictError: the provider cannot be held to the type in this mode; says why.
    """
    if schema is None or mode is StructuredOutput.PROMPT:
        return {}
    if mode is StructuredOutput.JSON_OBJECT:
        return {"response_format": {"type": mode.value}} if schema.is_object else {}
    if mode is StructuredOutput.TOOLS:
        return _one_tool(schema, dialect)
    return _schema(schema, dialect.schema_place)


def tool_of(mode: StructuredOutput, schema: OutputSchema | None) -> str | None:
    """The name of the function whose arguments are the answer; None where the text is."""
    return schema.name if schema and mode is StructuredOutput.TOOLS else None


def _one_tool(schema: OutputSchema, dialect: Dialect) -> dict[str, Any]:
    function: dict[str, Any] = {"name": schema.name, "parameters": schema.json_schema}
    is_strict = dialect.schema_place is SchemaPlace.STRICT_RESPONSE_FORMAT
    if is_strict or not schema.is_object:  # arguments are an object everywhere: any other root is refused here
        function |= {"parameters": schema.strict, "strict": True}
    chosen = {"type": "function", "function": {"name": schema.name}}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": chosen,
        "parallel_tool_calls": False,
    }


def _schema(schema: OutputSchema, place: SchemaPlace) -> dict[str, Any]:
    if place is SchemaPlace.STRUCTURED_OUTPUTS:
        return {"structured_outputs": {"json": schema.json_schema}}
    named: dict[str, Any] = {"name": schema.name, "schema": schema.json_schema}
    if place is SchemaPlace.STRICT_RESPONSE_FORMAT:
        named = {"name": schema.name, "schema": schema.strict, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}
