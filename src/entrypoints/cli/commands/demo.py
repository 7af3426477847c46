"""`llm-output demo`."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import typer
from rich.text import Text

from src.entrypoints.agents import AGENTS, Agent
from src.entrypoints.cli.commands.check import compare, print_findings, refusal_text
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.options import command, configure_log
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.recorded import PACKAGED, Recording, packaged
from src.entrypoints.cli.screen import plain_table, print_table, stdout
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Language, language
from src.shared.domain.repair import how_often

_ACTIONS = {("think", "dropped"): "reasoning dropped", ("fence", "recognised"): "fence opened"}
"""The stages' actions that a reader of the demonstration wants to know of, in words."""
EXAMPLES = ("llm-output demo",)
TIMED_RUNS = 5


@command()
def demo() -> None:
    """Run every agent's parser on recorded outputs.

    For each recording, the demo shows what was wrong with the text, what was repaired, the result or the reason for
    refusing it, and the time. Every result is compared with the expected one; the exit code is 4 if one differs. Needs
    no network.
    """
    configure_log(verbose=False)
    table = plain_table(
        spoken("agent"),
        spoken("recording"),
        spoken("what was wrong"),
        spoken("what was repaired"),
        spoken("result"),
        "µs",
    )
    table.columns[-1].justify = "right"
    findings, parsed, refused = [], 0, 0
    for name, manifest in packaged().items():
        agent, folder = AGENTS[name], PACKAGED / name
        shown = agent.output.label if language() is Language.ZH else name
        for recording in manifest.recordings:
            text = read_source(str(folder / recording.file)).text
            reading = recording.read_again(text, manifest.contract(folder))
            now, finding = reading.recording, compare(f"{name}/{recording.file}", recording, reading)
            findings += [finding] if finding else []
            if now.refused is None:
                parsed += 1
                repaired = _repaired(agent, recording, text)
                result = Text(visible(", ".join(str(now.value.get(field)) for field in manifest.headline)))
            else:
                refused += 1
                repaired = ""
                result = Text(visible(refusal_text(now.refused, reading.reason)), "yellow")
            asked = partial(agent.parse, text, finished=recording.finished)
            time = min(timeit.repeat(partial(_run, asked), number=1, repeat=TIMED_RUNS)) * 1_000_000
            table.add_row(shown, recording.file.removesuffix(".txt"), recording.what, repaired, result, f"{time:,.0f}")
            shown = ""
        table.add_section()
    print_table(table)
    stdout().print()
    print_findings(findings, "bold red")
    counts = spoken(
        "{total} recordings: {parsed} parsed, {refused} refused; ",
        total=parsed + refused,
        parsed=parsed,
        refused=refused,
    )
    verdict = (spoken("all as recorded."), "green")
    if findings:
        verdict = (spoken("{differing} did not come out as recorded.", differing=len(findings)), "bold red")
    times = spoken(" Times: best of {timed_runs} runs.", timed_runs=TIMED_RUNS)
    stdout().print(Text.assemble(counts, verdict, times))
    if findings:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


def _run(parse: Callable[[], object]) -> None:
    with suppress(AppException):  # a refusal takes its time too
        parse()


def _repaired(agent: Agent, recording: Recording, text: str) -> str:
    """What the stages dropped and recognised, and the repairs, each kind once."""
    decoded = agent.output.parse_with_trace(text, finished=recording.finished).decoded
    actions = dict.fromkeys(_ACTIONS.get((note.stage, note.action), "") for note in decoded.notes)
    kinds = how_often(decoded.repairs).items()
    return ", ".join([*filter(None, actions), *(f"{kind.value.replace('_', ' ')} ×{count}" for kind, count in kinds)])
