"""A crowd of calls through one client: who is answered, who fails, what it costs.

`python -m tools.attack.crowd` sends 1,000 calls at once through a limiter of 100, as whole bodies and as streams, and
again while half of them are cancelled at random moments. The exit code is 1 if a call failed, got another's answer, or
was paid for without an event.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from typing import NamedTuple

from pydantic import BaseModel

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.ports.events import CallEnded
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.settings import LLMSettings
from tests.loopback.answers import USAGE, answer
from tests.loopback.server import ChatServer
from tools.attack.quiet import quiet
from tools.attack.tables import table

AT_ONCE = 100
_PATIENCE = 60
"""Seconds: the machine may be busy with other things."""
_TOKENS_A_CALL = int(str(USAGE["prompt_tokens"])) + int(str(USAGE["completion_tokens"]))


class Numbered(BaseModel):
    """The answer to a call."""

    number: int


class Crowd(NamedTuple):
    """What became of the calls."""

    way: str
    calls: int
    answered: int
    cancelled: int
    failed: int
    crossed: int
    connections: int
    events: int
    tokens: int

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost, mixed up or not counted."""
        whole = self.answered + self.cancelled == self.calls and not self.failed and not self.crossed
        return whole and self.events >= self.answered and self.tokens == self.events * _TOKENS_A_CALL


class _Noting:
    """Notes the requests that were answered."""

    def __init__(self) -> None:
        self.paid: list[CallEnded] = []

    def publish(self, event: object) -> None:
        if isinstance(event, CallEnded) and not event.code:
            self.paid.append(event)


async def crowd(server: ChatServer, calls: int, *, stream: bool, cancelling: bool, seed: int = 1) -> Crowd:
    """Send so many calls at once."""
    server.reset()
    server.respond(lambda request: answer(json.dumps({"number": int(request.prompt.split()[0])})))
    settings = LLMSettings(
        _env_file=None,
        base_url=server.url,
        model="m",
        stream=stream,
        max_concurrency=AT_ONCE,
        timeout=_PATIENCE,
        connect_timeout=_PATIENCE,
        max_attempts=1,
    )
    events = _Noting()
    async with OpenAICompatibleLLM(settings) as llm:
        typed = TypedLLM(llm, output_of=plain_output, events=events)
        asked = [typed.call_with_json(f"{number} ?", output_model=Numbered) for number in range(calls)]
        tasks = [asyncio.ensure_future(call) for call in asked]
        if cancelling:
            await _cancel_half(tasks, random.Random(seed))
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    cancelled = sum(isinstance(end, asyncio.CancelledError) for end in ends)
    answered = {number: end.number for number, end in enumerate(ends) if isinstance(end, Numbered)}
    return Crowd(
        f"{'streams' if stream else 'bodies'}{', half cancelled' if cancelling else ''}",
        calls,
        len(answered),
        cancelled,
        calls - len(answered) - cancelled,
        sum(number != got for number, got in answered.items()),
        len({request.port for request in server.requests}),
        len(events.paid),
        sum(event.usage.total_tokens for event in events.paid),
    )


async def _cancel_half(tasks: list[asyncio.Task[Numbered]], chance: random.Random) -> None:
    for number, task in enumerate(chance.sample(tasks, len(tasks) // 2)):
        task.cancel()
        if not number % 50:
            await asyncio.sleep(chance.random() / 200)


def main(arguments: list[str] | None = None) -> int:
    """Send the crowds; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack.crowd")
    parser.add_argument("--count", type=int, default=1_000, help="calls at once")
    count = parser.parse_args(arguments).count
    with ChatServer() as server:
        ways = [(stream, cancelling) for cancelling in (False, True) for stream in (False, True)]
        crowds = [asyncio.run(crowd(server, count, stream=stream, cancelling=half)) for stream, half in ways]
    print(table(Crowd._fields, crowds))
    return int(not all(each.is_right for each in crowds))


if __name__ == "__main__":
    quiet()
    sys.exit(main())
