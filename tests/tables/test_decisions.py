"""The reader's decisions and their cases: each has both, and its page is current."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from src.shared.domain.edits import EditedText
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reading import reader
from src.shared.domain.reading.machine import Decision, Machine
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.corpus.reading import is_same
from tests.paths import ROOT
from tests.tables.reference import BESIDE, ROWS, Row, cases, page, tables

DECISIONS = [row for table in tables() for row in table.rows]
IS_REFUSED = "refused"
"""What a decision does that reads nothing."""
WITHOUT_CASES = {
    "end for a key": "a comma at the end says that more was to come",
    "end for an element": "the same",
    "text behind the last container": "it takes a type: damages.toml has its texts",
}
"""Decisions without a text that is read by them, or without one beside it that is refused, and why."""


@contextmanager
def machines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Machine]]:
    """Every machine that begins to read."""
    begun: list[Machine] = []

    class Kept(Machine):
        def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - whatever a machine takes
            super().__init__(*args, **options)
            begun.append(self)

    with monkeypatch.context() as patched:
        patched.setattr(reader, "Machine", Kept)
        yield begun


def is_made(row: Row, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a text is read as its row says, by its decision."""
    with machines(monkeypatch) as begun:
        try:
            data = decode_llm_json(row["text"], **row.get("options", {})).data
        except LLMJsonParseError:
            return False
    return is_same(data, json.loads(row["value"])) and any(row["decision"] in one.decided for one in begun)


def what_is_missing(decision: Decision, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which cases a decision lacks; empty if none."""
    if decision.does != IS_REFUSED and not any(is_made(row, monkeypatch) for row in cases(decision.name, read=True)):
        return "no text is read by it"
    if (decision.witness or decision.does == IS_REFUSED) and not cases(decision.name, read=False):
        return "no text beside it is refused"
    return ""


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.name)
def test_decision_is_made_for_a_text_and_not_for_one_beside_it(
    decision: Decision, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = what_is_missing(decision, monkeypatch)
    assert bool(missing) == (decision.name in WITHOUT_CASES), missing


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_beside_the_decisions_has_a_text_that_is_read_and_one_that_is_refused(name: str) -> None:
    assert cases(name, read=True)
    assert cases(name, read=False)


def test_names_of_decisions_are_those_that_rows_say() -> None:
    names = [decision.name for decision in DECISIONS]
    assert len(names) == len(set(names))
    assert {row["decision"] for row in ROWS} <= {*names, *BESIDE}
    assert {row["decision"] for row in ROWS} >= BESIDE.keys()


def test_edits_of_a_reading_make_the_text_that_was_decoded() -> None:
    """But for a key that stands twice, and a text that is JSON already, in which the reader may still see a path."""
    read_by_edits = 0
    for row in ROWS:
        value = reader.read(row["text"], 0) if row["text"].startswith("{") and row.get("repairs") else None
        if value and "value" in row and value.problem is None and value.end == len(row["text"]):
            edits = [edit for edit in value.edits if edit.kind is not RepairKind.CONTROL_CHARACTER]
            text = EditedText(row["text"], 0, value.end, edits).text
            if "duplicate_key" not in row["repairs"] and "non_finite_number" not in row["repairs"]:
                assert is_same(json.loads(text, strict=False), json.loads(row["value"])), row["text"]
                read_by_edits += 1
    assert read_by_edits > 500


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        ("{'a': 1} and it's so", 8),
        ("{a: 1} see {x} and [1]", 6),
        ("{a: 1,}\n{b: 2}", 7),
        ("{'a': {'b': 1}} but {it's}", 15),
        ('{a: "the "moat" is"}\nso', 20),
    ],
)
def test_value_ends_where_its_bracket_stands_whatever_follows(raw: str, end: int) -> None:
    assert reader.read(raw, 0).end == end


def test_page_is_current() -> None:
    path = ROOT / "docs" / "reference" / "decisions.md"
    assert path.read_text(encoding="utf-8") == page(), f"run: python -m tests.tables.reference > {path}"
