"""The composition root of this context: which source, which engine and which folder a run gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from src.modules.reparsing.application.run import BatchRun
from src.modules.reparsing.domain.ports.engine import EnginePort
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.engines.local import LocalEngine
from src.modules.reparsing.infrastructure.engines.part_reader import PartReaderOf
from src.modules.reparsing.infrastructure.engines.ray_engine import ray_engine
from src.modules.reparsing.infrastructure.outputs import OutputFormat
from src.modules.reparsing.infrastructure.run_folder import RunFolder
from src.modules.reparsing.infrastructure.sources.named import source_named
from src.modules.reparsing.infrastructure.workers.reading import reading_task
from src.modules.reparsing.infrastructure.workers.task import Limits


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
        facts: what the outputs depend on besides inputs, fields and format, as JSON types, such as the type.
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
    facts: dict[str, Any] = field(default_factory=dict)


def batch_run(job: BatchJob) -> BatchRun:
    """The run of a job.

    Raises:
        BatchInputError: an input is nothing that can be read.
    """
    return BatchRun(
        sources=[source_named(name) for name in job.inputs],
        options={**job.facts, **_fields(job.names), "format": job.output_format.value},
        engine=_engine(job),
        store=RunFolder(job.folder, job.output_format),
    )


def _engine(job: BatchJob) -> EnginePort:
    reader = PartReaderOf(reading_task(job.reader, job.arguments, job.names, str(Path.cwd())), job.names, job.limits)
    if job.engine is EngineName.LOCAL:
        return LocalEngine(reader, job.workers)
    return ray_engine(reader, job.workers)


def _fields(names: FieldNames) -> dict[str, str]:
    return {f"{name}-field": value for name, value in asdict(names).items()}
