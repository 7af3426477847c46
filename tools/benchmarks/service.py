"""The service under load, beside the bare parser: `python -m tools.benchmarks.service [--seconds 60]`.

Two hundred connections of wrk ask two workers for real outputs of 1 to 3 KB: first each as soon as it has its answer,
which shows how many the service reads, then with pauses, so that they ask for as many as are promised, which shows how
long an answer takes at that rate. (Without pauses all 200 wait in line, and an answer takes 200 times as long as a
text, whatever the service does.) Exits with 1 where a promise is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.benchmarks.environment import machine
from tools.benchmarks.report import table
from tools.benchmarks.service_runs import (
    CONNECTIONS,
    HELLO_PORT,
    WORKERS,
    Load,
    bare,
    load,
    memory_of,
    print_loads,
    processor_of,
    saying_hello,
    serving,
    status_of,
)
from tools.benchmarks.service_texts import body_of, is_clean, recorded_texts, write_script

LEAST_RATIO, MOST_P99, MOST_GROWTH = 0.60, 100.0, 0.10
"""What is promised: of the bare parser's rate; milliseconds at that rate; memory between the start and the end of a
load."""
PAUSE_SHARE = 0.57
"""Of the time from one request of a connection to its next one at the promised rate: what is not spent waiting."""
_SAME = 0.01
_ANSWERED = {200, 422}
_MEBIBYTE = 1024 * 1024


class Row:
    """What was measured with one kind of texts.

    Attributes:
        name: of the kind.
        missed: the promises that were not kept, in words.
        processor: what a second of processor time reads, bare and served, which a busy machine disturbs less.
    """

    def __init__(self, name: str, texts: list[str], folder: Path) -> None:
        self.name, self.texts = name, texts
        self.script, self.file = folder / f"{name}.lua", folder / f"{name}.json"
        write_script(self.script, [body_of(text) for text in texts])
        self.file.write_text(json.dumps(texts), encoding="utf-8")
        self.missed: list[str] = []
        self.processor = ""

    def measure(self, process: subprocess.Popen[bytes], seconds: int) -> list[str]:
        """Measure, and return the cells of the row: the bare parser runs before and after the service."""
        statuses = Counter(status_of(text) for text in self.texts)
        quarter = max(2, seconds // 4)
        load(self.script, 3)
        before, memory = bare(self.file, quarter), memory_of(process)
        busy = processor_of(process)
        seen = load(self.script, seconds)
        busy = processor_of(process) - busy
        grown = memory_of(process) / memory - 1
        after = bare(self.file, quarter)
        rate, bare_busy = ((one + other) / 2 for one, other in zip(before, after, strict=True))
        self.processor = (
            f"{self.name}: {bare_busy:,.0f} texts a second of processor bare, {seen.rate * seconds / busy:,.0f} served"
        )
        paced = self.paced(seconds, rate) if seen.rate >= LEAST_RATIO * rate else None
        self.judge(seen, paced or seen, statuses, rate, grown)
        sizes = f"{memory / _MEBIBYTE:.0f} → {memory * (1 + grown) / _MEBIBYTE:.0f}"
        shown = (f"{rate:,.0f}", f"{seen.rate:,.0f}", f"{seen.rate / rate:.2f}", f"{seen.p50:.0f}", f"{seen.p99:.0f}")
        slower = (f"{paced.rate:,.0f}", f"{paced.p50:.0f}", f"{paced.p99:.0f}") if paced else ("", "", "")
        return [self.name, f"{len(self.texts):,}", *shown, *slower, str(seen.broken), f"{seen.refused:.1%}", sizes]

    def paced(self, seconds: int, rate: float) -> Load:
        """The load at the promised rate."""
        between = CONNECTIONS / (LEAST_RATIO * rate) * 1e3
        return load(self.script, seconds, pause=PAUSE_SHARE * between)

    def judge(self, seen: Load, paced: Load, statuses: Counter[int], rate: float, grown: float) -> None:
        """Note what is missed; the answers of `paced` may take no longer than promised: `seen` where it is too slow."""
        refused = 1 - statuses[200] / statuses.total()
        kept = {
            f"{seen.rate / rate:.2f} of the bare parser's rate, promised {LEAST_RATIO:.2f}": (
                seen.rate >= LEAST_RATIO * rate
            ),
            f"p99 {paced.p99:.0f} ms at {paced.rate / rate:.2f} of the bare rate, promised {MOST_P99:.0f}": (
                paced.p99 < MOST_P99 and (paced is seen or paced.rate >= LEAST_RATIO * rate * (1 - _SAME))
            ),
            f"{seen.broken + paced.broken} connections or answers broken": not seen.broken and not paced.broken,
            f"statuses {dict(statuses)}": statuses.keys() <= _ANSWERED,
            f"{seen.refused:.1%} refused under load, {refused:.1%} one by one": abs(seen.refused - refused) < _SAME,
            f"memory {grown:+.0%}": grown < MOST_GROWTH,
        }
        self.missed = [f"{self.name}: {promise}" for promise, is_kept in kept.items() if not is_kept]


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table and what is missed."""
    return print_loads("service", _printed, 60, arguments)


def _printed(seconds: int, missed: list[str]) -> Iterator[str]:
    yield from (f"- {name}: {value}" for name, value in machine().items() if name != "node")
    yield f"- {WORKERS} workers, {CONNECTIONS} connections of wrk on the same machine, {seconds} s each"
    texts = recorded_texts()
    with tempfile.TemporaryDirectory(prefix="service-") as temporary:
        folder = Path(temporary)
        rows = [Row("as they come", texts, folder), Row("clean", [each for each in texts if is_clean(each)], folder)]
        with serving() as process:
            cells = [row.measure(process, seconds) for row in rows]
        with saying_hello():
            hello = [load(row.script, max(2, seconds // 4), HELLO_PORT) for row in rows]
    header = ("texts", "count", "bare, a second", "service, a second", "ratio", "p50 ms", "p99 ms")
    paced = ("with pauses, a second", "p50 ms", "p99 ms")
    yield from ("", *table((*header, *paced, "broken", "refused", "MiB"), [tuple(each) for each in cells]), "")
    yield from (row.processor for row in rows)
    yield from (
        f"a bare server that reads the same bodies ({row.name}): {seen.rate:,.0f} a second, p99 {seen.p99:.0f} ms"
        for row, seen in zip(rows, hello, strict=True)
    )
    missed += [promise for row in rows for promise in row.missed]
    yield from (f"MISSED: {promise}" for promise in missed)


if __name__ == "__main__":
    sys.exit(main())
