"""How many real outputs a second, beside the decoder of the standard library, and what the reader takes of it.

.cache/bench/bin/python -m tools.benchmarks.pool [--count 10000]

Each way reads the texts in one process, a hundred at a time and in turns, so that a busy machine slows all of them;
events of the parser are dropped where they are made.
The reader alone is measured in a run of its own: the time in it for each text that comes to it, whether it is read in
in the end or refused. Texts that are clean, wrapped or refused are read five times for their price beside
`json.loads` of what is inside, and texts that take too long are read again: both count with their shortest time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from itertools import islice
from statistics import mean, median
from typing import Any
from unittest.mock import patch

from pydantic import BaseModel, ConfigDict

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reading import scanner
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tools.attack.quiet import quiet
from tools.benchmarks.accuracy import CORPUS
from tools.benchmarks.documents import KB

_TURN = 100
_SLOWEST = 10
_AGAIN = 5
OURS = "decode_llm_json"
_PEER = "json_repair.loads"
_DAMAGED = "{'a': 1,}"
_READ = "read"
"""The name by which the scanner calls the reader."""
MOST = 0.005
"""Seconds that a text may take for each 10 KB, or if it is shorter."""


class Anything(BaseModel):
    """Any object."""

    model_config = ConfigDict(extra="allow")


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each way, one for texts that are read and refused, and one for those that take too long."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.pool")
    parser.add_argument("--count", type=int, default=10_000)
    file = CORPUS / "pool_30k.jsonl.gz"
    count = parser.parse_args(arguments).count
    if not file.is_file():
        print(f"there is no {file}")
        return 1
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, islice(lines, count))}
    took = compare(list(texts.values()), _ways())
    peer = sum(took.get(_PEER, ()))
    for name, seconds in took.items():
        slowest = sum(sorted(seconds)[-_SLOWEST:]) / sum(seconds)
        beside = f", {peer / sum(seconds):6.2f} x {_PEER}" if peer else ""
        rate = f"{len(texts) / sum(seconds):10,.0f} a second"
        print(f"{name:36} {rate}, {slowest:5.0%} of it for {_SLOWEST} texts{beside}")
    print(*beside_decoder(texts.values()), sep="\n")
    for name, seconds in in_reader(texts.values()).items():
        print(f"{f'in the reader, {name}':36} {told(seconds)}")
    print(slow(dict(zip(texts, took[OURS], strict=True)), texts))
    return 0


def compare(texts: list[str], ways: dict[str, Callable[[str], object]]) -> dict[str, list[float]]:
    """The seconds of each way for each text; what is loaded with the first damaged text is not measured."""
    for way in ways.values():
        _seconds(way, _DAMAGED)
    took: dict[str, list[float]] = {name: [] for name in ways}
    for at in range(0, len(texts), _TURN):
        for name, way in ways.items():
            took[name] += [_seconds(way, text) for text in texts[at : at + _TURN]]
    return took


def beside_decoder(texts: Iterable[str]) -> list[str]:
    """What clean and wrapped texts take beside the decoder, clean objects also typed, and refused ones alone."""
    inside: dict[str, list[tuple[str, str]]] = {"clean": [], "wrapped": [], "clean, typed": []}
    refused: list[float] = []
    for text in texts:
        try:
            decoded = decode_llm_json(text)
        except LLMJsonParseError:
            refused.append(_shortest(decode_llm_json, text))
            continue
        start, end = next(note.span for note in reversed(decoded.notes) if note.action == "chosen")
        inside.get(decoded.grade, []).append((text, text[start:end]))
        if decoded.grade == "clean" and isinstance(decoded.data, dict):
            inside["clean, typed"].append((text, text))
    return [*(_beside(name, pairs) for name, pairs in inside.items()), f"{'refused':36} {told(refused)}"]


def _beside(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    """What our way takes for some texts beside the decoder for what is inside them."""
    pairs = list(pairs)
    is_typed = name.endswith("typed")
    way, peer = (_typed, Anything.model_validate_json) if is_typed else (decode_llm_json, json.loads)
    ours, theirs = sum(_shortest(way, text) for text, _ in pairs), sum(_shortest(peer, text) for _, text in pairs)
    return f"{name:36} {len(pairs):,} texts, {ours / theirs if theirs else 0:.2f} x {peer.__qualname__}"


def _typed(text: str) -> Anything:
    return parse_llm_json_output(text, Anything)


def _shortest(way: Callable[[str], object], text: str) -> float:
    return min(_seconds(way, text) for _ in range(_AGAIN))


def in_reader(texts: Iterable[str]) -> dict[str, list[float]]:
    """The seconds in the reader of damaged objects, of the texts that come to it: read in the end, and refused."""
    found: dict[str, list[float]] = {"read": [], "refused": []}
    read = getattr(scanner, _READ)
    spent: list[float] = []

    def timed(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever the reader takes and gives
        start = time.process_time()
        try:
            return read(*arguments, **options)
        finally:
            spent.append(time.process_time() - start)

    with patch.object(scanner, _READ, timed):
        for text in texts:
            spent.clear()
            try:
                decode_llm_json(text)
            except LLMJsonParseError:
                outcome = "refused"
            else:
                outcome = "read"
            if spent:
                found[outcome].append(sum(spent))
    return found


def told(seconds: list[float]) -> str:
    """How long some texts take."""
    if not seconds:
        return "no text"
    of = [f"{name} {1e6 * value:,.0f}" for name, value in (("median", median(seconds)), ("average", mean(seconds)))]
    return f"{len(seconds):,} texts, {', '.join(of)}, most {1e6 * max(seconds):,.0f} µs"


def slow(took: dict[str, float], texts: dict[str, str]) -> str:
    """How many texts take too long for their length, and the worst of them."""
    rates = {
        name: min(seconds, *(_seconds(decode_llm_json, texts[name]) for _ in range(_AGAIN))) / most(texts[name])
        for name, seconds in took.items()
        if seconds > most(texts[name])
    }
    over = {name: rate for name, rate in rates.items() if rate > 1}
    if not over:
        return f"no text takes more than {MOST * 1e3:g} ms for each 10 KB"
    worst = sorted(over, key=lambda name: -over[name])[:_SLOWEST]
    shown = ", ".join(f"{name} {over[name] * MOST * 1e3:.1f}" for name in worst)
    return f"{len(over)} texts take more than {MOST * 1e3:g} ms for each 10 KB: {shown} ms"


def most(text: str) -> float:
    """Seconds that a text may take."""
    return MOST * max(len(text) / (10 * KB), 1)


def _ways() -> dict[str, Callable[[str], object]]:
    ways: dict[str, Callable[[str], object]] = {
        OURS: decode_llm_json,
        "parse_llm_json_output_with_trace": lambda text: parse_llm_json_output_with_trace(text, Anything),
    }
    for library in (_PEER.partition(".")[0], "fast_json_repair"):
        with suppress(ImportError):
            ways[f"{library}.loads"] = import_module(library).loads
    return ways


def _seconds(way: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    with suppress(Exception):
        way(text)
    return time.process_time() - start


if __name__ == "__main__":
    quiet()
    sys.exit(main())
