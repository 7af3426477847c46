"""What can go wrong between us and a language model, in the domain's words.

The tree::

    AppException
    └── LLMError                      LLM_ERROR
        ├── LLMConnectionError        LLM_CONNECTION_ERROR: not reached, or the connection broke
        │   └── LLMCertificateError   LLM_CERTIFICATE_ERROR: whoever answers cannot prove to be the provider
        ├── LLMTimeoutError           LLM_TIMEOUT: no whole answer in time
        ├── LLMRateLimitError         LLM_RATE_LIMIT: too many requests
        │   └── LLMQuotaError         LLM_QUOTA_EXHAUSTED: the account has nothing left
        ├── LLMServerError            LLM_SERVER_ERROR: the provider failed
        ├── LLMAuthenticationError    LLM_AUTHENTICATION_ERROR: the key is missing, wrong or not allowed to
        ├── LLMRequestError           LLM_REQUEST_ERROR: the provider does not accept the request
        ├── LLMContentRefusedError    LLM_CONTENT_REFUSED: the model or a filter declined to answer
        ├── LLMReplyError             LLM_REPLY_ERROR: what came back is no reply
        ├── LLMConfigurationError     LLM_CONFIGURATION_ERROR: settings are missing or contradict each other
        └── LLMBudgetError            LLM_BUDGET_SPENT: too little of a budget is left; nothing was sent

None of them is a parse error: asking again with the error in words does not help.
`details` holds, as they apply: `provider` (base URL without credentials), `model`, `request_id`,
`retry_after` (seconds), `attempts` (requests sent), `timeout` (seconds), `error_code` (the provider's own, such as
`context_length_exceeded`), `reason` (a word or a few for what has no code), `max_bytes` and `max_values` (the bound
that a response exceeded). Never a key, a prompt or a reply's text.
"""

from __future__ import annotations

from collections.abc import Iterable

from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.language import Message, Phrase
from src.shared.domain.llm_exchange import LLMReply, TokenUsage
from src.shared.domain.one_line import one_line


class LLMError(AppException):
    """A language model could not be asked, or did not answer.

    Attributes:
        usage: tokens of what was asked for all the same, as far as the provider says.
    """

    default_code = "LLM_ERROR"
    usage: TokenUsage = TokenUsage()


class LLMConnectionError(LLMError):
    """The provider was not reached, or the connection broke before the answer was whole."""

    default_code = "LLM_CONNECTION_ERROR"


class LLMCertificateError(LLMConnectionError):
    """The server's certificate is not valid, so it may be anybody; asking again does not help."""

    default_code = "LLM_CERTIFICATE_ERROR"


class LLMTimeoutError(LLMError):
    """No whole answer in the time allowed."""

    default_code = "LLM_TIMEOUT"


class LLMRateLimitError(LLMError):
    """Too many requests."""

    default_code = "LLM_RATE_LIMIT"


class LLMQuotaError(LLMRateLimitError):
    """The account's quota or credit is used up; asking again does not help until somebody pays."""

    default_code = "LLM_QUOTA_EXHAUSTED"


class LLMServerError(LLMError):
    """The provider failed."""

    default_code = "LLM_SERVER_ERROR"


class LLMAuthenticationError(LLMError):
    """The key is missing, wrong, or not allowed to use the model."""

    default_code = "LLM_AUTHENTICATION_ERROR"


class LLMRequestError(LLMError):
    """The provider does not accept the request: an unknown model, a prompt too long, an option it does not have."""

    default_code = "LLM_REQUEST_ERROR"


class LLMContentRefusedError(LLMError):
    """The model, or a filter in front of it, declined to answer."""

    default_code = "LLM_CONTENT_REFUSED"


class LLMReplyError(LLMError):
    """What came back is no reply: no choices, no text, or not the protocol."""

    default_code = "LLM_REPLY_ERROR"


class LLMBudgetError(LLMError):
    """Too little of a budget is left for a request; it was not sent.

    `details` holds `stop` (which bound, as in `Outcome.stop`) and `spent_tokens`.
    """

    default_code = "LLM_BUDGET_SPENT"


class LLMConfigurationError(LLMError):
    """Settings are missing or contradict each other."""

    default_code = "LLM_CONFIGURATION_ERROR"


_STOPPED: dict[FinishReason, tuple[type[LLMError], Message]] = {
    FinishReason.REFUSED: (
        LLMContentRefusedError,
        Phrase("a content filter stopped the answer before its end: change the prompt"),
    ),
    FinishReason.ERROR: (
        LLMServerError,
        Phrase("the provider broke off in the middle of the answer: try later"),
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
    message = Phrase(
        "the answer was cut off at the length limit, {limit}; allow more tokens or ask for less",
        limit=f"max_tokens={max_tokens}" if max_tokens else Phrase("the model's own limit"),
    )
    limit = {} if max_tokens is None else {"max_tokens": max_tokens}
    return AnswerTruncatedError(message.text(), {"truncated": True, "raw_length": len(reply.text), **limit})


def only_tools_error(tools: Iterable[str], error: LLMJsonParseError) -> LLMJsonParseError:
    """The error of an answer that calls tools and has no text.

    Args:
        tools: their names.
        error: how the parser refused the empty text.
    """
    names = one_line(", ".join(tools), _SHOWN_TOOLS)
    message = Phrase("the model called tools ({names}) and wrote no text", names=names)
    return LLMJsonParseError(message.text(), error.details)
