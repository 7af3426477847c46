"""What reading costs where nothing is wrong: clean rows, beside what has to be done in any case.

Each of our times is divided by one taken in turn with it, in the same process: by that of `model_validate_json` where
there is a type, and else by that of `json.loads`. Such a ratio says the same on every machine, so that it has a limit.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple

from pydantic import BaseModel

from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tools.benchmarks.documents import KB, label

SIZES = (2 * KB, 20 * KB, 200 * KB)
TURNS = 40
AGAIN = 10
"""How often what is above its limit is measured again."""
_TURN_SECONDS = 0.002
MOST = {"parse": 1.15, "parse with a trace": 1.25, "decode": 1.6}
"""How many times as long each way of reading may take as what it is compared with."""
MOST_ADDED = 3e-6
"""Seconds in addition for what is done once for each text, however long it is: it shows in the shortest ones."""


class Numbers(BaseModel):
    """A row of numbers."""

    id: int
    price: float
    change: float
    volume: int


class Texts(BaseModel):
    """A row of texts."""

    name: str
    title: str
    body: str


class Both(BaseModel):
    """A row of both."""

    id: int
    price: float
    name: str
    tags: list[str]
    note: str | None


class NumberRows(BaseModel):
    """Rows of numbers."""

    rows: list[Numbers]


class TextRows(BaseModel):
    """Rows of texts."""

    rows: list[Texts]


class BothRows(BaseModel):
    """Rows of both."""

    rows: list[Both]


_BODIES = (
    "Revenue grew 12.4% year on year, ahead of guidance, while gross margin held at 41.2%.",
    "公司三季度营收同比增长12.4%，超出指引；毛利率稳定在41.2%，经营性现金流充裕。",
)


def _numbers(at: int) -> dict[str, Any]:
    return {"id": at, "price": 12.5 + at % 700 / 100, "change": at % 31 / 10 - 1.5, "volume": at * 7919 % 1_000_000}


def _texts(at: int) -> dict[str, Any]:
    return {"name": f"Company {at}", "title": "Quarterly report", "body": _BODIES[at % 2]}


def _both(at: int) -> dict[str, Any]:
    note = None if at % 3 else _BODIES[at % 2]
    return {
        "id": at,
        "price": 12.5 + at % 700 / 100,
        "name": f"Company {at}",
        "tags": ["margin", "现金流"],
        "note": note,
    }


KINDS: dict[str, tuple[type[BaseModel], Callable[[int], dict[str, Any]]]] = {
    "numbers": (NumberRows, _numbers),
    "texts": (TextRows, _texts),
    "both": (BothRows, _both),
}


class Clean(NamedTuple):
    """Clean text of one size, and how it is read.

    Attributes:
        size: about how many characters.
        kind: what its rows are of.
        way: how it is read: one of `MOST`.
    """

    size: int
    kind: str
    way: str

    def __str__(self) -> str:
        """The row as the messages name it."""
        return f"clean {label(self.size)} of {self.kind}, {self.way}"

    def is_within(self, ours: float, least: float) -> bool:
        """Whether seconds are within the limit."""
        return ours <= MOST[self.way] * least + MOST_ADDED


def text_of(kind: str, size: int) -> str:
    """Rows of a kind as JSON, at least so many characters."""
    make, rows, length = KINDS[kind][1], [], 0
    for at in count():
        rows.append(make(at))
        length += len(json.dumps(rows[-1], ensure_ascii=False)) + 2
        if length >= size:
            break
    return json.dumps({"rows": rows}, ensure_ascii=False)


def seconds(reads: Sequence[Callable[[str], object]], text: str, turns: int = TURNS) -> list[float]:
    """The shortest time of each way of reading a text; they take turns."""
    numbers = []
    for read in reads:
        read(text)
        start = time.perf_counter()
        read(text)
        numbers.append(max(1, int(_TURN_SECONDS / (time.perf_counter() - start))))
    least = [float("inf")] * len(reads)
    gc.collect()
    for _ in range(turns):
        for at, (read, number) in enumerate(zip(reads, numbers, strict=True)):
            start = time.process_time()
            for _ in range(number):
                read(text)
            least[at] = min(least[at], (time.process_time() - start) / number)
    return least


def measure(size: int, kind: str) -> dict[Clean, tuple[float, float]]:
    """The seconds of each way of reading rows of a kind, and of what it is compared with."""
    model = KINDS[kind][0]
    loads, validate, *ours = seconds(
        [
            json.loads,
            model.model_validate_json,
            lambda text: parse_llm_json_output(text, model),
            lambda text: parse_llm_json_output_with_trace(text, model).value,
            lambda text: decode_llm_json(text).data,
        ],
        text_of(kind, size),
    )
    bases = (validate, validate, loads)
    return {Clean(size, kind, way): (took, base) for way, took, base in zip(MOST, ours, bases, strict=True)}


def check(sizes: Sequence[int] = SIZES, say: Callable[[str], object] = print) -> int:
    """Tell the ratios; return how many are above their limits though they were measured again."""
    above = 0
    for size in sizes:
        for kind in KINDS:
            found = measure(size, kind)
            for _ in range(AGAIN):
                if all(row.is_within(*took) for row, took in found.items()):
                    break
                again = measure(size, kind)
                found = {row: (min(took[0], again[row][0]), min(took[1], again[row][1])) for row, took in found.items()}
            for row, took in found.items():
                is_within = row.is_within(*took)
                above += not is_within
                say(
                    f"{row}: × {took[0] / took[1]:.2f}" + ("" if is_within else f", above the limit of {MOST[row.way]}")
                )
    return above


if __name__ == "__main__":
    raise SystemExit(bool(check()))
