"""One model for every episode."""

from __future__ import annotations

from src.shared.domain.ports.llm import LLMPort


class OneModel:
    """Lets the same model play all episodes; implements `EpisodeModelsPort`."""

    def __init__(self, model: LLMPort) -> None:
        """The model is its owner's to close."""
        self._model = model

    def for_question(self, question: str) -> LLMPort:  # noqa: ARG002 - the same for all
        """The model."""
        return self._model
