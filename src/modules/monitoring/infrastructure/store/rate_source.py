"""The store as a `RateSource`: one transaction a question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from src.modules.monitoring.domain.outcome import Outcome
from src.modules.monitoring.domain.rate import Point, Rate, RateQuery, Share, ShareOf, StoreFacts
from src.modules.monitoring.domain.window import Window
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.modules.monitoring.infrastructure.store import rate_queries, schema
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.selection import rows_of
from src.modules.monitoring.infrastructure.store.tables import DAMAGE, OUTCOME, WRITER
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.repair_rates import RateScope

with needs_extra():
    from sqlalchemy import Connection, func, select, tuple_


class StoredRates:
    """Counts what is in a store; see `RateSource`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rates(self, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
        """The rate of each agent, or of each model."""
        with self._reading() as connection:
            return rate_queries.rates(connection, scope, query)

    def total(self, query: RateQuery) -> Rate:
        """The rate of all texts together."""
        with self._reading() as connection:
            return rate_queries.total(connection, query)

    def shares(self, of: ShareOf, query: RateQuery) -> tuple[Share, ...]:
        """Refusals by stage or repaired texts by kind."""
        with self._reading() as connection:
            return rate_queries.shares(connection, of, query)

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Numbers of texts over time."""
        with self._reading() as connection:
            return rate_queries.series(connection, query, step)

    def refusals(self, query: RateQuery, limit: int) -> tuple[Outcome, ...]:
        """The newest refused texts."""
        timed = RateQuery(Window(None, query.window.seconds), query.agent, query.model, query.until)
        rows = rows_of(timed).where(OUTCOME.c.outcome == ParseOutcome.REFUSED.value).with_only_columns(*OUTCOME.c)
        newest = rows.order_by(OUTCOME.c.at.desc(), OUTCOME.c.writer.desc(), OUTCOME.c.number.desc()).limit(limit)
        with self._reading() as connection:
            found = connection.execute(newest).mappings().all()
            damage = _damage(connection, [(row["writer"], row["number"]) for row in found])
        return tuple(_outcome(row, tuple(damage.get((row["writer"], row["number"]), ()))) for row in found)

    def facts(self) -> StoreFacts:
        """What the store holds."""
        with self._reading() as connection:
            ends = (select(end(OUTCOME.c.at)).scalar_subquery() for end in (func.min, func.max))
            oldest, newest = connection.execute(select(*ends)).one()  # each alone is one look into the index
            writers, dropped = connection.execute(select(func.count(), func.sum(WRITER.c.dropped))).one()
        return StoreFacts(oldest, newest, writers, int(dropped or 0))

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._store.reading() as connection:
            schema.check(self._store, connection)
            yield connection


def _damage(connection: Connection, keys: list[tuple[int, int]]) -> dict[tuple[int, int], list[str]]:
    rows = select(DAMAGE).where(tuple_(DAMAGE.c.writer, DAMAGE.c.number).in_(keys)).order_by(DAMAGE.c.reason)
    found: dict[tuple[int, int], list[str]] = {}
    for writer, number, reason in connection.execute(rows):
        found.setdefault((writer, number), []).append(reason)
    return found


def _outcome(row: Any, damage: tuple[str, ...]) -> Outcome:  # noqa: ANN401 - a row of the table
    same = ("at", "agent", "model", "prompt_id", "attempt", "stage", "asked", "repair_code", "length", "text")
    return Outcome(outcome=ParseOutcome(row["outcome"]), damage=damage, **{name: row[name] for name in same})
