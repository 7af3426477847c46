"""Which providers there are, and what of their API can be chosen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from src.shared.infrastructure.events import otel_setting as names

PROVIDERS = "providers"
"""The extra of `pyproject.toml` with the packages of all providers but the OpenAI-compatible."""


class Provider(StrEnum):
    """Whose API is spoken: chat completions, which most have, or a provider's native one."""

    OPENAI_COMPATIBLE = "openai_compatible"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    MISTRAL = "mistral"
    BEDROCK = "bedrock"


@dataclass(frozen=True, slots=True)
class NativeApi:
    """A provider's own API.

    Attributes:
        address: where it is if `LLM_BASE_URL` does not say otherwise.
        name: the well-known value of `gen_ai.provider.name`.
        package: what speaks it, beside pydantic-ai.
        needs_key: whether it is never asked without one.
        repair_model: who is asked for repairs if `LLM_REPAIR_MODEL` does not say; None: the first model.
    """

    address: str
    name: str
    package: str
    needs_key: bool = True
    repair_model: str | None = None


NATIVE_APIS = {
    Provider.ANTHROPIC: NativeApi("https://api.anthropic.com", "anthropic", "anthropic"),
    # The specification of the repair agent names `gemini-2.0-flash-exp`, which Google has shut down; this alias is the
    # newest model of the same family.
    Provider.GEMINI: NativeApi(
        "https://generativelanguage.googleapis.com", "gcp.gemini", "google.genai", repair_model="gemini-flash-latest"
    ),
    Provider.MISTRAL: NativeApi("https://api.mistral.ai", "mistral_ai", "mistralai"),
    # whose host depends on the region, and whose credentials AWS finds
    Provider.BEDROCK: NativeApi("bedrock-runtime", "aws.bedrock", "boto3", needs_key=False),
}
RESERVED = frozenset({"model", "messages", "stream", "stream_options"})
"""Members that nothing extra may replace: without them the answer is another one."""


class ProviderProfile(StrEnum):
    """Which row holds; `LLM_PROFILE`."""

    OPENAI_COMPATIBLE = "openai_compatible"
    REASONING = "reasoning"
    AZURE = "azure"
    AZURE_REASONING = "azure_reasoning"
    VLLM = "vllm"
    OLLAMA = "ollama"


class StructuredOutput(StrEnum):
    """The provider's mode for calls that name a type; the answer goes through the parser in any case."""

    PROMPT = "prompt"
    """The prompt says it, nothing else does."""
    JSON_OBJECT = "json_object"
    """The provider sees to it that the answer is some object."""
    JSON_SCHEMA = "json_schema"
    """The provider holds the model to the schema."""
    TOOLS = "tools"
    """The model has to call one function, and its arguments are the answer."""

    @classmethod
    def _missing_(cls, value: object) -> StructuredOutput | None:
        """`off` is what `prompt` was called at first."""
        return cls.PROMPT if value == "off" else None


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
        provider = NATIVE_APIS[spoken].name if spoken in NATIVE_APIS else _provider_of(host)
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
