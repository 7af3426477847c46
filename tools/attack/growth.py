"""How time and memory grow with a text: random families of texts, measured.

`python -m tools.attack.growth --count 10000 --seed 1` measures decoding and parsing at 5, 10 and 20 KB, and once at
160 KB. What looks superlinear or slow is measured again, larger, before it is reported; the exit code says whether any
was. Seconds are those of a machine that counts to a million in 20 ms; how long this one takes is measured beside them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tools.attack.families import Family, families
from tools.attack.quiet import quiet

SIZES = (5_000, 10_000, 20_000)
LARGER = (20_000, 40_000, 80_000)
LARGE = 160_000
MEGABYTE = 1_000_000
MOST_PER_DOUBLING = 2.6
"""How many times longer twice the text may take."""
SECONDS_PER_MEGABYTE = 0.5
MEMORY_PER_BYTE = 20
"""Bytes at the peak, for each byte of the text in UTF-8, beside the value itself."""
MEASURED_AGAIN = 5
"""How often a growth is measured before it is believed."""
UNNOTICED = 0.0005
"""Seconds in which a growth is noise."""
COUNTED = 1_000_000
SECONDS_TO_COUNT = 0.02
"""How long it takes to count so far in Python on a machine of 2020 without other load: what is slow is told in its
seconds."""


_ABOUT = 1.1
_BRACKET = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder()


class Row(BaseModel):
    """A type with the kinds of field that models fill in."""

    model_config = ConfigDict(extra="allow")

    a: object = None
    key: str = ""
    rows: list[Row] = []


def decode(text: str) -> object:
    """Read a text without a type, with its trace."""
    return decode_llm_json(text)


def parse(text: str) -> object:
    """Read a text into a type."""
    return parse_llm_json_output(text, Row)


Way = Callable[[str], object]
WAYS: tuple[Way, ...] = (decode, parse)


class Finding(NamedTuple):
    """A family that breaks a bound, and by what."""

    family: Family
    way: str
    what: str


def seconds(way: Way, text: str, times: int = 3) -> float:
    """The shortest of so many times that one reading took: of the processor, so that other programs do not count."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run(way, text)
        best = min(best, time.process_time() - start)
    return best


def slowness() -> float:
    """How many times longer this machine takes at the moment than it should; other programs make it slower."""
    start = time.process_time()
    for _ in range(COUNTED):
        pass
    return max(1.0, (time.process_time() - start) / SECONDS_TO_COUNT)


def peak(way: Way, text: str) -> int:
    """The most bytes that were in use while reading, beside the value that was read.

    Zero where the standard decoder alone takes about as many, though the value is never closed: a list of empty lists
    takes 21 times its text, whoever reads it.
    """
    value, held, most = _traced(way, text)
    return most - (held if value is not None else 0) if most > _ABOUT * _of_decoder(text) else 0


def _of_decoder(text: str) -> int:
    bracket = _BRACKET.search(text)
    if bracket is None:
        return 0
    return _traced(partial(_decoder_on, start=bracket.start()), text)[2]


def _decoder_on(text: str, start: int) -> object:
    with suppress(ValueError, RecursionError):
        return _DECODER.raw_decode(text, start)
    return None


def _traced(way: Way, text: str) -> tuple[object, int, int]:
    """What a way of reading gives; the bytes in use behind it, and the most there were."""
    tracemalloc.start()
    try:
        value = run(way, text)
        return value, *tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def run(way: Way, text: str) -> object:
    """What a way of reading gives; None where it refuses the text."""
    try:
        return way(text)
    except LLMJsonParseError:
        return None


def growth(way: Way, family: Family, sizes: Iterable[int], times: int = 3) -> float:
    """The largest factor from one size to the next, for times that can be told from noise."""
    taken = [max(seconds(way, family.text(size), times), UNNOTICED) for size in sizes]
    return max(after / before for before, after in pairwise(taken))


def least_growth(way: Way, family: Family, sizes: Iterable[int]) -> float:
    """The growth; one above the bound is measured again before it is believed."""
    least = growth(way, family, sizes, 1)
    for _ in range(MEASURED_AGAIN):
        if least <= MOST_PER_DOUBLING:
            break
        least = min(least, growth(way, family, sizes))
    return least


def findings(family: Family, *, memory: bool = False) -> Iterator[Finding]:
    """What of one family breaks a bound; whatever seems to is measured again."""
    for way in WAYS:
        for problem in (_superlinear(way, family), _slow(way, family), _large(way, family) if memory else ""):
            if problem:
                yield Finding(family, way.__name__, problem)


def _superlinear(way: Way, family: Family) -> str:
    """Both at small and at larger sizes: of two small texts one may be refused for what the other does not have."""
    small = least_growth(way, family, SIZES)
    larger = least_growth(way, family, LARGER) if small > MOST_PER_DOUBLING else 0
    if larger <= MOST_PER_DOUBLING:
        return ""
    return f"time grows {small:.1f} times a doubling, {larger:.1f} times beyond 20 KB"


def _slow(way: Way, family: Family) -> str:
    large = family.text(LARGE)
    if seconds(way, large, 1) * MEGABYTE <= SECONDS_PER_MEGABYTE * LARGE:
        return ""
    slow = unhurried(way, large)
    if slow > SECONDS_PER_MEGABYTE:
        return f"160 KB take {slow:.2f} s"
    slow = unhurried(way, family.text(MEGABYTE))
    return f"1 MB takes {slow:.2f} s" if slow > SECONDS_PER_MEGABYTE else ""


def unhurried(way: Way, text: str) -> float:
    """Seconds one reading takes on a machine without other load; measured again while it seems to be too slow."""
    best = float("inf")
    for _ in range(MEASURED_AGAIN):
        best = min(best, seconds(way, text, 1) / slowness())
        if best <= SECONDS_PER_MEGABYTE:
            break
    return best


def _large(way: Way, family: Family) -> str:
    times = peak(way, family.text(MEGABYTE)) / MEGABYTE
    return f"1 MB takes {times:.0f} MB" if times > MEMORY_PER_BYTE else ""


def main(argv: list[str] | None = None) -> int:
    """Measure random families; print each that breaks a bound, with the seed that makes it again."""
    parser = argparse.ArgumentParser(prog="growth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000, help="families to measure")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="which families")
    parser.add_argument("--memory-every", type=int, default=50, help="measure memory for one family of so many")
    chosen = parser.parse_args(argv)
    print(f"seed {chosen.seed}, {chosen.count:,} families")
    found = 0
    for number, family in enumerate(islice(families(chosen.seed), chosen.count)):
        for finding in findings(family, memory=number % chosen.memory_every == 0):
            found += 1
            print(f"family {number}: {finding.way}: {finding.what}: {family}", flush=True)
    print(f"{found} findings in {chosen.count:,} families")
    return 1 if found else 0


if __name__ == "__main__":
    quiet()
    sys.exit(main())
