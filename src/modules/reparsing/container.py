"""The composition root of this context: which source, which engine and which folder a run gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from src.modules.reparsing.application.run import BatchRun
from src.modules.reparsing.domain.exceptions import UnusableRowError
from src.modules.reparsing.domain.ports import EnginePort, OutcomesPort
from src.modules.reparsing.domain.record import FieldNames, Record
from src.modules.reparsing.infrastructure.engines.local import LocalEngine, PartReaderOf
from src.modules.reparsing.infrastructure.engines.ray_engine import ray_engine
from src.modules.reparsing.infrastructure.outputs import OutputFormat
from src.modules.reparsing.infrastructure.rows import read_row
from src.modules.reparsing.infrastructure.run_folder import RunFolder
from src.modules.reparsing.infrastructure.sources.first_rows import check_fields, sampled
from src.modules.reparsing.infrastructure.sources.named import sources_named
from src.modules.reparsing.infrastructure.workers.comparing import Comparisons, OldBlame, comparing_task
from src.modules.reparsing.infrastructure.workers.reading import reading_task
from src.modules.reparsing.infrastructure.workers.supervised import SupervisedWorker
from src.modules.reparsing.infrastructure.workers.task import Limits, Task


class EngineName(StrEnum):
    """Who reads: processes of this machine, or actors of a Ray cluster."""

    LOCAL = "local"
    RAY = "ray"


@dataclass(frozen=True)
class BatchJob:
    """What is asked for.

    Attributes:
        inputs: names of files, folders or tables.
        folder: where the outcomes go.
        reader: `package.module:function` of what makes the function that reads a record's text, in each worker.
        arguments: what it is called with; anything that can be pickled.
        names: which field of a row holds what.
        output_format: how the outputs are written.
        engine: who reads.
        workers: how many processes read side by side.
        limits: what a text may take.
        against: `package.module:function` of an old parser that stands beside, or None.
        sample: how many rows of all inputs are read; None for all of them.
        facts: what the outputs depend on besides inputs, fields and format, as JSON types, such as the type.
        outcomes: who else is told what came of each text; None where nobody is.
    """

    inputs: Sequence[str]
    folder: Path
    reader: str
    arguments: dict[str, Any]
    names: FieldNames = field(default_factory=FieldNames)
    output_format: OutputFormat = OutputFormat.JSONL
    engine: EngineName = EngineName.LOCAL
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    against: str | None = None
    sample: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    outcomes: OutcomesPort | None = None


def batch_run(job: BatchJob) -> BatchRun:
    """The run of a job.

    Raises:
        BatchInputError: an input is nothing that can be read, or its rows have none of the fields that are asked for.
        BatchReaderError: the old parser cannot be asked.
    """
    sources = sources_named(job.inputs, job.names)
    check_fields(sources, job.names)
    sample = {"sample": job.sample} if job.sample else {}
    against = {"against": job.against} if job.against else {}
    return BatchRun(
        sources=sampled(sources, job.sample) if job.sample else sources,
        options={**job.facts, **_fields(job.names), "format": job.output_format.value, **sample, **against},
        engine=_engine(job),
        store=RunFolder(job.folder, job.output_format, compares=job.against is not None),
        outcomes=job.outcomes,
    )


def records_of(inputs: Sequence[str], names: FieldNames, sample: int | None = None) -> Iterator[Record | None]:
    """The rows of some inputs, one by one; None for one that is no text.

    Raises:
        BatchInputError: as for `batch_run`, and where an input cannot be read to its end.
    """
    sources = sources_named(inputs, names)
    check_fields(sources, names)
    for source in sampled(sources, sample) if sample else sources:
        for row in source.rows():
            try:
                yield read_row(row.row, names)
            except UnusableRowError:
                yield None


def _engine(job: BatchJob) -> EnginePort:
    folder = str(Path.cwd())
    noted = job.outcomes.characters if job.outcomes else None
    task = reading_task(job.reader, job.arguments, job.names, folder, noted)
    old = None if job.against is None else _old_parser(job, job.against, folder)
    reader = PartReaderOf(task, job.names, job.limits, old, noted)
    if job.engine is EngineName.LOCAL:
        return LocalEngine(reader, job.workers)
    return ray_engine(reader, job.workers)


def _old_parser(job: BatchJob, function: str, folder: str) -> Task:
    """The task of the old parser, which was started once to see that it can be."""
    task = comparing_task(function, job.names, job.arguments.get("agent"), folder)
    worker = SupervisedWorker[Comparisons](task, job.limits, OldBlame(job.names))
    with closing(worker):
        worker.start()
    return task


def _fields(names: FieldNames) -> dict[str, str]:
    """The fields by their options."""
    return {f"{name.partition('_')[0]}-field": value for name, value in asdict(names).items()}
