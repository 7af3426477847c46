"""Alarms, and what was told of them, as the third version has them; earlier programs made other tables here."""

from __future__ import annotations

from alembic import op

from src.modules.monitoring.infrastructure.store.schema import ALARM, ALARM_EVENT, METADATA

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    METADATA.create_all(op.get_bind(), tables=[ALARM, ALARM_EVENT])
