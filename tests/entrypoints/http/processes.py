"""`llm-output serve` in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from tests.paths import ROOT

COMMAND = (sys.executable, "-m", "src.entrypoints.cli.main", "serve", "--port", "0")


class Served:
    """A service that runs.

    Attributes:
        process: the one that was started.
        port: where it listens, on loopback.
        log: the file with its standard error.
    """

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        assert process.stdout
        self.process, self.log = process, log
        self.line = process.stdout.readline()
        found = re.search(r":(\d+)$", self.line.strip())
        assert found, log.read_text(encoding="utf-8")
        self.port = int(found[1])

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """One request, over a connection of its own."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"content-type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def memory(self) -> int:
        """Bytes of the process that are in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1_024

    def open_files(self) -> int:
        """Files and connections that the process has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def workers(self) -> list[int]:
        """The processes that have answered requests, by the log of none: children of the one that was started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii")
        pids = [int(pid) for pid in children.split()]
        return [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@contextmanager
def served(folder: Path, *options: str, command: tuple[str, ...] = COMMAND, **variables: str) -> Iterator[Served]:
    """Start a service, and stop it in the end."""
    log = folder / "stderr.log"
    environment = {**os.environ, "LLM_OUTPUT_LANG": "en", **variables}
    with log.open("w") as stderr:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            (*command, *options), cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
    try:
        yield Served(process, log)
    finally:
        process.terminate()
        process.wait(15)
        assert process.stdout
        process.stdout.close()
