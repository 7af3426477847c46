"""Work on the elements of a list begins while the list is written, and counts only if the answer is accepted."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from examples.work_on_items.loop import ANSWER, files_with, results_of
from examples.work_on_items.plan import Lookup
from llm_output import LLMJsonParseError

pytestmark = pytest.mark.anyio

ROWS = [Lookup(term=term, why="?") for term in ("a", "b", "c")]
WHOLE = '{"question": "?", "rows": [' + ", ".join(row.model_dump_json() for row in ROWS) + "]}"


class Desk:
    """Where rows are worked on, and what became of each."""

    def __init__(self, *fails: str) -> None:
        self.fails = fails
        self.log: list[str] = []
        self.may_end = asyncio.Event()

    async def work(self, row: Lookup) -> str:
        self.log.append(f"begun {row.term}")
        try:
            if row.term in self.fails:
                raise OSError(row.term)
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.log.append(f"cancelled {row.term}")
            raise
        return row.term.upper()

    async def written(self, text: str) -> AsyncIterator[str]:
        """The text in chunks; work goes on between them, and may end with the last of them."""
        for at in range(0, len(text), 5):
            yield text[at : at + 5]
            await asyncio.sleep(0)
        self.log.append("written")
        self.may_end.set()


async def test_work_begins_while_the_model_writes_and_counts_in_the_order_of_the_rows() -> None:
    desk = Desk()
    plan, results = await results_of(desk.written(WHOLE), desk.work, finished=True)
    assert plan.rows == ROWS
    assert results == ["A", "B", "C"]
    assert desk.log.index("begun a") < desk.log.index("begun b") < desk.log.index("written")
    assert len(desk.log) == len(ROWS) + 1


async def test_row_that_only_the_whole_answer_has_is_worked_on_at_the_end() -> None:
    desk = Desk()
    aside = "Let me say first what I am going to do and why. " * 10
    _, results = await results_of(desk.written(aside + WHOLE), desk.work, finished=True)
    assert desk.log[0] == "written"
    assert results == ["A", "B", "C"]


async def test_result_of_a_row_that_is_not_in_the_answer_does_not_count() -> None:
    desk = Desk()
    twice = WHOLE.replace('"rows"', '"rows": [{"term": "x", "why": "?"}, {"term": "b", "why": "?"}], "rows"')
    _, results = await results_of(desk.written(twice), desk.work, finished=True)
    assert "begun x" in desk.log
    assert results == ["A", "B", "C"]
    assert desk.log.count("begun b") == 1


@pytest.mark.parametrize(
    ("text", "finished", "reason"),
    [
        (WHOLE[:-2], False, "the model was cut off before it had finished"),
        (WHOLE.replace('"c"', "3"), True, r"rows\.2\.term: Input should be a valid string"),
    ],
)
async def test_refused_answer_leaves_no_work_behind(text: str, finished: bool, reason: str) -> None:  # noqa: FBT001 - as the parser's
    desk, before = Desk(), asyncio.all_tasks()

    async def slow(row: Lookup) -> str:
        desk.may_end.clear()
        return await desk.work(row)

    with pytest.raises(LLMJsonParseError, match=reason):
        await results_of(desk.written(text), slow, finished=finished)
    assert "begun a" in desk.log
    assert asyncio.all_tasks() == before


async def test_work_that_fails_cancels_the_rest() -> None:
    desk, before = Desk("b"), asyncio.all_tasks()

    async def stuck(row: Lookup) -> str:
        result = await desk.work(row)
        await asyncio.Event().wait()
        return result

    with pytest.raises(OSError, match="b"):
        await results_of(desk.written(WHOLE), stuck, finished=True)
    assert asyncio.all_tasks() == before


async def test_model_that_breaks_off_cancels_the_work() -> None:
    desk = Desk()

    async def broken() -> AsyncIterator[str]:
        yield WHOLE[:80]
        await asyncio.sleep(0)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await results_of(broken(), desk.work, finished=None)
    assert desk.log == ["begun a", "cancelled a"]


async def test_recorded_plan_is_looked_up_without_the_draft(capsys: pytest.CaptureFixture[str]) -> None:
    async def at_once() -> AsyncIterator[str]:
        yield ANSWER.read_text(encoding="utf-8")

    plan, found = await results_of(at_once(), files_with, finished=True)
    assert [row.term for row in plan.rows] == ["truncated", "missing_bracket", "salvage"]
    assert min(found) > 0
    assert "DRAFT" not in capsys.readouterr().out
