"""The body of a request: what the provider takes, in its own words.

What providers with a chat-completions API want differently: one row a provider.

Sources: OpenAI's and Azure's guides to reasoning models (no sampling, `max_completion_tokens`), Azure's REST reference
(`api-key`, `api-version`), vLLM's guide to structured outputs (`structured_outputs` since 0.12), Ollama's page on
OpenAI compatibility.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from src.shared.domain.chat import ChatMessage, ImagePart, MessagePart
from src.shared.domain.ports.llm import LLMRequest, OutputSchema
from src.shared.infrastructure.llm.provider import ProviderProfile, StructuredOutput


class SchemaPlace(StrEnum):
    """Where a request in the mode `json_schema` has its schema."""

    STRICT_RESPONSE_FORMAT = "strict_response_format"
    """`response_format` with `strict`: the schema has to be strict-valid."""
    RESPONSE_FORMAT = "response_format"
    """`response_format`; any schema will do."""
    STRUCTURED_OUTPUTS = "structured_outputs"
    """A member of this name; any schema will do."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One row.

    Attributes:
        limit: the member of the body that bounds what is written.
        samples: whether temperature and stop sequences may be sent; a reasoning model refuses a request with them.
        key_header: the header that the key goes into; empty for a bearer token.
        schema_place: where the schema goes.
    """

    limit: str = "max_tokens"
    samples: bool = True
    key_header: str = ""
    schema_place: SchemaPlace = SchemaPlace.STRICT_RESPONSE_FORMAT


_COMPLETION_LIMIT = "max_completion_tokens"
_AZURE_KEY = "api-key"

DIALECTS: dict[ProviderProfile, Dialect] = {
    ProviderProfile.OPENAI_COMPATIBLE: Dialect(),
    ProviderProfile.REASONING: Dialect(limit=_COMPLETION_LIMIT, samples=False),
    ProviderProfile.AZURE: Dialect(key_header=_AZURE_KEY),
    ProviderProfile.AZURE_REASONING: Dialect(limit=_COMPLETION_LIMIT, samples=False, key_header=_AZURE_KEY),
    ProviderProfile.VLLM: Dialect(schema_place=SchemaPlace.STRUCTURED_OUTPUTS),
    ProviderProfile.OLLAMA: Dialect(schema_place=SchemaPlace.RESPONSE_FORMAT),
}


def messages(request: LLMRequest) -> list[dict[str, Any]]:
    """The conversation. A message of text alone is sent as text, which every server takes."""
    return [{"role": message.role.value, "content": _content(message)} for message in request.messages]


def members(request: LLMRequest, dialect: Dialect, reasoning_effort: str | None = None) -> dict[str, Any]:
    """What the request says beside its messages; what it leaves to the provider is left out.

    Args:
        request: what is asked.
        dialect: how the provider wants it.
        reasoning_effort: where the request names none.
    """
    optional = {
        "temperature": request.temperature if dialect.samples else None,
        "stop": list(request.stop) if request.stop and dialect.samples else None,
        dialect.limit: request.max_tokens,
        "reasoning_effort": request.reasoning_effort or reasoning_effort,
    }
    return {name: value for name, value in optional.items() if value is not None}


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    return [_part(part) for part in message.parts] if message.images else message.text


def _part(part: MessagePart) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type.value};base64,{base64.b64encode(part.data).decode()}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": part.text}


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
