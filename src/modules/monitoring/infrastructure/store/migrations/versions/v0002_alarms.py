"""Alarms, what was told of them, and who has taken it."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKeyConstraint, Integer, String, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "llm_alarm",
        Column("scope", String(10), primary_key=True),
        Column("name", String(200), primary_key=True),
        Column("level", String(10), nullable=False),
        Column("since", BigInteger, nullable=False),
    )
    op.create_table(
        "llm_alarm_event",
        Column("id", Integer, primary_key=True),
        Column("at", BigInteger, nullable=False),
        Column("kind", String(10), nullable=False),
        Column("scope", String(10), nullable=False),
        Column("name", String(200), nullable=False),
        Column("parses", Integer, nullable=False),
        Column("asked", Integer, nullable=False),
        Column("message", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "llm_webhook",
        Column("target", String(64), primary_key=True),
        Column("since", BigInteger, nullable=False),
    )
    op.create_table(
        "llm_delivery",
        Column("event", Integer, primary_key=True, autoincrement=False),
        Column("target", String(64), primary_key=True),
        Column("tries", Integer, nullable=False),
        Column("claimed_until", BigInteger, nullable=False),
        Column("delivered", BigInteger),
        ForeignKeyConstraint(["event"], ["llm_alarm_event.id"], ondelete="CASCADE"),
    )
