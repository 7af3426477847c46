"""What became of one text: the action in it, or why there is none, in words.

A message never repeats the model's text: it goes into the model's next prompt, where text of its own could pass for
somebody else's turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from src.modules.visual_rag.domain.actions import ACTION, ARGUMENTS, Action, ActionType, AnswerAction, SearchAction
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Language, Message, Phrase
from src.shared.domain.repair import Repair

ERRORS_LIMIT = 8
"""Most argument errors a problem names."""


class ProblemKind(StrEnum):
    """Why there is no action."""

    UNREADABLE = "unreadable"
    """Neither a JSON object with the four fields nor a legacy tag."""
    SEVERAL = "several"
    """Different actions, and nothing says which one is meant."""
    INVENTED = "invented"
    """An observation, or a turn of the user's, that the model wrote itself, and no action before it."""
    TRUNCATED = "truncated"
    """The text is cut off inside the action."""
    TAGS = "tags"
    """Legacy tags that do not pair up."""
    UNKNOWN_ACTION = "unknown_action"
    """An action that does not exist."""
    ARGUMENTS = "arguments"
    """An argument that is missing or wrong."""


_STAGES = {
    **dict.fromkeys((ProblemKind.SEVERAL, ProblemKind.INVENTED, ProblemKind.TAGS), "extract"),
    **dict.fromkeys((ProblemKind.UNKNOWN_ACTION, ProblemKind.ARGUMENTS), "validate"),
}
"""The stage of the JSON reader that a problem belongs to, where the reader itself did not name one."""


@dataclass(frozen=True, slots=True)
class ActionProblem:
    """Why a text gives no action.

    Attributes:
        kind: which of the reasons, for machines.
        message: what was wrong, for a person and for the model.
        details: facts as plain values: those of the JSON reader that hold none of the model's text, `offset`
            (character of the text, from 0) of a tag, `validation_errors` (list of {loc, type, msg}) of the arguments.
        action: which action was meant, where its name could be read and its arguments are wrong or cut off.
    """

    kind: ProblemKind
    message: str
    details: dict[str, Any] = field(default_factory=dict)
    action: ActionType | None = None

    @property
    def stage(self) -> str | None:
        """The stage of a reading that found it; None where a text that may be right was cut off."""
        return self.details.get("stage") or _STAGES.get(self.kind)


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
        kept: what of the text stays in a conversation: the JSON object's own text; failing that the reasoning and the
            tag of the action; failing that the whole text, without the marks at its end.

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
    kept: str = field(default="", compare=False, repr=False)

    @property
    def attempted(self) -> ActionType | None:
        """Which action it is, or was meant to be: one whose arguments are wrong has been attempted."""
        return self.action_type or (self.problem.action if self.problem else None)


def no_action(
    kind: ProblemKind, message: Message, *, action: ActionType | None = None, **details: object
) -> ParsedAction:
    """The result where there is nothing to do, and why; `details` and `action` as for `ActionProblem`."""
    if kind is ProblemKind.TRUNCATED:
        details["truncated"] = True
    return ParsedAction(None, None, problem=ActionProblem(kind, message.text(), details, action))


_FACTS = frozenset({"stage", "json_error", "position", "truncated", "candidates", "validation_errors"})
"""Of an error's facts those that hold none of the model's text."""


def unreadable(error: LLMJsonParseError, *, is_ambiguous: bool = False) -> ParsedAction:
    """The JSON reader's own account: there is no object, or none it can read, or one without the fields.

    Args:
        error: the reader's.
        is_ambiguous: whether it found different objects with the four fields.
    """
    kind = ProblemKind.TRUNCATED if error.details.get("truncated") else ProblemKind.UNREADABLE
    facts = {key: value for key, value in error.details.items() if key in _FACTS}
    problem = ActionProblem(ProblemKind.SEVERAL if is_ambiguous else kind, error.message, facts)
    return ParsedAction(None, None, problem=problem)


def action_named(name: object) -> ActionType | None:
    """The action of a name as a model writes it: any JSON type, in upper or lower case; None if there is none."""
    named = name.strip().lower() if isinstance(name, str) else None
    return next((action for action in ActionType if action == named), None)


def check_action(name: object, arguments: object, answer: object = None) -> ParsedAction:
    """Check an action and its arguments, each of any JSON type; the name may be in upper case.

    An answer has no arguments, and no other action has an answer: whatever stands there instead is not looked at.
    """
    action_type = action_named(name)
    if action_type is None:
        message = Phrase("action must be one of {name}", name=", ".join(ActionType))
        return no_action(ProblemKind.UNKNOWN_ACTION, message)
    given: object = {"answer": answer} if action_type is ActionType.ANSWER else _out_of_list(arguments)
    if not isinstance(given, dict):
        return _wrong_arguments(action_type, [(("arguments",), "dict_type", Phrase("must be an object"))])
    inner = _out_of_list(given.get(_WRAPPER))
    if isinstance(inner, dict) and not inner.keys().isdisjoint(names := ARGUMENTS.get(action_type, ())):
        differing = [name for name in names if name in given and given[name] != inner.get(name, given[name])]
        if differing:
            words = Phrase("must not differ inside and beside response")
            return _wrong_arguments(action_type, [((name,), "said_twice", words) for name in differing])
        given = {name: value for name, value in given.items() if name != _WRAPPER} | inner
    try:
        action = ACTION.validate_python({**given, "type": action_type.value})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        errors = [(one["loc"][1:], one["type"], one.get("ctx", {}).get("message", one["msg"])) for one in found]
        return _wrong_arguments(action_type, errors)
    return ParsedAction(action_type, _content(action, given), action=action)


_WRAPPER = "response"
"""The member that some models put the arguments into. What stands beside it counts as well."""


def _out_of_list(value: object) -> object:
    """The only thing in a list, which some models put around an object; anything else as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _wrong_arguments(
    action: ActionType, errors: Sequence[tuple[tuple[str | int, ...], str, Message | str]]
) -> ParsedAction:
    """Arguments that are missing or wrong: place, type and words of each; the details have them in both languages."""
    problems, details = [], []
    for loc, kind, words in errors[:ERRORS_LIMIT]:
        spoken, both = (words, words) if isinstance(words, str) else (words.text(), words.text(Language.BOTH))
        problems.append(f"{'.'.join(map(str, loc))}: {spoken}")
        details.append({"loc": loc, "type": kind, "msg": both})
    message = Phrase(
        "invalid arguments for {name}: {problems}", name=action, problems=Phrase.joined("{one}; {other}", problems)
    )
    return no_action(ProblemKind.ARGUMENTS, message, action=action, validation_errors=details)


def _content(action: Action, given: dict[str, Any]) -> Any:  # noqa: ANN401 - a text or an object of JSON types
    if isinstance(action, SearchAction):
        return action.query
    if isinstance(action, AnswerAction):
        return action.answer
    numbers = [
        as_written if isinstance(as_written, int | float) else read
        for as_written, read in zip(given["region"], action.region, strict=True)
    ]
    return {**given, "region": numbers}
