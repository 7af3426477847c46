"""Reading with processes of this machine."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest

from src.modules.reparsing.domain import part
from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource, SourceRow, parts_of
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.engines import LocalEngine, PartReader
from src.modules.reparsing.infrastructure.workers.reading import reading_task
from src.shared.domain.language import Message
from src.shared.infrastructure.processes import Limits
from tests.modules.reparsing.rows import MemoryRows

NAMES = FieldNames()
TASK = reading_task("tests.modules.reparsing.infrastructure.workers.test_reading:decoding", {}, NAMES)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "PART_ROWS", 5)


def engine(workers: int) -> LocalEngine:
    return LocalEngine(PartReader(TASK, NAMES, Limits()), workers)


def results(sources: Sequence[RowSource], workers: int = 2, done: Done | None = None) -> list[PartResult]:
    return sorted(engine(workers).results(sources, done or {}), key=lambda result: result.id)


def texts(count: int) -> list[str]:
    return [f'{{"number": {number}}}' for number in range(count)]


def numbers(found: list[PartResult]) -> list[int]:
    return [json.loads(line)["data"]["number"] for result in found for line in result.parsed.splitlines()]


def test_every_row_is_read_once() -> None:
    assert numbers(results([MemoryRows(texts(33))])) == list(range(33))


def test_number_of_workers_makes_no_difference() -> None:
    one, three = ([each._replace(tally=Tally()) for each in results([MemoryRows(texts(33))], n)] for n in (1, 3))
    assert one == three


def test_inputs_are_read_one_behind_the_other() -> None:
    found = results([MemoryRows(texts(6)), MemoryRows(texts(2))])
    assert [result.id for result in found] == [(0, 0), (0, 1), (1, 0)]


def test_parts_that_are_done_are_not_read_again() -> None:
    source = MemoryRows(texts(12))
    done = {each.id: each.digest for each in parts_of(source, 0) if each.id != PartId(0, 1)}
    found = results([source], done=done)
    assert numbers(found) == [5, 6, 7, 8, 9]


def test_input_that_breaks_off_is_an_error_behind_the_parts_before_it() -> None:
    found: list[PartResult] = []
    with pytest.raises(BatchInputError, match="cut off"):
        found.extend(engine(1).results([CutOff(texts(20))], {}))


def test_reading_can_be_stopped() -> None:
    with closing(engine(2).results([MemoryRows(texts(1000))], {})) as some:
        next(some)
    with pytest.raises(StopIteration):
        next(some)


class CutOff(MemoryRows):
    """An input that breaks off behind its last row."""

    def rows(self) -> Iterator[SourceRow]:
        yield from super().rows()
        raise BatchInputError.of(self.name, Message("被截断", "cut off"))

    def identity(self) -> dict[str, Any]:
        return {}
