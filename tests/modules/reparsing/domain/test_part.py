"""How rows are cut into parts, and which of them are to be read."""

from typing import TypeAlias

import pytest

from src.modules.reparsing.domain import part
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import PartId, RowSource, parts_of, parts_to_read
from src.modules.reparsing.domain.record import Fields, Row
from src.shared.domain.language import Message
from tests.modules.reparsing.rows import memory_rows

RawContent: TypeAlias = bytes | Fields | Message


@pytest.fixture(autouse=True)
def two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part has few rows, and few bytes."""
    monkeypatch.setattr(part, "PART_ROWS", 2)
    monkeypatch.setattr(part, "PART_BYTES", 100)


def done_parts(source: RowSource, number: int = 0) -> dict[PartId, str]:
    return {each.id: each.digest for each in parts_of(source, number)}


@pytest.mark.parametrize(
    ("texts", "sizes", "positions"),
    [
        (["{}"] * 5, [2, 2, 1], [2, 4, 5]),
        (["x" * 60, "x" * 60, "x" * 200, "x"], [2, 1, 1], [2, 3, 4]),
        ([], [], []),
    ],
)
def test_part_ends_after_its_rows_or_with_the_one_that_makes_it_too_large(
    texts: list[str], sizes: list[int], positions: list[int]
) -> None:
    parts = list(parts_of(memory_rows(texts), 4))
    assert [(len(each.rows), each.position) for each in parts] == [*zip(sizes, positions, strict=True)]
    assert [each.id for each in parts] == [PartId(4, number) for number in range(len(sizes))]


def test_parts_that_are_done_are_not_to_be_read_and_those_of_another_input_say_nothing() -> None:
    source = memory_rows(["a", "b", "c", "d", "e"])
    done = done_parts(source, 3) | {PartId(2, 1): "of another"}
    del done[PartId(3, 1)]
    assert [each.id for each in parts_to_read(source, 3, done)] == [PartId(3, 1)]
    assert len(list(parts_to_read(source, 4, done))) == 3


@pytest.mark.parametrize(("now", "where"), [("abcD", ", from memory:3 on"), ("ab", "")])
def test_rows_that_changed_or_went_since_they_were_read_are_an_error(now: str, where: str) -> None:
    done = done_parts(memory_rows([*"abcd"]))
    if not where:
        del done[PartId(0, 0)]
    with pytest.raises(BatchInputError, match=f"changed since the run began{where}"):
        list(parts_to_read(memory_rows([*now]), 0, done))


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
def test_rows_that_differ_or_stand_elsewhere_have_digests_that_differ(one: RawContent, other: RawContent) -> None:
    rows = (Row("a:1", one), Row("a:1", other), Row("a:2", one))
    found = [done_parts(memory_rows([""], rows=lambda row=row: iter([row])))[PartId(0, 0)] for row in rows]
    assert len({*found}) == 3
