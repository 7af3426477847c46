"""The service in a process of its own, with bounds that a test can wait for."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Self

import uvicorn

from src.entrypoints.http.app import create_app
from src.entrypoints.http.connections import BoundedProtocol, ConnectionBounds, server_options
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from tests.paths import ROOT

KEY = "the key of the normal client"
SECONDS = 1.0
"""In which a head, a body or a line has to arrive."""
BOUNDS = ConnectionBounds(connections=60, head_seconds=SECONDS, write_seconds=SECONDS)
MAX_BODY = 500_000
_KIBIBYTE = 1_024


class Service:
    """A worker, as long as its block is open; what it logs goes to a file.

    Attributes:
        port: where it listens, on 127.0.0.1.
        log: what it wrote to standard error.
    """

    def __init__(self, folder: Path) -> None:
        self.log = folder / "service.log"

    def __enter__(self) -> Self:
        settings = {
            "OUTPUT_API_KEYS": f"normal:sha256:{hashlib.sha256(KEY.encode()).hexdigest()}",
            "OUTPUT_BODY_TIMEOUT": str(SECONDS),
            "OUTPUT_MAX_BODY": str(MAX_BODY),
        }
        command = (sys.executable, "-m", __name__)
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                command, cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE, stderr=log
            )
        self.port = int(_first_line(self._process.stdout))
        return self

    def memory(self) -> int:
        """Bytes of the process that are in memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * _KIBIBYTE

    def open_files(self) -> int:
        """Files and connections that the process has open."""
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)
        if self._process.stdout:
            self._process.stdout.close()


def _first_line(stream: IO[bytes] | None) -> bytes:
    assert stream
    return stream.readline()


def main() -> None:
    """Serve until a signal, as `llm-output serve` does but with short bounds."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    app = create_app(ServiceSettings(), MonitoringSettings())
    BoundedProtocol.bounds = BOUNDS
    config = uvicorn.Config(
        app, log_level="warning", timeout_keep_alive=5, timeout_graceful_shutdown=1, **server_options()
    )
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main()
