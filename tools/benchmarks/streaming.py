"""Answers that come in pieces: `.cache/bench/bin/python -m tools.benchmarks.streaming [--sizes 2 20 200] [--bound 10]`.

Prints the tables of docs/explanation/streaming.md. The time is the processor's, of this process. What would take longer
than the bound is stopped, and a larger text or smaller pieces are not begun. `--promises` measures only our own
streams, in every condition of the benchmark, beside one parse of the same text.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterator

from pydantic import BaseModel

from src.shared.infrastructure.llm_json import parse_llm_json_output
from tools.benchmarks.conditions import REFUSE, conditions
from tools.benchmarks.documents import KB, Report, build, clean_text
from tools.benchmarks.environment import machine
from tools.benchmarks.report import table
from tools.benchmarks.stream_peers import OURS, OURS_AT_THE_END, PEERS, Peer, Run, present
from tools.benchmarks.stream_texts import CASES, Back, Note, leaves_of, shown_of
from tools.benchmarks.stream_times import Took, best_of, first_shown

CHUNKS = (64, 8, 1)
DAMAGES = (
    "trailing commas everywhere",
    "unquoted keys everywhere",
    "single quotes everywhere",
    "full-width everywhere",
)
_MOST_GROWTH, _MOST_PARSES = 4, 30
"""What the project promises: 200 KB beside 20 KB, one character at a time; 20 KB in chunks of 8 beside one parse."""

_TURNS = 40
"""Of what takes a few milliseconds."""

Times = dict[tuple[int, int], dict[str, Took]]


class LongText(BaseModel):
    """One long string."""

    text: str


class Numbers(BaseModel):
    """One long list without an object."""

    numbers: list[int]


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.streaming")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 20, 200], help="KB of clean text, ascending")
    parser.add_argument("--bound", type=float, default=10, help="seconds of processor time for one text")
    parser.add_argument("--turns", type=int, default=7, help="turns of what takes less than a second; the best counts")
    parser.add_argument("--promises", action="store_true", help="measure only what the project promises of its own")
    asked = parser.parse_args(arguments)
    peers = tuple(present())
    last = ""
    for line in _promised(_middle(asked.sizes)) if asked.promises else _printed(asked, peers):
        if line or last:
            print(line, flush=True)
        last = line
    return 0


def _printed(asked: argparse.Namespace, peers: tuple[Peer, ...]) -> Iterator[str]:
    facts = {**machine(), "wanting to run": f"{os.getloadavg()[0]:.1f} processes in the last minute"}
    yield from (f"- {name}: {value}" for name, value in facts.items() if name != "node")
    yield from (f"- {peer.name} {peer.version()}: {peer.note}" for peer in peers)
    yield from (f"- absent: {peer.name}, {peer.note}" for peer in PEERS if peer not in peers)
    runs = {peer.name: peer.load(Report) for peer in peers}
    yield from _shown(peers)
    yield from _first_field(runs, asked)
    yield from _damaged(runs, asked)
    yield from _growth(asked)
    yield from _times(runs, asked)


def _shown(peers: tuple[Peer, ...]) -> Iterator[str]:
    yield from ("", "## What is shown, and what of it is taken back", "")
    found = {peer.name: {name: shown_of(peer.load(Note), case) for name, case in CASES.items()} for peer in peers}
    yield from table(("shown by", *CASES), ([name, *map(str, row.values())] for name, row in found.items()), "---")
    yield from ("### The first value that was taken back", "")
    rows = (
        [name, text, _told(shown.back[0])] for name, row in found.items() for text, shown in row.items() if shown.back
    )
    yield from table(("shown by", "text", "shown, and later"), rows, "---")


def _told(back: Back) -> str:
    later = "gone" if back.later is None else f"`{back.later!r}`"
    return f"`{back.path}`: `{back.shown!r}`, {later}"


def _first_field(runs: dict[str, Run], asked: argparse.Namespace) -> Iterator[str]:
    size = asked.sizes[0]
    document = build(size * KB)
    texts = {each.name: each.make(document) for each in conditions() if each.name in _WRAPPED}
    expected = leaves_of(document)
    yield from ("", f"## Characters of the first value that were there when it was first shown, {size} KB", "")
    rows = [
        [name, *(first_shown(run, str(text), expected, asked.bound / 2) for text, _ in texts.values())]
        for name, run in runs.items()
    ]
    yield from table(("shown by", *texts), rows)


_WRAPPED = ("clean", "fenced", "think + fence", "think with a draft + fence", "prose")


def _damaged(runs: dict[str, Run], asked: argparse.Namespace) -> Iterator[str]:
    size = _middle(asked.sizes)
    document = build(size * KB)
    expected = leaves_of(document)
    texts = {each.name: str(each.make(document)[0]) for each in conditions() if each.name in DAMAGES}
    yield from ("", f"## Regular damage: milliseconds for {size} KB in chunks of 8, and the end", "")
    found = {name: best_of(runs, text, 8, asked.bound, 1, expected) for name, text in texts.items()}
    yield from table(("shown by", *texts), ([name, *(str(found[text][name]) for text in texts)] for name in runs))


def _growth(asked: argparse.Namespace) -> Iterator[str]:
    small, large = _middle(asked.sizes), asked.sizes[-1]
    yield from ("", f"## One character at a time, every snapshot looked at: {large} KB beside {small} KB", "")
    rows, worst = [], 0.0
    for name, (dto, text_of) in _SHAPES.items():
        run = {OURS: PEERS[0].load(dto)}
        each = []
        for size in (small, large):
            text = text_of(size * KB)
            each.append(best_of(run, text, 1, asked.bound * 3, asked.turns)[OURS].seconds / len(text) * 1e6)
        worst = max(worst, each[1] / each[0])
        rows.append([name, *(f"{one:.1f}" for one in each), f"× {each[1] / each[0]:.2f}"])
    yield from table(("answer", f"µs a character, {small} KB", f"{large} KB", "ratio"), rows)
    yield f"{large} KB beside {small} KB: at most × {worst:.2f} a character ({_met(worst <= _MOST_GROWTH)})"


_SHAPES: dict[str, tuple[type[BaseModel], Callable[[int], str]]] = {
    "the report": (Report, lambda size: clean_text(build(size))),
    "one long text": (LongText, lambda size: LongText(text=("A word. " * size)[: size - 12]).model_dump_json()),
    "a list of numbers": (Numbers, lambda size: Numbers(numbers=[*range(100, 100 + size // 6)]).model_dump_json()),
}


def _times(runs: dict[str, Run], asked: argparse.Namespace) -> Iterator[str]:
    times: Times = {}
    for size in asked.sizes:
        text = clean_text(build(size * KB))
        expected = leaves_of(build(size * KB))
        for chunk in CHUNKS:
            begun = {name: run for name, run in runs.items() if not _is_hopeless(times, name, size, chunk)}
            times[size, chunk] = best_of(begun, text, chunk, asked.bound, asked.turns, expected)
        yield from ("", f"## Milliseconds of processor time for {size} KB, {len(text):,} characters", "")
        rows = [[name, *(_cell(times[size, chunk].get(name)) for chunk in CHUNKS)] for name in runs]
        yield from table(("shown by", *(f"chunks of {chunk}" for chunk in CHUNKS)), rows)
        yield f"one parse of the text: {_one_parse(text) * 1000:.2f} ms"
    size = _middle(asked.sizes)
    yield from ("", "## What is promised", "")
    yield from _verdicts(runs, times[size, 8], size)


def _is_hopeless(times: Times, name: str, size: int, chunk: int) -> bool:
    """Whether the library was stopped at a text that is no larger, in pieces that are no smaller."""
    return any(
        size >= done and chunk <= pieces and (name not in took or took[name].stopped_at is not None)
        for (done, pieces), took in times.items()
    )


def _promised(size: int) -> Iterator[str]:
    """How long a stream takes beside one parse, in every condition of the text that is read."""
    runs = {peer.name: peer.load(Report) for peer in PEERS if peer.family == "ours"}
    document = build(size * KB)
    for condition in conditions():
        text, expected = condition.make(document)
        if expected != REFUSE:
            whole, looked = _parses(runs, str(text))
            parses = f"fed and closed × {whole:.1f} of one parse, every snapshot looked at × {looked:.1f}"
            yield f"- {size} KB in chunks of 8, {condition.name}: {parses} ({_met(max(whole, looked) <= _MOST_PARSES)})"


def _parses(runs: dict[str, Run], text: str) -> list[float]:
    """How many parses of it a text in chunks of 8 takes, looked at only at the end, and at every snapshot."""
    ways = {OURS: runs[OURS], OURS_AT_THE_END: runs[OURS_AT_THE_END], "parse": _parse_of(text)}
    best = best_of(ways, text, 8, 60, _TURNS)  # in turns with the parse, which is short
    return [best[name].seconds / best["parse"].seconds for name in (OURS_AT_THE_END, OURS)]


def _verdicts(runs: dict[str, Run], took: dict[str, Took], size: int) -> Iterator[str]:
    whole, looked = _parses(runs, clean_text(build(size * KB)))
    yield f"- {size} KB in chunks of 8, fed and closed: × {whole:.1f} of one parse ({_met(whole <= _MOST_PARSES)})"
    yield f"- the same, with every snapshot looked at: × {looked:.1f} of one parse ({_met(looked <= _MOST_PARSES)})"
    others = [peer.name for peer in PEERS if peer.family == "python" and peer.name in took]
    quicker = [name for name in others if took[name].stopped_at is None and took[name].seconds <= took[OURS].seconds]
    said = f"quicker: {', '.join(quicker)}" if quicker else f"less than each of {', '.join(others)}"
    yield f"- every snapshot looked at, beside the Python libraries: {said} ({_met(not quicker)})"


def _one_parse(text: str) -> float:
    return best_of({"": _parse_of(text)}, text, len(text), 60, _TURNS)[""].seconds


def _parse_of(text: str) -> Run:
    return lambda _chunks, show: show(parse_llm_json_output(text, Report))


def _cell(took: Took | None) -> str:
    return "not begun" if took is None else str(took)


def _middle(sizes: list[int]) -> int:
    return sizes[min(1, len(sizes) - 1)]


def _met(is_met: bool) -> str:  # noqa: FBT001 - the one thing it tells
    return "as promised" if is_met else "MISSED"


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
