"""The service in a process of its own, with bounds that a test can wait for."""

from __future__ import annotations

import hashlib
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from src.entrypoints.cli.main import run
from src.entrypoints.http.connections import BoundedProtocol, ConnectionBounds
from tests.entrypoints.http.processes import COMMAND, Served, served

KEY = "the key of the normal client"
SECONDS = 1.0
"""In which a head, a body or a line has to arrive."""
BOUNDS = ConnectionBounds(connections=60, head_seconds=SECONDS, write_seconds=SECONDS)
MAX_BODY = 500_000


def attacked(folder: Path) -> AbstractContextManager[Served]:
    """A worker, as long as the block is open."""
    variables = {
        "OUTPUT_API_KEYS": f"normal:sha256:{hashlib.sha256(KEY.encode()).hexdigest()}",
        "OUTPUT_BODY_TIMEOUT": str(SECONDS),
        "OUTPUT_MAX_BODY": str(MAX_BODY),
        "OUTPUT_STOP_TIMEOUT": "1",
    }
    return served(folder, command=(sys.executable, "-m", __name__, *COMMAND[3:]), **variables)


if __name__ == "__main__":
    BoundedProtocol.bounds = BOUNDS
    run()
