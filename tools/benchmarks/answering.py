"""A chat-completions server that answers at once: one write for each request, so that a client reads once."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection

from tests.loopback.answers import completion
from tests.processes import LIMIT

USAGE = {"prompt_tokens": 700, "completion_tokens": 500, "total_tokens": 1_200}
"""What every answer took, as providers say it; pydantic-ai asks for the total."""


@contextmanager
def answering(answers: Mapping[str, str]) -> Iterator[str]:
    """Run the server in a process of its own; gives its address.

    Args:
        answers: the text of the answer by the model's name in the request.
    """
    ours_end, theirs_end = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(theirs_end, dict(answers)), daemon=True)
    process.start()
    try:
        yield ours_end.recv()
    finally:
        ours_end.send("stop")
        process.join(LIMIT)


def _run(connection: Connection, answers: dict[str, str]) -> None:
    responses = {model: _response(text) for model, text in answers.items()}
    asyncio.run(_serve(connection, responses))


async def _serve(connection: Connection, responses: dict[str, bytes]) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):  # the client has gone
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
                writer.write(responses[json.loads(await reader.readexactly(length))["model"]])
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        connection.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        await asyncio.to_thread(connection.recv)


def _response(text: str) -> bytes:
    body = json.dumps(completion(text, usage=USAGE), ensure_ascii=False).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body
