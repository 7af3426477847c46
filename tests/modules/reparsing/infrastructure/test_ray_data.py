"""Reading with a real Ray of this machine, in the driver's process; what runs on its nodes is also run here."""

import json

import pyarrow as pa  # type: ignore[import-untyped]  # no stubs
import pytest
from ray.exceptions import RayError, RayTaskError

from src.modules.reparsing.domain.exceptions import BatchInputError, BatchReaderError
from src.modules.reparsing.domain.part import PartId, PartResult, parts_of
from src.modules.reparsing.infrastructure import ray_data
from src.modules.reparsing.infrastructure.ray_data import read_with_ray
from tests.modules.reparsing.infrastructure.test_engines import READER
from tests.modules.reparsing.rows import cut_off, memory_rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

TEXTS = [f'{{"number": {number}}}' for number in range(1500)]
FIRST_DONE = {part.id: part.digest for part in parts_of(memory_rows(TEXTS), 0) if part.id == PartId(0, 0)}


def numbers(result: PartResult) -> list[int]:
    return [json.loads(line)["data"]["number"] for _, line in result.outcomes.lines]


def test_every_row_is_read_once_and_an_input_that_breaks_off_is_an_error() -> None:
    found: list[PartResult] = []
    with pytest.raises(BatchInputError, match="cut off"):
        found.extend(read_with_ray(READER, 1, [memory_rows(TEXTS), cut_off(TEXTS[:3])], FIRST_DONE))
    assert [number for result in found for number in numbers(result)] in ([], list(range(1000, 1500)))


def test_cluster_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_options: object) -> None:
        message = "nobody there"
        raise ConnectionError(message)

    monkeypatch.setattr("ray.init", fail)
    with pytest.raises(BatchReaderError, match="Ray cannot be reached: nobody there"):
        next(read_with_ray(READER, 1, [], {}))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Ray: for what fails before one is needed."""
    monkeypatch.setattr(ray_data, "_connect", lambda _workers: None)


@pytest.mark.usefixtures("alone")
def test_ray_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_source: object) -> None:
        message = "the head node is gone"
        raise RayError(message)

    monkeypatch.setattr("ray.data.read_datasource", fail)
    with pytest.raises(BatchReaderError, match="Ray failed: the head node is gone"):
        list(read_with_ray(READER, 1, [], {}))


@pytest.mark.usefixtures("alone")
def test_task_that_fails_for_a_reason_of_its_own_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = RayTaskError("read", "Traceback", ValueError("bad block"))  # type: ignore[no-untyped-call]  # Ray's

    def fail(_source: object) -> None:
        raise failure

    monkeypatch.setattr("ray.data.read_datasource", fail)
    with pytest.raises(BatchReaderError, match="a task of Ray failed"):
        list(read_with_ray(READER, 1, [], {}))


def test_task_of_an_input_gives_its_parts_but_for_those_that_are_done() -> None:
    sources = [memory_rows(TEXTS), memory_rows(TEXTS[:1])]
    tasks = ray_data._Parts(sources, FIRST_DONE).get_read_tasks(8)  # noqa: SLF001 - it runs on a node
    parts = [part for task in tasks for table in task() for part in ray_data._unpacked(table)]  # noqa: SLF001
    assert [part.id for part in parts] == [(0, 1), (1, 0)]


def test_actor_reads_a_part() -> None:
    (part,) = parts_of(memory_rows(TEXTS[:3]), 0)
    actor = ray_data._Actor(READER)  # noqa: SLF001 - it runs on a node
    try:
        (result,) = ray_data._unpacked(actor(ray_data._table([part])))  # noqa: SLF001
    finally:
        actor._reader.close()  # noqa: SLF001
    assert numbers(result) == [0, 1, 2]


class _Dataset:
    """A dataset whose pipeline is run here."""

    def __init__(self, tables: list[pa.Table]) -> None:
        self._tables = tables

    def map_batches(self, actor: type, *, fn_constructor_args: tuple[object, ...], **_options: object) -> "_Dataset":
        reads = actor(*fn_constructor_args)
        try:
            return _Dataset([reads(table) for table in self._tables])
        finally:
            reads._reader.close()  # noqa: SLF001 - Ray ends its actors itself

    def iter_batches(self, **_options: object) -> list[pa.Table]:
        return self._tables


@pytest.mark.usefixtures("alone")
def test_results_come_as_the_pipeline_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(source: ray_data._Parts) -> _Dataset:
        return _Dataset([table for task in source.get_read_tasks() for table in task()])

    monkeypatch.setattr("ray.data.read_datasource", cut)
    results = list(read_with_ray(READER, 1, [memory_rows(TEXTS)], {}))
    assert [number for result in results for number in numbers(result)] == list(range(1500))
