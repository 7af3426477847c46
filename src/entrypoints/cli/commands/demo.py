"""`llm-output demo`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.check_view import print_findings
from src.entrypoints.cli.demo_replay import Outcome, replay
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.log import configure_log
from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.recorded import packaged
from src.entrypoints.cli.screen import print_table, stdout
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.tables import plain_table

EXAMPLES = ("llm-output demo", "llm-output demo --serve")
TIMED_RUNS = 5


@guarded
def demo(
    *,
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Open the page on three made-up days of all agents, until Ctrl-C."),
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="URL",
            help="With --serve: fill this empty store, and keep it; by default one that is removed in the end.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65_535,
            metavar="N",
            help="With --serve: by default OUTPUT_PORT, else 8421; 0: a free one.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run every agent's parser on recorded outputs.

    For each recording, the demo shows what was wrong with the text, what was repaired, the result or the reason for
    refusing it, and the time. Every result is compared with the expected one; the exit code is 4 if one differs. Needs
    no network. With --serve it fills a store with texts of three days instead, and serves the page about them.
    """
    if serve:
        from src.entrypoints.cli.demo_service import serve_demo  # noqa: PLC0415 - an extra

        serve_demo(store, port)
        return
    if store is not None or port is not None:
        raise CommandError(spoken("--store 与 --port 需要 --serve", "--store and --port need --serve"))
    configure_log(verbose=False)
    outcomes = [
        replay(AGENTS[agent], manifest, recording, TIMED_RUNS)
        for agent, manifest in packaged().items()
        for recording in manifest.recordings
    ]
    findings = [outcome.finding for outcome in outcomes if outcome.finding]
    console = stdout()
    print_table(_table(outcomes))
    console.print()
    print_findings(findings, "bold red")
    console.print(_summary(outcomes, len(findings)))
    if findings:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


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
        agent = outcome.agent.output.label
        if agent != before and before:
            table.add_section()
        table.add_row(
            agent if agent != before else "",
            outcome.recording.case,
            visible(outcome.recording.what or ""),
            visible(", ".join(outcome.repaired)),
            Text(visible(outcome.result), "" if outcome.parsed else "yellow"),
            f"{outcome.microseconds:,.0f}",
        )
        before = agent
    return table


def _summary(outcomes: list[Outcome], differing: int) -> Text:
    parsed = sum(outcome.parsed for outcome in outcomes)
    total, refused = len(outcomes), len(outcomes) - parsed
    counts = spoken(
        f"{total} 个录制：解析 {parsed} 个，拒绝 {refused} 个；",
        f"{total} recordings: {parsed} parsed, {refused} refused; ",
    )
    differ = spoken(f"{differing} 个与录制不符。", f"{differing} did not come out as recorded.")
    verdict = (differ, "bold red") if differing else (spoken("全部与录制相符。", "all as recorded."), "green")
    times = spoken(f"时间取 {TIMED_RUNS} 次中最短的一次。", f" Times: best of {TIMED_RUNS} runs.")
    return Text.assemble(counts, verdict, times)
