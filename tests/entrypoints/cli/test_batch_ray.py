"""`llm-output batch --engine ray`, on a real Ray of this machine: the same bytes, also where an actor is killed."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.corpus.reading import OWN, lines_of
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.loopback.object_store import ObjectStore, object_store
from tests.processes import ending
from tests.thorough import THOROUGH

ACTOR = b"ray::MapWorker"
TEXTS = 4_000
PATIENCE = 240.0
OUTPUTS = ("parsed.jsonl", "refused.jsonl")


@pytest.fixture
def store() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


def _source(folder: Path, store: ObjectStore) -> list[str]:
    """Several inputs, so that several tasks cut them; one is in a store."""
    real = [json.dumps(text) for text in lines_of("outputs.jsonl", folder=OWN)]
    short = [json.dumps({"text": f'{{"number": {number}{"," * (number % 10 == 0)}}}'}) for number in range(TEXTS)]
    files = (folder / "short.jsonl", folder / "real.jsonl.gz")
    files[0].write_text("\n".join(short))
    files[1].write_bytes(gzip.compress("\n".join(real).encode()))
    return [*map(str, files), store.put("stored.jsonl.gz", files[1].read_bytes())]


def _actors(session: int) -> list[int]:
    """The actors among the processes of a session, which Ray's are as well."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(ACTOR) and os.getsid(int(process.name)) == session:
                found.append(int(process.name))
        except OSError:  # it has just ended
            continue
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="actors are found in /proc, which is Linux's")
@pytest.mark.skipif(not THOROUGH, reason="starts two clusters: make thorough runs it; test_ray_data.py has one")
def test_killed_actor_costs_nothing_and_the_bytes_are_those_of_the_local_engine(
    tmp_path: Path, store: ObjectStore
) -> None:
    inputs = _source(tmp_path, store)
    local, cluster = tmp_path / "local", tmp_path / "ray"
    invoke("batch", *inputs, "--out", str(local))
    command = (*PROGRAM, "batch", *inputs, "--out", str(cluster), "--engine", "ray", "--workers", "2")
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, start_new_session=True
        )
    ) as batch:
        killed: list[int] = []
        while batch.poll() is None and not killed:
            killed = _actors(batch.pid)[:1]
            time.sleep(0.05)
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        said = batch.communicate(timeout=PATIENCE)[1].decode()
    assert (len(killed), batch.returncode) == (1, ExitCode.OK), said
    for name in OUTPUTS:
        assert (cluster / name).read_bytes() == (local / name).read_bytes()


def test_ray_that_is_not_installed_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "src.modules.reparsing.infrastructure.ray_data", raising=False)
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "{}"}')
    ended = invoke("batch", str(source), "--out", str(tmp_path / "out"), "--engine", "ray")
    assert ended.code == ExitCode.USAGE
    assert 'pip install ".[ray]"' in " ".join(ended.stderr.split())


def test_cluster_reads_no_standard_input(tmp_path: Path) -> None:
    """Its tasks run in other processes and are repeated when one is lost."""
    ended = invoke("batch", "-", "--out", str(tmp_path / "out"), "--engine", "ray", text='{"text": "{}"}')
    assert ended.code == ExitCode.USAGE
    assert "a cluster cannot read standard input; put it into a file first" in ended.stderr
