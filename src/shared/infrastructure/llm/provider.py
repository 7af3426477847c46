"""Which providers there are, and what of their API can be chosen."""

from __future__ import annotations

from enum import StrEnum

PROVIDERS = "providers"
"""The extra of `pyproject.toml` with the packages of all providers but the OpenAI-compatible."""


class Provider(StrEnum):
    """Whose API is spoken: chat completions, which most have, or a provider's native one."""

    OPENAI_COMPATIBLE = "openai_compatible"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    MISTRAL = "mistral"
    BEDROCK = "bedrock"


ADDRESSES = {
    Provider.ANTHROPIC: "https://api.anthropic.com",
    Provider.GEMINI: "https://generativelanguage.googleapis.com",
    Provider.MISTRAL: "https://api.mistral.ai",
    Provider.BEDROCK: "bedrock-runtime",  # whose host depends on the region
}
"""Where a provider is if `LLM_BASE_URL` does not say otherwise."""
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
