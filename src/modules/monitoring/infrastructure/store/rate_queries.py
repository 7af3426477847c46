"""Counting: rates, shares and series over the rows of a window. Every number is a count of rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from src.modules.monitoring.domain.moment import SECOND
from src.modules.monitoring.domain.rate import Point, Rate, RateQuery, Share, ShareOf
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.modules.monitoring.infrastructure.store.selection import (
    NAMES_AT_ONCE,
    names_of,
    rows_of,
    rows_of_all,
    rows_of_names,
)
from src.modules.monitoring.infrastructure.store.tables import DAMAGE, REPAIR
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.repair_rates import RateScope, RepairRate
from src.shared.domain.repair import RepairKind

with needs_extra():
    from sqlalchemy import Column, ColumnElement, Connection, Subquery, Table, case, func, select

Counted = dict[str, dict[str, int]]

_KINDS = {kind.value for kind in RepairKind}


def rates(connection: Connection, scope: RateScope, query: RateQuery) -> tuple[Rate, ...]:
    """The rate of each agent, or of each model; those without a text in the window are left out."""
    names = names_of(connection, scope)
    found: list[Rate] = []
    for start in range(0, len(names), NAMES_AT_ONCE):
        found += _rates(connection, rows_of_names(scope, names[start : start + NAMES_AT_ONCE], query))
    return tuple(sorted(found, key=lambda rate: rate.name))


def total(connection: Connection, query: RateQuery) -> Rate:
    """The rate of all texts together."""
    found = _rates(connection, rows_of_all(query))
    return found[0] if found else Rate("", RepairRate())


def shares(connection: Connection, of: ShareOf, query: RateQuery) -> tuple[Share, ...]:
    """Refusals by stage, or repaired texts by kind."""
    rows = rows_of_all(query)
    parses = connection.execute(select(func.count()).select_from(rows)).scalar_one()
    if of is ShareOf.STAGE:
        refused = rows.c.outcome == ParseOutcome.REFUSED.value
        counted = connection.execute(select(rows.c.stage, func.count()).where(refused).group_by(rows.c.stage)).all()
        names = {str(name): int(count) for name, count in counted}
    else:
        names = _by_name(connection, rows, REPAIR, REPAIR.c.kind).get("", {})
    return tuple(Share(name, texts, parses) for name, texts in _most_frequent(names))


def series(connection: Connection, query: RateQuery, step: int) -> tuple[Point, ...]:
    """Numbers of texts in steps of so many seconds."""
    rows, width = rows_of(query).subquery(), step * SECOND
    begin = (rows.c.at // width).label("begin")
    numbers = (func.count(), _sum(rows.c.asked), *_sums(rows), _sum(rows.c.attempt > 1))
    counted = select(begin, *numbers).group_by(begin).order_by(begin)
    return tuple(
        Point(int(at) * width, parses, int(asked), int(repaired + by_model), int(refused), int(re_asked))
        for at, parses, asked, repaired, by_model, refused, re_asked in connection.execute(counted)
    )


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
