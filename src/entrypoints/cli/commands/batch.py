"""`llm-output batch`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, get_args

import typer

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli import options as flags
from src.entrypoints.cli.batch_reader import READER, reader_arguments
from src.entrypoints.cli.batch_view import batch_progress, nothing_read, print_tally, write_report
from src.entrypoints.cli.contract import contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import error_line, say
from src.modules.reparsing.container import BatchJob, EngineName, batch_run
from src.modules.reparsing.domain.part import PART_ROWS, PartId
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.infrastructure.run_folder import OutputFormat
from src.shared.domain.options import NEEDING_TYPE, ReadOptions
from src.shared.domain.outcome import TEXT_LIMIT, Outcome
from src.shared.infrastructure.events.store_setting import is_store_set
from src.shared.infrastructure.processes import Limits as TextLimits

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter

EXAMPLES = (
    "llm-output batch answers.jsonl --out read",
    "llm-output batch logs/2026-*.jsonl.gz --out read --dto shop.models:Order --text-field completion",
    "llm-output batch sqlite:///logs.db?table=answers --out read --sample 1000",
    "llm-output batch answers.jsonl --out read --resume",
    "llm-output batch answers.jsonl --out read --dto shop.models:Orders --keep good --accept read",
    "llm-output batch answers.jsonl --out read --agent verdict --against old_package.parsers:parse_verdict",
)
WRITER_FILE = "writer.json"
"""Says, in a run's folder, as which writer of the store the run goes on."""
_PART_BITS = 32
"""An input has fewer parts than that: four billion of up to 1,000 texts."""
_NAMES = FieldNames()
_LIMITS = TextLimits()

InputsArgument: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT...",
        help="Stored outputs: JSON lines (.jsonl), CSV (.csv, .tsv), both also compressed (.gz, .zst), Parquet, a "
        "folder of text files, a table (sqlite:///FILE?table=NAME), objects of a store (s3://BUCKET/KEY, "
        "gs://BUCKET/KEY), or - for JSON lines on standard input.",
    ),
]
TextFieldOption: TypeAlias = Annotated[
    str, flags.option("NAME", "The field with the model's text; dots lead inside: `a.0.b`.")
]
FinishFieldOption: TypeAlias = Annotated[
    str, flags.option("NAME", "The field with the finish reason, in any provider's words.")
]
ModelFieldOption: TypeAlias = Annotated[str, flags.option("NAME", "The field with the model's name, to count by.")]
WorkersOption: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Processes that read side by side; by default, one a core.", show_default=False),
]
SampleOption: TypeAlias = Annotated[
    int | None, flags.option("N", "Read N rows, chosen evenly among all inputs.", min=1, show_default=False)
]


@dataclass(frozen=True)
class FieldOptions:
    """Which field of a row holds what; as `FieldNames`."""

    text_field: TextFieldOption = _NAMES.text
    id_field: Annotated[str, flags.option("NAME", "The field with the row's id; without one, its place.")] = _NAMES.id
    agent_field: Annotated[
        str,
        flags.option(
            "NAME",
            "The field with the agent's name: whose output it is, where no option says it, and what is counted by.",
        ),
    ] = _NAMES.agent
    finish_field: FinishFieldOption = _NAMES.finish_reason
    model_field: ModelFieldOption = _NAMES.model
    time_field: Annotated[str, flags.option("NAME", "The field with the time, to count by.")] = _NAMES.time


@dataclass(frozen=True)
class BatchOptions:
    """How outcomes are written, who reads, and what a text may take."""

    output_format: Annotated[
        OutputFormat, flags.option("|".join(get_args(OutputFormat)), "How the outcomes are written.", "--format")
    ] = "jsonl"
    engine: Annotated[
        EngineName,
        flags.option(
            "|".join(get_args(EngineName)),
            "Who reads: processes here, or actors of Ray, on the cluster at RAY_ADDRESS or on this machine.",
        ),
    ] = "local"
    workers: WorkersOption = None
    text_timeout: Annotated[float, flags.option("SECONDS", "A text that takes longer is refused.", min=0.1)] = (
        _LIMITS.seconds
    )
    text_memory: Annotated[int, flags.option("MB", "A text that needs more is refused; 0 sets no limit.", min=0)] = (
        _LIMITS.megabytes
    )
    against: Annotated[
        str | None,
        flags.option(
            "MODULE:FUNCTION",
            "An old parser: it gets each text as well, in its own process, and DIR/compared.jsonl tells where the two "
            "differ.",
        ),
    ] = None
    sample: SampleOption = None
    spans: Annotated[bool, flags.switch("--spans", "Also write where each value stands in its text, as offsets.")] = (
        False
    )


@flags.command("several", *(name for name in NEEDING_TYPE if name != "timeout"))
def batch(  # noqa: PLR0913 - one parameter an option
    inputs: InputsArgument,
    out: Annotated[Path, flags.option("DIR", "The folder of the outcomes.", "--out")],
    *,
    types: flags.TypeOptions,
    fields: FieldOptions,
    how: BatchOptions,
    resume: Annotated[
        bool, flags.switch("--resume", "Go on with the run in the folder, with the same inputs and options.")
    ] = False,
    verbose: flags.VerboseOption = False,
    options: ReadOptions,
) -> None:
    """Read stored outputs of models by the million.

    Each text ends as a line of DIR/parsed.jsonl, or of DIR/refused.jsonl with the reason, in the order of the inputs.
    Killed at any moment, the run goes on with --resume. A text that kills its process, or takes too long, is refused,
    and the others go on. Without --agent, --dto and --schema each text is read into the type of its row's agent, and
    where the row names none, into plain data. DIR/report.html and DIR/summary.json say what it came to. If not one text
    was read, the exit code is 1. With OUTPUT_STORE_URL set, `llm-output rates` counts the texts too.
    """
    flags.configure_log(verbose=verbose)
    arguments, facts = reader_arguments(types, options)
    if how.spans:
        arguments, facts = {**arguments, "spans": True}, {**facts, "spans": True}
    count = how.workers or os.cpu_count() or 1
    job = BatchJob(
        inputs,
        out,
        READER,
        arguments,
        FieldNames(*astuple(fields)),
        output_format=how.output_format,
        engine=how.engine,
        workers=count,
        limits=TextLimits(how.text_timeout, how.text_memory),
        against=how.against,
        sample=how.sample,
        facts=facts,
    )
    writer = None
    if is_store_set():
        writer, job = _with_store(job, types)
    run = batch_run(job)
    try:
        with closing(writer) if writer else nullcontext(), batch_progress(live=not verbose) as stopwatch:
            tally = run(stopwatch, resume=resume)
    except KeyboardInterrupt:
        say(spoken("What is done is kept; go on with --resume."))
        raise
    write_report(out, tally, run.manifest, count, stopwatch.start())
    print_tally(tally, out, writer.dropped if writer else 0)
    if tally.counts["refused"] == tally.counts["texts"]:
        error_line(nothing_read(tally))
        raise typer.Exit(ExitCode.PARSE_ERROR)


def _with_store(job: BatchJob, types: flags.TypeOptions) -> tuple[OutcomeWriter, BatchJob]:
    """What writes outcomes into the store, and the job that tells it of each text; nothing of it is imported before.

    Outcomes have the labels that an application's own events have, and a part's texts have the same numbers each time.

    Raises:
        MonitoringSettingsError: a setting of the store is wrong.
    """
    from src.modules.monitoring import container  # noqa: PLC0415 - see above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    settings, contract = MonitoringSettings(), contract_of(types)
    writer = container.record_run(job.folder / WRITER_FILE, settings)

    def label_of(name: str) -> str:
        if types.agent or not name:
            return contract.label if contract else ""
        return AGENTS[name].output.label if name in AGENTS else name

    def store(part: PartId, outcomes: Sequence[Outcome]) -> None:
        first = (part.source << _PART_BITS | part.number) * PART_ROWS + 1
        writer.keep(first, [replace(outcome, agent=label_of(outcome.agent)) for outcome in outcomes])

    return writer, replace(job, on_part=store, noted=TEXT_LIMIT if settings.store_text else 0)
