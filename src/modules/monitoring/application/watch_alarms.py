"""Watch alarms: notice crossings in the store, tell of each once, and have the webhook take it.

Stable, for the service: `WatchAlarms.look`, `deliver` and `AlarmStore.alarms` and `events`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.domain.ports import AlarmBook, AlarmStore, Claim, Webhook
from src.modules.monitoring.domain.rate import RateQuery
from src.modules.monitoring.domain.window import SECOND, Clock, Window, now
from src.shared.domain.ports.repair_rates import RateScope
from src.shared.domain.repair_rate import MINIMUM

CLAIMED = 300
"""Seconds for which one watcher has an event to itself; longer than a webhook takes with all its tries."""
AGAIN = 30
"""Seconds until an event that the webhook did not take is sent again; each further wait is twice as long."""
LONGEST_WAIT = 3_600


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
        webhook: told of every event since it was first given; None where there is none.
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
        if self.webhook:
            self.store.subscribe(self.webhook.target, at)
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

        An event goes to one watcher at a time. One that dies between sending and noting it may have it sent twice:
        the event's id is the same, by which a receiver knows it.

        Raises:
            StoreError: the store cannot be used.
        """
        done: list[Delivery] = []
        while self.webhook and (claim := self._claim(self.webhook.target)):
            try:
                self.webhook.send(claim.event)
            except WebhookError as error:
                wait = min(AGAIN * 2 ** min(claim.tries, 10), LONGEST_WAIT)
                self.store.release(claim, self.clock() + wait * SECOND)
                return (*done, Delivery(claim.event, error))
            self.store.delivered(claim, self.clock())
            done.append(Delivery(claim.event))
        return tuple(done)

    def _claim(self, target: str) -> Claim | None:
        at = self.clock()
        return self.store.claim(target, at, at + CLAIMED * SECOND)
