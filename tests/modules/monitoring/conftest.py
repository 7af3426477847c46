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
    return sqlite_in(tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store."""
    return empty_store(request, tmp_path)


def empty_store(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of an empty store of the kind that a fixture is asked for."""
    if request.param == "sqlite":
        return sqlite_in(folder)
    server: Postgres = request.getfixturevalue("postgres")
    return server.fresh()


def sqlite_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'outcomes.db'}"
