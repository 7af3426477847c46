"""The store as a `RateSource`: one transaction a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from src.modules.monitoring.domain.outcome import Outcome
from src.modules.monitoring.domain.rate import SECOND, Point, Rate, RateQuery, Share, ShareOf, StoreFacts, Window
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.schema import DAMAGE, OUTCOME, REPAIR, WRITER
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.repair_rates import RateScope, RepairRate
from src.shared.domain.repair import RepairKind

with needs_extra():
    from sqlalchemy import (
        Column,
        ColumnElement,
        Connection,
        Select,
        Subquery,
        Table,
        case,
        func,
        literal,
        select,
        tuple_,
        union_all,
    )


NAMES_AT_ONCE = 100
"""Agents or models counted by one statement: SQLite takes no more than 500 parts in one."""

_NAMES = {RateScope.AGENT: OUTCOME.c.agent, RateScope.MODEL: OUTCOME.c.model}
"""The column with the names of a scope."""
_NEWEST = (OUTCOME.c.at.desc(), OUTCOME.c.writer.desc(), OUTCOME.c.number.desc())


def names_of(connection: Connection, scope: RateScope) -> list[str]:
    """Every agent, or every model, by name: one look into the index a name, however many rows there are."""
    column = _NAMES[scope]
    first = select(func.min(column).label("name")).cte("names", recursive=True)
    following = select(select(func.min(column)).where(column > first.c.name).scalar_subquery()).where(
        first.c.name.is_not(None)
    )
    names = first.union_all(following)
    found = connection.execute(select(names.c.name).where(names.c.name.is_not(None))).scalars()
    return sorted(name for name in found if name or scope is RateScope.AGENT)


def rows_of(query: RateQuery) -> Select[Any]:
    """The rows of a window, whoever's they are: the last ones if it has a number."""
    until = query.until or 0
    rows = select(*(OUTCOME.c[column] for column in ("writer", "number", "at", "outcome", "stage", "asked", "attempt")))
    rows = rows.where(OUTCOME.c.at > query.window.since(until), OUTCOME.c.at <= until)
    if query.agent is not None:
        rows = rows.where(OUTCOME.c.agent == query.agent)
    if query.model is not None:
        rows = rows.where(OUTCOME.c.model == query.model)
    return rows if query.window.texts is None else rows.order_by(*_NEWEST).limit(query.window.texts)


def rows_of_names(scope: RateScope, names: list[str], query: RateQuery) -> Subquery:
    """The rows of a window of its own for each name, with the name as `name`; at most `NAMES_AT_ONCE` names."""
    column = _NAMES[scope]
    each = (rows_of(query).where(column == name).subquery() for name in names)
    parts = [select(literal(name).label("name"), *part.c) for name, part in zip(names, each, strict=True)]
    return union_all(*parts).subquery("picked")


def rows_of_all(query: RateQuery) -> Subquery:
    """The rows of a window with an empty name."""
    part = rows_of(query).subquery()
    return select(literal("").label("name"), *part.c).subquery("picked")


Counted = dict[str, dict[str, int]]

_KINDS = {kind.value for kind in RepairKind}


def rates(connection: Connection, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
    """The rate of each agent, or of each model; those without a text in the window are left out."""
    names = names_of(connection, scope)
    found: list[Rate] = []
    for start in range(0, len(names), NAMES_AT_ONCE):
        found += _rates(connection, rows_of_names(scope, names[start : start + NAMES_AT_ONCE], query))
    return tuple(sorted(found, key=lambda rate: rate.name))


def _rates(connection: Connection, rows: Subquery) -> list[Rate]:
    counted = select(
        rows.c.name,
        func.count(),
        _sum(rows.c.asked),
        *_sums(rows),
        _sum(rows.c.attempt > 1),
        func.max(rows.c.at),
    ).group_by(rows.c.name)
    damage = _by_name(connection, rows, DAMAGE, DAMAGE.c.reason)
    kinds = _by_name(connection, rows, REPAIR, REPAIR.c.kind)
    return [
        Rate(
            name,
            RepairRate(
                parses=parses,
                asked=int(asked),
                repaired=int(repaired + by_model),
                model_repaired=int(by_model),
                refused=int(refused),
                damage=_most_frequent(damage.get(name, {})),
                kinds=tuple((RepairKind(kind), n) for kind, n in _most_frequent(kinds.get(name, {})) if kind in _KINDS),
                re_asked=int(re_asked),
            ),
            int(newest),
        )
        for name, parses, asked, repaired, by_model, refused, re_asked, newest in connection.execute(counted)
    ]


def _by_name(connection: Connection, rows: Subquery, table: Table, column: Column[Any]) -> Counted:
    """In how many of the rows of each name each value of a table stands."""
    belongs = (table.c.writer == rows.c.writer) & (table.c.number == rows.c.number)
    counted = select(rows.c.name, column, func.count()).join_from(rows, table, belongs).group_by(rows.c.name, column)
    found: Counted = defaultdict(dict)
    for name, value, count in connection.execute(counted):
        found[name][value] = count
    return found


def _sums(rows: Subquery) -> tuple[ColumnElement[int], ...]:
    outcomes = (ParseOutcome.REPAIRED, ParseOutcome.MODEL_REPAIRED, ParseOutcome.REFUSED)
    return tuple(_sum(rows.c.outcome == outcome.value) for outcome in outcomes)


def _sum(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _most_frequent(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class StoredRates:
    """Counts what is in a store; see `RateSource`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rates(self, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
        """The rate of each agent, or of each model."""
        with self._reading() as connection:
            return rates(connection, scope, query)

    def total(self, query: RateQuery) -> Rate:
        """The rate of all texts together."""
        with self._reading() as connection:
            found = _rates(connection, rows_of_all(query))
        return found[0] if found else Rate("", RepairRate())

    def shares(self, of: ShareOf, query: RateQuery) -> tuple[Share, ...]:
        """Refusals by stage or repaired texts by kind."""
        rows = rows_of_all(query)
        refused = rows.c.outcome == ParseOutcome.REFUSED.value
        by_stage = select(rows.c.stage, func.count()).where(refused).group_by(rows.c.stage)
        with self._reading() as connection:
            parses = connection.execute(select(func.count()).select_from(rows)).scalar_one()
            if of is ShareOf.STAGE:
                names = {str(name): int(count) for name, count in connection.execute(by_stage)}
            else:
                names = _by_name(connection, rows, REPAIR, REPAIR.c.kind).get("", {})
        return tuple(Share(name, texts, parses) for name, texts in _most_frequent(names))

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Numbers of texts over time."""
        rows, width = rows_of(query).subquery(), step * SECOND
        begin = (rows.c.at // width).label("begin")
        numbers = (func.count(), _sum(rows.c.asked), *_sums(rows), _sum(rows.c.attempt > 1))
        with self._reading() as connection:
            counted = connection.execute(select(begin, *numbers).group_by(begin).order_by(begin)).all()
        return tuple(
            Point(int(at) * width, parses, int(asked), int(repaired + by_model), int(refused), int(re_asked))
            for at, parses, asked, repaired, by_model, refused, re_asked in counted
        )

    def refusals(self, query: RateQuery, limit: int) -> tuple[Outcome, ...]:
        """The newest refused texts."""
        timed = replace(query, window=Window(None, query.window.seconds))
        rows = rows_of(timed).where(OUTCOME.c.outcome == ParseOutcome.REFUSED.value).with_only_columns(*OUTCOME.c)
        newest = rows.order_by(*_NEWEST).limit(limit)
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
