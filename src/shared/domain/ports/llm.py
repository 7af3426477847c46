"""The port to a language model: one request goes out, one reply comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.llm_exchange import LLMReply, LLMRequest, OutputSchema, TokenUsage

__all__ = [
    "FinishReason",
    "ForwardingLLM",
    "LLMPort",
    "LLMReply",
    "LLMRequest",
    "OutputSchema",
    "StreamingLLM",
    "TextListener",
    "TokenUsage",
    "generate_with",
    "model_asked",
    "tell_whole",
]


class LLMPort(Protocol):
    """Any language model."""

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer.

        Raises:
            LLMError: the provider could not be reached, refused, or did not answer.
        """
        ...


def model_asked(llm: LLMPort) -> str:
    """The model's name at its provider, as it is asked for: the attribute `model` of an adapter that has one."""
    name = getattr(llm, "model", "")
    return name if isinstance(name, str) else ""


class TextListener(Protocol):
    """Follows one answer as it is written. It returns at once, and what it raises ends the request."""

    def text_begins(self) -> None:
        """A request for the answer goes out: what came of one before it is given up."""
        ...

    def text_grows(self, chunk: str) -> None:
        """So much more of the text has come."""
        ...


@runtime_checkable
class StreamingLLM(LLMPort, Protocol):
    """A language model that gives its answer while it writes it."""

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask once and wait for the whole answer, as `generate` does.

        The chunks between the last `text_begins` and the return are the text of the reply, unless the model answers
        otherwise than it began.

        Args:
            request: what is asked.
            listener: told of each chunk of the text. Where a connection breaks and the request is sent again, the
                text begins again.

        Raises:
            LLMError: as for `generate`.
        """
        ...


async def generate_with(llm: LLMPort, request: LLMRequest, listener: TextListener | None) -> LLMReply:
    """Ask a model, and let somebody follow; one that cannot stream answers in one chunk.

    Args:
        llm: the model.
        request: what it is asked.
        listener: told of each chunk; None: nobody follows.

    Raises:
        LLMError: the model's.
    """
    if listener is None:
        return await llm.generate(request)
    if isinstance(llm, StreamingLLM):
        return await llm.generate_streaming(request, listener)
    listener.text_begins()
    reply = await llm.generate(request)
    listener.text_grows(reply.text)
    return reply


def tell_whole(listener: TextListener, reply: LLMReply) -> None:
    """Tell of a reply that is there already, as of one chunk."""
    listener.text_begins()
    listener.text_grows(reply.text)


class ForwardingLLM(ABC):
    """A model in front of another one, for which waiting and following are the same; implements `StreamingLLM`."""

    __slots__ = ()

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: the model's, or one that the class names.
        """
        return await self._reply(request, None)

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """Ask once, and let somebody follow; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: as for `generate`.
        """
        return await self._reply(request, listener)

    @abstractmethod
    async def _reply(self, request: LLMRequest, listener: TextListener | None) -> LLMReply:
        """Ask, with somebody who follows or without."""
