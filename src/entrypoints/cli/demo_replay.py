"""What the demonstration tells of a recording: what was repaired, what came out, how long it took."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from src.entrypoints.agents import Agent
from src.entrypoints.cli.recorded import PACKAGED, Manifest, Recording
from src.entrypoints.cli.recorded_check import Finding, compared, read_again, refusal_in_words
from src.entrypoints.cli.source import read_source
from src.shared.domain.exceptions import AppException
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace

_ACTIONS = {("think", "dropped"): "reasoning dropped", ("fence", "recognised"): "fence opened"}
"""The stages' actions that a reader of the demonstration wants to know of, in words."""


@dataclass(frozen=True)
class Outcome:
    """What became of a recording.

    Attributes:
        agent: whose it is.
        recording: which.
        parsed: whether there is a typed result; if not, it was refused.
        result: the headline of the typed result, or why it was refused.
        repaired: what the stages dropped and recognised, and the repairs, each kind once.
        finding: what is not as recorded; None where all is.
        microseconds: of the agent's parse function, the best of the timed runs.
    """

    agent: Agent
    recording: Recording
    parsed: bool
    result: str
    repaired: tuple[str, ...]
    finding: Finding | None
    microseconds: float


def replay(agent: Agent, manifest: Manifest, recording: Recording, timed_runs: int) -> Outcome:
    """Parse a recording, once for the result and `timed_runs` times for the time."""
    folder = PACKAGED / agent.name
    text = read_source(str(folder / recording.file)).text
    reading = read_again(text, manifest.contract(folder), finished=recording.finished)
    parsed = reading.stage is None
    return Outcome(
        agent,
        recording,
        parsed=parsed,
        result=_headline(manifest, reading.value) if parsed else refusal_in_words(reading),
        repaired=_repaired(text, recording, agent) if parsed else (),
        finding=compared(f"{agent.name}/{recording.file}", recording, reading),
        microseconds=min(_microseconds(agent, text, recording) for _ in range(timed_runs)),
    )


def _microseconds(agent: Agent, text: str, recording: Recording) -> float:
    finished = recording.finished
    start = perf_counter_ns()
    with suppress(AppException):  # a refusal takes its time too
        agent.parse(text, finished=finished)
    return (perf_counter_ns() - start) / 1000


def _headline(manifest: Manifest, value: dict[str, Any]) -> str:
    return ", ".join(str(value.get(name)) for name in manifest.headline)


def _repaired(text: str, recording: Recording, agent: Agent) -> tuple[str, ...]:
    output = agent.output
    decoded = parse_llm_json_output_with_trace(
        text, output.checked_type, normalizers=output.normalizers, finished=recording.finished
    ).decoded
    notes = dict.fromkeys(_ACTIONS.get((note.stage, note.action), "") for note in decoded.notes)
    kinds = how_often(decoded.repairs).items()
    return (*filter(None, notes), *(f"{kind.value.replace('_', ' ')} ×{count}" for kind, count in kinds))
