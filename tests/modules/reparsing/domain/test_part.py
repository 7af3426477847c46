"""How rows are cut into parts."""

from typing import TypeAlias

import pytest

from src.modules.reparsing.domain import part
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import PartId, RowSource, parts_of, parts_to_read
from src.modules.reparsing.domain.record import Fields, Row
from src.shared.domain.language import Message
from tests.modules.reparsing.rows import memory_rows


def sizes(source: RowSource) -> list[int]:
    return [len(each.rows) for each in parts_of(source, 0)]


def test_part_ends_after_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 3)
    assert sizes(memory_rows(["{}"] * 7)) == [3, 3, 1]


def test_part_ends_with_the_row_that_makes_it_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_BYTES", 100)
    assert sizes(memory_rows(["x" * 60, "x" * 60, "x" * 200, "x"])) == [2, 1, 1]


def test_parts_are_numbered_by_input_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 1)
    assert [each.id for each in parts_of(memory_rows(["{}"] * 2), 4)] == [PartId(4, 0), PartId(4, 1)]


def test_position_of_the_last_part_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 2)
    assert [each.position for each in parts_of(memory_rows(["{}"] * 5), 0)] == [2, 4, 5]


def test_input_without_rows_has_no_parts() -> None:
    assert sizes(memory_rows([])) == []


RawContent: TypeAlias = bytes | Fields | Message


def done_parts(source: RowSource, number: int = 0) -> dict[PartId, str]:
    return {each.id: each.digest for each in parts_of(source, number)}


def test_parts_that_are_done_are_not_to_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 2)
    source = memory_rows(["a", "b", "c", "d", "e"])
    done = done_parts(source, 3)
    del done[PartId(3, 1)]
    assert [each.id for each in parts_to_read(source, 3, done)] == [PartId(3, 1)]


def test_rows_that_changed_since_they_were_read_are_an_error_with_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 2)
    done = done_parts(memory_rows(["a", "b", "c", "d"]))
    with pytest.raises(BatchInputError, match="changed since the run began, from memory:3 on"):
        list(parts_to_read(memory_rows(["a", "b", "c", "D"]), 0, done))


def test_input_that_lost_rows_that_were_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 2)
    done = {PartId(0, 1): done_parts(memory_rows(["a", "b", "c", "d"]))[PartId(0, 1)]}
    with pytest.raises(BatchInputError, match="changed since the run began"):
        list(parts_to_read(memory_rows(["a", "b"]), 0, done))


def test_parts_of_another_input_that_are_done_say_nothing_of_this_one() -> None:
    source = memory_rows(["a"])
    assert len(list(parts_to_read(source, 0, done_parts(source, 1)))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"a", "a"),
        (b"a", {"text": b"a"}),
        ({"text": b"a"}, {"text": "a"}),
        ({"text": "1"}, {"text": 1}),
        ({"text": "ab", "id": "c"}, {"text": "a", "id": "bc"}),
        ({"text": "a"}, {"text": "a", "id": None}),
        (Message("坏", "broken"), Message("坏", "missing")),
    ],
)
def test_rows_that_differ_have_digests_that_differ(one: RawContent, other: RawContent) -> None:
    assert digest(Row("place", one)) != digest(Row("place", other))


def test_rows_at_other_places_have_digests_that_differ() -> None:
    assert digest(Row("a:1", b"{}")) != digest(Row("a:2", b"{}"))


def digest(row: Row) -> dict[PartId, str]:
    return done_parts(memory_rows([""], rows=lambda: iter([row])))
