"""The tables of the store as this version has them; `migrations` makes them out of those of earlier versions."""

from __future__ import annotations

from src.modules.monitoring.infrastructure.monitoring_settings import needs_extra

with needs_extra():
    from sqlalchemy import (
        BigInteger,
        Boolean,
        Column,
        ForeignKeyConstraint,
        Index,
        Integer,
        MetaData,
        SmallInteger,
        String,
        Table,
        Text,
    )

VERSION_TABLE = "llm_schema"
REVISIONS = ("0001", "0002")
"""Every version of the tables, the oldest first."""
HEAD = REVISIONS[-1]

METADATA = MetaData()

VERSION = Table(VERSION_TABLE, METADATA, Column("version_num", String(32), primary_key=True))
"""Alembic's own: which version the tables are of."""

WRITER = Table(
    "llm_writer",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("host", String(200), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("dropped", BigInteger, nullable=False),
)
"""Processes that have written, and how many outcomes each of them lost."""

OUTCOME = Table(
    "llm_outcome",
    METADATA,
    Column("writer", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
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
    Index("llm_outcome_at", "at"),
    Index("llm_outcome_agent", "agent", "at"),
    Index("llm_outcome_model", "model", "at"),
    sqlite_with_rowid=False,
)
"""One row a text. A writer numbers its own from 1."""

REPAIR = Table(
    "llm_repair",
    METADATA,
    Column("writer", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String(40), primary_key=True),
    Column("count", Integer, nullable=False),
    ForeignKeyConstraint(["writer", "number"], ["llm_outcome.writer", "llm_outcome.number"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
"""How often each kind of repair was made in a text that was read."""

DAMAGE = Table(
    "llm_damage",
    METADATA,
    Column("writer", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("reason", String(200), primary_key=True),
    ForeignKeyConstraint(["writer", "number"], ["llm_outcome.writer", "llm_outcome.number"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
"""What made the repair agent necessary."""

ALARM = Table(
    "llm_alarm",
    METADATA,
    Column("scope", String(10), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("level", String(10), nullable=False),
    Column("since", BigInteger, nullable=False),
)
"""How the repair rate of each agent and model stands, as it was told last."""

ALARM_EVENT = Table(
    "llm_alarm_event",
    METADATA,
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
"""Crossings and recoveries; a number is never used twice."""

WEBHOOK = Table(
    "llm_webhook",
    METADATA,
    Column("target", String(64), primary_key=True),
    Column("since", BigInteger, nullable=False),
)
"""Receivers of events, by a hash of their address, and from when on they get them."""

DELIVERY = Table(
    "llm_delivery",
    METADATA,
    Column("event", Integer, primary_key=True, autoincrement=False),
    Column("target", String(64), primary_key=True),
    Column("tries", Integer, nullable=False),
    Column("claimed_until", BigInteger, nullable=False),
    Column("delivered", BigInteger),
    ForeignKeyConstraint(["event"], ["llm_alarm_event.id"], ondelete="CASCADE"),
)
"""Which event a receiver has taken, or who is trying until when."""
