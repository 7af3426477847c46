"""Errors of an answer that is not parsed, because its finish reason says that it is incomplete."""

from __future__ import annotations

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Language, Message
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply

_STOPPED: dict[FinishReason, tuple[type[LLMError], Message]] = {
    FinishReason.REFUSED: (
        LLMContentRefusedError,
        Message(
            "内容过滤器截停了回答；请修改提示词",
            "a content filter stopped the answer before its end: change the prompt",
        ),
    ),
    FinishReason.ERROR: (
        LLMServerError,
        Message("模型服务在回答中途出错；请稍后重试", "the provider broke off in the middle of the answer: try later"),
    ),
}
"""Those that asking again with the error in words does not help."""


class AnswerTruncatedError(AppException):
    """A model reached its length limit: what it wrote is cut off, whatever it looks like.

    `details` holds `truncated` (True), `raw_length` (characters), and `max_tokens` where a limit was set.
    """

    default_code = "LLM_ANSWER_TRUNCATED"

    @classmethod
    def of(cls, raw_length: int, max_tokens: int | None) -> AnswerTruncatedError:
        """The error for an answer of that many characters."""
        own = Message("模型自身的上限", "the model's own limit")
        zh, en, both = (f"max_tokens={max_tokens}",) * 3 if max_tokens else (own.zh, own.en, own.text(Language.BOTH))
        details = {"truncated": True, "raw_length": raw_length, "max_tokens": max_tokens}
        advice = "allow more tokens or ask for less"
        message = Message(
            f"回答达到长度上限 {zh}，已被截断",
            f"the answer was cut off at the length limit, {en}; {advice}",
            f"回答达到长度上限 {both}，已被截断 (cut off at the length limit; {advice})",
        )
        return cls(message.text(), {key: value for key, value in details.items() if value is not None})


def why_cut(reply: LLMReply, max_tokens: int | None) -> AppException | None:
    """The error of a reply that is not whole by its finish reason; None where that does not say so.

    Args:
        reply: what came.
        max_tokens: the limit it was asked for with.
    """
    if reply.finish_reason.finished is not False:
        return None
    if reply.finish_reason in _STOPPED:
        kind, message = _STOPPED[reply.finish_reason]
        return kind(message.text(), {"model": reply.model, "reason": reply.finish_reason.value})
    return AnswerTruncatedError.of(len(reply.text), max_tokens)
