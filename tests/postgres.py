"""A real Postgres server, on a socket in a folder of its own, as long as a block is open."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests.installed import is_root, postgres_program, program

_SCHEMAS = count(1)
_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=''", "max_connections=50")


class Postgres:
    """A server without a password, reached by its socket alone."""

    def __init__(self, socket: Path, control: Sequence[str], start: Sequence[str]) -> None:
        self._socket, self._control, self._start = socket, control, start

    def start(self) -> None:
        """Start it, and wait until it answers."""
        _run(*self._control, *self._start)

    def stop(self, mode: str = "immediate") -> None:
        """End it: `fast` breaks every connection and keeps what was committed, `immediate` is a crash."""
        _run(*self._control, "-m", mode, "-w", "stop")

    def fresh(self) -> str:
        """The address of a store of its own: an empty schema of the one database."""
        import psycopg  # noqa: PLC0415 - only where there is a server

        name = f"store_{next(_SCHEMAS)}"
        with psycopg.connect(host=str(self._socket), user="postgres", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")  # our own name
        return f"postgresql+psycopg://postgres@/postgres?host={self._socket}&options=-csearch_path%3D{name}"


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """Start a server, and stop it in the end; it refuses to run as root, who starts it as the user `postgres`."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: a socket's path has at most 107 characters
    as_other = [_found(program("runuser")), "-u", "postgres", "--"] if is_root() else []
    try:
        if as_other:
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        initdb, pg_ctl = (_found(postgres_program(name)) for name in ("initdb", "pg_ctl"))
        _run(*as_other, initdb, "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
        options = " ".join([f"-k {folder}", *(f"-c {setting}" for setting in _SETTINGS)])
        control = (*as_other, pg_ctl, "-D", data)
        server = Postgres(folder, control, ("-l", str(folder / "log"), "-o", options, "-w", "start"))
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _found(path: str | None) -> str:
    assert path
    return path


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")  # noqa: S603 - Postgres's own programs
