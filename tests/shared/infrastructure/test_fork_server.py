"""Workers that are copied from a process: each is asked for one thing at a time, and can be ended."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from src.shared.infrastructure.processes import ForkedWorker, ForkServer, Request, WorkerDiedError, pack
from tests.processes import LIMIT, ending

if sys.platform == "win32":
    pytest.skip("Windows copies no process", allow_module_level=True)

HANDLERS = "tests.shared.infrastructure.handlers"
Start: TypeAlias = Callable[[], ForkedWorker]
VARIABLES = {"PATH": os.environ["PATH"], "SHOWN": "1"}


@pytest.fixture
def server() -> Iterator[ForkServer]:
    made = ForkServer(f"{HANDLERS}:Calling", lambda: VARIABLES)
    yield made
    made.close()


@pytest.fixture
def start(server: ForkServer) -> Iterator[Start]:
    """Starts workers that end with the test."""
    workers: list[ForkedWorker] = []

    def started() -> ForkedWorker:
        workers.append(server.worker(0))
        return workers[-1]

    yield started
    for worker in workers:
        worker.end()


def asked(worker: ForkedWorker, item: object, processor_seconds: float = 0.0) -> object:
    request = pack(Request((item,), processor_seconds=processor_seconds))
    return asyncio.run(asyncio.wait_for(worker.ask(request), LIMIT))


def test_worker_is_another_process_and_is_kept(server: ForkServer, start: Start) -> None:
    worker = start()
    first, second = asked(worker, "getpid"), asked(worker, "getpid")
    assert first == second
    assert first not in {os.getpid(), server.pid}


def test_worker_has_the_variables_that_are_given_and_no_others(start: Start) -> None:
    assert {*VARIABLES} <= {*asked(start(), "variables")} <= {*VARIABLES, "LC_CTYPE", "PWD"}  # type: ignore[misc]


def test_large_message_goes_there_and_back(start: Start) -> None:
    text = "ä" * 3_000_000
    assert asked(start(), text) == text


def test_worker_that_is_killed_has_no_answer_and_others_go_on(start: Start) -> None:
    killed, other = start(), start()
    with pytest.raises(WorkerDiedError):
        asked(killed, "be_killed")
    with pytest.raises(WorkerDiedError):
        asked(killed, "getpid")
    assert asked(other, "getpid")


def test_worker_that_uses_up_its_processor_time_is_ended(start: Start) -> None:
    worker = start()
    assert asked(worker, "getpid", 0.05)
    with pytest.raises(WorkerDiedError):
        asked(worker, "spin", 0.05)


def test_worker_that_is_ended_is_gone(start: Start) -> None:
    worker = start()
    pid = asked(worker, "getpid")
    worker.end()
    asked(start(), "getpid")  # it reads one order after the other
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # type: ignore[arg-type]


def test_server_that_is_killed_is_started_again(server: ForkServer, start: Start) -> None:
    before = start()
    first = server.pid
    assert first
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    before.end()
    assert asked(start(), "getpid")
    assert server.pid != first


def test_server_that_ends_just_now_is_started_again(server: ForkServer, start: Start) -> None:
    start()
    server._orders.close()  # type: ignore[union-attr]  # noqa: SLF001 - as where it ends between two looks
    assert asked(start(), "getpid")


def test_nothing_is_started_before_it_is_needed(server: ForkServer) -> None:
    server.end(1)
    server.close()
    assert server.pid is None


def test_workers_end_with_the_owner_though_it_is_killed() -> None:
    program = (
        "import asyncio, sys; from src.shared.infrastructure.processes import ForkServer, Request, pack; "
        f"worker = ForkServer('{HANDLERS}:Calling', dict).worker(0); "
        "print(asyncio.run(worker.ask(pack(Request(('getpid',))))), flush=True); "
        "asyncio.run(worker.ask(pack(Request(('spin',)))))"
    )
    with ending(subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)) as owner:  # noqa: S603 - ourselves
        assert owner.stdout
        pid = int(owner.stdout.readline())
        owner.kill()
    until = time.monotonic() + LIMIT
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_there(pid)


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
