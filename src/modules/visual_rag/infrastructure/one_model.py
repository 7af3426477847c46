"""One model for every episode, and another for when its provider fails."""

from __future__ import annotations

from src.shared.application.fallback import FallbackLLM
from src.shared.domain.ports.llm import LLMPort


class OneModel:
    """Lets the same model play all episodes; implements `EpisodeModelsPort`.

    Where the model's provider fails, an episode goes on with the other; the rest of the batch finds out for itself.
    """

    def __init__(self, model: LLMPort, fallback: LLMPort | None = None) -> None:
        """The models are their owner's to close."""
        self._model = model
        self._fallback = fallback

    def for_question(self, question: str) -> LLMPort:  # noqa: ARG002 - the same for all
        """The model."""
        return FallbackLLM(self._model, self._fallback)
