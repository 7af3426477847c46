"""What became of one text: the action in it, or why there is none, in words.

A message never repeats the model's text: it goes into the model's next prompt, where text of its own could pass for
somebody else's turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

from pydantic import ValidationError

from src.modules.visual_rag.domain.actions import (
    ACTION,
    ARGUMENTS,
    BLANK,
    EMPTY_REGION,
    Action,
    ActionType,
    AnswerAction,
    SearchAction,
)
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Language, Message
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


class Reason(Enum):
    """The problems that are told in our own words: each with its kind, and the words in Chinese and in English."""

    SEVERAL_TAGS = (
        ProblemKind.SEVERAL,
        "有多个不同的动作标签，无法判定哪个是动作",
        "several different action tags; write exactly one",
    )
    """Different tags outside the reasoning, none of them plainly the last word."""
    INVENTED = (
        ProblemKind.INVENTED,
        "不得自己编写工具的返回或用户的话；只写一个动作，然后等待结果",
        "the result of a tool, or the user's words, are not yours to write: write one action and wait for its result",
    )
    CUT_OFF = (
        ProblemKind.TRUNCATED,
        "文本在 {name} 动作中结束，可能被截断",
        "the text ends inside {name}; part of it may be missing",
    )
    TOO_LONG = (
        ProblemKind.TRUNCATED,
        "回答达到长度上限而被截断，请写得更短",
        "the answer was cut off at the length limit; write a shorter one",
    )
    STOPPED = (
        ProblemKind.TRUNCATED,
        "回答在写完之前被截断，请重新给出完整的动作",
        "the answer was cut off before it was whole; write it again",
    )
    """Cut off by whatever: what was written is no action, whatever it looks like."""
    STRAY_CLOSING = ProblemKind.TAGS, "</{name}> 没有对应的开始标签", "</{name}> closes nothing"
    NEVER_CLOSED = ProblemKind.TAGS, "<{name}> 没有结束标签", "<{name}> is never closed"
    NESTED = ProblemKind.TAGS, "<{name}> 中又有 <{name}>", "<{name}> inside <{name}>"
    """Where the inner one ends, the outer one may end too."""
    UNKNOWN_ACTION = ProblemKind.UNKNOWN_ACTION, "未知动作，须为 {name} 之一", "action must be one of {name}"
    UNKNOWN_TOOL = (
        ProblemKind.UNKNOWN_ACTION,
        "未知工具，<tools_call> 的 name 须为 crop 或 ocr",
        "the name in <tools_call> must be crop or ocr",
    )
    NO_IMAGE_SHOWN = (
        ProblemKind.ARGUMENTS,
        "尚未显示任何图像，无从裁剪；请先搜索",
        "no image has been shown yet that could be cropped: search first",
    )
    """A region alone, which is of the last image shown, and none was."""


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

    @classmethod
    def of(
        cls, reason: Reason, name: str = "", *, action: ActionType | None = None, **details: object
    ) -> ActionProblem:
        """A problem of the table; `name` is that of the tag or the names there are, where its words have one."""
        kind, zh, en = reason.value
        if kind is ProblemKind.TRUNCATED:
            details["truncated"] = True
        return cls(kind, Message(zh.format(name=name), en.format(name=name)).text(), details, action)

    @classmethod
    def unreadable(cls, error: LLMJsonParseError, *, several: bool = False) -> ActionProblem:
        """The JSON reader's own account: there is no object, or none it can read, or one without the fields.

        Args:
            error: what the reader said; of its facts those that hold none of the model's text are kept.
            several: whether it found different objects with the four fields.
        """
        kind = ProblemKind.TRUNCATED if error.details.get("truncated") else ProblemKind.UNREADABLE
        facts = {key: value for key, value in error.details.items() if key in _FACTS}
        return cls(ProblemKind.SEVERAL if several else kind, error.message, facts)


_FACTS = frozenset({"stage", "json_error", "position", "truncated", "candidates", "validation_errors"})


def wrong_arguments(action: ActionType, errors: list[dict[str, Any]]) -> ActionProblem:
    """Arguments that are missing or wrong; each error has loc, type and msg."""
    shown = [f"{'.'.join(map(str, error['loc']))}: {_in_words(error['msg'])}" for error in errors[:ERRORS_LIMIT]]
    message = Message.glossed(
        f"{action} 动作的参数有误：{'；'.join(shown)}",
        f"invalid arguments for {action}: {'; '.join(shown)}",
        f"invalid arguments for {action}",
    )
    return ActionProblem(ProblemKind.ARGUMENTS, message.text(), {"validation_errors": errors[:ERRORS_LIMIT]}, action)


_NO_OBJECT = Message("须为对象", "must be an object")
_SAID_TWICE = Message("在 response 内外不一致", "must not differ inside and beside response")
_OWN = {message.text(Language.BOTH): message for message in (BLANK, EMPTY_REGION, _NO_OBJECT, _SAID_TWICE)}
"""Our own problems by what stands in the details, where it is in both languages."""


def _in_words(problem: str) -> str:
    """A problem in the language asked for; Pydantic's stay as they are."""
    return _OWN[problem].text() if problem in _OWN else problem


def _own_error(name: str, kind: str, message: Message) -> dict[str, Any]:
    return {"loc": (name,), "type": kind, "msg": message.text(Language.BOTH)}


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

    @classmethod
    def invalid(cls, problem: ActionProblem | Reason) -> ParsedAction:
        """The result where there is nothing to do; a reason of which nothing else is known is a problem, too."""
        return cls(None, None, problem=ActionProblem.of(problem) if isinstance(problem, Reason) else problem)


def action_named(name: object) -> ActionType | None:
    """The action of a name as a model writes it: any JSON type, in upper or lower case; None if there is none."""
    return _TYPES.get(name.strip().lower()) if isinstance(name, str) else None


def check_action(name: object, arguments: object, answer: object = None) -> ParsedAction:
    """Check an action and its arguments, each of any JSON type; the name may be in upper case.

    An answer has no arguments, and no other action has an answer: whatever stands there instead is not looked at.
    """
    action_type = action_named(name)
    if action_type is None:
        return ParsedAction.invalid(ActionProblem.of(Reason.UNKNOWN_ACTION, ", ".join(ActionType)))
    given = {"answer": answer} if action_type is ActionType.ANSWER else _unwrapped(arguments, action_type)
    if isinstance(given, ActionProblem):
        return ParsedAction.invalid(given)
    try:
        action = ACTION.validate_python({**given, "type": action_type.value})
    except ValidationError as error:
        return ParsedAction.invalid(wrong_arguments(action_type, _errors(error)))
    return ParsedAction(action_type, _content(action, given), action=action)


def _unwrapped(arguments: object, action_type: ActionType) -> dict[str, Any] | ActionProblem:
    """The arguments themselves where they are the only thing in a list, or in an object's `response`.

    What stands beside `response` counts as well, unless it says something else of an argument.
    """
    given = _out_of_list(arguments)
    if not isinstance(given, dict):
        return wrong_arguments(action_type, [_own_error("arguments", "dict_type", _NO_OBJECT)])
    inner = _out_of_list(given.get(_WRAPPER))
    if not isinstance(inner, dict) or inner.keys().isdisjoint(ARGUMENTS[action_type]):
        return given
    differing = [
        name for name in ARGUMENTS[action_type] if name in given and given[name] != inner.get(name, given[name])
    ]
    if differing:
        return wrong_arguments(action_type, [_own_error(one, "said_twice", _SAID_TWICE) for one in differing])
    return {name: value for name, value in given.items() if name != _WRAPPER} | inner


def _out_of_list(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


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


def _errors(error: ValidationError) -> list[dict[str, Any]]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [{"loc": one["loc"][1:], "type": one["type"], "msg": one["msg"]} for one in found]
