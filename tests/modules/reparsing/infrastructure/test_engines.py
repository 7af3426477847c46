"""Reading with processes of this machine."""

import json
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import pytest

from src.modules.reparsing.domain import part
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource, parts_of
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.engines import PartReader, read_locally
from src.modules.reparsing.infrastructure.reading import READING
from src.shared.infrastructure.processes import Limits, Task
from tests.modules.reparsing.rows import cut_off, memory_rows

DECODING = "tests.modules.reparsing.infrastructure.test_reading:decoding"
READER = PartReader(Task(READING, {"reader": DECODING, "arguments": {}, "names": FieldNames()}), Limits())
read = partial(read_locally, READER)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 5)


def results(sources: Sequence[RowSource], workers: int, done: Done | None = None) -> list[PartResult]:
    return sorted(read(workers, sources, done or {}), key=lambda result: result.id)


def texts(count: int) -> list[str]:
    return [f'{{"number": {number}}}' for number in range(count)]


def numbers(found: list[PartResult]) -> list[int]:
    return [json.loads(line)["data"]["number"] for result in found for _, line in result.outcomes.lines]


def test_every_row_of_every_input_is_read_once_by_any_number_of_workers() -> None:
    sources = [memory_rows(texts(33)), memory_rows(texts(2))]
    one, three = (results(sources, workers) for workers in (1, 3))
    assert numbers(one) == [*range(33), 0, 1]
    assert [(each.id, each.outcomes.lines) for each in one] == [(each.id, each.outcomes.lines) for each in three]
    assert one[-1].id == PartId(1, 0)


def test_parts_that_are_done_are_not_read_again() -> None:
    source = memory_rows(texts(12))
    done = {each.id: each.digest for each in parts_of(source, 0) if each.id != PartId(0, 1)}
    assert numbers(results([source], 1, done)) == [5, 6, 7, 8, 9]


def test_input_that_breaks_off_is_an_error_behind_the_parts_before_it() -> None:
    found: list[PartResult] = []
    with pytest.raises(BatchInputError, match="cut off"):
        found.extend(read(1, [cut_off(texts(20))], {}))


def test_reading_can_be_stopped() -> None:
    with closing(read(2, [memory_rows(texts(1000))], {})) as some:
        next(some)
    with pytest.raises(StopIteration):
        next(some)
