"""Alembic's entry: it runs the migrations in the transaction that it is given."""

from __future__ import annotations

from alembic import context

from src.modules.monitoring.infrastructure.store.schema import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
