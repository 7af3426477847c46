"""What became of one text: the action in it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from src.modules.visual_rag.domain.actions import ACTION, ARGUMENTS, Action, ActionType, AnswerAction, SearchAction
from src.modules.visual_rag.domain.problems import (
    ActionProblem,
    arguments_not_an_object,
    arguments_said_twice,
    unknown_action,
    wrong_arguments,
)
from src.shared.domain.repair import Repair

_WRAPPER = "response"
"""The member that some models put the arguments into."""
_TYPES = {action_type.value: action_type for action_type in ActionType}


@dataclass(frozen=True, slots=True)
class ParsedAction:
    """The action in a model's text.

    Attributes:
        action_type: which one; None where there is none that could be done.
        content: the query of a search, the answer of an answer, the arguments of a crop or an OCR as the model wrote
            them (numbers that were written as text apart); None without an action.
        raw_json: the JSON object's own text, unchanged, damage included; None for a legacy tag.
        action: the same with its arguments typed; None without an action.
        problem: why there is no action; None where there is one.
        repairs: what was repaired in the JSON, in the order of the text.
        superseded: how many earlier actions the text holds that the model had gone on from.
        dropped: characters of a live turn behind its first action, which were not read.
        stages: names of the JSON reader's stages that had something to do; empty for a tag, and without an action.

    Source: specification "JSON Output Format Adaptation", data models.
    """

    action_type: ActionType | None
    content: Any
    raw_json: str | None = None
    action: Action | None = None
    problem: ActionProblem | None = None
    repairs: tuple[Repair, ...] = ()
    superseded: int = 0
    dropped: int = 0
    stages: tuple[str, ...] = ()

    @property
    def attempted(self) -> ActionType | None:
        """Which action it is, or was meant to be: one whose arguments are wrong has been attempted."""
        return self.action_type or (self.problem.action if self.problem else None)

    @classmethod
    def of(cls, action: Action, content: Any) -> ParsedAction:  # noqa: ANN401 - a text or an object of JSON types
        """The result for an action that can be done."""
        return cls(ActionType(action.type), content, action=action)

    @classmethod
    def invalid(cls, problem: ActionProblem) -> ParsedAction:
        """The result where there is nothing to do."""
        return cls(None, None, problem=problem)


def action_named(name: object) -> ActionType | None:
    """The action of a name as a model writes it: any JSON type, in upper or lower case; None if there is none."""
    return _TYPES.get(name.strip().lower()) if isinstance(name, str) else None


def check_action(name: object, arguments: object, answer: object = None) -> ParsedAction:
    """Check an action and its arguments, each of any JSON type; the name may be in upper case.

    An answer has no arguments, and no other action has an answer: whatever stands there instead is not looked at.
    """
    action_type = action_named(name)
    if action_type is None:
        return ParsedAction.invalid(unknown_action())
    given = {"answer": answer} if action_type is ActionType.ANSWER else _unwrapped(arguments, action_type)
    if isinstance(given, ActionProblem):
        return ParsedAction.invalid(given)
    try:
        action = ACTION.validate_python({**given, "type": action_type.value})
    except ValidationError as error:
        return ParsedAction.invalid(wrong_arguments(action_type, _errors(error)))
    return ParsedAction.of(action, _content(action, given))


def _unwrapped(arguments: object, action_type: ActionType) -> dict[str, Any] | ActionProblem:
    """The arguments themselves where they are the only thing in a list, or in an object's `response`.

    What stands beside `response` counts as well, unless it says something else of an argument.
    """
    given = _out_of_list(arguments)
    if not isinstance(given, dict):
        return arguments_not_an_object(action_type)
    inner = _out_of_list(given.get(_WRAPPER))
    if not isinstance(inner, dict) or inner.keys().isdisjoint(ARGUMENTS[action_type]):
        return given
    differing = [
        name for name in ARGUMENTS[action_type] if name in given and given[name] != inner.get(name, given[name])
    ]
    if differing:
        return arguments_said_twice(action_type, differing)
    return {name: value for name, value in given.items() if name != _WRAPPER} | inner


def _out_of_list(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _content(action: Action, given: dict[str, Any]) -> Any:  # noqa: ANN401 - as in `of`
    if isinstance(action, SearchAction):
        return action.query
    if isinstance(action, AnswerAction):
        return action.answer
    numbers = [
        as_written if isinstance(as_written, int | float) else read
        for as_written, read in zip(given["region"], action.region, strict=True)
    ]
    return {**given, "region": numbers}


def _errors(error: ValidationError) -> list[dict[str, Any]]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [{"loc": one["loc"][1:], "type": one["type"], "msg": one["msg"]} for one in found]
