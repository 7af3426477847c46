"""Clients of the server on loopback, and replies in the manner of each mode."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from instructor import AsyncInstructor, Instructor, Mode
from openai import AsyncOpenAI, OpenAI

from llm_output.instructor import from_openai
from tests.integrations.reviews import WHOLE
from tests.loopback.answers import Answer, answer, chunk, events, tool_call
from tests.loopback.server import ChatServer

ASKED: list[Any] = [{"role": "user", "content": "?"}]
ROWS = f'{{"tasks": [{WHOLE}, {{"title": "b", "score": 2}}]}}'


@cache
def openai_client(url: str) -> OpenAI:
    """A client is dear, for it reads the certificates; the fixture of the server closes it."""
    return OpenAI(base_url=url, api_key="k", max_retries=0)


def client_of(chat_server: ChatServer, mode: Mode = Mode.JSON, **options: Any) -> Instructor:  # noqa: ANN401 - of from_openai
    return from_openai(openai_client(chat_server.url), mode, "m", **options)


@asynccontextmanager
async def async_client_of(
    chat_server: ChatServer,
    mode: Mode = Mode.JSON,
    **options: Any,  # noqa: ANN401 - of from_openai
) -> AsyncIterator[AsyncInstructor]:
    async with AsyncOpenAI(base_url=chat_server.url, api_key="k", max_retries=0) as client:
        yield from_openai(client, mode, "m", **options)


def reply(text: str, mode: Mode = Mode.JSON, finish_reason: str | None = "stop") -> Answer:
    """A reply in the manner of a mode."""
    if mode is Mode.TOOLS:
        return answer(None, finish_reason, tool_calls=[tool_call("Review", text)])
    return answer(text, finish_reason)


def streamed(text: str, mode: Mode = Mode.JSON, finish_reason: str = "stop") -> Answer:
    """A reply in the manner of a mode, a character at a time."""
    if mode is Mode.TOOLS:
        return events(*(chunk(call_piece(piece)) for piece in text), chunk({}, finish_reason))
    return answer(text, finish_reason, pieces=list(text))


def call_piece(arguments: str, index: int = 0) -> dict[str, Any]:
    """The delta of a chunk that has a piece of a call's arguments."""
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}
