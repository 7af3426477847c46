"""The ports of the store, and of the queue in front of it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent, AlarmKind
from src.modules.monitoring.domain.outcome import Batch, Note, Outcome
from src.modules.monitoring.domain.rate import Moment, Point, Rate, RateQuery, Share, ShareOf, StoreFacts
from src.shared.domain.ports.repair_rates import RateScope


class OutcomeSink(Protocol):
    """Takes the batches of one writer."""

    def write(self, batch: Batch, dropped: int) -> None:
        """Store a batch; the same one again changes nothing.

        Args:
            batch: what to store.
            dropped: outcomes that this writer has lost since it began.

        Raises:
            StoreError: it is not stored; it may be given again.
        """
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


class RateSource(Protocol):
    """Counts what is in the store. Everything is counted at one moment: the answers of one call belong together."""

    def rates(self, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
        """The rate of each agent, or of each model, by name; texts without a model are in no model's rate."""
        ...

    def total(self, query: RateQuery) -> Rate:
        """The rate of all texts together."""
        ...

    def shares(self, of: ShareOf, query: RateQuery) -> tuple[Share, ...]:
        """Refusals by stage or repaired texts by kind, the most frequent first."""
        ...

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Numbers of texts in steps of so many seconds, oldest first; steps without a text are left out."""
        ...

    def refusals(self, query: RateQuery, limit: int) -> tuple[Outcome, ...]:
        """The newest refused texts, the newest first."""
        ...

    def facts(self) -> StoreFacts:
        """What the store holds."""
        ...


class AlarmBook(Protocol):
    """The state of alarms, while nobody else may change it."""

    def alarm(self, scope: RateScope, name: str) -> Alarm:
        """How a rate stands; normal where nothing was ever told."""
        ...

    def keep(self, alarm: Alarm) -> None:
        """Remember how a rate stands."""
        ...

    def tell(self, alarm: Alarm, kind: AlarmKind, rate: Rate, at: Moment) -> AlarmEvent:
        """Store an event."""
        ...

    def rates(self, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
        """The rates as the same moment has them; see `RateSource.rates`."""
        ...


class AlarmStore(Protocol):
    """Alarms of all processes: their states, what was told, and what is to be delivered."""

    def open_book(self) -> AbstractContextManager[AlarmBook]:
        """The state, for one watcher at a time; what it keeps and tells is stored together, or not at all."""
        ...

    def alarms(self) -> tuple[Alarm, ...]:
        """Those that are not normal, the highest first."""
        ...

    def events(self, limit: int) -> tuple[AlarmEvent, ...]:
        """What was told, the newest first."""
        ...

    def begin_delivery(self, at: Moment, until: Moment) -> AlarmEvent | None:
        """The oldest event that the webhook has not taken; None where there is none, or a try at it is not over.

        Args:
            at: what time it is.
            until: when anybody may send the event again, if it is not taken before.
        """
        ...

    def mark_delivered(self, event: AlarmEvent, at: Moment) -> None:
        """The webhook has taken it: it is never sent again."""
        ...


class Webhook(Protocol):
    """The receiver of alarms."""

    def send(self, event: AlarmEvent) -> None:
        """Have it take an event.

        Raises:
            WebhookError: it did not.
        """
        ...


class NoteQueue(Protocol):
    """Takes notes without ever waiting. An adapter never raises."""

    def put(self, note: Note) -> None:
        """Keep a note until it is written; where there is no room left it is dropped and counted."""
        ...
