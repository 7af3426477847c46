"""The attack with streams: damaged texts come in pieces, and nothing that was shown of them may be taken back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import DecodedJson, ParsedOutput, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from tests.streamed import pieces, snapshots, taken_back
from tools.attack.budget import Budget
from tools.attack.damaged import damaged_document
from tools.attack.tables import example, table
from tools.attack.typed import type_of

OUTPUTS = Path(__file__).parents[2] / "tests/corpus/own/outputs.jsonl"
LONGEST = 800
ENDS = (None, True, False)
"""All that may be known of the end of a text."""
_TYPED = 3
"""Which of four texts are read into a type."""
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
    """Stream damaged texts for as long as the budget says.

    Every second text is an output of the project's own with signs put in and taken out, every other one a document with
    one or two damages and a wrapper around it; every second of those is read into a type.
    """
    report = StreamReport()
    texts = [row["text"] for row in map(json.loads, OUTPUTS.read_text("utf-8").splitlines())]
    texts = [text for text in texts if len(text) < LONGEST]
    for number, random in budget.turns(seed):
        made = damaged_document(number // 2, random) if number % 2 else None
        if made is None:
            _stream(damaged(random.choice(texts), random), random, report)
        else:
            _stream(made.text, random, report, type_of(made.document, random) if number % 4 == _TYPED else None)
    return report


def damaged(text: str, random: Random) -> str:
    """The text with one to three signs taken out, put in or put in place of others."""
    for _ in range(random.choice((1, 1, 2, 3))):
        at, put = random.randrange(len(text) + 1), random.choice(("", *SIGNS))
        text = text[:at] + put + text[at + random.choice((0, 1)) :]
    return text


def _stream(text: str, random: Random, report: StreamReport, dto_type: type[BaseModel] | None = None) -> None:
    report.counts["texts"] += 1
    sizes = [random.randrange(1, 40) for _ in range(3)]
    shown = _shown(text, dto_type)
    if _is_cut_otherwise(shown, _shown(text, dto_type, sizes=sizes), sizes):
        report.add("cut otherwise", text, sizes)
    ends = [_end(text, dto_type or dict[str, Any], finished) for finished in ENDS]
    finished = random.choice(ENDS)
    expected = ends[ENDS.index(finished)]
    if (ended := _ended(text, dto_type or dict[str, Any], sizes, finished)) != (expected and expected.value):
        report.add("another end", text, f"{ended}, {finished=}")
    read = [end.decoded for end in ends if end and end.decoded.data]
    report.counts["read" if read else "refused"] += 1
    if not read:
        return
    state = "nothing" if not shown or shown[-1].data is None else "in part"
    report.counts["shown to the end" if shown and shown[-1].state == "done" else state] += 1
    for decoded in read:
        if path := taken_back(shown, decoded.data):
            if _is_unforeseen(decoded):
                report.counts["unforeseen"] += 1
            else:
                report.add("taken back", text, f"{path}, of {json.dumps(decoded.data, ensure_ascii=False)}")
            return


def _shown(text: str, dto_type: type[BaseModel] | None, **how: Sequence[int]) -> list[StreamSnapshot[Any]]:
    return snapshots(text, **how) if dto_type is None else snapshots(text, dto_type, **how)


def _is_cut_otherwise(
    shown: Sequence[StreamSnapshot[Any]], in_pieces: Sequence[StreamSnapshot[Any]], sizes: Sequence[int]
) -> bool:
    at = 0
    for turn, snapshot in enumerate(in_pieces):
        at = min(at + sizes[turn % len(sizes)], len(shown))
        if snapshot != shown[at - 1]:
            return True
    return False


def _end(text: str, dto_type: Any, finished: bool | None) -> ParsedOutput[Any] | None:  # noqa: ANN401, FBT001 - any type, the parser's own argument
    try:
        return parse_llm_json_output_with_trace(text, dto_type, finished=finished)
    except LLMJsonParseError:
        return None


def _ended(text: str, dto_type: Any, sizes: Sequence[int], finished: bool | None) -> object:  # noqa: ANN401, FBT001 - as above
    stream: LLMJsonStream[Any] = LLMJsonStream(dto_type)
    for piece in pieces(text, sizes):
        stream.feed(piece)
    try:
        return stream.close(finished)
    except LLMJsonParseError:
        return None


def _is_unforeseen(expected: DecodedJson[Any]) -> bool:
    """Whether the text has what cannot be foreseen: a key that stands twice, the end of a block of reasoning."""
    twice = any(repair.kind is RepairKind.DUPLICATE_KEY for repair in expected.repairs)
    return twice or any(note.stage == "think" and note.span.start == 0 for note in expected.notes)
