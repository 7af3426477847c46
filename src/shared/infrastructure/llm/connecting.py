"""Makes the adapter that speaks to a provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from src.shared.infrastructure.llm.provider import Provider

if TYPE_CHECKING:
    from src.shared.infrastructure.llm.chat_completions.openai_compatible import OpenAICompatibleLLM
    from src.shared.infrastructure.llm.http.limiter import Limiter
    from src.shared.infrastructure.llm.native.native_llm import NativeLLM
    from src.shared.infrastructure.llm.settings import LLMSettings


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
