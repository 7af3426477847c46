"""`llm-output serve`: real processes on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvicorn

from src.entrypoints.http.server import Workers
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import Store
from tests.entrypoints.cli.harness import invoke
from tests.entrypoints.http.clients import PRICE
from tests.entrypoints.http.processes import COMMAND, Served, served
from tests.modules.monitoring.waiting import until
from tests.paths import ROOT
from tests.processes import LIMIT, ending
from tests.thorough import at_length

READ = {"text": '{"item": "tea", "price": 1,}', "schema": PRICE}


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served"), "--workers", "2") as service:
        service.ask("GET", "/healthz")
        yield service


def parses(service: Served) -> float:
    _, text = service.ask("GET", "/metrics")
    found = re.search(rb'llm_output_parses_total\{agent="schema",outcome="repaired"\} (\S+)', text)
    return float(found[1]) if found else 0.0


def seconds(service: Served, method: str, path: str, body: object = None) -> float:
    began = time.monotonic()
    assert service.ask(method, path, body)[0] == 200
    return time.monotonic() - began


@pytest.mark.parametrize("workers", at_length([2], [1, 2]))
def test_the_address_comes_when_the_service_answers_and_no_text_is_the_first(tmp_path: Path, workers: int) -> None:
    """On a slow machine starting takes as much longer as answering does."""
    began = time.monotonic()
    with served(tmp_path, "--workers", str(workers)) as service:
        starting = time.monotonic() - began
        explained = {"text": READ["text"], "explain": True}
        answering = [seconds(service, "GET", "/healthz")]
        answering += [seconds(service, "POST", "/v1/parse", body) for body in (READ, READ, explained, explained)]

    assert max(answering) < starting / 10


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_reader_of_the_address_that_has_gone_away_ends_the_service_in_silence(workers: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(  # noqa: S603 - ourselves
        (*COMMAND, "--workers", workers),
        cwd=ROOT,
        env={**os.environ, "LLM_OUTPUT_LANG": "en"},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    with ending(process):
        _, said = process.communicate(timeout=LIMIT)

    assert (process.returncode, said) == (141, "")


def test_a_store_of_an_older_version_is_told_of_at_the_start_and_texts_are_read(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    with Store(url).writing(alone=True) as connection:
        schema.migrate(connection, schema.REVISIONS[0])
    with served(tmp_path, "--store", url) as service:
        told = [json.loads(line) for line in service.log.read_text(encoding="utf-8").splitlines()]
        assert (service.ask("POST", "/v1/parse", READ)[0], service.ask("GET", "/readyz")[0]) == (200, 503)

    assert [line["event"] for line in told] == ["llm_store_unavailable"]
    assert told[0]["error"].endswith("its tables are of version 0001; run llm-output store upgrade")


def test_the_numbers_of_several_workers_are_one_sum(two_workers: Served) -> None:
    before = parses(two_workers)
    for _ in range(20):
        assert two_workers.ask("POST", "/v1/parse", READ)[0] == 200

    assert {parses(two_workers) for _ in range(5)} == {before + 20}


def test_a_worker_that_hangs_keeps_no_client_waiting(two_workers: Served) -> None:
    stopped = two_workers.workers()[0]
    os.kill(stopped, signal.SIGSTOP)
    times = []
    try:
        for _ in range(8):
            began = time.monotonic()
            assert two_workers.ask("GET", "/healthz")[0] == 200
            times.append(time.monotonic() - began)
    finally:
        with suppress(ProcessLookupError):  # on a busy machine the supervisor may have started another one
            os.kill(stopped, signal.SIGCONT)

    assert max(times) < 4  # the supervisor waits five seconds before it takes the worker for dead


def test_a_killed_worker_is_started_again_and_what_it_counted_stays(two_workers: Served) -> None:
    two_workers.ask("POST", "/v1/parse", READ)
    counted, before = parses(two_workers), two_workers.workers()
    os.kill(before[0], signal.SIGKILL)
    until(lambda: len(set(two_workers.workers()) - {before[0]}) == 2)

    assert two_workers.ask("GET", "/healthz")[0] == 200
    assert parses(two_workers) == counted


def test_a_worker_has_a_socket_of_its_own_and_looks_at_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    first, second, third = (socket.socket() for _ in range(3))
    workers = Workers(uvicorn.Config("none", workers=3), [first, second, third], lambda: None)
    given = []
    for alive in (True, False, True):
        given.append(workers.sockets)
        workers.processes.append(SimpleNamespace(process=SimpleNamespace(is_alive=lambda alive=alive: alive)))  # type: ignore[arg-type]
    for one in (first, second, third):
        one.close()

    assert given == [[first, second, third], [second, third, first], [second, third, first]]
    assert workers.sockets == [second, third, first]  # that of the one that died


def test_a_port_that_is_taken_is_one_line(two_workers: Served) -> None:
    run = invoke("serve", "--port", str(two_workers.port))

    assert run.code == 2
    assert run.stderr.startswith("Error: ")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.usefixtures("ignored_sigint")
@pytest.mark.parametrize("sign", at_length([signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]))
def test_it_stops_with_0_and_writes_what_is_left_though_a_client_is_stuck(tmp_path: Path, sign: signal.Signals) -> None:
    store = tmp_path / "outcomes.db"
    with served(tmp_path, "--store", f"sqlite:///{store}", OUTPUT_STOP_TIMEOUT="1") as service:
        stuck = socket.create_connection(("127.0.0.1", service.port))
        stuck.sendall(b"POST /v1/parse HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{")
        hostile = {"text": '{"item": "a "b" c", ' * 40_000, "schema": PRICE}
        reading = socket.create_connection(("127.0.0.1", service.port))
        body = json.dumps(hostile).encode()
        head = ("POST /v1/parse HTTP/1.1", "host: 127.0.0.1", "content-type: application/json")
        reading.sendall("\r\n".join((*head, f"content-length: {len(body)}", "", "")).encode() + body)
        for _ in range(3):
            assert service.ask("POST", "/v1/parse", READ)[0] == 200
        began = time.monotonic()
        service.process.send_signal(sign)
        assert service.process.wait(10) == 0
        assert time.monotonic() - began < 10
        stuck.close()
        reading.close()

    with sqlite3.connect(store) as connection:
        assert connection.execute("SELECT count(*) FROM llm_outcome WHERE outcome = 'repaired'").fetchone() == (3,)
    connection.close()
    assert "Traceback" not in service.log.read_text(encoding="utf-8")
