"""Reads parts with a pipeline of Ray Data: inputs are cut on the nodes, and an actor pool reads the parts.

One row of the dataset is one part. An actor looks after a worker process of its own, so that a text costs what it costs
on one machine; an actor or a node that is lost is replaced by Ray, which hands the part to another one.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pyarrow as pa  # type: ignore[import-untyped]  # no stubs
import ray
import ray.data
from ray.data import DataContext, Datasource
from ray.data.block import BlockMetadata
from ray.data.datasource import ReadTask
from ray.exceptions import RayError, RayTaskError

from src.modules.reparsing.domain.exceptions import BatchInputError, BatchReaderError
from src.modules.reparsing.domain.part import PART_BYTES, Done, Part, PartResult, RowSource, parts_to_read
from src.modules.reparsing.infrastructure.engines import PartReader
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import VARIABLE, Phrase

_COLUMN = "pickled"
_SCHEMA = pa.schema([(_COLUMN, pa.large_binary())])
_ERRORS_ONLY = 40
_FORWARDED = (VARIABLE, "AWS_ENDPOINT_URL", "AWS_REGION")
"""Variables that every process of a cluster gets; none of them is a secret."""
_ONCE = Phrase("a cluster cannot read standard input; put it into a file first")


def read_with_ray(
    reader: PartReader, workers: int, sources: Sequence[RowSource], done: Done
) -> Generator[PartResult, None, None]:
    """As `Engine`: so many actors, on the cluster at `RAY_ADDRESS`, or on a Ray of this machine.

    An input that can be read once only cannot be read on other machines.
    """
    for source in sources:
        if not source.repeatable:
            raise BatchInputError.of(source.name, _ONCE)
    _connect(workers)
    try:
        parts = ray.data.read_datasource(_Parts(sources, done))
        read = parts.map_batches(
            _Actor, fn_constructor_args=(reader,), batch_size=1, batch_format="pyarrow", num_cpus=1,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=workers, initial_size=workers),
        )  # fmt: skip
        for batch in read.iter_batches(batch_size=1, batch_format="pyarrow", prefetch_batches=0):
            yield from cast("list[PartResult]", _unpacked(batch))
    except RayTaskError as error:
        raise _cause_of(error) from None
    except RayError as error:
        raise BatchReaderError(Phrase("Ray failed: {error}", error=error).text()) from error
    finally:
        ray.shutdown()


class _Parts(Datasource):
    """The parts of some inputs: a task an input, a row a part."""

    def __init__(self, sources: Sequence[RowSource], done: Done) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Ray's
        self._sources = sources
        self._done = done

    def get_read_tasks(self, *_hints: object, **_more_hints: object) -> list[ReadTask]:
        nothing_known = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        reads = (partial(_tables, source, number, self._done) for number, source in enumerate(self._sources))
        return [ReadTask(read, nothing_known, _SCHEMA) for read in reads]

    def estimate_inmemory_data_size(self) -> int | None:  # pragma: no cover - Ray asks only where it cuts the input
        return None


class _Actor:
    """Reads parts in a process of the cluster."""

    def __init__(self, reader: PartReader) -> None:
        self._reader = replace(reader)

    def __call__(self, batch: pa.Table) -> pa.Table:
        return _table(self._reader.read(part) for part in cast("list[Part]", _unpacked(batch)))


def _tables(source: RowSource, number: int, done: Done) -> Iterable[pa.Table]:
    return (_table([part]) for part in parts_to_read(source, number, done))


def _table(values: Iterable[object]) -> pa.Table:
    pickled = [pickle.dumps(value, pickle.HIGHEST_PROTOCOL) for value in values]
    return pa.table({_COLUMN: pickled}, schema=_SCHEMA)


def _unpacked(batch: pa.Table) -> list[Any]:
    return [pickle.loads(value.as_py()) for value in batch[_COLUMN]]  # noqa: S301 - from `_table`, through Ray


def _connect(workers: int) -> None:
    """Join the cluster, or start a Ray here; with the language and the object store of this process in every other."""
    environment = {name: os.environ[name] for name in _FORWARDED if name in os.environ}
    is_cluster = bool(os.environ.get("RAY_ADDRESS"))
    try:
        ray.init(
            num_cpus=None if is_cluster else workers + 1,  # one reads the input
            include_dashboard=None if is_cluster else False,
            runtime_env={"env_vars": environment},
            logging_level=_ERRORS_ONLY,
            log_to_driver=False,
        )
    except ConnectionError as error:
        raise BatchReaderError(Phrase("Ray cannot be reached: {error}", error=error).text()) from error
    context = DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = 2 * PART_BYTES  # or Ray would gather many parts before the first is read


def _cause_of(error: RayTaskError) -> AppException:
    """What went wrong in a task: an error of ours, or that the task failed."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, AppException) and not isinstance(cause, RayTaskError):
            return cause
        cause = getattr(cause, "cause", None) or cause.__cause__
    return BatchReaderError(Phrase("a task of Ray failed: {error}", error=error).text())
