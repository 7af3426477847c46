"""What the adapter to a model adds to a call: 200 concurrent calls, beside the bare `openai` client in the same run.

`python -m tools.benchmarks.llm_overhead` starts the tests' chat-completions server in a process of its own and lets
both clients ask it in turns. Reported is this process's CPU time a call: what a call costs whatever the provider takes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any

from openai import AsyncOpenAI

from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback.answers import answer
from tests.loopback.server import ChatServer
from tests.processes import LIMIT

CALLS = 200
TARGET = 1.0
"""Milliseconds of our own that a call may cost."""
_TEXT = '{"signal": "BULLISH", "confidence": 0.8, "reason": "' + "量价齐升，" * 100 + '"}'
_MODEL = "loopback"

Ask = Callable[[], Awaitable[str]]


def main() -> int:
    """Measure and print; the exit code is 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="turns of each client")
    rounds = parser.parse_args().rounds
    ours_end, theirs_end = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs_end,), daemon=True)
    server.start()
    try:
        added = asyncio.run(_compare(ours_end.recv(), rounds))
    finally:
        ours_end.send("stop")
        server.join(LIMIT)
    print(f"{'met' if added < TARGET else 'missed'}: the target is under {TARGET} ms over either")
    return int(added >= TARGET)


def _serve(connection: Connection) -> None:
    with ChatServer() as server:
        server.respond(lambda _: answer(_TEXT))
        connection.send(server.url)
        connection.recv()


async def _compare(url: str, rounds: int) -> float:
    llm = OpenAICompatibleLLM(LLMSettings(base_url=url, model=_MODEL))
    async with llm, AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        request: dict[str, Any] = {"model": _MODEL, "messages": [{"role": "user", "content": "?"}], "temperature": 0.7}

        async def typed() -> str:
            completion = await client.chat.completions.create(**request)
            return str(completion.choices[0].message.content)

        async def untyped() -> str:
            response = await client.chat.completions.with_raw_response.create(**request)
            return str(json.loads(response.content)["choices"][0]["message"]["content"])

        async def adapter() -> str:
            return (await llm.generate(LLMRequest.of("?"))).text

        asks: dict[str, Ask] = {"bare client": typed, "bare client, JSON read by hand": untyped, "adapter": adapter}
        times: dict[str, list[float]] = {name: [] for name in asks}
        for number in range(rounds + 1):
            for name, ask in asks.items():
                milliseconds = await _milliseconds(ask)
                if number:  # the first turn opens the connections
                    times[name].append(milliseconds)
    return _report(times)


def _report(times: dict[str, list[float]]) -> float:
    """Print the medians, and the adapter's differences turn by turn; return the largest of them."""
    for name, samples in times.items():
        low, high = min(samples), max(samples)
        print(f"{name}: {statistics.median(samples):.3f} ms a call ({low:.3f} to {high:.3f} in {len(samples)} turns)")
    ours = times.pop("adapter")
    added = [statistics.median(a - b for a, b in zip(ours, bare, strict=True)) for bare in times.values()]
    for name, milliseconds in zip(times, added, strict=True):
        print(f"adapter over {name}: {milliseconds:+.3f} ms a call")
    return max(added)


async def _milliseconds(ask: Ask) -> float:
    started = time.process_time()
    texts = await asyncio.gather(*(ask() for _ in range(CALLS)))
    spent = time.process_time() - started
    if set(texts) != {_TEXT}:
        message = "an answer was lost"
        raise RuntimeError(message)
    return spent * 1000 / CALLS


if __name__ == "__main__":
    raise SystemExit(main())
