"""Questions to the store: every answer is a count of rows, in one transaction a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from src.modules.monitoring.domain.rate import SECOND, Clock, Point, Rate, RateQuery, Share, StoreFacts, Window, now
from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.schema import DAMAGE, OUTCOME, REPAIR, WRITER, reading
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.repair_rate import RateScope, RepairRate, most_frequent

with needs_extra():
    from sqlalchemy import (
        Column,
        ColumnElement,
        Connection,
        Select,
        Subquery,
        case,
        func,
        literal,
        select,
        tuple_,
        union_all,
    )


MOST_REFUSALS = 1_000
"""Refusals of one answer."""
MOST_POINTS = 10_000
"""Steps of one series."""
NAMES_AT_ONCE = 100
"""Agents or models counted by one statement: SQLite takes no more than 500 parts in one."""

_ALL = RateQuery()
_NEWEST = (OUTCOME.c.at.desc(), OUTCOME.c.writer.desc(), OUTCOME.c.number.desc())


class ReadRates:
    """Answers questions about the store. Each method may be called from any thread.

    Every method raises `StoreError` if the store cannot be asked.
    """

    def __init__(self, store: Store, clock: Clock = now) -> None:
        """Ask a store.

        Args:
            store: nothing is opened before the first question.
            clock: says what time it is, for windows that have no end of their own.
        """
        self._store, self._clock = store, clock

    def by_agent(self, query: RateQuery = _ALL) -> tuple[Rate, ...]:
        """The rate of each agent over its own last texts, by name."""
        with reading(self._store) as connection:
            return rates(connection, RateScope.AGENT, self._ended(query))

    def by_model(self, query: RateQuery = _ALL) -> tuple[Rate, ...]:
        """The rate of each model over its own last texts, by name; texts that came from no model are in none."""
        with reading(self._store) as connection:
            return rates(connection, RateScope.MODEL, self._ended(query))

    def total(self, query: RateQuery = _ALL) -> Rate:
        """The rate of the last texts, whoever asked for them."""
        with reading(self._store) as connection:
            found = _aggregate(connection, {"": _rows_of(self._ended(query))})
        return found[0] if found else Rate("", RepairRate())

    def by_stage(self, query: RateQuery = _ALL) -> tuple[Share, ...]:
        """How many of the last texts each stage refused, the most frequent first."""
        rows = _rows_of(self._ended(query)).subquery()
        return self._shares(rows, select(rows.c.stage, func.count()).where(_is(rows, ParseOutcome.REFUSED)))

    def by_kind(self, query: RateQuery = _ALL) -> tuple[Share, ...]:
        """In how many of the last texts each kind of repair was made, the most frequent first."""
        rows = _rows_of(self._ended(query)).subquery()
        return self._shares(rows, _joined(rows, REPAIR.c.kind))

    def series(self, query: RateQuery, step: int) -> tuple[Point, ...]:
        """Rates over time, oldest first; steps begin at multiples of their length, and empty ones are left out.

        Args:
            query: which texts; its window has a time.
            step: seconds of a step.

        Raises:
            ValueError: the window has no time, or more than `MOST_POINTS` steps.
        """
        seconds, width = query.window.seconds, step * SECOND
        if not seconds or step < 1 or seconds // step > MOST_POINTS:
            text = f"a series needs a window with a time, of 1 to {MOST_POINTS} steps, not {seconds=} and {step=}"
            raise ValueError(text)
        rows = _rows_of(self._ended(query, seconds)).subquery()
        with reading(self._store) as connection:
            found = _count(connection, rows, rows.c.at // width)
        return tuple(Point(**numbers, at=int(begin) * width) for begin, _, numbers in found)

    def refusals(self, query: RateQuery = _ALL, limit: int = 50) -> tuple[Outcome, ...]:
        """The newest refused texts of the window's time, the newest first; at most `MOST_REFUSALS`."""
        rows = _rows_of(self._ended(query, query.window.seconds)).with_only_columns(*OUTCOME.c)
        newest = rows.where(OUTCOME.c.outcome == ParseOutcome.REFUSED.value).order_by(*_NEWEST)
        damage: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        with reading(self._store) as connection:
            found = [dict(row) for row in connection.execute(newest.limit(min(limit, MOST_REFUSALS))).mappings()]
            keys = [(row.pop("writer"), row["number"]) for row in found]
            of_these = tuple_(DAMAGE.c.writer, DAMAGE.c.number).in_(keys)
            for writer, number, reason in connection.execute(select(DAMAGE).where(of_these).order_by(DAMAGE.c.reason)):
                damage[writer, number].append(reason)
        facts = [
            row | {"outcome": ParseOutcome.REFUSED, "damage": tuple(damage[key])}
            for key, row in zip(keys, found, strict=True)
        ]
        return tuple(Outcome(**each) for each in facts)

    def facts(self) -> StoreFacts:
        """How much the store holds, and how many outcomes were dropped."""
        with reading(self._store) as connection:
            ends = (select(end(OUTCOME.c.at)).scalar_subquery() for end in (func.min, func.max))
            oldest, newest = connection.execute(select(*ends)).one()  # each alone is one look into the index
            writers, dropped = connection.execute(select(func.count(), func.sum(WRITER.c.dropped))).one()
        return StoreFacts(oldest, newest, writers, int(dropped or 0))

    def _shares(self, rows: Subquery, counted: Select[Any]) -> tuple[Share, ...]:
        """The groups of rows that are counted, as parts of all of them."""
        with reading(self._store) as connection:
            parses = connection.execute(select(func.count()).select_from(rows)).scalar_one()
            found = connection.execute(counted.group_by(counted.selected_columns[0]))
            names = {str(name): int(texts) for name, texts in found}
        return tuple(Share(name, texts, parses) for name, texts in most_frequent(names))

    def _ended(self, query: RateQuery, *seconds: int | None) -> RateQuery:
        """A question with an end, and, where seconds are named, of all texts of this time."""
        window = Window(None, *seconds) if seconds else query.window
        return replace(query, window=window, until=self._clock() if query.until is None else query.until)


def rates(connection: Connection, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
    """The rate of each agent, or of each model, that has a text in the window, each of its own last texts."""
    column = OUTCOME.c[scope.value]
    names = _names_in(connection, column)
    if scope is RateScope.MODEL:
        names = [name for name in names if name]
    found: list[Rate] = []
    for start in range(0, len(names), NAMES_AT_ONCE):
        at_once = names[start : start + NAMES_AT_ONCE]
        found += _aggregate(connection, {name: _rows_of(query).where(column == name) for name in at_once})
    return tuple(sorted(found, key=lambda rate: rate.name))


def _names_in(connection: Connection, column: Column[Any]) -> list[str]:
    """Every value of a column with an index: one look into it a value, however many rows there are."""
    first = select(func.min(column).label("name")).cte("names", recursive=True)
    following = select(select(func.min(column)).where(column > first.c.name).scalar_subquery()).where(
        first.c.name.is_not(None)
    )
    names = first.union_all(following)
    return [*connection.execute(select(names.c.name).where(names.c.name.is_not(None))).scalars()]


def _rows_of(query: RateQuery) -> Select[Any]:
    """The rows of a window, whoever's they are: the last ones if it has a number."""
    until = query.until or 0
    columns = ("writer", "number", "at", "outcome", "stage", "asked", "attempt")
    rows = select(*(OUTCOME.c[column] for column in columns))
    rows = rows.where(OUTCOME.c.at > query.window.since(until), OUTCOME.c.at <= until)
    for scope, name in ((RateScope.AGENT, query.agent), (RateScope.MODEL, query.model)):
        rows = rows if name is None else rows.where(OUTCOME.c[scope.value] == name)
    return rows if query.window.texts is None else rows.order_by(*_NEWEST).limit(query.window.texts)


def _aggregate(connection: Connection, windows: Mapping[str, Select[Any]]) -> list[Rate]:
    """The rate of the rows of each window, with its name; the same as `aggregate` of these rows."""
    parts = [(name, rows.subquery()) for name, rows in windows.items()]
    rows = union_all(*(select(literal(name).label("name"), *part.c) for name, part in parts)).subquery("picked")
    damage, kinds = (_occurrences(connection, rows, column) for column in (DAMAGE.c.reason, REPAIR.c.kind))
    return [
        Rate(name, RepairRate(**numbers, damage=most_frequent(damage[name]), kinds=most_frequent(kinds[name])), newest)
        for name, newest, numbers in _count(connection, rows, rows.c.name)
    ]


def _count(connection: Connection, rows: Subquery, by: ColumnElement[Any]) -> list[tuple[Any, int, dict[str, Any]]]:
    """Of each group of rows its value, its newest row, and the numbers of a `RepairRate`."""
    numbers = {
        "parses": func.count(),
        "asked": _sum(rows.c.asked),
        "repaired": _sum(_is(rows, ParseOutcome.REPAIRED, ParseOutcome.MODEL_REPAIRED)),
        "model_repaired": _sum(_is(rows, ParseOutcome.MODEL_REPAIRED)),
        "refused": _sum(_is(rows, ParseOutcome.REFUSED)),
        "re_asked": _sum(rows.c.attempt > 1),
    }
    value = by.label("value")
    counted = select(value, func.max(rows.c.at), *numbers.values()).group_by(value).order_by(value)
    return [
        (group, int(newest), dict(zip(numbers, map(int, counts), strict=True)))
        for group, newest, *counts in connection.execute(counted)
    ]


def _occurrences(connection: Connection, rows: Subquery, column: Column[Any]) -> defaultdict[str, dict[str, int]]:
    """In how many of the rows of each name each value of another table's column stands."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    counted = _joined(rows, column).add_columns(rows.c.name).group_by(rows.c.name, column)
    for value, count, name in connection.execute(counted):
        found[name][value] = count
    return found


def _joined(rows: Subquery, column: Column[Any]) -> Select[Any]:
    """The values of another table's column that belong to rows, with their number."""
    belongs = (column.table.c.writer == rows.c.writer) & (column.table.c.number == rows.c.number)
    return select(column, func.count()).select_from(rows.join(column.table, belongs))


def _is(rows: Subquery, *outcomes: ParseOutcome) -> ColumnElement[bool]:
    return rows.c.outcome.in_([outcome.value for outcome in outcomes])


def _sum(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))
