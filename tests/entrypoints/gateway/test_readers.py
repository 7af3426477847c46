"""The processes that read choices are kept: what they load for the first one is there for the next."""

import asyncio
import os

from src.entrypoints.gateway.chat_request import Contract
from src.entrypoints.gateway.choice_reading import Call, Choice, ChoiceReading, read_choice
from src.entrypoints.gateway.completions import Gateway
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from tests.entrypoints.gateway.gateways import PRICE, SEARCH

TOOLS = Contract(None, {"search": SEARCH}, may_leak=True)
CHOICES = (
    (Choice("The search (of 2024) found nothing.", (), "stop"), TOOLS),
    (Choice('<tool_call>{"name": "search", "arguments": {"q": "tea", "n": 3}}</tool_call>', (), "stop"), TOOLS),
    (Choice("", (Call("search", "{'q': 'tea', n: 3,}"),), "tool_calls"), TOOLS),
    (Choice("```json\n{'item': 'tea', price: 4.5,}\n```", (), "stop"), Contract(PRICE, {}, may_leak=False)),
)


async def read_by_one() -> tuple[list[object], set[int]]:
    gateway = Gateway(GatewaySettings(upstream="http://127.0.0.1:9/v1", parse_threads=1))
    try:
        numbers, readings = {await gateway.pool.run(os.getpid)}, list[object]()
        for choice, contract in CHOICES:
            readings.append(await gateway.pool.run(read_choice, choice, contract))
            numbers.add(await gateway.pool.run(os.getpid))
        return readings, numbers
    finally:
        gateway.pool.close()
        await gateway.upstream.aclose()


def test_a_process_that_reads_choices_of_new_tools_is_kept() -> None:
    readings, numbers = asyncio.run(read_by_one())
    assert all(isinstance(reading, ChoiceReading) for reading in readings)
    assert len(numbers) == 1
