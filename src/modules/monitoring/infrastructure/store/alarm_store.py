"""Alarms in the store: their state, what was told, and what the webhook has taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent, AlarmKind, message_of
from src.modules.monitoring.domain.rate import DAY, Moment, Rate, RateQuery
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store import rate_source as rate_queries
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.schema import ALARM, ALARM_EVENT
from src.shared.domain.ports.repair_rates import RateLevel, RateScope

with needs_extra():
    from sqlalchemy import Connection, Update, delete, insert, select, update

DELIVERY_DAYS = 1
"""Days for which an event is sent again if it is not taken."""


class StoredAlarms:
    """The alarms of a store; see `AlarmStore`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def open_book(self) -> Iterator[StoredBook]:
        """The state, for one watcher at a time."""
        with self._alone() as connection:
            yield StoredBook(connection)

    def alarms(self) -> tuple[Alarm, ...]:
        """Those that are not normal, the highest first."""
        with self._store.reading() as connection:
            schema.check(self._store, connection)
            rows = connection.execute(select(ALARM).where(ALARM.c.level != RateLevel.NORMAL.name)).all()
        return tuple(sorted(map(_alarm, rows), key=lambda alarm: (-alarm.level, alarm.scope, alarm.name)))

    def events(self, limit: int) -> tuple[AlarmEvent, ...]:
        """What was told, the newest first."""
        with self._store.reading() as connection:
            schema.check(self._store, connection)
            rows = connection.execute(select(ALARM_EVENT).order_by(ALARM_EVENT.c.id.desc()).limit(limit)).all()
        return tuple(map(_event, rows))

    def begin_delivery(self, at: Moment, until: Moment) -> AlarmEvent | None:
        """The oldest event that the webhook has not taken, for one watcher until a moment."""
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
            connection.execute(_of(row.id).values(next_try=until))
        return _event(row)

    def mark_delivered(self, event: AlarmEvent, at: Moment) -> None:
        """The webhook has taken it."""
        with self._store.writing() as connection:
            connection.execute(_of(event.id).values(delivered_at=at))

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        with self._store.reading() as connection:
            schema.check(self._store, connection)
        with self._store.writing(alone=True) as connection:
            yield connection


class StoredBook:
    """The state in one transaction; see `AlarmBook`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def alarm(self, scope: RateScope, name: str) -> Alarm:
        """How a rate stands."""
        row = self._connection.execute(select(ALARM).where(*_is(scope, name))).first()
        return _alarm(row) if row else Alarm(scope, name)

    def keep(self, alarm: Alarm) -> None:
        """Remember how a rate stands."""
        self._connection.execute(delete(ALARM).where(*_is(alarm.scope, alarm.name)))
        row = {"scope": alarm.scope, "name": alarm.name, "level": alarm.level.name, "since": alarm.since}
        self._connection.execute(insert(ALARM).values(row))

    def tell(self, alarm: Alarm, kind: AlarmKind, rate: Rate, at: Moment) -> AlarmEvent:
        """Store an event."""
        texts = rate.texts
        facts: dict[str, Any] = {
            "at": at,
            "kind": kind.value,
            "scope": alarm.scope.value,
            "name": alarm.name,
            "parses": texts.outputs,
            "asked": texts.asked,
            "message": message_of(kind, alarm.scope, alarm.name, texts),
        }
        row = self._connection.execute(insert(ALARM_EVENT).values(facts).returning(*ALARM_EVENT.c)).one()
        return _event(row)

    def rates(self, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
        """The rates as the same moment has them."""
        return rate_queries.rates(self._connection, scope, query)


def _of(number: int) -> Update:
    return update(ALARM_EVENT).where(ALARM_EVENT.c.id == number)


def _is(scope: RateScope, name: str) -> tuple[Any, ...]:
    return ALARM.c.scope == scope.value, ALARM.c.name == name


def _alarm(row: Any) -> Alarm:  # noqa: ANN401 - a row of the table
    return Alarm(RateScope(row.scope), row.name, RateLevel[row.level], row.since)


def _event(row: Any) -> AlarmEvent:  # noqa: ANN401 - as above
    kind, scope = AlarmKind(row.kind), RateScope(row.scope)
    return AlarmEvent(row.id, row.at, kind, scope, row.name, row.parses, row.asked, row.message)
