"""What regular damage costs, as a multiple of Pydantic reading the undamaged text: `tools.benchmarks.regular`.

Each cell is the best of many calls, taken in turns with Pydantic's. `--sizes 20 200` are KB of clean text.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from enum import Enum
from typing import Any

from pydantic import Field, TypeAdapter

from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tools.benchmarks.conditions import conditions
from tools.benchmarks.documents import KB, Document, Finding, Report, Section, build, clean_text

_CALLS = 40
_REGULAR = ("literal", "trailing", "single", "unquoted", "unescaped", "full-width", "several")


class Rating(Enum):
    """What the report advises."""

    BUY = "买入"
    SELL = "卖出"


class ClosedFinding(Finding):
    """A finding whose page may be a text."""

    page: int | str  # type: ignore[assignment]  # wider than the open one's


class ClosedSection(Section):
    """A section of such findings."""

    findings: list[ClosedFinding] = Field()  # type: ignore[assignment]  # as above


class ClosedReport(Report):
    """The same report with an enum and a union."""

    rating: Rating  # type: ignore[assignment]  # narrower
    sections: list[ClosedSection]  # type: ignore[assignment]  # as above


def main() -> int:
    """Print a line for each condition; the last two columns read a type with an enum and a union."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.regular")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 200], help="KB of clean text")
    for size in parser.parse_args().sizes:
        _print(build(size * KB), size)
    return 0


def _print(document: Document, size: int) -> None:
    clean = clean_text(document)
    adapters = [TypeAdapter(Report), TypeAdapter(ClosedReport)]
    validate = [lambda adapter=adapter: adapter.validate_json(clean) for adapter in adapters]
    print(f"\n{size} KB, times of `validate_json`; {_best([validate[0]])[0] * 1e3:.3f} ms")
    names = ("parse", "trace", "decode", "normalizer", "typed", "typed trace")
    print(f"{'':38}" + "".join(f"{name:>12}" for name in names))
    for name, text in _texts(document):
        ways = _ways(text)
        took = _best([*validate, *ways])
        bases = [took[0]] * 4 + [took[1]] * 2
        print(f"{name:38}" + "".join(f"{one / base:12.1f}" for one, base in zip(took[2:], bases, strict=True)))


def _texts(document: Document) -> list[tuple[str, str]]:
    made = ((condition.name, str(condition.make(document)[0])) for condition in conditions())
    texts = [(name, text) for name, text in made if name.startswith(_REGULAR)]
    return [*texts, ("single quotes, apostrophes", _with_apostrophes(dict(texts)["single quotes everywhere"]))]


def _with_apostrophes(text: str) -> str:
    return text.replace("top five account", "top five don't account").replace("this year", "this year's plan")


def _ways(text: str) -> list[Callable[[], Any]]:
    same: list[Callable[[dict[str, Any]], dict[str, Any]]] = [lambda data: data]
    return [
        lambda: parse_llm_json_output(text, Report),
        lambda: parse_llm_json_output_with_trace(text, Report),
        lambda: decode_llm_json(text),
        lambda: parse_llm_json_output(text, Report, normalizers=same),
        lambda: parse_llm_json_output(text, ClosedReport),
        lambda: parse_llm_json_output_with_trace(text, ClosedReport),
    ]


def _best(calls: list[Callable[[], Any]]) -> list[float]:
    """The shortest time of each call, in turns, so that a noisy moment hits all of them."""
    best = [float("inf")] * len(calls)
    for _ in range(_CALLS):
        for number, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
