"""Calls as they stand in a text, and decoded objects that are calls: a name and arguments, in any usual spelling."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from src.shared.domain.expression import expression
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT, plain_name
from src.shared.infrastructure.tool_call_forms.notations import Notation
from src.shared.infrastructure.tool_call_forms.words import NOT_A_CALL, OTHER_MEMBERS, TOO_MANY, call_error

MAX_CALLS = 128
"""Most calls of one text."""
NAMES = ("name", "tool_name", "tool", "function", "action", "tool_call", "function_name", "recipient_name")
ARGUMENTS = (
    *("arguments", "parameters", "args", "input", "params", "action_input"),
    *("argument", "inputs", "tool_input", "tool_args", "tool_arguments", "tool_parameters", "action_args"),
    *("function_args", "function_arguments", "kwargs"),
)
_SURE_NAMES, _ONLY_WITH_A_TOOL = NAMES[:2], frozenset(ARGUMENTS[6:])
"""Names of members that say it of any tool, and those of arguments that say it only of one that there is."""
IDS = ("id", "tool_call_id", "call_id")
_BESIDE = frozenset({*NAMES, *ARGUMENTS, *IDS, "type", "index"})
WRAPPED = ("function", "function_call", "functionCall", "tool_call", "tool")
"""Members that hold the object of a call."""
_LISTS = ("tool_calls", "tool_uses", "function_calls")
_MESSAGE = frozenset({*_LISTS, "role", "content"})
GAP = r"[\"'“”]?\s{0,40}[:：]\s{0,40}"
"""What stands between a key and its value."""
NAME_MEMBER = expression(rf"\b(?:{'|'.join(NAMES)}){GAP}[\"'“](?P<name>[^\"'“”]{{1,{NAME_LIMIT}}}+)")
ARGUMENTS_MEMBER = expression(rf"\b(?:{'|'.join(ARGUMENTS)}){GAP}")


class Parameter(NamedTuple):
    """A parameter that stands between tags.

    Attributes:
        key: its name.
        text: what stands between the tags.
        is_padded: whether the template puts a line break after the one and before the other.
        is_text: whether the tag says that it is a text (True) or JSON (False); None if it does not say so.
        is_json_first: whether it is JSON wherever it can be read as such.
        place: where its text stands.
    """

    key: str
    text: str
    is_padded: bool = False
    is_text: bool | None = None
    is_json_first: bool = False
    place: int = 0


class RawCall(NamedTuple):
    """A call.

    Attributes:
        name: the tool, as it stands in the text.
        span: from its first mark to its last.
        text: the arguments as JSON that is not read yet.
        offset: where that stands in the whole text; None if it was inside a string.
        finished: whether something shows that it is at its end; None if nothing does.
        data: the arguments, decoded.
        parameters: the arguments, if each stands between tags.
        id: what the model calls the call.
        row: the notation, if its marks tell.
        rests: marks between the JSON and the end that do not belong there.
    """

    name: str
    span: Span
    text: str = ""
    offset: int | None = None
    finished: bool | None = None
    data: dict[str, Any] | None = None
    parameters: tuple[Parameter, ...] | None = None
    id: str | None = None
    row: Notation | None = None
    rests: tuple[Span, ...] = ()


def calls_in(data: Any, raw: str, place: int, names: Collection[str]) -> list[RawCall] | None:  # noqa: ANN401 - decoded JSON
    """The calls that decoded data at a place is; None if it is none. `names` are the tools that there are."""
    objects = _objects(data, names)
    if len(objects) > MAX_CALLS:
        raise call_error(TOO_MANY, raw, place)
    if not objects or not any(_is_call(one, names) for one in objects):
        return None
    return [_raw_call(one, raw, place, names) for one in objects]


def is_only_a_name(data: object) -> bool:
    """Whether decoded data is a call without arguments: nothing is in it but what calls have."""
    return any(_is_call(one) and one.keys() <= _BESIDE for one in _objects(data))


def names_of_calls(data: object) -> list[str]:
    """The tools that decoded data calls, as far as a name and arguments tell."""
    found = [one for one in _objects(data) if _is_call(one) and not one.keys().isdisjoint(ARGUMENTS)]
    return [one[key] for one in found for key in _SURE_NAMES if isinstance(one.get(key), str)]


def _objects(data: object, names: Collection[str] = ()) -> list[Any]:
    """The objects that may be calls: of a message those in it, and of one whose only key is a tool what that says."""
    if isinstance(data, dict) and data.keys() <= _MESSAGE:
        data = next((data[key] for key in _LISTS if isinstance(data.get(key), list)), data)
    return [_inner(one, names) for one in (data if isinstance(data, list) else [data])]


def _inner(one: object, names: Collection[str]) -> Any:  # noqa: ANN401 - decoded JSON
    """The object with the name: of OpenAI's form the inner one, with the id of the outer; of `{"f": {…}}` a new one."""
    if isinstance(one, dict):
        for wrapped in WRAPPED:
            if isinstance(one.get(wrapped), dict) and one.keys() <= {*IDS, "type", "index", wrapped}:
                one = {**one[wrapped], **{key: one[key] for key in IDS if key in one}}
                break
    if isinstance(one, dict) and len(one) == 1:
        ((name, arguments),) = one.items()
        if name in names and isinstance(arguments, dict):
            return {"name": name, "arguments": arguments}
    return one


def _is_call(one: object, known: Collection[str] = ()) -> bool:
    if not isinstance(one, dict):
        return False
    holds_more = any(key in one and not isinstance(one[key], (dict, str, type(None))) for key in ARGUMENTS)
    keys = _SURE_NAMES if holds_more else NAMES
    is_sure = not known or one.keys().isdisjoint(_ONLY_WITH_A_TOOL)
    return any(_is_name(one.get(key), key if is_sure else "", known) for key in keys)


def _is_name(value: object, key: str, known: Collection[str]) -> bool:
    return isinstance(value, str) and (key in _SURE_NAMES or plain_name(value, known) in known)


def _raw_call(one: object, raw: str, place: int, known: Collection[str]) -> RawCall:
    one = one if isinstance(one, dict) else {}
    names = [one[key] for key in NAMES if key in one and (key in _SURE_NAMES or _is_name(one[key], key, known))]
    given = [one[key] for key in ARGUMENTS if key in one]
    if len(names) != 1 or not isinstance(names[0], str) or len(given) > 1:
        raise call_error(NOT_A_CALL, raw, place)
    if not one.keys() <= _BESIDE:
        raise call_error(OTHER_MEMBERS, raw, place)
    arguments = given[0] if given else None
    if arguments is None or arguments == "":
        arguments = {}  # the object of the call is whole: it has none
    if not isinstance(arguments, (dict, str)):
        raise call_error(NOT_A_CALL, raw, place)
    ids = (str(one[key]) for key in IDS if isinstance(one.get(key), (str, int)))
    call = RawCall(names[0], Span(place, place), id=next(ids, None))
    return call._replace(text=arguments) if isinstance(arguments, str) else call._replace(data=arguments)
