"""Removing what is older than a store keeps."""

from __future__ import annotations

from src.modules.monitoring.domain.moment import Moment
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.tables import ALARM_EVENT, OUTCOME

with needs_extra():
    from sqlalchemy import delete, select, tuple_

AT_ONCE = 2_000
"""Outcomes removed in one transaction, so that writers wait for no more than that."""


def prune(store: Store, before: Moment) -> int:
    """Remove outcomes, and what was told of alarms, from before a moment; how alarms stand is kept.

    Returns:
        How many outcomes.

    Raises:
        StoreError: the store cannot be written; what was removed before stays removed.
    """
    key = (OUTCOME.c.writer, OUTCOME.c.number)
    oldest = select(*key).where(OUTCOME.c.at < before).order_by(OUTCOME.c.at).limit(AT_ONCE)
    removed = 0
    while True:
        with store.writing() as connection:
            count = connection.execute(delete(OUTCOME).where(tuple_(*key).in_(oldest))).rowcount
            removed += count
            if count < AT_ONCE:
                connection.execute(delete(ALARM_EVENT).where(ALARM_EVENT.c.at < before))
                return removed
