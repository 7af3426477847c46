"""What the store costs four processes, of which one is killed ten times: `tools.benchmarks.watching_processes`.

Rounds without a store and with one take turns, so that a busy machine disturbs both alike. Each parse is timed by the
clock and by the processor time of its thread. `--a-second N` gives each process so many texts a second, as an
application has that waits for its models; without it they read as fast as they can, and the thread that writes takes
turns with them. `--same` measures rounds without a store beside others without one: what such a comparison is worth.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from typing import IO, Any, NamedTuple, cast

from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.recorded import PACKAGED, packaged
from src.modules.monitoring.container import Recording, read_rates, record_outcomes
from src.modules.monitoring.domain.rate import RateQuery, Window
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.modules.monitoring.infrastructure.writers import INTERVAL
from src.shared.application.reading import ObservedOutput
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import Event
from src.shared.infrastructure.events.fan_out import FanOut
from tests.processes import LIMIT

PROCESSES, ROUNDS, TEXTS, KILLS = 4, 5, 5_000, 2
"""20,000 texts a round with a store, 100,000 in all; ten kills."""
WARM_UP = 200


class Recorded(NamedTuple):
    """A recorded text, and the parser of its agent."""

    output: ObservedOutput[Any]
    text: str
    finished: bool | None


class _Nobody:
    def publish(self, event: Event) -> None:
        """Do nothing with an event."""


def recorded(events: FanOut) -> list[Recorded]:
    """The recordings of all agents: clean, damaged and refused texts."""
    from src.entrypoints.agents import AGENTS  # noqa: PLC0415 - in the worker

    return [
        Recorded(
            ObservedOutput(AGENTS[name].output, events),
            read_source(str(PACKAGED / name / one.file)).text,
            one.finished,
        )
        for name, manifest in packaged().items()
        for one in manifest.recordings
    ]


def timed(texts: Iterator[Recorded], a_second: float) -> Iterator[tuple[float, float]]:
    """Seconds by the clock, and of the processor, that each parse takes."""
    due = time.perf_counter()
    for output, text, finished in texts:
        if a_second:
            due += 1 / a_second
            time.sleep(max(0.0, due - time.perf_counter()))
        began, worked = time.perf_counter(), time.thread_time()
        try:  # noqa: SIM105 - a context manager would be timed as well
            output.read(text, finished=finished)
        except AppException:
            pass
        yield time.perf_counter() - began, time.thread_time() - worked


def work(url: str, count: int, a_second: float) -> None:
    """Be one process: read texts, and tell the times."""
    recording: Recording | None = record_outcomes(MonitoringSettings(store_url=url)) if url else None
    texts = cycle(recorded(FanOut(recording.events if recording else _Nobody())))
    for _ in timed(islice(texts, WARM_UP), 0):
        pass
    time.sleep(INTERVAL * 2)  # the store is made
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.process_time()
    times = list(timed(islice(texts, count), a_second))
    if recording:
        recording.writer.close(60)
    dropped = recording.writer.dropped if recording else 0
    print(json.dumps({"times": times, "processor": time.process_time() - began, "dropped": dropped}), flush=True)


def start(url: str, count: int, a_second: float) -> subprocess.Popen[str]:
    """Start a process, which waits for a line."""
    command = [sys.executable, "-m", "tools.benchmarks.watching_processes", "--work", url, str(count), str(a_second)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own


def begin(process: subprocess.Popen[str]) -> None:
    """Let a process that is ready begin."""
    told, heard = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
    heard.readline()
    told.write("\n")
    told.flush()


def a_round(url: str, count: int, a_second: float) -> list[dict[str, Any]]:
    """What three processes tell, beside which a fourth is killed and started again."""
    steady = [start(url, count, a_second) for _ in range(PROCESSES - 1)]
    for process in steady:
        begin(process)
    for _ in range(KILLS):
        victim = start(url, count, a_second)
        begin(victim)
        time.sleep(0.3)
        victim.kill()
        victim.wait(LIMIT)
    last = start(url, count, a_second)
    begin(last)
    return [json.loads(process.communicate(timeout=LIMIT)[0]) for process in [*steady, last]]


class Round(NamedTuple):
    """Microseconds of a round's texts."""

    own: tuple[float, ...]
    wall: tuple[float, ...]
    whole: float
    texts: int
    dropped: int


ROWS = tuple(
    f"a parse, {by}: {what}"
    for by in ("processor time of its thread", "by the clock")
    for what in ("mean", "median", "p99")
)
WHOLE = "the process by the processor, a text"


def measured(told: list[dict[str, Any]]) -> Round:
    """The parses of all processes together."""
    times = [each for one in told for each in one["times"]]
    wall, own = ([seconds * 1e6 for seconds in column] for column in zip(*times, strict=True))
    whole = sum(one["processor"] for one in told) / len(times) * 1e6
    return Round(_numbers(own), _numbers(wall), whole, len(times), sum(one["dropped"] for one in told))


def _numbers(times: list[float]) -> tuple[float, ...]:
    cuts = statistics.quantiles(times, n=100)
    return statistics.fmean(times), cuts[49], cuts[98]


def tell(name: str, pairs: list[tuple[float, float]]) -> None:
    """Print a row: medians over the rounds."""
    without, with_ = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(right / left for left, right in pairs)
    print(f"{name:<46} {without:>9.1f} {with_:>9.1f} {ratio:>7.3f}")


def compare(count: int, a_second: float, rounds: int) -> None:
    """Rounds without a store and with one, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/outcomes.db"
        turns = taken(url, count, a_second, rounds)
        stored = read_rates(url).total(RateQuery(Window(None, 86_400))).texts.parses
    texts, dropped = sum(one.texts for _, one in turns), sum(one.dropped for _, one in turns)
    print(
        f"{texts:,} texts in {PROCESSES} processes with a store, {rounds * KILLS} kills: none failed, {dropped} dropped"
    )
    print(f"{stored:,} texts in the store, those of the warm-up and of killed processes among them")
    tell_all(turns, ("without", "with"))


def taken(url: str, count: int, a_second: float, rounds: int) -> list[tuple[Round, Round]]:
    """Pairs of rounds, of which the second writes to a store if there is one."""
    return [(measured(a_round("", count, a_second)), measured(a_round(url, count, a_second))) for _ in range(rounds)]


def tell_all(turns: list[tuple[Round, Round]], names: tuple[str, str]) -> None:
    """Print the table."""
    rounds = len(turns)
    print(f"{'microseconds, medians of ' + str(rounds) + ' rounds':<46} {names[0]:>9} {names[1]:>9} {'ratio':>7}")
    numbers = [(without.own + without.wall, with_.own + with_.wall) for without, with_ in turns]
    for at, name in enumerate(ROWS):
        tell(name, [(without[at], with_[at]) for without, with_ in numbers])
    tell(WHOLE, [(without.whole, with_.whole) for without, with_ in turns])


def main() -> None:
    """Be a worker, or start them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options.add_argument("--a-second", type=float, default=0, help="texts that each process gets in a second")
    options.add_argument("--texts", type=int, default=TEXTS, help="texts of each process in a round")
    options.add_argument("--same", action="store_true", help="measure rounds without a store beside others without one")
    options.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of each kind")
    given = options.parse_args()
    if given.work:
        url, count, a_second = given.work
        work(url, int(count), float(a_second))
    elif given.same:
        tell_all(taken("", given.texts, given.a_second, given.rounds), ("without", "without"))
    else:
        compare(given.texts, given.a_second, given.rounds)


if __name__ == "__main__":
    main()
