"""How rows are cut into parts."""

import pytest

from src.modules.reparsing.domain import part
from src.modules.reparsing.domain.part import PartId, parts_of
from tests.modules.reparsing.rows import MemoryRows


def sizes(source: MemoryRows) -> list[int]:
    return [len(each.rows) for each in parts_of(source, 0)]


def test_part_ends_after_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 3)
    assert sizes(MemoryRows(["{}"] * 7)) == [3, 3, 1]


def test_part_ends_with_the_row_that_makes_it_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_BYTES", 100)
    assert sizes(MemoryRows(["x" * 60, "x" * 60, "x" * 200, "x"])) == [2, 1, 1]


def test_parts_are_numbered_by_input_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 1)
    assert [each.id for each in parts_of(MemoryRows(["{}"] * 2), 4)] == [PartId(4, 0), PartId(4, 1)]


def test_position_of_the_last_part_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 2)
    assert [each.position for each in parts_of(MemoryRows(["{}"] * 5), 0)] == [2, 4, 5]


def test_input_without_rows_has_no_parts() -> None:
    assert sizes(MemoryRows([])) == []
