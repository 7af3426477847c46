"""A large text is read beside the event loop, and within the seconds of the budget."""

import threading
import time

import pytest

from src.shared.application.asking import AskedModels, Asking
from src.shared.application.question import Question, Stop
from src.shared.application.reading import CLEAN, LARGE, read_aside
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMTimeoutError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.domain.ports.output import ParsedText
from tools.attack import reading
from tools.attack.reading import FAMILIES, Rows

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(("size", "aside"), [(LARGE - 1, False), (LARGE, True)])
async def test_only_a_large_text_is_read_in_a_thread(size: int, *, aside: bool) -> None:
    here = threading.get_ident()

    assert (await read_aside("x" * size, threading.get_ident) != here) is aside


@pytest.mark.parametrize(
    ("size", "end", "aside"), [(LARGE, '"]', False), (CLEAN - 1, '"]', False), (CLEAN, '"]', True), (LARGE, '"', True)]
)
async def test_json_that_is_not_very_large_is_read_at_once(size: int, end: str, *, aside: bool) -> None:
    here, text = threading.get_ident(), '["' + "x" * (size - 2 - len(end)) + end

    assert (await read_aside(text, threading.get_ident) != here) is aside


async def test_error_of_the_reader_comes_out_as_it_is() -> None:
    refusal = AppException("no")

    def refuse() -> None:
        raise refusal

    with pytest.raises(AppException, match="no"):
        await read_aside("x" * LARGE, refuse)


class Answering:
    """A model that always says the same."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def generate(self, _: LLMRequest) -> LLMReply:
        return LLMReply(self.text, FinishReason.STOP)


class NoEvents:
    def publish(self, event: object) -> None:
        """Nobody listens."""


class Slow:
    """Reads for as long as it is not told to stop."""

    label = "slow"
    dto_type = Rows

    def __init__(self) -> None:
        self.stop = threading.Event()

    def read(self, raw: str, *, finished: bool | None = None) -> ParsedText[Rows]:
        self.stop.wait(10)
        return ParsedText(Rows(rows=[raw, finished]))


async def test_reading_ends_with_the_seconds_of_the_budget() -> None:
    slow = Slow()
    asking = Asking(AskedModels(Answering("x" * LARGE)), slow, Question.of("?"), NoEvents(), Budget(max_seconds=0.1))
    started = time.monotonic()

    try:
        outcome = await asking.run()
    finally:
        slow.stop.set()

    assert time.monotonic() - started < 5
    assert (outcome.stop, type(outcome.error)) == (Stop.SECONDS_SPENT, LLMTimeoutError)
    assert outcome.attempts[-1].reply is not None


def test_command_prints_each_family_at_each_size(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reading, "SIZES", (100,))
    reading.main()

    printed = capsys.readouterr().out
    assert all(name in printed for name in (*FAMILIES, "100"))
