"""The service for honest clients beside hostile ones: `tools.benchmarks.service_hostile [--seconds 4 --rounds 11]`.

Eight connections of wrk ask for small texts as models write them, with pauses: alone, and then beside four connections
that send texts and schemas which take as long as any that are known, one after the other. Each round measures both, so
that what else the machine does is in both. Exits with 1 where the p99 beside them is more than twice that alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path

from tests.processes import LIMIT
from tools.benchmarks.bulk_runs import ROOT
from tools.benchmarks.environment import machine
from tools.benchmarks.report import table
from tools.benchmarks.service_runs import PORT, Load, load, serving
from tools.benchmarks.service_texts import SCHEMA, write_script

HONEST, HOSTILE, PAUSE = 8, 4, 20.0
"""Connections of either kind, and milliseconds that an honest one pauses between two requests, on the average."""
MOST_RATIO = 2.0
WORKERS = 2
_PRICE = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "price": {"type": "number"}, "tags": {"type": "array"}},
    "required": ["item", "price"],
}
_TEXTS = (
    '{"item": "tea", "price": 3.5, "tags": ["hot", "green"]}',
    '```json\n{"item": "a pot of coffee", "price": 4, "tags": []}\n```',
    'Here is the result:\n\n```json\n{"item": "tea", "price": 3.5}\n```\nLet me know if you need more.',
    '{"item": "tea", "price": 3.5, "tags": ["hot", "green",],}',
    "{'item': 'tea', 'price': 3.5}",
    '<think>It costs 3.5.</think>\n{"item": "tea", "price": 3.5}',
    '{"item": "the "good" tea", "price": 3.5}',
    '{"item": "tea" "price": 3.5, // in euros\n "tags": ["hot"]}',
)
_TWICE = {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}


def honest_bodies() -> list[bytes]:
    """Small requests as they are usual."""
    types: list[dict[str, object]] = [{"schema": _PRICE}, {}, {"schema": SCHEMA}]
    return [json.dumps({"text": text, **one}).encode() for text in _TEXTS for one in types]


def hostile_bodies() -> list[bytes]:
    """Requests whose texts, or schemas, take as long as any that are known."""
    texts = (
        '{"a":' + "}" * 8_000,
        '{"a":' + "\n}" * 4_000,
        '{"a":1,' + "# " * 16_000 + "}",
        '{"a":1,' + "// a " * 8_000 + "}",
        '\\\\"[{"a"<minimax:tool_call>' * 200,
        '{"rows":[' + "\u200b" * 150_000 + "}",
        '{"item": "a "b" c", ' * 4_000,
        '["a" "b" ' * 100,
        '{"a": "' + '", "' * 60 + '"}',
        '{"a":"' + '#"a":"b",\n' * 800 + '"}',
    )
    schemas = (
        {"$ref": "#/$defs/n", "$defs": {"n": {"items": _TWICE}}},
        {"type": "object", "properties": {f"p{at}": {"pattern": f"(a{{1,90}}b{at}){{1,20}}"} for at in range(60)}},
    )
    bodies = [{"text": text, "schema": SCHEMA} for text in texts] + [{"text": "[]", "schema": one} for one in schemas]
    return [json.dumps(body).encode() for body in bodies]


@contextmanager
def attacking() -> Iterator[Counter[int]]:
    """Hostile connections, as long as the block is open; the statuses that they were answered."""
    process = subprocess.Popen((sys.executable, "-m", __spec__.name, "--attack"), cwd=ROOT, stdout=subprocess.PIPE)  # noqa: S603 - ourselves
    statuses: Counter[int] = Counter()
    try:
        time.sleep(1)
        yield statuses
    finally:
        process.terminate()
        told = process.communicate(timeout=LIMIT)[0].splitlines()
        statuses.update(int(line) for line in told)


def attack() -> None:
    """Send hostile bodies over and over, each connection from another one on."""
    bodies = hostile_bodies()

    def send(first: int) -> None:
        connection = HTTPConnection("127.0.0.1", PORT, timeout=120)
        for body in cycle(bodies[first:] + bodies[:first]):
            connection.request("POST", "/v1/parse", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            sys.stdout.write(f"{answer.status}\n")  # in one piece, beside three other threads
            sys.stdout.flush()

    threads = [threading.Thread(target=send, args=(at * len(bodies) // HOSTILE,)) for at in range(HOSTILE)]
    for thread in threads:
        thread.start()


def measured(seconds: int, rounds: int) -> Iterator[tuple[Load, Load, Counter[int]]]:
    """What honest clients see alone and beside hostile ones, round by round."""
    with tempfile.TemporaryDirectory(prefix="service-") as folder, serving(WORKERS):
        script = Path(folder) / "honest.lua"
        write_script(script, honest_bodies())
        load(script, 3, pause=PAUSE, connections=HONEST)
        for _ in range(rounds):
            _wait_until_idle()
            alone = load(script, seconds, pause=PAUSE, connections=HONEST)
            with attacking() as statuses:
                beside = load(script, seconds, pause=PAUSE, connections=HONEST)
            yield alone, beside, statuses


def _wait_until_idle() -> None:
    """Wait until what the hostile connections of the last round have left behind is read or given up."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        time.sleep(2.5)  # the workers note how they stand every second
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics") as answer:
            told = answer.read()
        if all(line.endswith(b" 0.0") for line in told.splitlines() if line.startswith(b"llm_output_pool_in_use")):
            return


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print a row a round and the ratio of the medians."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.service_hostile")
    parser.add_argument("--seconds", type=int, default=4, help="of each load")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--attack", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.attack:
        attack()
        return 0
    if not shutil.which("wrk"):
        print("wrk is missing (Debian: apt-get install wrk)")
        return 1
    for name, value in machine().items():
        print(f"- {name}: {value}")
    print(f"- {WORKERS} workers, {HONEST} honest connections of wrk, {HOSTILE} hostile ones, {asked.seconds} s each\n")
    rounds = list(measured(asked.seconds, asked.rounds))
    header = (
        "alone, a second",
        "p50 ms",
        "p99 ms",
        "beside, a second",
        "p50 ms",
        "p99 ms",
        "hostile answers",
        "broken",
    )
    rows = [
        (
            *(f"{seen:,.1f}" for load in (one, other) for seen in (load.rate, load.p50, load.p99)),
            ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items())),
            str(one.broken + other.broken),
        )
        for one, other, statuses in rounds
    ]
    print("\n".join(table(header, rows)))
    alone = statistics.median(one.p99 for one, _, _ in rounds)
    beside = statistics.median(one.p99 for _, one, _ in rounds)
    print(f"\np99 {alone:.1f} ms alone, {beside:.1f} ms beside: {beside / alone:.2f}, promised {MOST_RATIO:.2f}")
    return int(beside > MOST_RATIO * alone)


if __name__ == "__main__":
    sys.exit(main())
