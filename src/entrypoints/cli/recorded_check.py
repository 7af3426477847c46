"""Reads a recorded output again and compares the reading with what is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

from src.entrypoints.cli.contract import Contract
from src.entrypoints.cli.recorded import Recording
from src.entrypoints.cli.spoken import spoken
from src.modules.reparsing.domain.comparing import differing_value
from src.modules.reparsing.domain.comparison import DifferingValue
from src.modules.reparsing.domain.differences import differences
from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.infrastructure.llm_json import decode_llm_json

MOST_DIFFERENCES = 20
"""Most places of a value that a finding holds."""


class Problem(StrEnum):
    """Why a recording is not as recorded; there is no other reason."""

    DIFFERENT = "different"
    """It is read as another value."""
    REFUSED = "refused"
    """A value is recorded, and it is refused."""
    READ = "read"
    """A refusal is recorded, and it is read."""
    OTHER_STAGE = "other_stage"
    """It is refused at another stage."""
    NOT_RECORDED = "not_recorded"
    """Nothing is recorded of it."""
    NO_FILE = "no_file"
    """Its file is not there."""


@dataclass(frozen=True)
class Reading:
    """What becomes of a text: a value as JSON types, or a refusal.

    Attributes:
        value: the value.
        stage: where it was refused; None where it was read.
        reason: why.
    """

    value: Any = None
    stage: str | None = None
    reason: str = ""

    def record(self, recording: Recording) -> Recording:
        """The recording with this reading as its outcome."""
        return recording.outcome(value=self.value) if self.stage is None else recording.outcome(refused=self.stage)


@dataclass(frozen=True)
class Finding:
    """A recording that is not as recorded.

    Attributes:
        file: its path.
        problem: why.
        recorded: the stage at which it must be refused; None where there is none.
        reading: what became of it; None where it has no file.
        values: the places where the values differ, the first `MOST_DIFFERENCES` of them.
        more: whether there are others.
    """

    file: str
    problem: Problem
    recorded: str | None = None
    reading: Reading | None = None
    values: tuple[DifferingValue, ...] = ()
    more: bool = False


def read_again(text: str, contract: Contract | None, *, finished: bool | None) -> Reading:
    """Read a text as it would be read now, into plain data where there is no contract.

    Raises:
        CommandError: the type cannot be used.
    """
    try:
        if contract is None:
            return Reading(decode_llm_json(text, finished=finished).data)
        return Reading(contract.parse(text, finished=finished).data)
    except LLMJsonParseError as error:
        return Reading(stage=error.details["stage"], reason=_reason(error))


def _reason(error: LLMJsonParseError) -> str:
    problems = error.details.get("validation_errors")
    if problems:
        return f"{json_path(problems[0]['loc'])}: {problems_of(error)[0]}"
    reason: str = error.details.get("json_error", error.message)
    return reason


def refusal_in_words(reading: Reading) -> str:
    """Where and why a text was refused."""
    return spoken(f"在 {reading.stage} 阶段拒绝：{reading.reason}", f"refused at {reading.stage}: {reading.reason}")


def compared(file: str, recording: Recording, reading: Reading) -> Finding | None:
    """What is wrong with a recording; None where it is as recorded."""
    if not recording.is_recorded:
        return Finding(file, Problem.NOT_RECORDED, reading=reading)
    if recording.is_read != (reading.stage is None):
        problem = Problem.REFUSED if recording.is_read else Problem.READ
        return Finding(file, problem, recording.refused, reading)
    if recording.refused != reading.stage:
        return Finding(file, Problem.OTHER_STAGE, recording.refused, reading)
    values = tuple(islice(changed(recording.value, reading.value), MOST_DIFFERENCES + 1))
    if not values:
        return None
    more = len(values) > MOST_DIFFERENCES
    return Finding(file, Problem.DIFFERENT, None, reading, values[:MOST_DIFFERENCES], more)


def changed(old: object, new: object) -> Iterator[DifferingValue]:
    """The places at which two values differ, with excerpts of both."""
    return map(differing_value, differences(old, new))
