"""Errors of an answer that has no text to parse, or one that its finish reason says is incomplete."""

from __future__ import annotations

from collections.abc import Iterable

from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.language import Language, Message
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMError, LLMServerError
from src.shared.domain.one_line import one_line
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
_SHOWN_TOOLS = 120
"""Characters of tools' names in a message: a model may make them up."""


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


def only_tools_error(tools: Iterable[str], error: LLMJsonParseError) -> LLMJsonParseError:
    """The error of an answer that calls tools and has no text.

    Args:
        tools: their names.
        error: how the parser refused the empty text.
    """
    names = one_line(", ".join(tools), _SHOWN_TOOLS)
    message = Message(
        f"模型只调用了工具（{names}），没有写出文字", f"the model called tools ({names}) and wrote no text"
    )
    return LLMJsonParseError(message.text(), error.details)
