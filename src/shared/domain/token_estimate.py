"""How many tokens a text is, where nobody has counted them: rather too many than too few.

Tokenizers differ; what is estimated is what the bounds of a budget are held with. `python -m benchmarks.tokens` prints
the estimate beside real tokenizers.
"""

from __future__ import annotations

import re
from dataclasses import replace

from src.shared.domain.chat import ChatMessage
from src.shared.domain.llm_errors import LLMError, LLMReplyError, LLMTimeoutError
from src.shared.domain.ports.llm import LLMReply, LLMRequest, TokenUsage

TOKENS_A_MESSAGE = 8
"""What a chat's template adds to a message."""
TOKENS_AN_IMAGE = 1_600
"""What providers charge for one of a megapixel, at most."""

_WAS_READ = (LLMTimeoutError, LLMReplyError)
"""After these the provider has read the prompt, and charges for it whatever it says."""

_PIECE = re.compile(
    r"""
    [A-Za-z]{1,5}       # a word, or a part of one
    | [0-9]{1,3}        # digits
    | [^\sA-Za-z0-9]    # a sign, a character of another script
    | \n\s*+            # a line's end, with the blanks of the next one
    """,
    re.VERBOSE,
)
"""About what tokenizers make one token of; they make less of longer words, and one of a usual pair of signs."""


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return sum(1 for _ in _PIECE.finditer(text))


def prompt_tokens(request: LLMRequest) -> int:
    """About how many tokens a request's messages are."""
    return sum(map(_message_tokens, request.messages))


def with_usage(reply: LLMReply, request: LLMRequest) -> LLMReply:
    """The reply, with an estimate in place of a usage that the provider did not give."""
    if reply.usage.total_tokens:
        return reply
    reasoning = tokens_of(reply.reasoning)
    written = tokens_of(reply.text) + reasoning
    return replace(reply, usage=TokenUsage(prompt_tokens(request), written, reasoning, is_estimated=True))


def usage_of_failure(error: LLMError, request: LLMRequest) -> TokenUsage:
    """What a failed request cost, with an estimate where the provider has read the prompt and gave no usage."""
    if isinstance(error, _WAS_READ) and not error.usage.total_tokens:
        return TokenUsage(prompt_tokens(request), is_estimated=True)
    return error.usage


def _message_tokens(message: ChatMessage) -> int:
    return TOKENS_A_MESSAGE + tokens_of(message.text) + TOKENS_AN_IMAGE * len(message.images)
