"""`llm-output batch`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli import options as flags
from src.entrypoints.cli.batch_reader import READER, reader_arguments
from src.entrypoints.cli.batch_view import (
    batch_progress,
    nothing_read,
    print_not_stored,
    print_tally,
    write_report,
)
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import spoken
from src.entrypoints.cli.screen import error_line, say
from src.modules.reparsing.container import BatchJob, EngineName, batch_run
from src.modules.reparsing.domain.outcome import TextNote
from src.modules.reparsing.domain.part import PART_ROWS, PartId
from src.modules.reparsing.domain.record import FieldNames
from src.modules.reparsing.domain.tally import Tally
from src.modules.reparsing.infrastructure.run_folder import OutputFormat
from src.shared.domain.options import NEEDING_TYPE, ReadOptions
from src.shared.domain.outcome import TEXT_LIMIT, Outcome
from src.shared.domain.ports.events import ParseOutcome
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
@flags.reads("several", *(name for name in NEEDING_TYPE if name != "timeout"))
def batch(  # noqa: PLR0913 - one parameter an option
    inputs: InputsArgument,
    out: OutOption,
    *,
    agent: flags.AgentOption = None,
    dto: flags.DtoOption = None,
    schema: flags.SchemaOption = None,
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
    resume: ResumeOption = False,
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
    arguments, facts = reader_arguments(agent, dto, schema, options)
    outcomes = _stored_outcomes(out, lambda: _label_of(agent, contract_of(agent, dto, schema)))
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
    run = batch_run(job)
    with _kept_when_stopped(), batch_progress(live=not verbose) as stopwatch:
        tally = run(stopwatch, resume=resume)
    write_report(out, tally, run.manifest, job.workers, stopwatch.start())
    _end(tally, out, outcomes.dropped if outcomes else 0)


@contextmanager
def _kept_when_stopped() -> Iterator[None]:
    """Say, where the run is stopped, how it goes on."""
    try:
        yield
    except KeyboardInterrupt:
        say(spoken("What is done is kept; go on with --resume."))
        raise


def _end(tally: Tally, out: Path, dropped: int) -> None:
    """Say what it came to; end with a code of its own if not one text was read."""
    print_tally(tally, out)
    print_not_stored(dropped)
    if tally.counts.refused == tally.counts.texts:
        error_line(nothing_read(tally))
        raise typer.Exit(ExitCode.PARSE_ERROR)


class StoredOutcomes:
    """As `OutcomesPort`, in the store of outcomes: under the labels that an application's own events have."""

    def __init__(self, writer: OutcomeWriter, label_of: Callable[[str | None], str], characters: int) -> None:
        """Write nothing yet.

        Args:
            writer: writes.
            label_of: the label for the agent of a row.
            characters: how much of each text is stored.
        """
        self._writer, self._label_of, self._characters = writer, label_of, characters

    @property
    def characters(self) -> int:
        """As `OutcomesPort.characters`."""
        return self._characters

    @property
    def dropped(self) -> int:
        """Texts that are not in the store, because it was away."""
        return self._writer.dropped

    def keep(self, part: PartId, notes: Sequence[TextNote]) -> None:
        """As `OutcomesPort.keep`; the numbers of a part's texts are the same each time."""
        first = (part.source << _PART_BITS | part.number) * PART_ROWS + 1
        self._writer.keep(first, [self._outcome(note) for note in notes])

    def close(self) -> None:
        """As `OutcomesPort.close`."""
        self._writer.close()

    def _outcome(self, note: TextNote) -> Outcome:
        read = ParseOutcome.REPAIRED if note.kinds else ParseOutcome.CLEAN
        return Outcome(
            at=note.at,
            agent=self._label_of(note.agent),
            outcome=ParseOutcome.REFUSED if note.stage else read,
            model=note.model or "",
            stage=note.stage,
            kinds=Counter(note.kinds),
            length=note.length,
            text=note.text,
        )


def _label_of(agent: str | None, asked: Contract | None) -> tuple[str, str]:
    """The label of the agent that the options name, and that of any other type they name."""
    label = asked.label if asked else ""
    return (label, "") if agent else ("", label)


def _stored_outcomes(folder: Path, asked: Callable[[], tuple[str, str]]) -> StoredOutcomes | None:
    """Where the outcomes of a run in a folder go; None where no store is set, of which nothing is imported then.

    Args:
        folder: the run's.
        asked: gives the labels of what the options name: of an agent, and of another type.

    Raises:
        MonitoringSettingsError: a setting of the store is wrong.
    """
    if not is_store_set():
        return None
    from src.modules.monitoring import container  # noqa: PLC0415 - see above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    settings = MonitoringSettings()
    writer = container.record_run(folder / WRITER_FILE, settings)
    return StoredOutcomes(writer, _labels(*asked()), TEXT_LIMIT if settings.store_text else 0)


def _labels(of_agent: str, of_type: str) -> Callable[[str | None], str]:
    """The label of the options' agent, else of the row's, else the row's own name, else that of the type."""

    @lru_cache(maxsize=1_000)
    def label_of(agent: str | None) -> str:
        if of_agent or agent is None:
            return of_agent or of_type
        return AGENTS[agent].output.label if agent in AGENTS else agent

    return label_of
