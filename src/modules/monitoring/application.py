"""The use cases: record outcomes, read rates, watch alarms.

Stable, for the service and the page: the methods of `ReadRates`, `WatchAlarms.look` and `deliver`, `RateQuery`,
`Window`, and the attributes of the answers (`domain/rate.py`, `domain/outcome.py`). Moments are microseconds since 1970
(`domain/rate.py` has `time_of`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.domain.outcome import Outcome, ParseNote, RepairNote
from src.modules.monitoring.domain.ports import AlarmBook, AlarmStore, NoteQueue, RateSource, Webhook
from src.modules.monitoring.domain.rate import (
    SECOND,
    Clock,
    Point,
    Rate,
    RateQuery,
    Share,
    ShareOf,
    StoreFacts,
    Window,
    now,
)
from src.shared.domain.ports.events import Event, OutputParsed, RepairAsked, RepairAttempted
from src.shared.domain.ports.repair_rates import RateScope
from src.shared.domain.repair_rate import MINIMUM

ALL = RateQuery()
MOST_REFUSALS = 1_000
"""Refusals of one answer."""
MOST_POINTS = 10_000
"""Steps of one series."""


class ReadRates:
    """Answers questions about the store. Each method may be called from any thread.

    Every method raises `StoreError` if the store cannot be asked.
    """

    def __init__(self, source: RateSource, clock: Clock = now) -> None:
        """Ask a store.

        Args:
            source: counts what is in it.
            clock: says what time it is, for windows that have no end of their own.
        """
        self._source, self._clock = source, clock

    def by_agent(self, query: RateQuery = ALL) -> tuple[Rate, ...]:
        """The rate of each agent over its own last texts, by name."""
        return self._source.rates(RateScope.AGENT, self._ended(query))

    def by_model(self, query: RateQuery = ALL) -> tuple[Rate, ...]:
        """The rate of each model over its own last texts, by name; texts that came from no model are in none."""
        return self._source.rates(RateScope.MODEL, self._ended(query))

    def total(self, query: RateQuery = ALL) -> Rate:
        """The rate of the last texts, whoever asked for them."""
        return self._source.total(self._ended(query))

    def by_stage(self, query: RateQuery = ALL) -> tuple[Share, ...]:
        """How many of the last texts each stage refused, the most frequent first."""
        return self._source.shares(ShareOf.STAGE, self._ended(query))

    def by_kind(self, query: RateQuery = ALL) -> tuple[Share, ...]:
        """In how many of the last texts each kind of repair was made, the most frequent first."""
        return self._source.shares(ShareOf.KIND, self._ended(query))

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Rates over time, oldest first; steps begin at multiples of their length, and empty ones are left out.

        Args:
            query: which texts; its window has a time.
            step: seconds of a step.

        Raises:
            ValueError: the window has no time, or more than `MOST_POINTS` steps.
        """
        seconds = query.window.seconds
        if not seconds or step < 1 or seconds // step > MOST_POINTS:
            text = f"a series needs a window with a time, of 1 to {MOST_POINTS} steps, not {seconds=} and {step=}"
            raise ValueError(text)
        return self._source.series(self._ended(replace(query, window=Window(None, seconds))), step)

    def refusals(self, query: RateQuery = ALL, limit: int = 50) -> tuple[Outcome, ...]:
        """The newest refused texts of the window's time, the newest first; at most `MOST_REFUSALS`."""
        return self._source.refusals(self._ended(query), min(limit, MOST_REFUSALS))

    def facts(self) -> StoreFacts:
        """How much the store holds, and how many outcomes were dropped."""
        return self._source.facts()

    def _ended(self, query: RateQuery) -> RateQuery:
        return query if query.until is not None else replace(query, until=self._clock())


class RecordOutcomes:
    """An `EventPort` that notes each parse and each repair, and leaves the rest to the queue's other end.

    Publishing takes a microsecond or two, whatever the store does; `python -m tools.benchmarks.watching` measures it.
    """

    def __init__(self, queue: NoteQueue, *, with_text: bool = False) -> None:
        """Note what is published from now on.

        Args:
            queue: takes the notes.
            with_text: whether the beginning of each text is noted.
        """
        self._put, self._with_text = queue.put, with_text

    def publish(self, event: Event) -> None:
        """Note a parse, a question of the repair agent's, or what came of it; no other event is an outcome's."""
        if isinstance(event, OutputParsed):
            self._put(ParseNote.of(now(), event, with_text=self._with_text))
        elif isinstance(event, RepairAsked | RepairAttempted):
            self._put(RepairNote(now(), event))


AGAIN = 30
"""Seconds for which one watcher has an event to itself, and after which one that was not taken is sent again."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of sending an event.

    Attributes:
        event: what was sent.
        error: why it was not taken; None where it was.
    """

    event: AlarmEvent
    error: WebhookError | None = None


@dataclass(frozen=True)
class WatchAlarms:
    """Looks at the repair rates of every agent and model. Any number of watchers may look at one store.

    Attributes:
        store: state of the alarms, and rates.
        webhook: told of every event; None where there is none.
        window: texts that a rate is taken over; its default is that of the rates in memory.
        minimum: texts below which no rate is too high.
        clock: says what time it is.
    """

    store: AlarmStore
    webhook: Webhook | None = None
    window: Window = field(default_factory=Window)
    minimum: int = MINIMUM
    clock: Clock = now

    def look(self) -> tuple[AlarmEvent, ...]:
        """Notice what has changed since anybody looked last, and store it: each event is returned to one watcher.

        Raises:
            StoreError: the store cannot be used; nothing is told.
        """
        at = self.clock()
        with self.store.open_book() as book:
            return tuple(event for scope in RateScope for event in self._crossings(book, scope, at))

    def _crossings(self, book: AlarmBook, scope: RateScope, at: int) -> list[AlarmEvent]:
        events = []
        for rate in book.rates(scope, RateQuery(self.window, until=at)):
            if rate.texts.outputs < self.minimum:
                continue
            before = book.alarm(scope, rate.name)
            alarm, kind = before.after(rate, at)
            if alarm != before:
                book.keep(alarm)
            if kind:
                events.append(book.tell(alarm, kind, rate, at))
        return events

    def deliver(self) -> tuple[Delivery, ...]:
        """Send the webhook what it has not taken yet, oldest first, whoever noticed it; stops at the first refusal.

        At least once: one watcher at a time sends an event, and it is sent again every `AGAIN` seconds until it is
        taken, for a day. Where a watcher dies between sending and noting it, it is sent twice, with the same id.

        Raises:
            StoreError: the store cannot be used.
        """
        done: list[Delivery] = []
        while self.webhook and (event := self._next_event()):
            try:
                self.webhook.send(event)
            except WebhookError as error:
                return (*done, Delivery(event, error))
            self.store.mark_delivered(event, self.clock())
            done.append(Delivery(event))
        return tuple(done)

    def _next_event(self) -> AlarmEvent | None:
        at = self.clock()
        return self.store.begin_delivery(at, at + AGAIN * SECOND)
