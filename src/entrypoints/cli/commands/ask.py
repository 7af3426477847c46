"""`llm-output ask`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeAlias

import typer
from pydantic import BaseModel
from rich.cells import set_cell_size
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli import options
from src.entrypoints.cli.contract import Contract, contract_of
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import Source, read_source, value_writer
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.reading_view import print_repairs, report_error
from src.entrypoints.cli.screen import leaves, plain_table, say, stderr, waiting
from src.shared.application.question import Attempt, Outcome, Question
from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.domain.exceptions import error_of, json_path
from src.shared.infrastructure.llm_stream import value_at

_ERROR_SHOWN = 120
Show: TypeAlias = Callable[[AnswerSnapshot[Any]], None]
VALUE_SHOWN = 100
"""Most characters of a value that are shown."""
PATH_SHOWN = 60
"""Most characters of a path that are shown."""
DRAWN_EVERY = 0.1
"""Seconds between two drawings of the table."""
_FEWEST_ROWS = 4
_LINES_AROUND = 4
"""Lines of the terminal that are left for what is not a row."""

EXAMPLES = (
    "llm-output ask --agent verdict --replay examples/ask/verdict.jsonl",
    "llm-output ask --stream --agent verdict --replay examples/ask/verdict.jsonl",
    "llm-output ask question.md --agent verdict --base-url http://localhost:11434/v1 --model qwen3",
    "llm-output ask question.md --dto shop.models:Order --max-retries 0 --record answers.jsonl",
)

PromptArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="The prompt, UTF-8; `-` reads stdin. With --replay it may be left out and is the first recorded one.",
    ),
]
SystemOption: TypeAlias = Annotated[
    str | None, typer.Option("--system", metavar="FILE", help="A file with the system message, UTF-8.")
]
TemperatureOption: TypeAlias = Annotated[
    float, typer.Option("--temperature", min=0.0, max=2.0, metavar="0..2", help="The model's sampling temperature.")
]
MaxTokensOption: TypeAlias = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="The most tokens of one answer.")
]
MaxRetriesOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-retries",
        min=0,
        metavar="N",
        help="Re-asks after an answer that cannot be used. Default: LLM_BUDGET_RETRIES, or 2.",
    ),
]
MaxSecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        min=0.0,
        metavar="S",
        help="Seconds for all attempts together. Default: LLM_BUDGET_SECONDS.",
    ),
]
NoRepairOption: TypeAlias = Annotated[
    bool, typer.Option("--no-repair", help="Do not ask the repair agent when the last answer cannot be read.")
]

StreamOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Show the fields on stderr while the model writes: growing on a terminal, else each once it is whole.",
    ),
]


@guarded
def ask(  # noqa: PLR0913 - one parameter an option
    file: PromptArgument = None,
    *,
    agent: options.AgentOption = None,
    dto: options.DtoOption = None,
    schema: options.SchemaOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    replay: options.ReplayOption = None,
    record: options.RecordOption = None,
    system: SystemOption = None,
    temperature: TemperatureOption = 0.7,
    max_tokens: MaxTokensOption = None,
    max_retries: MaxRetriesOption = None,
    max_seconds: MaxSecondsOption = None,
    output_format: options.FormatOption = options.Format.JSON,
    error_format: options.ErrorFormatOption = options.ErrorFormat.TEXT,
    output: options.OutputOption = None,
    no_repair: NoRepairOption = False,
    stream: StreamOption = False,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
) -> None:
    """Ask a model for a typed answer.

    A description of the answer's type is added to the prompt. If an answer cannot be used, the model is asked again
    and told what was wrong. If only the syntax of the last answer is broken, the repair agent gets it. The object goes
    to stdout as JSON, a line for each attempt to stderr; with --stream, the fields before them.
    """
    options.configure_log(verbose=verbose)
    contract = contract_of(agent, dto, schema)
    if contract is None:
        raise CommandError("say what to ask for: --agent NAME, --dto MODULE:NAME or --schema FILE")
    question = _question(file, system, replay, temperature, max_tokens)
    model_options = options.ModelOptions(model, base_url, replay, record)
    is_shown = stream and not quiet and error_format is options.ErrorFormat.TEXT
    with showing(live=not verbose) if is_shown else waiting() as show:
        asking = _ask(model_options, question, contract, (max_retries, max_seconds), repair=not no_repair, show=show)
        outcome = asyncio.run(asking)
    if outcome.parsed is None:
        _report(outcome, error_format)
    written = value_writer(contract.data(outcome.parsed.value), output_format, output)
    if not quiet:
        _print_attempts(outcome)
        print_repairs(outcome.parsed.repairs)
    written()


def _question(
    file: str | None, system: str | None, replay: Path | None, temperature: float, max_tokens: int | None
) -> Question:
    if file is None and replay is not None:
        prompt, system_message = options.recorded_question(replay)
        return Question.of(prompt, system_message, temperature=temperature, max_tokens=max_tokens)
    prompt = read_source(file or "-").text
    if not prompt.strip():
        raise CommandError("the prompt is empty")
    system_message = read_source(system).text if system else None
    return Question.of(prompt, system_message, temperature=temperature, max_tokens=max_tokens)


async def _ask(
    model_options: options.ModelOptions,
    question: Question,
    contract: Contract,
    bounds: tuple[int | None, float | None],
    *,
    repair: bool,
    show: Show | None,
) -> Outcome[Any]:
    async with options.application(model_options) as app:
        budget = app.budget().bounded(max_retries=bounds[0], max_seconds=bounds[1])
        app.config.repair.from_value("agent" if repair else "none")
        llm = app.typed_llm()
        if show is None:
            return await llm.generate_and_parse(question, contract, budget=budget)
        answer = llm.stream_and_parse(question, contract, budget=budget)
        async with contextlib.aclosing(answer.snapshots()) as snapshots:
            async for snapshot in snapshots:
                show(snapshot)
        return answer.outcome


def _report(outcome: Outcome[BaseModel], error_format: options.ErrorFormat) -> NoReturn:
    error = error_of(outcome.error)
    if error_format is options.ErrorFormat.TEXT:
        _print_attempts(outcome)
    report_error(error, Source("<answer>", _last_text(outcome)), error_format)
    raise typer.Exit(code_of(error))


def _last_text(outcome: Outcome[BaseModel]) -> str:
    """The text the outcome's error speaks of: that of the last answer of the model that was asked."""
    asked = [attempt.reply for attempt in outcome.attempts if attempt.reply and not attempt.by_repair_agent]
    return asked[-1].text if asked else ""


def _print_attempts(outcome: Outcome[BaseModel]) -> None:
    """Print who was asked, what came of it, and what it cost in tokens and seconds."""
    for attempt in outcome.attempts:
        who = spoken("repair") if attempt.by_repair_agent else spoken("asked")
        style = "green" if attempt.error is None else "yellow"
        said = f"{attempt.number}  {_cost(attempt)}  {visible(_result(attempt))}"
        say(Text.assemble((set_cell_size(who, 8), style), said))


def _cost(attempt: Attempt) -> str:
    if attempt.reply is None:
        return spoken("no answer")
    usage = attempt.reply.usage
    counts, seconds = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,}", f"{attempt.reply.latency:.1f}"
    if usage.is_estimated:
        return spoken("about {counts} tokens (estimated), {seconds} s", counts=counts, seconds=seconds)
    return spoken("{counts} tokens, {seconds} s", counts=counts, seconds=seconds)


def _result(attempt: Attempt) -> str:
    if attempt.error is None:
        return spoken("answered")
    message = attempt.error.message
    return message if len(message) <= _ERROR_SHOWN else message[: _ERROR_SHOWN - 1] + "…"


@contextlib.contextmanager
def showing(*, live: bool) -> Iterator[Show]:
    """Somebody to show each snapshot to; `live` if nothing else writes to stderr meanwhile."""
    console = stderr()
    if not (live and console.is_terminal):
        yield Lines(console).show
        return
    with Live(console=console, auto_refresh=False, transient=True, vertical_overflow="crop") as screen:
        board = Board(screen)
        try:
            yield board.show
        finally:
            board.end()


class Lines:
    """Says each field in a line, once it is whole, and that an answer was given up."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._restarted = 0
        self._said: set[str] = set()

    def show(self, snapshot: AnswerSnapshot[Any]) -> None:
        """Say what is whole since the last snapshot."""
        with contextlib.suppress(OSError):  # who watches has gone: the answer is wanted all the same
            if snapshot.restarted > self._restarted:
                self._restarted = snapshot.restarted
                self._said.clear()
                self._say(spoken("again"), "yellow", _given_up(self._restarted))
            for path in snapshot.changed:
                if path in snapshot.complete and path not in self._said:
                    self._said.add(path)
                    self._field(path, value_at(snapshot.data, path))

    def _field(self, path: str, value: object) -> None:
        if not (isinstance(value, dict | list) and value):  # its members have lines of their own
            self._say(spoken("field"), "green", f"{_path(path)}  {_value(value)}")

    def _say(self, what: str, style: str, text: str) -> None:
        self._console.print(Text.assemble((set_cell_size(what, 8), style), text), soft_wrap=True)


class Board:
    """A row for each field, whole or growing. Drawn in the loop that reads the answer, and not at every chunk."""

    def __init__(self, screen: Live) -> None:
        self._screen = screen
        self._snapshot: AnswerSnapshot[Any] | None = None
        self._drawn = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._draw()

    def show(self, snapshot: AnswerSnapshot[Any]) -> None:
        """Draw the snapshot, now or as soon as it is time."""
        self._snapshot = snapshot
        wait = self._drawn + DRAWN_EVERY - time.monotonic()
        if wait <= 0:
            self._draw()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._draw)

    def end(self) -> None:
        """Draw the last snapshot, and nothing more."""
        if self._timer:
            self._draw()

    def _draw(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._drawn = time.monotonic()
        with contextlib.suppress(OSError):  # as above
            self._screen.update(board(self._snapshot, self._screen.console.height), refresh=True)


def board(snapshot: AnswerSnapshot[Any] | None, height: int) -> Table | Text:
    """The last fields of a snapshot, as many as the terminal has lines for."""
    restarted = snapshot.restarted if snapshot else 0
    title = Text(_given_up(restarted), "yellow") if restarted else None
    if snapshot is None or snapshot.data is None:
        waiting = Text(spoken("waiting for the model"), "dim")
        return Text("\n").join([title, waiting]) if title else waiting
    table = plain_table(spoken("field"), spoken("value"))
    table.title, table.title_justify = title, "left"
    for steps, value in deque(leaves(snapshot.data), max(height - _LINES_AROUND, _FEWEST_ROWS)):
        path = json_path(steps)
        shown = Text(_value(value)) if path in snapshot.complete else Text(_growing(value), "dim")
        table.add_row(_path(path), shown)
    return table


def _given_up(restarted: int) -> str:
    return spoken(
        "{restarted}  the answer could not be used: the fields shown so far do not count", restarted=restarted
    )


def _path(path: str) -> str:
    return visible(path if len(path) <= PATH_SHOWN else path[: PATH_SHOWN - 1] + "…")


def _value(value: object) -> str:
    """A value as JSON, its beginning where it is long."""
    if isinstance(value, str) and len(value) > VALUE_SHOWN:
        value = value[: VALUE_SHOWN - 1] + "…"
    return visible(json.dumps(value, ensure_ascii=False)[: 2 * VALUE_SHOWN])


def _growing(value: object) -> str:
    """What has come of a value, its end where it is long."""
    if isinstance(value, str):
        return visible(value if len(value) <= VALUE_SHOWN else "…" + value[1 - VALUE_SHOWN :])
    return "…"
