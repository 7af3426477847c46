"""What a typed call adds to a bare one: `call_with_json`, instructor and pydantic-ai beside the `openai` client.

`python -m tools.benchmarks.calls` writes docs/explanation/calls.md. A server that answers at once runs in a process of
its own, so that its work is not counted. The clients ask it in turns, one call after the other. Beside the time that
passes, the processor time of the client's process is reported, which says what a call costs whatever else the machine
does.

instructor and the others do not allow the same `jiter`, so that it has an environment of its own, with another version
of the `openai` client; each is compared with the bare client of its environment.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import os
import statistics
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from tools.benchmarks import environment
from tools.benchmarks.answering import answering
from tools.benchmarks.callers import ASKED, BARE, CALLERS, Ask
from tools.benchmarks.report import table

CALLS = 5
"""Calls of one turn."""
TARGET = 0.5
"""Milliseconds that our call may add to the bare client's, of each kind of time."""
PAGE = Path(__file__).parents[2] / "docs/explanation/calls.md"
HEAD = Path(__file__).with_name("calls.md.template")
ELSEWHERE = Path(".cache/bench/bin/python")
"""The environment in which instructor is installed."""


class Spent(NamedTuple):
    """Milliseconds a call.

    Attributes:
        wall: that passed.
        cpu: of this process's processor time.
    """

    wall: float
    cpu: float


Turns = dict[str, dict[str, list[Spent]]]
"""By what is asked, by client: what each turn took."""


def main() -> int:
    """Measure and print; the exit code is 1 where ours misses the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=80, help="turns of each client")
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    parser.add_argument("--url", help="measure the clients of this environment, and print the turns as JSON")
    options = parser.parse_args()
    if options.url:
        print(json.dumps([_versions(), asyncio.run(_measure(options.url, options.rounds))]))
        return 0
    with answering({name: asked.answer for name, asked in ASKED.items()}) as url:
        here = (_versions(), asyncio.run(_measure(url, options.rounds)))
        elsewhere = _elsewhere(url, options.rounds)
    lines = [*_page([here, elsewhere], options.rounds)]
    print("\n".join(lines))
    if options.write:
        PAGE.write_text(HEAD.read_text("utf-8") + "\n" + "\n".join(lines), "utf-8")
    return _verdict(here[1])


def _verdict(turns: Turns) -> int:
    """Say for each kind of time whether the target is met; the exit code goes by the processor's alone.

    On a machine with other work, a call waits for the processor as long as that takes.
    """
    added = [_added(clients, "ours") for clients in turns.values()]
    worst = Spent(max(one.wall for one in added), max(one.cpu for one in added))
    for kind, most in (("of processor time", worst.cpu), ("that pass", worst.wall)):
        said = "met" if most < TARGET else "missed"
        print(f"{said}: at most {most:.2f} ms {kind} over the bare client; the target is under {TARGET} ms")
    return int(worst.cpu >= TARGET)


def _elsewhere(url: str, rounds: int) -> tuple[dict[str, str], Turns]:
    """What the other environment measured; nothing where it does not exist."""
    if not ELSEWHERE.exists():
        return {}, {}
    command = [str(ELSEWHERE), "-m", "tools.benchmarks.calls", "--url", url, "--rounds", str(rounds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own command
    versions, turns = json.loads(done.stdout)
    return versions, {
        asked: {name: [Spent(*each) for each in spent] for name, spent in clients.items()}
        for asked, clients in turns.items()
    }


def _versions() -> dict[str, str]:
    """The clients that are installed here, with their versions."""
    found = {}
    for name, (_, package) in CALLERS.items():
        try:
            found[name] = "this source tree" if name == "ours" else importlib.metadata.version(package)
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found.pop(name, None)
    return found


async def _measure(url: str, rounds: int) -> Turns:
    turns: Turns = {}
    for asked in ASKED.values():
        async with AsyncExitStack() as open_things:
            asks = {name: await open_things.enter_async_context(CALLERS[name][0](url, asked)) for name in _versions()}
            await _check(asks, asked.dto_type.model_validate_json(asked.answer))
            turns[asked.name] = {name: [] for name in asks}
            order = deque(asks.items())
            for _ in range(rounds):
                for name, ask in order:
                    turns[asked.name][name].append(await _turn(ask))
                order.rotate()  # nobody always follows the same one, whose work is still in the processor's caches
    return turns


async def _check(asks: dict[str, Ask], expected: Any) -> None:  # noqa: ANN401 - any model
    """The first call of each client, which opens its connection, has to return the right object."""
    for name, ask in asks.items():
        found = to_jsonable_python(await ask())
        if type(expected).model_validate(found) != expected:
            message = f"{name} returned another object"
            raise RuntimeError(message)


async def _turn(ask: Ask) -> Spent:
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(CALLS):
        await ask()
    return Spent(
        (time.perf_counter() - wall) * 1000 / CALLS,
        (time.process_time() - cpu) * 1000 / CALLS,
    )


def _typical(turns: list[Spent]) -> Spent:
    """The median of the fastest quarter of the turns: other work on the machine makes turns longer, never shorter."""
    quarter = max(1, len(turns) // 4)
    walls, cpus = sorted(one.wall for one in turns), sorted(one.cpu for one in turns)
    return Spent(statistics.median(walls[:quarter]), statistics.median(cpus[:quarter]))


def _added(turns: dict[str, list[Spent]], name: str) -> Spent:
    """What a client adds to the bare one."""
    one, bare = _typical(turns[name]), _typical(turns[BARE])
    return Spent(one.wall - bare.wall, one.cpu - bare.cpu)


def _page(measured: list[tuple[dict[str, str], Turns]], rounds: int) -> Iterator[str]:
    yield "## Measured on and with"
    yield ""
    yield from (f"- {name}: {fact}" for name, fact in environment.machine().items() if name != "node")
    yield f"- {rounds} turns of {CALLS} calls; {os.getloadavg()[0]:.1f} processes wanted to run in the last minute"
    yield ""
    yield "## What a call costs"
    yield ""
    header = ("answer", "client", "version", "ms", "ms of processor", "added", "added, processor", "ratio")
    rows = []
    for asked in ASKED.values():
        answer = f"{len(asked.dto_type.model_fields)} fields, {len(asked.answer.encode()):,} bytes"
        for versions, turns in measured:
            for name in turns.get(asked.name, ()):
                rows.append([answer, *_row(name, versions[name], turns[asked.name])])
                answer = ""
    yield from table(header, rows)


def _row(name: str, version: str, turns: dict[str, list[Spent]]) -> list[str]:
    one = _typical(turns[name])
    row = [name, version, f"{one.wall:.2f}", f"{one.cpu:.2f}"]
    if name == BARE:
        return [*row, "", "", ""]
    added, ratio = _added(turns, name), one.cpu / _typical(turns[BARE]).cpu
    return [*row, f"{added.wall:+.2f}", f"{added.cpu:+.2f}", f"{ratio:.2f}"]


if __name__ == "__main__":
    raise SystemExit(main())
