"""Outcomes, their repairs and damage, and who wrote them: these tables are still as they were."""

from __future__ import annotations

from alembic import op

from src.modules.monitoring.infrastructure.store.schema import DAMAGE, METADATA, OUTCOME, REPAIR, WRITER

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    METADATA.create_all(op.get_bind(), tables=[WRITER, OUTCOME, REPAIR, DAMAGE])
