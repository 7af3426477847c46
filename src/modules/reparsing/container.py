"""The composition root of this context: which source, which engine and which folder a run gets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from src.modules.reparsing.application import BatchRun, CountRun
from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.part import RowSource
from src.modules.reparsing.domain.ports import EnginePort, OutcomesPort
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.engines import LocalEngine, PartReader
from src.modules.reparsing.infrastructure.run_folder import OutputFormat, RunFolder
from src.modules.reparsing.infrastructure.sources.first_rows import check_fields, sampled
from src.modules.reparsing.infrastructure.sources.named import sources_named
from src.modules.reparsing.infrastructure.workers.comparing import Comparisons, comparing_task, old_blamed
from src.modules.reparsing.infrastructure.workers.reading import reading_task
from src.shared.domain.language import Phrase
from src.shared.infrastructure.extras import install_command
from src.shared.infrastructure.processes import Limits, SupervisedWorker, Task


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
        BatchReaderError: the old parser cannot be asked, or Ray is not installed.
    """
    sample = {"sample": job.sample} if job.sample else {}
    against = {"against": job.against} if job.against else {}
    return BatchRun(
        sources=_sources(job.inputs, job.names, job.sample),
        options={**job.facts, **job.names.by_option(), "format": job.output_format.value, **sample, **against},
        engine=_engine(job),
        store=RunFolder(job.folder, job.output_format, compares=job.against is not None),
        outcomes=job.outcomes,
    )


def count_run(
    inputs: Sequence[str], names: FieldNames, reader: str, workers: int, sample: int | None = None
) -> CountRun:
    """A run that only counts, with processes of this machine; each argument as in `BatchJob`.

    Raises:
        BatchInputError: as for `batch_run`.
    """
    task = reading_task(reader, {}, names, str(Path.cwd()))
    return CountRun(_sources(inputs, names, sample), LocalEngine(PartReader(task, names, Limits()), workers))


def _sources(inputs: Sequence[str], names: FieldNames, sample: int | None) -> Sequence[RowSource]:
    sources = sources_named(inputs, names)
    check_fields(sources, names)
    return sampled(sources, sample) if sample else sources


def _engine(job: BatchJob) -> EnginePort:
    folder = str(Path.cwd())
    noted = job.outcomes.characters if job.outcomes else None
    task = reading_task(job.reader, job.arguments, job.names, folder, noted)
    old = None if job.against is None else _old_parser(job, job.against, folder)
    reader = PartReader(task, job.names, job.limits, old, noted)
    return (LocalEngine if job.engine is EngineName.LOCAL else _ray_engine)(reader, job.workers)


_RAY_SETTINGS = {
    "RAY_DATA_LOGGING_CONFIG": str(Path(__file__).parent / "infrastructure" / "ray_logging.yaml"),
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""What keeps Ray from telling its own story on stderr, or anything to its makers. It reads them when it is imported."""


def _ray_engine(reader: PartReader, workers: int) -> EnginePort:
    """The engine, which takes seconds to import; a variable of Ray's that is set stays as it is."""
    for name, value in _RAY_SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        from src.modules.reparsing.infrastructure.ray_data import RayEngine  # noqa: PLC0415 - of the extra `ray`
    except ImportError as error:
        install = install_command("ray")
        message = Phrase("Ray is needed: {install} in a checkout", install=install)
        raise BatchReaderError(message.text()) from error
    return RayEngine(reader, workers)


def _old_parser(job: BatchJob, function: str, folder: str) -> Task:
    """The task of the old parser, which was started once to see that it can be."""
    task = comparing_task(function, job.names, job.arguments.get("agent"), folder)
    worker = SupervisedWorker[Comparisons](task, job.limits, partial(old_blamed, job.names), BatchReaderError)
    with closing(worker):
        worker.run(())
    return task
