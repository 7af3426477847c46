"""`call_with_json` for code without an event loop."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import NO_OBJECT
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.processes import LIMIT
from tests.shared.application.typed import Events, Grade, typed
from tests.shared.scripted_llm import reply

GOOD = '{"score": 80}'


def test_answer_is_returned_without_an_event_loop_call_after_call() -> None:
    llm, _, _ = typed(GOOD, GOOD)
    found = [llm.call_with_json_sync("Grade it.", output_model=Grade) for _ in range(2)]
    assert found == [Grade(score=80)] * 2


def test_arguments_are_those_of_call_with_json() -> None:
    llm, scripted, _ = typed("no", GOOD)
    llm.call_with_json_sync(
        "Grade it.",
        output_model=Grade,
        system_message="You grade.",
        temperature=0.1,
        max_tokens=9,
        budget=Budget(max_retries=1),
    )
    first, _ = scripted.calls
    assert first.prompt.startswith("Grade it.\n")
    assert (first.system_message, first.temperature, first.max_tokens) == ("You grade.", 0.1, 9)


def test_budget_of_the_call_holds() -> None:
    llm, scripted, _ = typed("no", GOOD)
    with pytest.raises(LLMJsonParseError, match=NO_OBJECT.en):
        llm.call_with_json_sync("Grade it.", output_model=Grade, budget=Budget(max_retries=0))
    assert len(scripted.calls) == 1


def test_call_in_a_running_loop_says_what_to_do_and_asks_nothing() -> None:
    llm, scripted, _ = typed(GOOD)

    async def ask() -> Grade:
        return llm.call_with_json_sync("Grade it.", output_model=Grade)

    with pytest.raises(RuntimeError, match=r"事件循环.*use await call_with_json"):
        asyncio.run(ask())
    assert scripted.calls == []


def test_call_in_a_thread_beside_a_running_loop_is_answered() -> None:
    llm, _, _ = typed(GOOD)

    async def ask() -> Grade:
        return await asyncio.to_thread(llm.call_with_json_sync, "Grade it.", output_model=Grade)

    assert asyncio.run(ask()) == Grade(score=80)


class Echo:
    """Answers with the score in the prompt once as many calls wait for it as there are threads."""

    def __init__(self, threads: int) -> None:
        self.loops: set[asyncio.AbstractEventLoop] = set()
        self._together = threading.Barrier(threads)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer."""
        self.loops.add(asyncio.get_running_loop())
        self._together.wait(LIMIT)
        return reply(f'{{"score": {request.prompt.split()[1]}}}')


def test_several_threads_ask_at_once_each_in_a_loop_of_its_own() -> None:
    echo = Echo(4)
    llm = TypedLLM(echo, output_of=plain_output, events=Events())

    def ask(score: int) -> int:
        return llm.call_with_json_sync(f"Score {score} , please.", output_model=Grade).score

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, range(20))) == list(range(20))
    assert len(echo.loops) == 20
    assert all(loop.is_closed() for loop in echo.loops)
