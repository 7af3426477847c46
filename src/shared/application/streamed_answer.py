"""An answer in the making, for those who want to see it grow: the tries run in a task, their chunks become snapshots.

The task asks, reads and asks again as for an answer that is waited for. It does not wait for the consumer: one that
takes its time is given what has come meanwhile in one snapshot, and costs the budget no seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from src.shared.application.question import Outcome
from src.shared.domain.ports.llm import TextProgress
from src.shared.domain.ports.output import Snapshot, StreamingOutput

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Ask: TypeAlias = Callable[[TextProgress], Coroutine[Any, Any, Outcome[T]]]
"""Asks for an answer; the text of every try is in the progress."""


@dataclass(frozen=True, slots=True)
class AnswerSnapshot(Generic[T_co]):
    """How far an answer has come.

    Attributes:
        snapshot: of the answer that is written now, as the parser gives it.
        restarted: answers that were given up before this one, because they could not be used or broke off. Where it
            is higher than before, all that was shown is void. The first snapshot with a new number has no data.
    """

    snapshot: Snapshot[T_co]
    restarted: int = 0

    @property
    def data(self) -> Any:  # noqa: ANN401 - any JSON type
        """Plain dicts and lists: what is certain so far; None while nothing is."""
        return self.snapshot.data

    @property
    def complete(self) -> AbstractSet[str]:
        """The JSON paths whose value is whole, such as `$.title` and `$.items[0]`."""
        return self.snapshot.complete

    @property
    def state(self) -> str:
        """`waiting`, `reading`, `unsure` or `done`."""
        return self.snapshot.state

    @property
    def value(self) -> T_co | None:
        """The typed object once the whole of it satisfies the type; the last snapshot has it."""
        return self.snapshot.value

    @property
    def changed(self) -> tuple[str, ...]:
        """The JSON paths that appeared, grew or became whole since the snapshot before."""
        return self.snapshot.changed


class StreamedAnswer(Generic[T]):
    """One answer, asked for when its snapshots are taken; used once, in one event loop."""

    def __init__(self, output: StreamingOutput[T], ask: Ask[T]) -> None:
        """`output`: how the answer is read."""
        self._outcome: Outcome[T] | None = None
        self._output = output
        self._ask = ask
        self._reader = output.stream()
        self._restarted = self._taken = 0  # of the restarts and chunks that have come
        self._news = asyncio.Event()
        self._progress = TextProgress(self._news.set)

    @property
    def outcome(self) -> Outcome[T]:
        """Every attempt, and the object or the error, from the last snapshot on.

        Raises:
            RuntimeError: the snapshots have not been taken so far.
        """
        if self._outcome is None:
            message = "the snapshots have not been taken to their end"
            raise RuntimeError(message)
        return self._outcome

    async def snapshots(self) -> AsyncGenerator[AnswerSnapshot[T]]:
        """Ask, and give a snapshot for whatever comes; the last one has the object, unless there is only an error.

        Closing it, or cancelling whoever waits for the next one, ends the request and closes its connection.
        """
        task = asyncio.create_task(self._ask(self._progress))
        task.add_done_callback(lambda _: self._news.set())
        try:
            while not task.done():
                await self._news.wait()
                self._news.clear()
                for snapshot in self._waiting():
                    yield snapshot
            for snapshot in self._ending(task.result()):
                yield snapshot
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _waiting(self) -> Iterator[AnswerSnapshot[T]]:
        """First that an answer was given up, then what has come of the next one."""
        text = self._progress
        while self._restarted < text.restarts or self._taken < len(text.chunks):
            if self._restarted < text.restarts:
                self._restarted, self._taken = text.restarts, 0
                self._reader = self._output.stream()
                yield self._shown(self._reader.snapshot)
            else:
                chunk = "".join(text.chunks[self._taken :])
                self._taken = len(text.chunks)
                yield self._shown(self._reader.feed(chunk))

    def _ending(self, outcome: Outcome[T]) -> Iterator[AnswerSnapshot[T]]:
        """What has not been given of the text, and the object that was made of it."""
        self._outcome = outcome
        yield from self._waiting()
        if outcome.parsed is None:
            return
        reply = outcome.attempts[-1].reply
        if reply is not None and reply.text != self._reader.text:  # the repair agent's, not the one written last
            self._progress.begin()
            self._progress.add(reply.text)
            yield from self._waiting()
        yield self._shown(self._reader.close_as(outcome.parsed))

    def _shown(self, snapshot: Snapshot[T]) -> AnswerSnapshot[T]:
        return AnswerSnapshot(snapshot, self._restarted)
