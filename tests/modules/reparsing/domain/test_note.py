"""What is noted of a text for the store of outcomes."""

from __future__ import annotations

import pytest

from src.modules.reparsing.domain.outcome import Answer, Parsed, Refused, RepairMark, TextNote
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.workers.reading import Readings

RECORD = Record("in.jsonl:1", "1", "text", "verdict", model="m")


@pytest.mark.parametrize(("characters", "text"), [(0, None), (2, "te"), (9, "text")])
def test_read_text_is_noted_with_its_repairs_and_as_much_of_it_as_is_wanted(characters: int, text: str | None) -> None:
    note = TextNote.of(Answer(RECORD, Parsed({}, (RepairMark("comment", 1, 1),) * 2)), characters)
    assert note is not None
    assert note[1:] == ("verdict", "m", "", ("comment", "comment"), 4, text)


def test_refused_text_is_noted_with_its_stage() -> None:
    note = TextNote.of(Answer(Record("in.jsonl:2", "2"), Refused("empty", "empty", "empty")), 9)
    assert note is not None
    assert note[1:] == (None, None, "empty", (), 0, "")


def test_row_that_never_reached_the_parser_is_not_noted() -> None:
    assert TextNote.of(Answer(RECORD, Refused("input", "no text", "no text")), 0) is None


@pytest.mark.parametrize(("noted", "notes"), [(None, 0), (0, 1)])
def test_readings_keep_notes_where_somebody_wants_them(noted: int | None, notes: int) -> None:
    readings = Readings()
    readings.keep(Answer(RECORD, Parsed({})), noted)
    assert len(readings.notes) == notes
