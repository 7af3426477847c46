"""Every test that takes `url` runs on SQLite and on Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installed import missing_postgres
from tests.postgres import Postgres, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if missing_postgres():
        pytest.skip(missing_postgres())
    with postgres_server() as server:
        yield server


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'outcomes.db'}"


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of an empty store."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_url"))
    server: Postgres = request.getfixturevalue("postgres")
    return server.fresh()
