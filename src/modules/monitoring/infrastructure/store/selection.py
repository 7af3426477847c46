"""Which rows a question is about: those of a window, as a query that others count over."""

from __future__ import annotations

from typing import Any

from src.modules.monitoring.domain.rate import RateQuery
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.modules.monitoring.infrastructure.store.tables import OUTCOME
from src.shared.domain.ports.repair_rates import RateScope

with needs_extra():
    from sqlalchemy import Column, Connection, Select, Subquery, func, literal, select, union_all

NAMES_AT_ONCE = 100
"""Agents or models counted by one statement: SQLite takes no more than 500 parts in one."""

_NEWEST = (OUTCOME.c.at.desc(), OUTCOME.c.writer.desc(), OUTCOME.c.number.desc())


def scope_column(scope: RateScope) -> Column[Any]:
    """The column with the names of a scope."""
    return OUTCOME.c.agent if scope is RateScope.AGENT else OUTCOME.c.model


def names_of(connection: Connection, scope: RateScope) -> list[str]:
    """Every agent, or every model, by name: one look into the index a name, however many rows there are."""
    column = scope_column(scope)
    first = select(func.min(column).label("name")).cte("names", recursive=True)
    following = select(select(func.min(column)).where(column > first.c.name).scalar_subquery()).where(
        first.c.name.is_not(None)
    )
    names = first.union_all(following)
    found = connection.execute(select(names.c.name).where(names.c.name.is_not(None))).scalars()
    return sorted(name for name in found if name or scope is RateScope.AGENT)


def rows_of(query: RateQuery) -> Select[Any]:
    """The rows of a window, whoever's they are: the last ones if it has a number."""
    rows = _between(query)
    if query.agent is not None:
        rows = rows.where(OUTCOME.c.agent == query.agent)
    if query.model is not None:
        rows = rows.where(OUTCOME.c.model == query.model)
    return rows if query.window.texts is None else rows.order_by(*_NEWEST).limit(query.window.texts)


def rows_of_names(scope: RateScope, names: list[str], query: RateQuery) -> Subquery:
    """The rows of a window of its own for each name, with the name as `name`; at most `NAMES_AT_ONCE` names."""
    column = scope_column(scope)
    each = (rows_of(query).where(column == name).subquery() for name in names)
    parts = [select(literal(name).label("name"), *part.c) for name, part in zip(names, each, strict=True)]
    return union_all(*parts).subquery("picked")


def rows_of_all(query: RateQuery) -> Subquery:
    """The rows of a window with an empty name."""
    part = rows_of(query).subquery()
    return select(literal("").label("name"), *part.c).subquery("picked")


def _between(query: RateQuery) -> Select[Any]:
    columns = ("writer", "number", "at", "outcome", "stage", "asked", "attempt")
    until = query.until or 0
    return select(*(OUTCOME.c[column] for column in columns)).where(
        OUTCOME.c.at > query.window.since(until), OUTCOME.c.at <= until
    )
