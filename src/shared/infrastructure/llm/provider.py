"""Which providers there are, and the adapter that speaks to each."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from src.shared.infrastructure.llm.chat_completions.openai_compatible import OpenAICompatibleLLM
    from src.shared.infrastructure.llm.http.limiter import Limiter
    from src.shared.infrastructure.llm.native.native_llm import NativeLLM
    from src.shared.infrastructure.llm.settings import LLMSettings

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


def connect(settings: LLMSettings, limiter: Limiter | None = None) -> OpenAICompatibleLLM | NativeLLM:
    """Make the adapter that the settings name; only its packages are imported.

    Args:
        settings: whom to ask, and how.
        limiter: shared with other models at the same provider; by default one by the settings.

    Raises:
        LLMConfigurationError: its packages are not installed, or it does not take the settings.
    """
    if settings.provider is Provider.OPENAI_COMPATIBLE:
        from src.shared.infrastructure.llm.chat_completions.openai_compatible import OpenAICompatibleLLM  # noqa: PLC0415 - as it says

        return OpenAICompatibleLLM(settings, limiter)
    from src.shared.infrastructure.llm.native.native_llm import NativeLLM  # noqa: PLC0415 - as it says

    return NativeLLM(settings, limiter)
