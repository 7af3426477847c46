"""`llm-output demo`."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter_ns
from typing import Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from src.entrypoints.agents import AGENTS, Agent
from src.entrypoints.cli.commands.check import Finding, compared, print_findings, read_again, refusal_in_words
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import configure_log
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.recorded import PACKAGED, Manifest, Recording, packaged
from src.entrypoints.cli.screen import plain_table, print_table, stdout
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Language, language
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace

_ACTIONS = {("think", "dropped"): "reasoning dropped", ("fence", "recognised"): "fence opened"}
"""The stages' actions that a reader of the demonstration wants to know of, in words."""
EXAMPLES = ("llm-output demo",)
TIMED_RUNS = 5


@guarded
def demo() -> None:
    """Run every agent's parser on recorded outputs.

    For each recording, the demo shows what was wrong with the text, what was repaired, the result or the reason for
    refusing it, and the time. Every result is compared with the expected one; the exit code is 4 if one differs. Needs
    no network.
    """
    configure_log(verbose=False)
    outcomes = [
        _replay(AGENTS[agent], manifest, recording)
        for agent, manifest in packaged().items()
        for recording in manifest.recordings
    ]
    findings = [outcome.finding for outcome in outcomes if outcome.finding]
    print_table(_table(outcomes))
    stdout().print()
    print_findings(findings, "bold red")
    stdout().print(_summary(outcomes, len(findings)))
    if findings:
        raise typer.Exit(ExitCode.NOT_AS_RECORDED)


class _Outcome(NamedTuple):
    """What became of a recording.

    Attributes:
        agent: whose it is, as the table says it.
        recording: which.
        parsed: whether there is a typed result; if not, it was refused.
        result: the headline of the typed result, or why it was refused.
        repaired: what the stages dropped and recognised, and the repairs, each kind once.
        finding: what is not as recorded; None where all is.
        microseconds: of the agent's parse function, the best of the timed runs.
    """

    agent: str
    recording: Recording
    parsed: bool
    result: str
    repaired: str
    finding: Finding | None
    microseconds: float


def _replay(agent: Agent, manifest: Manifest, recording: Recording) -> _Outcome:
    folder = PACKAGED / agent.name
    text = read_source(str(folder / recording.file)).text
    reading = read_again(text, manifest.contract(folder), finished=recording.finished)
    parsed = reading.stage is None
    return _Outcome(
        agent.output.label if language() is Language.ZH else agent.name,
        recording,
        parsed=parsed,
        result=_headline(manifest, reading.value) if parsed else refusal_in_words(reading),
        repaired=_repaired(text, recording, agent) if parsed else "",
        finding=compared(f"{agent.name}/{recording.file}", recording, reading),
        microseconds=min(_microseconds(agent, text, recording) for _ in range(TIMED_RUNS)),
    )


def _headline(manifest: Manifest, value: dict[str, Any]) -> str:
    return ", ".join(str(value.get(name)) for name in manifest.headline)


def _microseconds(agent: Agent, text: str, recording: Recording) -> float:
    finished = recording.finished
    start = perf_counter_ns()
    with suppress(AppException):  # a refusal takes its time too
        agent.parse(text, finished=finished)
    return (perf_counter_ns() - start) / 1000


def _repaired(text: str, recording: Recording, agent: Agent) -> str:
    output = agent.output
    decoded = parse_llm_json_output_with_trace(
        text, output.checked_type, normalizers=output.normalizers, finished=recording.finished
    ).decoded
    notes = dict.fromkeys(_ACTIONS.get((note.stage, note.action), "") for note in decoded.notes)
    kinds = how_often(decoded.repairs).items()
    return ", ".join([*filter(None, notes), *(f"{kind.value.replace('_', ' ')} ×{count}" for kind, count in kinds)])


def _table(outcomes: list[_Outcome]) -> Table:
    table = plain_table(
        spoken("agent"),
        spoken("recording"),
        spoken("what was wrong"),
        spoken("what was repaired"),
        spoken("result"),
        "µs",
    )
    table.columns[-1].justify = "right"
    before = ""
    for outcome in outcomes:
        is_first = outcome.agent != before
        if is_first and before:
            table.add_section()
        table.add_row(
            outcome.agent if is_first else "",
            outcome.recording.case,
            visible(outcome.recording.what or ""),
            visible(outcome.repaired),
            Text(visible(outcome.result), "" if outcome.parsed else "yellow"),
            f"{outcome.microseconds:,.0f}",
        )
        before = outcome.agent
    return table


def _summary(outcomes: list[_Outcome], differing: int) -> Text:
    parsed = sum(outcome.parsed for outcome in outcomes)
    total, refused = len(outcomes), len(outcomes) - parsed
    counts = spoken(
        "{total} recordings: {parsed} parsed, {refused} refused; ", total=total, parsed=parsed, refused=refused
    )
    differ = spoken("{differing} did not come out as recorded.", differing=differing)
    verdict = (differ, "bold red") if differing else (spoken("all as recorded."), "green")
    times = spoken(" Times: best of {timed_runs} runs.", timed_runs=TIMED_RUNS)
    return Text.assemble(counts, verdict, times)
