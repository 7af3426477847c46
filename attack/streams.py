"""The attack with streams: damaged texts come in pieces, and nothing that was shown of them may be taken back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from attack.budget import Budget
from attack.tables import example, table
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from tests.streamed import pieces, snapshots, taken_back

OUTPUTS = Path(__file__).parents[1] / "tests/corpus/own/outputs.jsonl"
LONGEST = 800
SIGNS = (
    *('"', "'", ",", ":", "{", "}", "[", "]", "\n", "\\", "“", "”", "，", "：", "/", "`", " "),
    *('"x"', "a: ", "}}", '\\"', ', "z": 1', "//", "</think>", "\n```\n", "1", "null"),
)
BROKEN = {
    "taken back": "shown, and not in what the parser reads of the whole text",
    "cut otherwise": "another snapshot at the same place, where the pieces were cut otherwise",
    "another end": "`close` gives something else than the parser",
}
_COLUMNS = ("texts", "refused", "read", "shown to the end", "in part", "nothing", "unforeseen", *BROKEN)


@dataclass(slots=True)
class StreamReport:
    """Counts, and the shortest text for each broken promise."""

    counts: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, tuple[str, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return any(self.counts[name] for name in BROKEN)

    def add(self, name: str, text: str, told: object) -> None:
        """Count a broken promise."""
        self.counts[name] += 1
        self.shortest[name] = min((text, told), self.shortest.get(name, (text, told)), key=lambda one: len(one[0]))

    def text(self) -> str:
        """Write the counts, what they mean, and the examples."""
        notes = [f"{name}: {meaning}; must be 0." for name, meaning in BROKEN.items()]
        notes.append(
            "unforeseen: taken back by a key that stands twice or by the end of a block of reasoning; documented."
        )
        shown = [example(name, text=text, told=told) for name, (text, told) in self.shortest.items()]
        return "\n".join([table(_COLUMNS, [[self.counts[name] for name in _COLUMNS]]), *notes, *shown])


def attack(budget: Budget, seed: int) -> StreamReport:
    """Stream damaged texts for as long as the budget says."""
    report = StreamReport()
    texts = [row["text"] for row in map(json.loads, OUTPUTS.read_text("utf-8").splitlines())]
    texts = [text for text in texts if len(text) < LONGEST]
    for _, random in budget.turns(seed):
        _stream(damaged(random.choice(texts), random), random, report)
    return report


def damaged(text: str, random: Random) -> str:
    """The text with one to three signs taken out, put in or put in place of others."""
    for _ in range(random.choice((1, 1, 2, 3))):
        at, put = random.randrange(len(text) + 1), random.choice(("", *SIGNS))
        text = text[:at] + put + text[at + random.choice((0, 1)) :]
    return text


def _stream(text: str, random: Random, report: StreamReport) -> None:
    report.counts["texts"] += 1
    sizes = [random.randrange(1, 40) for _ in range(3)]
    shown = snapshots(text)
    if _is_cut_otherwise(text, sizes, shown):
        report.add("cut otherwise", text, sizes)
    expected = _decoded(text)
    if (ended := _ended(text, sizes)) != (expected and expected.data):
        report.add("another end", text, ended)
    report.counts["read" if expected else "refused"] += 1
    if expected is None:
        return
    state = "nothing" if not shown or shown[-1].data is None else "in part"
    report.counts["shown to the end" if shown and shown[-1].state == "done" else state] += 1
    if path := taken_back(shown, expected.data):
        if _is_unforeseen(expected):
            report.counts["unforeseen"] += 1
        else:
            report.add("taken back", text, f"{path}, of {json.dumps(expected.data, ensure_ascii=False)}")


def _is_cut_otherwise(text: str, sizes: Sequence[int], shown: Sequence[StreamSnapshot[Any]]) -> bool:
    at = 0
    for turn, snapshot in enumerate(snapshots(text, sizes=sizes)):
        at = min(at + sizes[turn % len(sizes)], len(text))
        if snapshot != shown[at - 1]:
            return True
    return False


def _decoded(text: str) -> DecodedJson[dict[str, Any]] | None:
    try:
        decoded = decode_llm_json(text)
    except LLMJsonParseError:
        return None
    return decoded if decoded.data else None


def _ended(text: str, sizes: Sequence[int]) -> dict[str, Any] | None:
    stream = LLMJsonStream(dict[str, Any])
    for piece in pieces(text, sizes):
        stream.feed(piece)
    try:
        return stream.close() or None
    except LLMJsonParseError:
        return None


def _is_unforeseen(expected: DecodedJson[dict[str, Any]]) -> bool:
    """Whether the text has what cannot be foreseen: a key that stands twice, the end of a block of reasoning."""
    twice = any(repair.kind is RepairKind.DUPLICATE_KEY for repair in expected.repairs)
    return twice or any(note.stage == "think" and note.span.start == 0 for note in expected.notes)
