"""How the adapters' tests ask."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

import pytest

from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM

E = TypeVar("E", bound=LLMError)

KEY = "sk-loopback-0123456789abcdef"
PROMPT = "机密的问题"


class LLMFactory(Protocol):
    """Makes an adapter for the scripted server; fields of the settings by name."""

    def __call__(self, **fields: object) -> OpenAICompatibleLLM: ...


async def until(happens: Callable[[], bool]) -> None:
    """Wait for something, for ten seconds at most."""
    async with asyncio.timeout(10):
        while not happens():  # noqa: ASYNC110 - what happens in the server's thread
            await asyncio.sleep(0.005)


async def ask(llm: OpenAICompatibleLLM, prompt: str = PROMPT) -> LLMReply:
    """Ask once, and close."""
    async with llm:
        return await llm.generate(LLMRequest.of(prompt))


async def failure_of(llm: OpenAICompatibleLLM, kind: type[E], prompt: str = PROMPT) -> E:
    """Ask once for what must fail, close, and return the error."""
    async with llm:
        return await failure(llm, kind, prompt)


async def failure(llm: LLMPort, kind: type[E], prompt: str = PROMPT) -> E:
    """Ask once for what must fail, and return the error; it is of exactly this type."""
    with pytest.raises(kind) as caught:
        await llm.generate(LLMRequest.of(prompt))
    assert type(caught.value) is kind
    return caught.value
