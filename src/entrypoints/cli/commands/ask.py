"""`llm-output ask`."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.cells import set_cell_size
from rich.live import Live
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli import options as flags
from src.entrypoints.cli.contract import contract_of
from src.entrypoints.cli.exit_codes import code_of
from src.entrypoints.cli.files import STDIN, Source, read_source, value_writer
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.reading_view import print_repairs, report_error
from src.entrypoints.cli.screen import leaves, plain_table, say, stderr, waiting
from src.shared.application.question import Attempt, Outcome, Question
from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import error_of, json_path
from src.shared.domain.one_line import shorten
from src.shared.infrastructure.llm_stream import value_at

Snapshots: TypeAlias = AsyncGenerator[AnswerSnapshot[Any]]
VALUE_SHOWN = 100
"""Most characters of a value that are shown."""
PATH_SHOWN = 60
"""Most characters of a path that are shown."""
DRAWN_EVERY = 0.1
"""Seconds between two drawings of the table."""
_ERROR_SHOWN = 120
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


@dataclass(frozen=True)
class AskOptions:
    """What is sent with a prompt, and what the answer may cost."""

    system: Annotated[str | None, flags.option("FILE", "A file with the system message, UTF-8.")] = None
    temperature: Annotated[float, flags.option("0..2", "The model's sampling temperature.", min=0.0, max=2.0)] = 0.7
    max_tokens: Annotated[int | None, flags.option("N", "The most tokens of one answer.", min=1)] = None
    max_retries: Annotated[
        int | None,
        flags.option("N", "Re-asks after an answer that cannot be used. Default: LLM_BUDGET_RETRIES, or 2.", min=0),
    ] = None
    max_seconds: Annotated[
        float | None,
        flags.option("S", "Seconds for all attempts together. Default: LLM_BUDGET_SECONDS.", min=0.0),
    ] = None


@flags.command()
def ask(  # noqa: PLR0913 - one parameter an option
    file: PromptArgument = None,
    *,
    types: flags.TypeOptions,
    asked: flags.ModelOptions,
    how: AskOptions,
    result: flags.ResultOptions,
    no_repair: Annotated[
        bool, flags.switch("--no-repair", "Do not ask the repair agent when the last answer cannot be read.")
    ] = False,
    stream: Annotated[
        bool,
        flags.switch(
            "--stream",
            "Show the fields on stderr while the model writes: growing on a terminal, else each once it is whole.",
        ),
    ] = False,
    quiet: flags.QuietOption = False,
    verbose: flags.VerboseOption = False,
) -> None:
    """Ask a model for a typed answer.

    A description of the answer's type is added to the prompt. If an answer cannot be used, the model is asked again
    and told what was wrong. If only the syntax of the last answer is broken, the repair agent gets it. The object goes
    to stdout as JSON, a line for each attempt to stderr; with --stream, the fields before them.
    """
    flags.configure_log(verbose=verbose)
    contract = contract_of(types)
    if contract is None:
        raise CommandError("say what to ask for: --agent NAME, --dto MODULE:NAME or --schema FILE")
    prompt, system_message = _texts(file, how.system, asked.replay)
    question = Question.of(prompt, system_message, temperature=how.temperature, max_tokens=how.max_tokens)
    show = None
    if stream and not quiet and result.error_format == "text":
        show = show_board if stderr().is_terminal and not verbose else show_lines

    async def outcome_of(question: Question) -> Outcome[Any]:
        async with flags.application(asked, repair=not no_repair) as app:
            budget: Budget = app.budget().bounded(max_retries=how.max_retries, max_seconds=how.max_seconds)
            llm = app.typed_llm()
            if show is None:
                return await llm.generate_and_parse(question, contract, budget=budget)
            answer = llm.stream_and_parse(question, contract, budget=budget)
            async with contextlib.aclosing(answer.snapshots()) as snapshots:
                await show(snapshots)
            return answer.outcome

    with contextlib.nullcontext() if show else waiting():
        outcome = asyncio.run(outcome_of(question))
    if outcome.parsed is None:
        raise _refusal(outcome, result.error_format)
    write = value_writer(contract.data(outcome.parsed.value), result)
    if not quiet:
        _print_attempts(outcome)
        print_repairs(outcome.parsed.repairs)
    write()


def _refusal(outcome: Outcome[Any], error_format: flags.InWordsOrJson) -> typer.Exit:
    """The end of the command, after the reason."""
    error = error_of(outcome.error)
    if error_format == "text":
        _print_attempts(outcome)
    replies = [attempt.reply for attempt in outcome.attempts if attempt.reply and not attempt.by_repair_agent]
    report_error(error, Source("<answer>", replies[-1].text if replies else ""), error_format)
    return typer.Exit(code_of(error))


def _texts(file: str | None, system: str | None, replay: Path | None) -> tuple[str, str | None]:
    """The prompt and the system message: of files, or of the first exchange of a recording.

    Raises:
        LLMConfigurationError: the recording cannot be read.
        CommandError: there is no prompt.
    """
    if file is None and replay is not None:
        from src.shared.infrastructure.llm.replay import read_exchanges  # noqa: PLC0415 - only a replay needs it

        exchanges = read_exchanges(replay)
        if not exchanges:
            raise CommandError("{recording} holds no recorded question; name a FILE with the prompt", recording=replay)
        return exchanges[0].prompt, exchanges[0].system_message
    prompt = read_source(file or STDIN).text
    if not prompt.strip():
        raise CommandError("the prompt is empty")
    return prompt, read_source(system).text if system else None


def _print_attempts(outcome: Outcome[Any]) -> None:
    """Print who was asked, what came of it, and what it cost in tokens and seconds."""
    for attempt in outcome.attempts:
        who = spoken("repair") if attempt.by_repair_agent else spoken("asked")
        result = attempt.error.message if attempt.error else spoken("answered")
        style = "yellow" if attempt.error else "green"
        _say(who, style, f"{attempt.number}  {_cost(attempt)}  {visible(shorten(result, _ERROR_SHOWN))}")


def _cost(attempt: Attempt) -> str:
    if attempt.reply is None:
        return spoken("no answer")
    usage = attempt.reply.usage
    counts, seconds = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,}", f"{attempt.reply.latency:.1f}"
    if usage.is_estimated:
        return spoken("about {counts} tokens (estimated), {seconds} s", counts=counts, seconds=seconds)
    return spoken("{counts} tokens, {seconds} s", counts=counts, seconds=seconds)


async def show_lines(snapshots: Snapshots) -> None:
    """Say each field in a line, once it is whole, and that an answer was given up."""
    restarted, shown = 0, set[str]()
    async for snapshot in snapshots:
        if snapshot.restarted > restarted:
            restarted = snapshot.restarted
            shown.clear()
            _say(spoken("again"), "yellow", _given_up(restarted))
        whole = [path for path in snapshot.changed if path in snapshot.complete and path not in shown]
        shown.update(whole)
        for path in whole:
            value = value_at(snapshot.data, path)
            if not (isinstance(value, dict | list) and value):  # its members have lines of their own
                _say(spoken("field"), "green", f"{visible(shorten(path, PATH_SHOWN))}  {_value(value)}")


async def show_board(snapshots: Snapshots) -> None:
    """Show a row for each field, whole or growing. Drawn in the loop that reads the answer, and not at every chunk."""
    console, latest = stderr(), None

    async def redraw() -> None:
        while True:
            screen.refresh()
            await asyncio.sleep(DRAWN_EVERY)

    with Live(
        console=console,
        get_renderable=lambda: board(latest, console.height),
        auto_refresh=False,
        transient=True,
        vertical_overflow="crop",
    ) as screen:
        drawing = asyncio.create_task(redraw())
        try:
            async for latest in snapshots:  # noqa: B007 - drawn when it is time, and at the end by `Live`
                pass
        finally:
            drawing.cancel()


def board(snapshot: AnswerSnapshot[Any] | None, height: int) -> Table | Text:
    """The last fields of a snapshot, as many as the terminal has lines for."""
    restarted = snapshot.restarted if snapshot else 0
    title = Text(_given_up(restarted), "yellow") if restarted else None
    if snapshot is None or snapshot.data is None:
        wait = Text(spoken("waiting for the model"), "dim")
        return Text("\n").join([title, wait]) if title else wait
    table = plain_table(spoken("field"), spoken("value"))
    table.title, table.title_justify = title, "left"
    for steps, value in deque(leaves(snapshot.data), max(height - _LINES_AROUND, _FEWEST_ROWS)):
        path = json_path(steps)
        if path in snapshot.complete:
            shown = Text(_value(value))
        elif not isinstance(value, str):
            shown = Text("…", "dim")
        else:
            shown = Text(visible(value if len(value) <= VALUE_SHOWN else "…" + value[1 - VALUE_SHOWN :]), "dim")
        table.add_row(visible(shorten(path, PATH_SHOWN)), shown)
    return table


def _say(what: str, style: str, text: str) -> None:
    say(Text.assemble((set_cell_size(what, 8), style), text))


def _given_up(restarted: int) -> str:
    return spoken(
        "{restarted}  the answer could not be used: the fields shown so far do not count", restarted=restarted
    )


def _value(value: object) -> str:
    """A value as JSON, its beginning where it is long."""
    shown = shorten(value, VALUE_SHOWN) if isinstance(value, str) else value
    return visible(json.dumps(shown, ensure_ascii=False)[: 2 * VALUE_SHOWN])
