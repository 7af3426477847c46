"""Right, wrong or refused on texts that models really wrote and on other libraries' own test cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.benchmarks.conditions import REFUSE
from tools.benchmarks.peers import Peer
from tools.benchmarks.verdict import Verdict, same
from tools.benchmarks.worker import Load, Worker

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
"""Kept beside the project, not in it."""

_SECONDS = 10.0
_NO_ANSWER = {"truncated", "multi-object", "no-json"}
_HARMLESS = {"skip_json_loads"}
_FEW = 10
"""Cases of a library that say nothing of another one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Texts that are counted together."""

    name: str
    cases: tuple[tuple[str, Any], ...]


Counts = dict[tuple[str, str], Counter[Verdict]]
"""By group and library."""


def groups() -> tuple[Group, ...]:
    """Return the groups of the corpus; none where it is absent."""
    if not CORPUS.is_dir():
        return ()
    return (*_real_outputs(), *_suites())


def count(peers: tuple[Peer, ...], texts: tuple[Group, ...], say: Callable[[str], None]) -> Counts:
    """Let every library read every text, untyped: the corpus has no types."""
    counts: Counts = {}
    for peer in peers:
        say(f"corpus, {peer.name}")
        worker = Worker(peer.name)
        try:
            for group in texts:
                verdicts = (worker.ask(Load(text, value, typed=False), _SECONDS).verdict for text, value in group.cases)
                counts[group.name, peer.name] = Counter(verdicts)
        finally:
            worker.stop()
    return counts


def _real_outputs() -> Iterator[Group]:
    rows = list(_rows(CORPUS / "real_outputs.jsonl"))
    for confidence in ("high", "medium"):
        single = [
            (row["text"], row["expected"])
            for row in rows
            if isinstance(row["expected"], dict)
            and row["kind"] not in _NO_ANSWER
            and row["expected_confidence"] == confidence
        ]
        yield Group(f"real outputs, one object, confidence {confidence}", tuple(single))
    for kind, name in (("truncated", "real outputs, cut off"), ("no-json", "real outputs, no JSON in them")):
        yield Group(name, tuple((row["text"], REFUSE) for row in rows if row["kind"] == kind))


def real_texts() -> list[str]:
    """Return every real output, labelled or not; none where the corpus is absent."""
    path = CORPUS / "real_outputs.jsonl"
    return [row["text"] for row in _rows(path)] if path.exists() else []


def _suites() -> Iterator[Group]:
    for path in sorted(CORPUS.glob("cases_*.jsonl")):
        fair = [row for row in _rows(path) if isinstance(row.get("expected"), dict) and _is_fair(row)]
        if len(fair) > _FEW:
            name = path.stem.removeprefix("cases_")
            yield Group(f"{name}'s own cases", tuple((row["input"], row["expected"]) for row in fair))


def _is_fair(row: dict[str, Any]) -> bool:
    """Leave out what parsers may differ on, and what only the owner knows: a type, a schema, an option of its call."""
    tags, options = row.get("tags", []), set(row.get("kwargs") or {})
    needs_type = row["source"] == "baml" and "untyped_fair" not in tags
    return not ("either" in tags or needs_type or options - _HARMLESS or _means_something_else(row))


def _means_something_else(row: dict[str, Any]) -> bool:
    """Whether the text is valid JSON and its owner expects another value all the same."""
    try:
        return not same(json.loads(row["input"]), row["expected"])
    except ValueError:
        return False


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
