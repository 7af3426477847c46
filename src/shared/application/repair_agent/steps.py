"""The repair agent's answer as steps: its tokens in their order, commas and colons apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from src.shared.application.repair_agent.answer import NumberText


class StepKind(Enum):
    """What a token is."""

    OPEN = "open"
    CLOSE = "close"
    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"


class Step(NamedTuple):
    """One token of the answer.

    Attributes:
        kind: what it is.
        text: the bracket (of a closing one, the opening one), the decoded string, the number or the literal.
        in_list: whether it is an item of a list.
        follows: whether it begins a member or an item that another one stands before.
    """

    kind: StepKind
    text: str
    in_list: bool = False
    follows: bool = False


@dataclass
class _Level:
    bracket: str
    names: Collection[str]
    members: Iterator[tuple[str | int, Any]]
    begun: bool = False


_LITERALS = {True: "true", False: "false", None: "null"}


class Steps:
    """Goes through a decoded answer, however deep it is.

    Attributes:
        loc: where the last step is, as in a validation error.
        names: the names of the object the last step is in; empty in a list.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self._root = data
        self.loc: list[str | int] = []
        self.names: Collection[str] = ()

    def __iter__(self) -> Iterator[Step]:
        """Yield the steps once."""
        levels = [_level(self._root)]
        yield Step(StepKind.OPEN, "{")
        while levels:
            level = levels[-1]
            del self.loc[len(levels) - 1 :]
            self.names = level.names
            member = next(level.members, None)
            if member is None:
                levels.pop()
                yield Step(StepKind.CLOSE, level.bracket)
                continue
            yield from self._member(level, *member)
            if isinstance(member[1], dict | list):
                levels.append(_level(member[1]))

    def _member(self, level: _Level, place: str | int, value: object) -> Iterator[Step]:
        self.loc.append(place)
        follows, level.begun = level.begun, True
        if isinstance(place, str):
            yield Step(StepKind.NAME, place, follows=follows)
            yield _value_step(value)
        else:
            yield _value_step(value)._replace(in_list=True, follows=follows)


def _level(container: dict[str, Any] | list[Any]) -> _Level:
    if isinstance(container, dict):
        return _Level("{", container, iter(container.items()))
    return _Level("[", (), iter(enumerate(container)))


def _value_step(value: object) -> Step:
    if isinstance(value, dict | list):
        return Step(StepKind.OPEN, "{" if isinstance(value, dict) else "[")
    if isinstance(value, NumberText):
        return Step(StepKind.NUMBER, value)
    if isinstance(value, str):
        return Step(StepKind.STRING, value)
    return Step(StepKind.LITERAL, _LITERALS[value])  # type: ignore[index]  # what is left in JSON
