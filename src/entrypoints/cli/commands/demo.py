"""`llm-output demo`."""

from __future__ import annotations

import typer
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli.agents import AGENTS
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.recorded import recordings
from src.entrypoints.cli.recorded_check import Outcome, replay
from src.entrypoints.cli.screen import print_table, stdout
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.tables import plain_table

EXAMPLES = ("llm-output demo",)
TIMED_RUNS = 5


@guarded
def demo() -> None:
    """Run every agent's parser on recorded outputs.

    For each recording, the demo shows what was wrong with the text, what was repaired, the result or the reason for
    refusing it, and the time. Every result is compared with the expected one; the exit code is 1 if one differs. Needs
    no network.
    """
    configure_log(verbose=False)
    outcomes = [replay(recording, AGENTS[recording.agent], TIMED_RUNS) for recording in recordings()]
    console = stdout()
    print_table(_table(outcomes))
    console.print()
    for outcome in outcomes:
        if not outcome.as_recorded:
            console.print(Text(_expected(outcome), "bold red"))
    console.print(_summary(outcomes))
    if not all(outcome.as_recorded for outcome in outcomes):
        raise typer.Exit(ExitCode.PARSE_ERROR)


def _table(outcomes: list[Outcome]) -> Table:
    table = plain_table(
        spoken("智能体", "agent"),
        spoken("录制", "recording"),
        spoken("问题", "what was wrong"),
        spoken("修复", "what was repaired"),
        spoken("结果", "result"),
        "µs",
    )
    table.columns[-1].justify = "right"
    before = ""
    for outcome in outcomes:
        agent = outcome.recording.agent
        if agent != before and before:
            table.add_section()
        table.add_row(
            AGENTS[agent].output.label if agent != before else "",
            outcome.recording.case,
            visible(outcome.recording.what),
            visible(", ".join(outcome.repaired)),
            Text(visible(outcome.result), "" if outcome.parsed else "yellow"),
            f"{outcome.microseconds:,.0f}",
        )
        before = agent
    return table


def _summary(outcomes: list[Outcome]) -> Text:
    parsed = sum(outcome.parsed for outcome in outcomes)
    differing = sum(not outcome.as_recorded for outcome in outcomes)
    total, refused = len(outcomes), len(outcomes) - parsed
    counts = spoken(
        f"{total} 个录制：解析 {parsed} 个，拒绝 {refused} 个；",
        f"{total} recordings: {parsed} parsed, {refused} refused; ",
    )
    differ = spoken(f"{differing} 个与录制不符。", f"{differing} did not come out as recorded.")
    verdict = (differ, "bold red") if differing else (spoken("全部与录制相符。", "all as recorded."), "green")
    times = spoken(f"时间取 {TIMED_RUNS} 次中最短的一次。", f" Times: best of {TIMED_RUNS} runs.")
    return Text.assemble(counts, verdict, times)


def _expected(outcome: Outcome) -> str:
    file, expected = outcome.recording.file, outcome.expectation
    return spoken(f"{file}：应为 {expected}", f"{file}: expected {expected}")
