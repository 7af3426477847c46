"""One request to a chat-completions API: sent once, read once, whole or as a stream."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from src.shared.domain.llm_errors import LLMReplyError, LLMRequestError
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.llm_streaming import TextListener
from src.shared.infrastructure.llm.chat_completions.streaming import ReplyStream
from src.shared.infrastructure.llm.chat_completions.wire import read_completion, to_reply
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.http.decoding import decode
from src.shared.infrastructure.llm.http.http_client import Clients
from src.shared.infrastructure.llm.http.response_bounds import is_event_stream
from src.shared.infrastructure.llm.http.transport import Patience
from src.shared.infrastructure.llm.provider_errors import NOT_A_STREAM, NOT_SENDABLE, Endpoint

with needs_extra():
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class ChatCall:
    """What one request needs, ready to be sent as often as it takes.

    Attributes:
        clients: who sends it, and when it may be sent.
        arguments: of the vendor's method `create`.
        endpoint: where it goes, and how long it may take.
        tool: the function whose arguments are the answer; None where the text is.
    """

    clients: Clients[AsyncOpenAI]
    arguments: dict[str, Any]
    endpoint: Endpoint
    tool: str | None = None

    async def whole(self) -> LLMReply:
        """Wait for the whole answer in one body.

        Raises:
            LLMError: there is none.
        """
        async with self.clients.place() as client:
            patience = Patience(self.endpoint)
            sent = client.chat.completions.with_raw_response.create(**self.arguments)
            raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
        body = await patience.wait_for(decode(raw.content, self.endpoint), LLMReplyError)
        return to_reply(read_completion(body, "message", self.endpoint), self.endpoint, self.tool)

    async def streamed(self, listener: TextListener) -> LLMReply:
        """Wait for the whole answer in pieces, and tell of each.

        Raises:
            LLMError: there is none.
        """
        listener.text_begins()
        stream = await self.open()
        try:
            async for piece in stream:
                listener.text_grows(piece)
        finally:
            await stream.aclose()
        return stream.reply

    async def open(self) -> ReplyStream:
        """Wait until the provider begins to answer.

        Raises:
            LLMError: it does not.
        """
        async with AsyncExitStack() as held:
            client = await held.enter_async_context(self.clients.place())
            patience = Patience(self.endpoint)
            sent = client.chat.completions.with_raw_response.create(
                **self.arguments, stream=True, stream_options={"include_usage": True}
            )
            raw = await patience.wait_for(sent, LLMRequestError, NOT_SENDABLE)
            held.push_async_callback(raw.http_response.aclose)
            if not is_event_stream(raw.http_response):
                raise self.endpoint.error(LLMReplyError, NOT_A_STREAM)
            return ReplyStream(raw.http_response, patience, self.endpoint, self.tool, held.pop_all())
