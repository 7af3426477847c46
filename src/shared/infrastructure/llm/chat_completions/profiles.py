"""What providers with a chat-completions API want differently: one row a provider.

Sources: OpenAI's and Azure's guides to reasoning models (no sampling, `max_completion_tokens`), Azure's REST reference
(`api-key`, `api-version`), vLLM's guide to structured outputs (`structured_outputs` since 0.12), Ollama's page on
OpenAI compatibility.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from src.shared.infrastructure.llm.provider import ProviderProfile


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
