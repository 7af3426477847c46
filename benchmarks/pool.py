"""How many real outputs a second: `.cache/bench/bin/python -m benchmarks.pool [--count 10000]`.

Each way reads the texts in one process, a hundred at a time and in turns, so that a busy machine slows all of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import islice

from pydantic import BaseModel, ConfigDict

from benchmarks.accuracy import CORPUS
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace

_TURN = 100
_SLOWEST = 10


class Anything(BaseModel):
    """Any object."""

    model_config = ConfigDict(extra="allow")


def main() -> int:
    """Print a line for each way: texts a second, and the share of the slowest ten texts in its time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pool")
    parser.add_argument("--count", type=int, default=10_000)
    file = CORPUS / "pool_30k.jsonl.gz"
    if not file.is_file():
        print(f"there is no {file}")
        return 1
    logging.disable()
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, parser.parse_args().count)]
    ways = _ways()
    took: dict[str, list[float]] = {name: [] for name in ways}
    for at in range(0, len(texts), _TURN):
        for name, way in ways.items():
            took[name] += [_seconds(way, text) for text in texts[at : at + _TURN]]
    for name, seconds in took.items():
        slowest = sum(sorted(seconds)[-_SLOWEST:]) / sum(seconds)
        print(f"{name:36} {len(texts) / sum(seconds):10,.0f} a second, {slowest:5.0%} of it for {_SLOWEST} texts")
    return 0


def _ways() -> dict[str, Callable[[str], object]]:
    ways: dict[str, Callable[[str], object]] = {
        "decode_llm_json": decode_llm_json,
        "parse_llm_json_output_with_trace": lambda text: parse_llm_json_output_with_trace(text, Anything),
    }
    for library in ("json_repair", "fast_json_repair"):
        with suppress(ImportError):
            ways[f"{library}.loads"] = import_module(library).loads
    return ways


def _seconds(way: Callable[[str], object], text: str) -> float:
    start = time.perf_counter()
    with suppress(Exception):
        way(text)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
