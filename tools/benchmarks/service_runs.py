"""The processes of the load: bare parsers, the service, and a bare server beside them.

`python -m tools.benchmarks.service_runs bare FILE SECONDS` reads the texts of a JSON file in turn, and prints how many
a second; `hello` serves an answer of two bytes with uvicorn and Starlette alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from tests.processes import LIMIT, ending
from tools.benchmarks.bulk_runs import ROOT
from tools.benchmarks.service_texts import SCHEMA, body_of

WORKERS = 2
CONNECTIONS = 200
PORT = 8_423
HELLO_PORT = PORT + 1
ADDRESS = f"http://127.0.0.1:{PORT}"
_KIBIBYTE = 1_024


class Load(NamedTuple):
    """What wrk saw.

    Attributes:
        rate: answers a second.
        p50: milliseconds.
        p99: milliseconds.
        broken: connections that failed, and answers that did not come.
        refused: the share of the answers whose status is no success.
    """

    rate: float
    p50: float
    p99: float
    broken: int
    refused: float


def print_loads(
    name: str, printed: Callable[[int, list[str]], Iterable[str]], default: int, arguments: list[str] | None
) -> int:
    """The command of a benchmark with wrk: print its lines, and return 1 where a promise was missed.

    Args:
        name: of its module.
        printed: gives the lines, of so many seconds a load, and adds what is missed.
        default: seconds of a load.
        arguments: of the command.
    """
    parser = argparse.ArgumentParser(prog=f"python -m tools.benchmarks.{name}")
    parser.add_argument("--seconds", type=int, default=default, help="of each load")
    seconds = parser.parse_args(arguments).seconds
    if not shutil.which("wrk"):
        print("wrk is missing (Debian: apt-get install wrk)")
        return 1
    missed: list[str] = []
    for line in printed(seconds, missed):
        print(line, flush=True)
    return 1 if missed else 0


def load(script: Path, seconds: int, port: int = PORT, *, pause: float = 0, connections: int = CONNECTIONS) -> Load:
    """Run wrk.

    Args:
        script: what it asks for.
        seconds: how long.
        port: where.
        pause: milliseconds between an answer and the next request of a connection, on the average.
        connections: how many.
    """
    command = (
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--timeout",
        "10s",
        "-s",
        str(script),
        f"http://127.0.0.1:{port}",
    )
    environment = {**os.environ, "PAUSE": str(pause)}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 - a fixed command
    told = run.stdout
    seen = json.loads(told.splitlines()[-1])
    rate = seen["requests"] / seen["microseconds"] * 1e6
    return Load(rate, seen["p50"] / 1e3, seen["p99"] / 1e3, seen["broken"], seen["refused"] / seen["requests"])


def bare(texts: Path, seconds: int) -> tuple[float, float]:
    """As many processes of the parser alone as the service has workers: texts a second, and a second of processor."""
    asked = (sys.executable, "-m", "tools.benchmarks.service_runs", "bare", str(texts), str(seconds))
    runs = [subprocess.Popen(asked, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(WORKERS)]  # noqa: S603 - ourselves
    seen = [json.loads(run.communicate(timeout=seconds + LIMIT)[0]) for run in runs]
    return sum(rate for rate, _ in seen), sum(busy for _, busy in seen) / WORKERS


@contextmanager
def serving(workers: int = WORKERS) -> Iterator[subprocess.Popen[bytes]]:
    """`llm-output serve`, without its log, as long as the block is open."""
    options = ("serve", "--workers", str(workers), "--port", str(PORT))
    with running((sys.executable, "-m", "src.entrypoints.cli.main", *options), PORT) as process:
        yield process


@contextmanager
def saying_hello() -> Iterator[subprocess.Popen[bytes]]:
    """The bare server, as long as the block is open."""
    with running((sys.executable, "-m", "tools.benchmarks.service_runs", "hello"), HELLO_PORT) as process:
        yield process


@contextmanager
def running(command: tuple[str, ...], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process that serves at a port, as long as the block is open."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OUTPUT_")}
    quiet = subprocess.DEVNULL
    with ending(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet)) as process:  # noqa: S603 - ours
        try:
            _wait_for(f"http://127.0.0.1:{port}/healthz")
            yield process
        finally:
            process.terminate()
            process.wait(LIMIT)


def _wait_for(url: str) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(url).close()  # noqa: S310 - loopback
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def memory_of(process: subprocess.Popen[bytes]) -> int:
    """Bytes in memory of a process and of those it has started."""
    return sum(_resident(pid) for pid in _family(process))


def processor_of(process: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time of a process and of those it has started."""
    stats = [
        Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split() for pid in _family(process)
    ]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def _family(process: subprocess.Popen[bytes]) -> set[int]:
    family = {process.pid}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda each: int(each.name)):
        try:
            parent = int((folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if parent in family:
            family.add(int(folder.name))
    return family


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * _KIBIBYTE


def status_of(text: str) -> int:
    """The status with which the service answers a text."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{ADDRESS}/v1/parse", body_of(text), headers)  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - loopback
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def _bare(file: str, seconds: float) -> None:
    import logging  # noqa: PLC0415 - of this process alone

    from src.shared.domain.exceptions import LLMJsonParseError  # noqa: PLC0415 - of this process alone
    from src.shared.infrastructure.json_schema.json_schema import JsonSchema  # noqa: PLC0415 - an extra
    from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace  # noqa: PLC0415 - as above

    logging.disable()
    texts, wanted = json.loads(Path(file).read_bytes()), JsonSchema(SCHEMA)
    count, began = 0, time.perf_counter()
    for text in cycle(texts):
        with suppress(LLMJsonParseError):
            _ = parse_llm_json_output_with_trace(text, wanted).decoded.repairs  # the answer has them
        count += 1
        if time.perf_counter() - began > seconds:
            break
    sys.stdout.write(json.dumps([count / (time.perf_counter() - began), count / time.process_time()]))


async def hello(scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
    """Read the body, and say hello."""
    from starlette.requests import Request  # noqa: PLC0415 - of the bare server alone
    from starlette.responses import PlainTextResponse  # noqa: PLC0415 - as above

    if scope["type"] == "http":
        await Request(scope, receive).body()
        await PlainTextResponse("ok")(scope, receive, send)


def _hello() -> None:
    import uvicorn  # noqa: PLC0415 - of the bare server alone

    name = "tools.benchmarks.service_runs:hello"
    uvicorn.run(name, port=HELLO_PORT, workers=WORKERS, lifespan="off", access_log=False, log_level="warning")


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        _bare(sys.argv[2], float(sys.argv[3]))
    else:
        _hello()
