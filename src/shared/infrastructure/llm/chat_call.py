"""One request to a chat-completions API: sent once, read once, whole or as a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from src.shared.domain.llm_errors import LLMReplyError, LLMRequestError
from src.shared.domain.ports.llm import LLMReply
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider_errors import NOT_A_STREAM, NOT_SENDABLE, Endpoint
from src.shared.infrastructure.llm.server_sent_events import EVENT_STREAM
from src.shared.infrastructure.llm.streaming import ReplyStream
from src.shared.infrastructure.llm.transport import Patience
from src.shared.infrastructure.llm.wire import decode, read_completion, to_reply

with needs_extra():
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class ChatCall:
    """What one request needs, ready to be sent as often as it takes.

    Attributes:
        client: the vendor's client.
        arguments: of its method `create`.
        endpoint: where it goes, and how long it may take.
        tool: the function whose arguments are the answer; None where the text is.
    """

    client: AsyncOpenAI
    arguments: dict[str, Any]
    endpoint: Endpoint
    tool: str | None = None

    async def whole(self) -> LLMReply:
        """Wait for the whole answer in one body.

        Raises:
            LLMError: there is none.
        """
        sent = self.client.chat.completions.with_raw_response.create(**self.arguments)
        raw = await Patience(self.endpoint).wait_for(sent, LLMRequestError, NOT_SENDABLE)
        return to_reply(read_completion(decode(raw.content), "message", self.endpoint), self.endpoint, self.tool)

    async def streamed(self) -> LLMReply:
        """Wait for the whole answer in pieces.

        Raises:
            LLMError: there is none.
        """
        stream = await self.open()
        try:
            async for _ in stream:
                pass
        finally:
            await stream.aclose()
        return stream.reply

    async def open(self) -> ReplyStream:
        """Wait until the provider begins to answer.

        Raises:
            LLMError: it does not.
        """
        patience = Patience(self.endpoint)
        sent = self.client.chat.completions.with_raw_response.create(
            **self.arguments, stream=True, stream_options={"include_usage": True}
        )
        raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
        if raw.headers.get("content-type", "").partition(";")[0].strip().lower() != EVENT_STREAM:
            await raw.http_response.aclose()
            raise self.endpoint.error(LLMReplyError, NOT_A_STREAM)
        return ReplyStream(raw.http_response, patience, self.endpoint, self.tool)
