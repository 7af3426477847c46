"""`llm-output batch`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli import options
from src.entrypoints.cli.batch_outcomes import stored_outcomes
from src.entrypoints.cli.batch_reader import READER, reader_arguments
from src.entrypoints.cli.batch_view import (
    Stopwatch,
    batch_progress,
    nothing_read,
    print_not_stored,
    print_tally,
    write_report,
)
from src.entrypoints.cli.contract import Limits, contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import error_line, stderr
from src.modules.reparsing.container import BatchJob, EngineName, batch_run
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.run_folder import OutputFormat
from src.modules.reparsing.infrastructure.workers.program import Limits as TextLimits
from src.shared.domain.grade import Grade
from src.shared.domain.read_as import ReadAs

EXAMPLES = (
    "llm-output batch answers.jsonl --out read",
    "llm-output batch logs/2026-*.jsonl.gz --out read --dto shop.models:Order --text-field completion",
    "llm-output batch sqlite:///logs.db?table=answers --out read --sample 1000",
    "llm-output batch answers.jsonl --out read --resume",
    "llm-output batch answers.jsonl --out read --dto shop.models:Orders --keep good --accept read",
    "llm-output batch answers.jsonl --out read --agent verdict --against old_package.parsers:parse_verdict",
)
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
OutOption: TypeAlias = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the outcomes.")]
TextFieldOption: TypeAlias = Annotated[
    str,
    typer.Option("--text-field", metavar="NAME", help="The field with the model's text; dots lead inside: `a.0.b`."),
]
IdFieldOption: TypeAlias = Annotated[
    str, typer.Option("--id-field", metavar="NAME", help="The field with the row's id; without one, its place.")
]
AgentFieldOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--agent-field",
        metavar="NAME",
        help="The field with the agent's name: whose output it is, where no option says it, and what is counted by.",
    ),
]
FinishFieldOption: TypeAlias = Annotated[
    str,
    typer.Option("--finish-field", metavar="NAME", help="The field with the finish reason, in any provider's words."),
]
ModelFieldOption: TypeAlias = Annotated[
    str, typer.Option("--model-field", metavar="NAME", help="The field with the model's name, to count by.")
]
TimeFieldOption: TypeAlias = Annotated[
    str, typer.Option("--time-field", metavar="NAME", help="The field with the time, to count by.")
]
OutputFormatOption: TypeAlias = Annotated[
    OutputFormat, typer.Option("--format", metavar="|".join(OutputFormat), help="How the outcomes are written.")
]
EngineOption: TypeAlias = Annotated[
    EngineName,
    typer.Option(
        "--engine",
        metavar="|".join(EngineName),
        help="Who reads: processes here, or actors of Ray, on the cluster at RAY_ADDRESS or on this machine.",
    ),
]
WorkersOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, help="Processes that read side by side; by default, one a core.", show_default=False
    ),
]
TimeoutOption: TypeAlias = Annotated[
    float,
    typer.Option("--text-timeout", min=0.1, metavar="SECONDS", help="A text that takes longer is refused."),
]
MemoryOption: TypeAlias = Annotated[
    int,
    typer.Option("--text-memory", min=0, metavar="MB", help="A text that needs more is refused; 0 sets no limit."),
]
AgainstOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="MODULE:FUNCTION",
        help="An old parser: it gets each text as well, in its own process, and DIR/compared.jsonl tells where the two "
        "differ.",
    ),
]
SampleOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--sample", min=1, metavar="N", help="Read N rows, chosen evenly among all inputs.", show_default=False
    ),
]
ResumeOption: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on with the run in the folder, with the same inputs and options.")
]


@guarded
def batch(  # noqa: PLR0913 - one parameter an option
    inputs: InputsArgument,
    out: OutOption,
    *,
    agent: options.AgentOption = None,
    dto: options.DtoOption = None,
    schema: options.SchemaOption = None,
    unwrap: options.UnwrapOption = False,
    escapes: options.EscapesOption = options.Escapes.JSON,
    run_together: options.RunTogetherOption = options.RunTogether.REFUSE,
    text_field: TextFieldOption = _NAMES.text,
    id_field: IdFieldOption = _NAMES.id,
    agent_field: AgentFieldOption = _NAMES.agent,
    finish_field: FinishFieldOption = _NAMES.finish_reason,
    model_field: ModelFieldOption = _NAMES.model,
    time_field: TimeFieldOption = _NAMES.time,
    output_format: OutputFormatOption = OutputFormat.JSONL,
    engine: EngineOption = EngineName.LOCAL,
    workers: WorkersOption = None,
    text_timeout: TimeoutOption = _LIMITS.seconds,
    text_memory: MemoryOption = _LIMITS.megabytes,
    against: AgainstOption = None,
    sample: SampleOption = None,
    keep: options.KeepOption = None,
    accept: options.AcceptOption = Grade.CHOSEN,
    resume: ResumeOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Read stored outputs of models by the million.

    Each text ends as a line of DIR/parsed.jsonl, or of DIR/refused.jsonl with the reason, in the order of the inputs.
    Killed at any moment, the run goes on with --resume. A text that kills its process, or takes too long, is refused,
    and the others go on. Without --agent, --dto and --schema each text is read into the type of its row's agent, and
    where the row names none, into plain data. DIR/report.html and DIR/summary.json say what it came to. If not one text
    was read, the exit code is 1. With OUTPUT_STORE_URL set, `llm-output rates` counts the texts too.
    """
    options.configure_log(verbose=verbose)
    limits, reading = Limits("good" if keep else None, accept.value), ReadAs(unwrap, escapes.value, run_together.value)
    arguments, facts = reader_arguments(agent, dto, schema, limits, reading)
    outcomes = stored_outcomes(out, lambda: contract_of(agent, dto, schema))
    job = BatchJob(
        inputs=inputs,
        folder=out,
        reader=READER,
        arguments=arguments,
        names=FieldNames(text_field, id_field, agent_field, finish_field, model_field, time_field),
        output_format=output_format,
        engine=engine,
        workers=workers or os.cpu_count() or 1,
        limits=TextLimits(text_timeout, text_memory),
        against=against,
        sample=sample,
        facts=facts,
        outcomes=outcomes,
    )
    run, stopwatch = batch_run(job), Stopwatch()
    with _kept_when_stopped(), batch_progress(live=not verbose) as tell:
        tally = run(stopwatch.beside(tell), resume=resume)
    write_report(out, tally, run.manifest, job.workers, stopwatch.start())
    _end(tally, out, outcomes.dropped if outcomes else 0)


@contextmanager
def _kept_when_stopped() -> Iterator[None]:
    """Say, where the run is stopped, how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        _say_how_to_go_on()
        raise


def _say_how_to_go_on() -> None:
    hint = spoken("已完成的部分已保存；加上 --resume 可继续。", "What is done is kept; go on with --resume.")
    stderr().print(hint, soft_wrap=True)


def _end(tally: Tally, out: Path, dropped: int) -> None:
    """Say what it came to; end with a code of its own if not one text was read."""
    print_tally(tally, out)
    print_not_stored(dropped)
    if tally.counts.refused == tally.counts.texts:
        error_line(nothing_read(tally))
        raise typer.Exit(ExitCode.PARSE_ERROR)
