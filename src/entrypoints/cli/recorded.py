"""Recorded model outputs: a folder of texts, and beside them what each must come out as, in `manifest.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import Contract, coerced, contract_of
from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text, spoken
from src.modules.reparsing.domain.comparison import DifferingValue, differences, differing_value
from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.infrastructure.llm_json import decode_llm_json

MANIFEST = "manifest.json"
"""Says of each recording of a folder what it must come out as."""
PACKAGED = Path(__file__).parent / "recordings"
"""The recordings that come with the package, one folder an agent."""


def _plain_name(name: str) -> str:
    if Path(name).name != name or name == ".." or "\0" in name:
        message = "it is no name of a file in this folder"
        raise ValueError(message)
    return name


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Recording(_Written):
    """One recorded output, and what it must come out as: a value, or a refusal. Neither is there before it is recorded.

    Attributes:
        file: the name of its file.
        what: what is wrong with it, for the reader.
        finish_reason: why the model stopped, as its provider spelled it; None where that was not recorded.
        value: the whole value, as JSON types.
        refused: the stage at which it must be refused.
    """

    file: Annotated[str, AfterValidator(_plain_name)]
    what: str | None = None
    finish_reason: str | None = None
    value: Any = None
    refused: str | None = None

    @model_validator(mode="after")
    def _one_outcome(self) -> Recording:
        if self.is_read and self.refused is not None:
            message = "it has a value and is refused"
            raise ValueError(message)
        return self

    @property
    def case(self) -> str:
        """Its file's name without the ending."""
        return Path(self.file).stem

    @property
    def is_read(self) -> bool:
        """Whether a value is recorded."""
        return "value" in self.model_fields_set

    @property
    def is_recorded(self) -> bool:
        """Whether an outcome is recorded."""
        return self.is_read or self.refused is not None

    @property
    def finished(self) -> bool | None:
        """What the parser is told of the end of the text."""
        return finish_reason_of(self.finish_reason).finished

    def outcome(self, **outcome: object) -> Recording:
        """The same recording, with this `value` or this stage as `refused`."""
        facts = self.model_dump(exclude_unset=True, exclude={"value", "refused"})
        return Recording.model_validate({**facts, **outcome})


class Manifest(_Written):
    """What is recorded of the texts of a folder.

    Attributes:
        agent, dto, schema_file: the type, as `--agent` and `--dto` name it, or a file from the folder. One at most;
            without any a text is read into plain data.
        coerce: whether values in another spelling than their type are read.
        headline: the fields that `llm-output demo` shows of a value.
        recordings: one a text.
    """

    agent: str | None = None
    dto: str | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    coerce: bool = False
    headline: tuple[str, ...] = ()
    recordings: tuple[Recording, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> Manifest:
        seen: set[str] = set()
        for recording in self.recordings:
            if recording.file in seen:
                message = f"{recording.file!r} is there twice"
                raise ValueError(message)
            seen.add(recording.file)
        return self

    def contract(self, folder: Path) -> Contract | None:
        """What its texts are parsed into.

        Raises:
            CommandError: the manifest in `folder` names nothing that there is.
        """
        schema = None if self.schema_file is None else os.path.normpath(folder / self.schema_file)
        try:
            contract = contract_of(self.agent, self.dto, schema)
            return coerced(contract) if self.coerce else contract
        except CommandError as error:
            raise CommandError(f"{folder / MANIFEST}: {error.message}") from error

    def text(self) -> str:
        """The manifest as its file holds it.

        Raises:
            ValueError: a value cannot be written as JSON.
            RecursionError: a value is nested too deeply.
        """
        return json_text(self.model_dump(by_alias=True, exclude_unset=True))


def read_manifest(folder: Path) -> Manifest:
    """What is recorded of a folder; nothing where it has no manifest.

    Raises:
        CommandError: it cannot be read, or is no manifest.
    """
    file = folder / MANIFEST
    if not file.exists():
        return Manifest()
    text = read_source(str(file)).text
    try:
        return Manifest.model_validate(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        why = f"{json_path(first['loc'])}: {first['msg']}"
    except (ValueError, RecursionError) as error:
        why = str(error) or type(error).__name__
    raise CommandError(f"{file} 不是录制清单：{why}", f"{file} is no manifest of recordings: {why}")


def packaged() -> dict[str, Manifest]:
    """Agent → the manifest of its recordings that come with the package."""
    return {agent: read_manifest(PACKAGED / agent) for agent in AGENTS}


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
