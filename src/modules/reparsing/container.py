"""The composition root of this context: which source, which engine and which folder a run gets."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.part import PartId, RowSource
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.engines import PartReader, read_locally, worker_of
from src.modules.reparsing.infrastructure.old_parser import COMPARING
from src.modules.reparsing.infrastructure.reading import READING
from src.modules.reparsing.infrastructure.run import BatchRun, Engine, Progress, count_texts
from src.modules.reparsing.infrastructure.run_folder import OutputFormat, RunFolder
from src.modules.reparsing.infrastructure.sources.first_rows import check_fields, sample_rows
from src.modules.reparsing.infrastructure.sources.named import sources_named
from src.shared.domain.language import Phrase
from src.shared.domain.outcome import Outcome
from src.shared.infrastructure.extras import install_command
from src.shared.infrastructure.processes import Limits, Task

EngineName: TypeAlias = Literal["local", "ray"]
"""Who reads: processes of this machine, or actors of a Ray cluster."""


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
        on_part: as for `BatchRun`.
        noted: how much of each text `on_part` wants; None where there is none.
    """

    inputs: Sequence[str]
    folder: Path
    reader: str
    arguments: dict[str, Any]
    names: FieldNames = field(default_factory=FieldNames)
    output_format: OutputFormat = "jsonl"
    engine: EngineName = "local"
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    against: str | None = None
    sample: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    on_part: Callable[[PartId, Sequence[Outcome]], None] | None = None
    noted: int | None = None


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
        options={**job.facts, **job.names.by_option(), "format": job.output_format, **sample, **against},
        engine=_engine(job),
        folder=RunFolder(job.folder, job.output_format, compares=job.against is not None),
        on_part=job.on_part,
    )


def count_inputs(job: BatchJob, on_progress: Callable[[Progress], None]) -> Tally:
    """Read the inputs of a job to count what came of their texts; nothing goes into its folder.

    Raises:
        BatchInputError, BatchReaderError: as for `batch_run`, or an input cannot be read to its end.
    """
    return count_texts(_sources(job.inputs, job.names, job.sample), _engine(job), on_progress)


def _sources(inputs: Sequence[str], names: FieldNames, sample: int | None) -> Sequence[RowSource]:
    sources = sources_named(inputs, names)
    check_fields(sources, names)
    return sample_rows(sources, sample) if sample else sources


def _engine(job: BatchJob) -> Engine:
    """Who reads; an old parser is started once to see that it can be asked."""
    folder, old = str(Path.cwd()), None
    if job.against is not None:
        asked = {"function": job.against, "names": job.names, "agent": job.arguments.get("agent")}
        old = Task(COMPARING, asked, folder)
        with closing(worker_of(old, job.limits)) as worker:
            worker.run(())
    read = {"reader": job.reader, "arguments": job.arguments, "names": job.names, "noted": job.noted}
    reader = PartReader(Task(READING, read, folder), job.limits, old)
    return partial(read_locally if job.engine == "local" else _import_ray(), reader, job.workers)


_RAY_SETTINGS = {
    "RAY_DATA_LOGGING_CONFIG": str(Path(__file__).parent / "infrastructure" / "ray_logging.yaml"),
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""What keeps Ray from telling its own story on stderr, or anything to its makers. It reads them when it is imported."""


def _import_ray() -> Callable[..., Any]:
    """The engine, which takes seconds to import; a variable of Ray's that is set stays as it is."""
    for name, value in _RAY_SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        from src.modules.reparsing.infrastructure.ray_data import read_with_ray  # noqa: PLC0415 - of the extra `ray`
    except ImportError as error:
        message = Phrase("Ray is needed: {install} in a checkout", install=install_command("ray"))
        raise BatchReaderError(message.text()) from error
    return read_with_ray
