"""Parses one recorded output with its agent's parser and compares the result with the expected one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from pydantic import BaseModel

from src.entrypoints.cli.agents import Agent
from src.entrypoints.cli.recorded import Recording
from src.entrypoints.cli.spoken import spoken
from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace

_ACTIONS = {("think", "dropped"): "reasoning dropped", ("fence", "recognised"): "fence opened"}
"""The stages' actions that a reader of the demonstration wants to know of, in words."""


@dataclass(frozen=True)
class Outcome:
    """What became of a recording.

    Attributes:
        recording: which.
        parsed: whether there is a typed result; if not, it was refused.
        result: the headline of the typed result, or why it was refused.
        repaired: what the stages dropped and recognised, and the repairs, each kind once.
        as_recorded: whether that is what the manifest says.
        microseconds: of the agent's parse function, the best of the timed runs.
    """

    recording: Recording
    parsed: bool
    result: str
    repaired: tuple[str, ...]
    as_recorded: bool
    microseconds: float

    @property
    def expectation(self) -> str:
        """What the manifest says."""
        headline = self.recording.headline
        return spoken("拒绝", "a refusal") if headline is None else _spelled(headline)


def replay(recording: Recording, agent: Agent, timed_runs: int) -> Outcome:
    """Parse a recording, once for the result and `timed_runs` times for the time."""
    microseconds = min(_microseconds(agent, recording) for _ in range(timed_runs))
    try:
        headline = _headline(agent.parse(recording.text(), finished=recording.finished), recording)
    except AppException as error:
        return Outcome(
            recording,
            parsed=False,
            result=_reason(error),
            repaired=(),
            as_recorded=recording.headline is None,
            microseconds=microseconds,
        )
    return Outcome(
        recording,
        parsed=True,
        result=_spelled(headline),
        repaired=_repaired(recording, agent),
        as_recorded=headline == recording.headline,
        microseconds=microseconds,
    )


def _microseconds(agent: Agent, recording: Recording) -> float:
    text, finished = recording.text(), recording.finished
    start = perf_counter_ns()
    with suppress(AppException):  # a refusal takes its time too
        agent.parse(text, finished=finished)
    return (perf_counter_ns() - start) / 1000


def _headline(result: BaseModel, recording: Recording) -> dict[str, Any]:
    data = result.model_dump(mode="json")
    return {name: data.get(name) for name in recording.headline or data}


def _spelled(headline: dict[str, Any]) -> str:
    return ", ".join(map(str, headline.values()))


def _reason(error: AppException) -> str:
    details = error.details
    fields = [f"{json_path(problem['loc'])}: {problem['msg']}" for problem in details.get("validation_errors", [])]
    reason = fields[0] if fields else details.get("json_error", error.message)
    stage = details["stage"]
    return spoken(f"在 {stage} 阶段拒绝：{reason}", f"refused at {stage}: {reason}")


def _repaired(recording: Recording, agent: Agent) -> tuple[str, ...]:
    output = agent.output
    decoded = parse_llm_json_output_with_trace(
        recording.text(), output.checked_type, normalizers=output.normalizers, finished=recording.finished
    ).decoded
    notes = dict.fromkeys(_ACTIONS.get((note.stage, note.action), "") for note in decoded.notes)
    kinds = how_often(decoded.repairs).items()
    return (*filter(None, notes), *(f"{kind.value.replace('_', ' ')} ×{count}" for kind, count in kinds))
