"""The words in which the tests restate the agents' contracts, and what is needed to bend an answer.

A contract names every place of an answer (`("dimension_analyses", 0, "score")`) and what may stand there. It
is written by hand, from the specification, and never derived from the DTO it is checked against.
"""

import copy
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import pytest
from pydantic import BaseModel

from src.entrypoints.agents import AGENTS
from src.shared.application.typed_llm import TypedLLM
from src.shared.infrastructure.agents.agent_output import AgentOutput

Value: TypeAlias = Any
"""Whatever JSON can hold."""
Answer: TypeAlias = dict[str, Value]
Place: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Choice:
    """One of these strings, exactly."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class Number:
    """A number between two bounds, both included; without bounds, any finite one."""

    low: float = -1e9
    high: float = 1e9
    whole: bool = False
    bounded: bool = True


@dataclass(frozen=True)
class Text:
    """Prose. Null may stand for a missing text where the contract fills one in."""

    null_is_missing: bool = False


@dataclass(frozen=True)
class Quantity(Text):
    """Text that may be written as a bare number."""


@dataclass(frozen=True)
class Texts:
    """A list of strings; `lenient` takes null for an empty one and a string for a list of one."""

    least: int = 0
    lenient: bool = False


@dataclass(frozen=True)
class Objects:
    """A list of objects."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Nested:
    """An object."""


Kind: TypeAlias = Choice | Number | Text | Texts | Objects | Nested


@dataclass(frozen=True)
class AgentContract:
    """What one agent is held to.

    `answer` is complete: every field, each with a value of its own. `defaults` says what a missing place
    means; every other place is required. `goes_with` says what else an answer holds when it chooses a member.
    `ask` asks the agent something.
    """

    agent: str
    label: str
    dto_name: str
    ask: Callable[[TypedLLM], Awaitable[BaseModel]]
    answer: Answer
    places: dict[Place, Kind]
    defaults: dict[Place, Value] = field(default_factory=dict)
    goes_with: dict[str, Answer] = field(default_factory=dict)

    @property
    def parse(self) -> Callable[..., BaseModel]:
        """The parse function in the agent's folder."""
        return AGENTS[self.agent].parse

    @property
    def output(self) -> AgentOutput[Any]:
        """The output contract in the agent's folder."""
        return AGENTS[self.agent].output

    @property
    def dto(self) -> type[BaseModel]:
        """The type in the agent's folder."""
        return cast("type[BaseModel]", self.output.dto_type)

    @property
    def error(self) -> Any:  # noqa: ANN401 - a class of its context
        """What the parser raises."""
        return self.output.error_type

    def all_places(self) -> dict[Place, Kind]:
        """Every place, with the one all agents have."""
        return {**self.places, ("narrative_report",): Text()}

    def all_defaults(self) -> dict[Place, Value]:
        """What each missing place means, with the one all agents have."""
        return {**self.defaults, ("narrative_report",): ""}

    def read(self, answer: Answer) -> BaseModel:
        """Parse an answer as the agent would have written it."""
        return self.parse(as_text(answer))

    def refusal(self, answer: Answer) -> set[Place]:
        """Parse an answer that must be refused for breaking the contract; return the places named."""
        with pytest.raises(self.error) as caught:
            self.read(answer)
        return {tuple(error["loc"]) for error in caught.value.details["validation_errors"]}


def as_text(answer: Answer) -> str:
    """Write an answer as a model does: Chinese as it is."""
    return json.dumps(answer, ensure_ascii=False, indent=2)


def value_at(answer: Value, place: Place) -> Value:
    """Look up what stands at a place."""
    for step in place:
        answer = answer[step]
    return answer


def replaced(answer: Answer, place: Place, value: object) -> Answer:
    """Copy an answer with another value at a place."""
    changed = copy.deepcopy(answer)
    value_at(changed, place[:-1])[place[-1]] = value
    return changed


def removed(answer: Answer, place: Place) -> Answer:
    """Copy an answer with a field left out."""
    changed = copy.deepcopy(answer)
    del value_at(changed, place[:-1])[place[-1]]
    return changed


def places_of(value: Value, here: Place = ()) -> Iterator[Place]:
    """List the places of an answer: fields, and for a list of objects those of its first."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield from places_of(value[0], (*here, 0))
    if isinstance(value, dict):
        for key, member in value.items():
            yield (*here, key)
            yield from places_of(member, (*here, key))
