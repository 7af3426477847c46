"""What can be wrong with an action, in words: every message of the parser of this context, in one place.

A message never repeats the model's text: it goes into the model's next
prompt, where text of its own could pass for somebody else's turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from src.modules.visual_rag.domain.actions import BLANK, EMPTY_REGION, ActionType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Language, Message

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


_FACTS = frozenset({"stage", "json_error", "position", "truncated", "candidates", "validation_errors"})
_NAMES = ", ".join(ActionType)


def unreadable(error: LLMJsonParseError, *, several: bool = False) -> ActionProblem:
    """The JSON reader's own account: there is no object, or none it can read, or one without the fields.

    Args:
        error: what the reader said; of its facts those that hold none of the model's text are kept.
        several: whether it found different objects with the four fields.
    """
    kind = ProblemKind.TRUNCATED if error.details.get("truncated") else ProblemKind.UNREADABLE
    facts = {key: value for key, value in error.details.items() if key in _FACTS}
    return ActionProblem(ProblemKind.SEVERAL if several else kind, error.message, facts)


def several_tags(offset: int) -> ActionProblem:
    """Different tags outside the reasoning, none of them plainly the last word."""
    message = Message("有多个不同的动作标签，无法判定哪个是动作", "several different action tags; write exactly one")
    return ActionProblem(ProblemKind.SEVERAL, message.text(), {"offset": offset})


def stray_closing(name: str, offset: int) -> ActionProblem:
    """A closing tag that closes nothing."""
    message = Message(f"</{name}> 没有对应的开始标签", f"</{name}> closes nothing")
    return ActionProblem(ProblemKind.TAGS, message.text(), {"offset": offset})


def never_closed(name: str, offset: int) -> ActionProblem:
    """An opening tag with other tags after it, and no closing one."""
    message = Message(f"<{name}> 没有结束标签", f"<{name}> is never closed")
    return ActionProblem(ProblemKind.TAGS, message.text(), {"offset": offset})


def nested(name: str, offset: int) -> ActionProblem:
    """A tag inside a tag of the same name: where the inner one ends, the outer one may end too."""
    message = Message(f"<{name}> 中又有 <{name}>", f"<{name}> inside <{name}>")
    return ActionProblem(ProblemKind.TAGS, message.text(), {"offset": offset})


def invented(offset: int) -> ActionProblem:
    """The model wrote what it was to be told."""
    message = Message(
        "不得自己编写工具的返回或用户的话；只写一个动作，然后等待结果",
        "the result of a tool, or the user's words, are not yours to write: write one action and wait for its result",
    )
    return ActionProblem(ProblemKind.INVENTED, message.text(), {"offset": offset})


def cut_off(name: str, offset: int, action: ActionType | None = None) -> ActionProblem:
    """The text ends inside the action, so that half of it may be missing."""
    message = Message(
        f"文本在 {name} 动作中结束，可能被截断", f"the text ends inside {name}; part of it may be missing"
    )
    return ActionProblem(ProblemKind.TRUNCATED, message.text(), {"offset": offset, "truncated": True}, action)


def too_long() -> ActionProblem:
    """The model stopped at its length limit: whatever the text looks like, part of it may be missing."""
    message = Message(
        "回答达到长度上限而被截断，请写得更短", "the answer was cut off at the length limit; write a shorter one"
    )
    return ActionProblem(ProblemKind.TRUNCATED, message.text(), {"truncated": True})


def stopped() -> ActionProblem:
    """The model was cut off, by whatever: what it wrote is no action, whatever it looks like."""
    message = Message(
        "回答在写完之前被截断，请重新给出完整的动作", "the answer was cut off before it was whole; write it again"
    )
    return ActionProblem(ProblemKind.TRUNCATED, message.text(), {"truncated": True})


def unknown_action() -> ActionProblem:
    """The action's name is none of the four."""
    message = Message(f"未知动作，须为 {_NAMES} 之一", f"action must be one of {_NAMES}")
    return ActionProblem(ProblemKind.UNKNOWN_ACTION, message.text())


def unknown_tool() -> ActionProblem:
    """The name in `<tools_call>` is neither crop nor ocr."""
    message = Message("未知工具，<tools_call> 的 name 须为 crop 或 ocr", "the name in <tools_call> must be crop or ocr")
    return ActionProblem(ProblemKind.UNKNOWN_ACTION, message.text())


def wrong_arguments(name: ActionType, errors: list[dict[str, Any]]) -> ActionProblem:
    """Arguments that are missing or wrong; each error has loc, type and msg."""
    shown = [f"{'.'.join(map(str, error['loc']))}: {_in_words(error['msg'])}" for error in errors[:ERRORS_LIMIT]]
    message = Message.glossed(
        f"{name} 动作的参数有误：{'；'.join(shown)}",
        f"invalid arguments for {name}: {'; '.join(shown)}",
        f"invalid arguments for {name}",
    )
    return ActionProblem(ProblemKind.ARGUMENTS, message.text(), {"validation_errors": errors[:ERRORS_LIMIT]}, name)


def no_image_shown() -> ActionProblem:
    """A region alone, which is of the last image shown, and none was."""
    message = Message(
        "尚未显示任何图像，无从裁剪；请先搜索", "no image has been shown yet that could be cropped: search first"
    )
    return ActionProblem(ProblemKind.ARGUMENTS, message.text(), action=ActionType.CROP)


def arguments_not_an_object(name: ActionType) -> ActionProblem:
    """The arguments are a list, a string or null."""
    error = {"loc": ("arguments",), "type": "dict_type", "msg": _NO_OBJECT.text(Language.BOTH)}
    return wrong_arguments(name, [error])


def arguments_said_twice(name: ActionType, arguments: list[str]) -> ActionProblem:
    """Arguments, by their names, that stand both in `response` and beside it, and differ."""
    said = _SAID_TWICE.text(Language.BOTH)
    return wrong_arguments(name, [{"loc": (one,), "type": "said_twice", "msg": said} for one in arguments])


_NO_OBJECT = Message("须为对象", "must be an object")
_SAID_TWICE = Message("在 response 内外不一致", "must not differ inside and beside response")
_OWN = {message.text(Language.BOTH): message for message in (BLANK, EMPTY_REGION, _NO_OBJECT, _SAID_TWICE)}
"""Our own problems by what stands in the details, where it is in both languages."""


def _in_words(problem: str) -> str:
    """A problem in the language asked for; Pydantic's stay as they are."""
    return _OWN[problem].text() if problem in _OWN else problem
