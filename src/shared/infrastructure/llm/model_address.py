"""Which model is asked where, in the words of OpenTelemetry's conventions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from src.shared.infrastructure.events import otel_names as names
from src.shared.infrastructure.llm.provider import Provider

_PROVIDERS = {
    "amazonaws.com": "aws.bedrock",
    "anthropic.com": "anthropic",
    "aiplatform.googleapis.com": "gcp.vertex_ai",
    "cohere.com": "cohere",
    "deepseek.com": "deepseek",
    "generativelanguage.googleapis.com": "gcp.gemini",
    "groq.com": "groq",
    "mistral.ai": "mistral_ai",
    "moonshot.ai": "moonshot_ai",
    "moonshot.cn": "moonshot_ai",
    "openai.azure.com": "azure.ai.openai",
    "openai.com": "openai",
    "perplexity.ai": "perplexity",
    "services.ai.azure.com": "azure.ai.inference",
    "x.ai": "x_ai",
}
"""The end of a host's name → the well-known value of `gen_ai.provider.name`. Source: the conventions' own list."""
_NATIVE = {
    Provider.ANTHROPIC: "anthropic",
    Provider.GEMINI: "gcp.gemini",
    Provider.MISTRAL: "mistral_ai",
    Provider.BEDROCK: "aws.bedrock",
}
_ANY_PROVIDER = "openai"
"""Every other endpoint speaks OpenAI's protocol, which is what the attribute tells apart."""
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Which model is asked where.

    Attributes:
        model: the model's name at its provider.
        provider: value of `gen_ai.provider.name`, such as `openai`.
        host: name or address of the server; empty if it is not known.
        port: its port; 0 if it is not known.
        is_streaming: whether answers come as a stream.
    """

    model: str
    provider: str
    host: str = ""
    port: int = 0
    is_streaming: bool = False

    @classmethod
    def of(
        cls,
        base_url: str,
        model: str,
        spoken: Provider = Provider.OPENAI_COMPATIBLE,
        *,
        is_streaming: bool = False,
    ) -> ModelAddress:
        """The address of a model behind a base URL; the provider is the one whose API is spoken there."""
        parts = urlsplit(base_url)
        host = parts.hostname or ""
        provider = _NATIVE.get(spoken) or _provider_of(host)
        return cls(model, provider, host, parts.port or _PORTS.get(parts.scheme, 0), is_streaming)

    def facts(self) -> dict[str, Any]:
        """The attributes of a span and of a metric that say where a request went."""
        server = {names.SERVER_ADDRESS: self.host, names.SERVER_PORT: self.port} if self.host else {}
        return {
            names.GEN_AI_OPERATION_NAME: names.OPERATION_CHAT,
            names.GEN_AI_PROVIDER_NAME: self.provider,
            names.GEN_AI_REQUEST_MODEL: self.model,
            **server,
        }


def _provider_of(host: str) -> str:
    ends = (".".join(host.split(".")[-length:]) for length in (3, 2))
    return next((_PROVIDERS[end] for end in ends if end in _PROVIDERS), _ANY_PROVIDER)
