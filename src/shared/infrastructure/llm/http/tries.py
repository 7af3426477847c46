"""What a request cost with everything that was sent for it: a try that failed may have cost tokens, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import LLMReply, TokenUsage


@dataclass(slots=True)
class Tries:
    """Sends a request, as often as it is called, and adds up the tokens of all tries.

    Attributes:
        send: one try.
        spent: tokens of the tries that failed.
    """

    send: Callable[[], Awaitable[LLMReply]]
    spent: TokenUsage = field(default_factory=TokenUsage)

    async def __call__(self) -> LLMReply:
        """The reply, or the error, with the tokens of every try so far.

        Raises:
            LLMError: the try's.
        """
        try:
            reply = await self.send()
        except LLMError as error:
            self.spent = error.usage = self.spent + error.usage
            raise
        return replace(reply, usage=self.spent + reply.usage)
