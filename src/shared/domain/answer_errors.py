"""What is wrong with an answer before anybody parses it."""

from __future__ import annotations

from src.shared.domain.exceptions import AppException


class AnswerTruncatedError(AppException):
    """A model reached its length limit: what it wrote is cut off, whatever it looks like.

    `details` holds `truncated` (True), `raw_length` (characters), and `max_tokens` where a limit was set.
    """

    default_code = "LLM_ANSWER_TRUNCATED"

    @classmethod
    def of(cls, raw_length: int, max_tokens: int | None) -> AnswerTruncatedError:
        """The error for an answer of that many characters."""
        limit = f"max_tokens={max_tokens}" if max_tokens else "模型自身的上限 (the model's own limit)"
        details = {"truncated": True, "raw_length": raw_length, "max_tokens": max_tokens}
        message = f"回答达到长度上限 {limit}，已被截断 (cut off at the length limit; allow more tokens or ask for less)"
        return cls(message, {key: value for key, value in details.items() if value is not None})
