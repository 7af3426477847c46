"""Work begins with each element that is finished: `python -m examples.work_on_items.loop`.

The answer is recorded, so that no account is needed. With a provider, the chunks and the finish reason come from its
stream.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from examples.work_on_items.plan import Lookup, Plan
from examples.written_in_chunks import written_in_chunks
from llm_output import LLMJsonStream

R = TypeVar("R")
ANSWER = Path(__file__).with_name("answer.txt")
SOURCES = Path(__file__).parents[2] / "src"


class Begun(NamedTuple, Generic[R]):
    """Work that has begun."""

    row: Lookup
    task: asyncio.Task[R]


async def results_of(
    chunks: AsyncIterator[str], work: Callable[[Lookup], Coroutine[Any, Any, R]], *, finished: bool | None
) -> tuple[Plan, list[R]]:
    """Read a plan and work on its rows while it is written; the plan and the results, in the order of the rows.

    No result counts before the whole answer is accepted, and only for a row that is in the answer then. If the answer
    is refused, its chunks break off or some work fails, all other work is cancelled and has ended when the error is
    raised.

    Raises:
        LLMJsonParseError: the answer is refused.
    """
    stream = LLMJsonStream(Plan)
    begun: list[Begun[R]] = []

    def begin(row: Lookup) -> Begun[R]:
        begun.append(Begun(row, asyncio.create_task(work(row))))
        return begun[-1]

    try:
        async for chunk in chunks:
            stream.feed(chunk)
            for row in stream.items("$.rows"):
                begin(row)
        plan = stream.close(finished)
        before = chain(tuple(begun), repeat(None))
        counted = [one if one and one.row == row else begin(row) for row, one in zip(plan.rows, before, strict=False)]
        return plan, await asyncio.gather(*(one.task for one in counted))
    finally:
        for one in begun:
            one.task.cancel()
        await asyncio.gather(*(one.task for one in begun), return_exceptions=True)


async def files_with(row: Lookup) -> int:
    """In how many files of the package a term is."""
    found = await asyncio.to_thread(_files_with, row.term)
    sys.stdout.write(f"looked up {row.term}\n")
    return found


def _files_with(term: str) -> int:
    return sum(term in file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py"))


async def main() -> None:
    """Look up the terms of the recorded plan."""
    chunks = written_in_chunks(ANSWER.read_text(encoding="utf-8"))
    plan, found = await results_of(chunks, files_with, finished=True)
    sys.stdout.write(f"accepted: {plan.question}\n")
    for row, files in zip(plan.rows, found, strict=True):
        sys.stdout.write(f"{files:4} files with {row.term}: {row.why}\n")


if __name__ == "__main__":
    asyncio.run(main())
