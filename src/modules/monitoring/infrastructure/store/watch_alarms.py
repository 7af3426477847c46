"""Alarms over all processes: one watcher at a time looks at the rates, and one at a time tells the webhook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent, AlarmKind, message_of
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.domain.rate import DAY, SECOND, Clock, Moment, Rate, RateQuery, Window, now
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.read_rates import rates
from src.modules.monitoring.infrastructure.store.schema import ALARM, ALARM_EVENT, reading
from src.shared.domain.repair_rate import MINIMUM, RateLevel, RateScope

with needs_extra():
    from sqlalchemy import Connection, Update, delete, insert, select, update

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.webhook import HttpWebhook

AGAIN = 30
"""Seconds for which one watcher has an event to itself, and after which one that was not taken is sent again."""
DELIVERY_DAYS = 1
"""Days for which an event is sent again if it is not taken."""


@dataclass(frozen=True)
class WatchAlarms:
    """Looks at the repair rates of every agent and model. Any number of watchers may look at one store.

    Every method raises `StoreError` if the store cannot be used; nothing is told then.

    Attributes:
        store: holds the rates, how each stood when somebody looked last, and what was told.
        webhook: told of every event; None where there is none.
        window: texts that a rate is taken over; its default is that of the rates in memory.
        minimum: texts below which no rate is too high.
        clock: says what time it is.
    """

    store: Store
    webhook: HttpWebhook | None = None
    window: Window = field(default_factory=Window)
    minimum: int = MINIMUM
    clock: Clock = now

    def look(self) -> tuple[AlarmEvent, ...]:
        """Notice what has changed since anybody looked last, and store it: each event is returned to one watcher."""
        at = self.clock()
        with self._alone() as connection:
            before = {(alarm.scope, alarm.name): alarm for alarm in map(_alarm, connection.execute(select(ALARM)))}
            return tuple(
                event
                for scope in RateScope
                for rate in rates(connection, scope, RateQuery(self.window, until=at))
                if rate.texts.outputs >= self.minimum
                if (event := _noticed(connection, before.get((scope, rate.name), Alarm(scope, rate.name)), rate, at))
            )

    def alarms(self) -> tuple[Alarm, ...]:
        """Those that are not normal, the highest first."""
        with reading(self.store) as connection:
            rows = connection.execute(select(ALARM).where(ALARM.c.level != RateLevel.NORMAL.name)).all()
        return tuple(sorted(map(_alarm, rows), key=lambda alarm: (-alarm.level, alarm.scope, alarm.name)))

    def events(self, limit: int) -> tuple[AlarmEvent, ...]:
        """What was told, the newest first."""
        with reading(self.store) as connection:
            rows = connection.execute(select(ALARM_EVENT).order_by(ALARM_EVENT.c.id.desc()).limit(limit)).all()
        return tuple(map(_event, rows))

    def deliver(self) -> WebhookError | None:
        """Send the webhook what it has not taken yet, oldest first, whoever noticed it; stops at the first refusal.

        At least once: one watcher at a time sends an event, and it is sent again every `AGAIN` seconds until it is
        taken, for a day. Where a watcher dies between sending and noting it, it is sent twice, with the same id.

        Returns:
            Why the last event that was sent was not taken; None where each was.
        """
        while self.webhook and (event := self._claim()):
            try:
                self.webhook.send(event)
            except WebhookError as error:
                return error
            with self.store.writing() as connection:
                connection.execute(_of(event).values(delivered_at=self.clock()))
        return None

    def _claim(self) -> AlarmEvent | None:
        """The oldest event that the webhook has not taken, for this watcher; None where another one is sending it."""
        at = self.clock()
        oldest = (
            select(ALARM_EVENT)
            .where(ALARM_EVENT.c.delivered_at.is_(None), ALARM_EVENT.c.at > at - DELIVERY_DAYS * DAY)
            .order_by(ALARM_EVENT.c.id)
            .limit(1)
        )
        with self._alone() as connection:
            row = connection.execute(oldest).first()
            if row is None or (row.next_try is not None and row.next_try > at):
                return None
            event = _event(row)
            connection.execute(_of(event).values(next_try=at + AGAIN * SECOND))
        return event

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        with reading(self.store):
            pass  # the store is there, and of this version
        with self.store.writing(alone=True) as connection:
            yield connection


def _noticed(connection: Connection, before: Alarm, rate: Rate, at: Moment) -> AlarmEvent | None:
    """Store how a rate stands now, and what there is to tell."""
    alarm, kind = before.after(rate, at)
    if alarm != before:
        connection.execute(delete(ALARM).where(ALARM.c.scope == alarm.scope.value, ALARM.c.name == alarm.name))
        connection.execute(
            insert(ALARM).values(**asdict(alarm) | {"scope": alarm.scope.value, "level": alarm.level.name})
        )
    if kind is None:
        return None
    facts = {"at": at, "kind": kind.value, "scope": alarm.scope.value, "name": alarm.name}
    facts |= {"parses": rate.texts.outputs, "asked": rate.texts.asked}
    message = message_of(kind, alarm.scope, alarm.name, rate.texts)
    stored = insert(ALARM_EVENT).values(**facts, message=message).returning(*ALARM_EVENT.c)
    return _event(connection.execute(stored).one())


def _of(event: AlarmEvent) -> Update:
    return update(ALARM_EVENT).where(ALARM_EVENT.c.id == event.id)


def _alarm(row: Any) -> Alarm:  # noqa: ANN401 - a row of the table
    return Alarm(RateScope(row.scope), row.name, RateLevel[row.level], row.since)


def _event(row: Any) -> AlarmEvent:  # noqa: ANN401 - as above
    kind, scope = AlarmKind(row.kind), RateScope(row.scope)
    return AlarmEvent(row.id, row.at, kind, scope, row.name, row.parses, row.asked, row.message)
