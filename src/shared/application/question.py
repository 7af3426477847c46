"""What is asked, and what is asked after an answer that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from src.shared.domain.answer_errors import AnswerTruncatedError
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from src.shared.domain.ports.llm import LLMRequest, OutputSchema

_REASK = Message("上一次的回答无法使用", "your previous answer could not be used")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        request: what goes to the model first.
        prompt_id: identifies the prompt in events; empty if none was given.
    """

    request: LLMRequest
    prompt_id: str = ""

    @classmethod
    def of(cls, prompt: str, system_message: str | None = None, *, prompt_id: str = "", **options: Any) -> Question:  # noqa: ANN401 - fields of a request
        """A question of one user's message; `options` are fields of `LLMRequest`."""
        return cls(LLMRequest.of(prompt, system_message, **options), prompt_id)

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return self.request.prompt

    def asking_for(self, schema: OutputSchema, prompt: str) -> Question:
        """The same question in other words, for an answer of a type."""
        return replace(self, request=replace(self.request.with_prompt(prompt), output_schema=schema))

    def after(self, error: AppException, max_tokens: int | None) -> LLMRequest:
        """What to ask next: the question with the last error in words, or as it was after an answer that was cut off.

        Args:
            error: why the last answer cannot be used.
            max_tokens: the limit of the next answer.
        """
        if isinstance(error, AnswerTruncatedError):
            return replace(self.request, max_tokens=max_tokens)
        again = f"{self.prompt}\n\n# {_REASK.text()}\n{error.feedback()}"
        return replace(self.request.with_prompt(again), max_tokens=max_tokens)
