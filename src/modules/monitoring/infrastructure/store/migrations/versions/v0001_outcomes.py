"""Outcomes, their repairs and damage, and who wrote them."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Text,
)

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "llm_writer",
        Column("id", Integer, primary_key=True),
        Column("host", String(200), nullable=False),
        Column("pid", Integer, nullable=False),
        Column("started", BigInteger, nullable=False),
        Column("dropped", BigInteger, nullable=False),
    )
    op.create_table(
        "llm_outcome",
        Column("writer", Integer, nullable=False),
        Column("number", BigInteger, nullable=False),
        Column("at", BigInteger, nullable=False),
        Column("agent", String(200), nullable=False),
        Column("model", String(200), nullable=False),
        Column("outcome", String(20), nullable=False),
        Column("prompt_id", String(200), nullable=False),
        Column("attempt", SmallInteger, nullable=False),
        Column("stage", String(200), nullable=False),
        Column("asked", Boolean, nullable=False),
        Column("repair_code", String(200), nullable=False),
        Column("length", BigInteger, nullable=False),
        Column("text", Text),
        PrimaryKeyConstraint("writer", "number"),
        sqlite_with_rowid=False,
    )
    op.create_index("llm_outcome_at", "llm_outcome", ["at"])
    op.create_index("llm_outcome_agent", "llm_outcome", ["agent", "at"])
    op.create_index("llm_outcome_model", "llm_outcome", ["model", "at"])
    _of_outcome("llm_repair", Column("kind", String(40)), Column("count", Integer, nullable=False))
    _of_outcome("llm_damage", Column("reason", String(200)))


def _of_outcome(table: str, key: Column[str], *others: Column[int]) -> None:
    op.create_table(
        table,
        Column("writer", Integer, nullable=False),
        Column("number", BigInteger, nullable=False),
        key,
        *others,
        PrimaryKeyConstraint("writer", "number", key.name),
        ForeignKeyConstraint(["writer", "number"], ["llm_outcome.writer", "llm_outcome.number"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
