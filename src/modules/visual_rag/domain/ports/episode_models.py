"""The port that says which model plays an episode."""

from __future__ import annotations

from typing import Protocol

from src.shared.domain.ports.llm import LLMPort


class EpisodeModelsPort(Protocol):
    """One model for all episodes, or a recorded one for each."""

    def for_question(self, question: str) -> LLMPort:
        """The model of the next episode with this question.

        Raises:
            LLMConfigurationError: there is none.
        """
        ...
