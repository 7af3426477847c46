"""Decoded objects that are calls: a name and arguments, alone or in a list, in any of the usual spellings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from src.shared.domain.expression import expression
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT
from src.shared.infrastructure.tool_call_forms.words import NOT_A_CALL, OTHER_MEMBERS, TOO_MANY, call_error

MAX_CALLS = 128
"""Most calls of one text."""
NAMES = ("name", "tool_name", "tool", "function", "action", "tool_call")
ARGUMENTS = ("arguments", "parameters", "args", "input", "params", "action_input")
_SURE_NAMES = NAMES[:2]
"""Names of members that say it of any tool; the others do of one that there is."""
IDS = ("id", "tool_call_id", "call_id")
_BESIDE = frozenset({*NAMES, *ARGUMENTS, *IDS, "type", "index"})
WRAPPED = ("function", "function_call", "functionCall", "tool_call")
"""Members that hold the object of a call."""
_MESSAGE = frozenset({"tool_calls", "role", "content"})
GAP = r"[\"'“”]?\s{0,40}[:：]\s{0,40}"
"""What stands between a key and its value."""
NAME_MEMBER = expression(rf"\b(?:{'|'.join(NAMES)}){GAP}[\"'“](?P<name>[^\"'“”]{{1,{NAME_LIMIT}}}+)")
ARGUMENTS_MEMBER = expression(rf"\b(?:{'|'.join(ARGUMENTS)}){GAP}")


class Envelope(NamedTuple):
    """A call that was an object: its name, its arguments (as JSON in a string where they were one), and its id."""

    name: str
    arguments: dict[str, Any] | str
    id: str | None


def calls_in(data: Any, raw: str, place: int, names: Collection[str]) -> list[Envelope] | None:  # noqa: ANN401 - decoded JSON
    """The calls that decoded data is; None if it is none. `names` are the tools that there are."""
    objects = [_keyed(one, names) for one in _objects(data)]
    if len(objects) > MAX_CALLS:
        raise call_error(TOO_MANY, raw, place)
    if not objects or not any(_is_call(one, names) for one in objects):
        return None
    return [_envelope(one, raw, place, names) for one in objects]


def _keyed(one: object, names: Collection[str]) -> Any:  # noqa: ANN401 - decoded JSON
    """The object with the name, of one whose only key is it: `{"search": {"query": "x"}}`."""
    if isinstance(one, dict) and len(one) == 1:
        ((name, arguments),) = one.items()
        if name in names and isinstance(arguments, dict):
            return {"name": name, "arguments": arguments}
    return one


def is_only_a_name(data: object) -> bool:
    """Whether decoded data is a call without arguments: nothing is in it but what calls have."""
    return any(_is_call(one) and one.keys() <= _BESIDE for one in _objects(data))


def names_of_calls(data: object) -> list[str]:
    """The tools that decoded data calls, as far as a name and arguments tell."""
    found = [one for one in _objects(data) if _is_call(one) and not one.keys().isdisjoint(ARGUMENTS)]
    return [one[key] for one in found for key in _SURE_NAMES if isinstance(one.get(key), str)]


def _objects(data: object) -> list[Any]:
    """The objects that may be calls."""
    if isinstance(data, dict) and isinstance(data.get("tool_calls"), list) and data.keys() <= _MESSAGE:
        data = data["tool_calls"]
    return [_inner(one) for one in (data if isinstance(data, list) else [data])]


def _inner(one: object) -> Any:  # noqa: ANN401 - decoded JSON
    """The object with the name: of OpenAI's form the inner one, with the id of the outer."""
    if isinstance(one, dict):
        for wrapped in WRAPPED:
            if isinstance(one.get(wrapped), dict) and one.keys() <= {*IDS, "type", "index", wrapped}:
                return {**one[wrapped], **{key: one[key] for key in IDS if key in one}}
    return one


def _is_call(one: object, known: Collection[str] = ()) -> bool:
    if not isinstance(one, dict):
        return False
    holds_more = any(key in one and not isinstance(one[key], (dict, str, type(None))) for key in ARGUMENTS)
    keys = _SURE_NAMES if holds_more else NAMES
    return any(_is_name(one.get(key), key, known) for key in keys)


def _is_name(value: object, key: str, known: Collection[str]) -> bool:
    return isinstance(value, str) and (key in _SURE_NAMES or value in known)


def _envelope(one: object, raw: str, place: int, known: Collection[str]) -> Envelope:
    if not isinstance(one, dict):
        raise call_error(NOT_A_CALL, raw, place)
    names = [one[key] for key in NAMES if key in one and (key in _SURE_NAMES or _is_name(one[key], key, known))]
    given = [one[key] for key in ARGUMENTS if key in one]
    if len(names) != 1 or not isinstance(names[0], str) or len(given) > 1:
        raise call_error(NOT_A_CALL, raw, place)
    if not one.keys() <= _BESIDE:
        raise call_error(OTHER_MEMBERS, raw, place)
    return Envelope(names[0], _arguments(given, raw, place), next(_ids(one), None))


def _ids(one: Mapping[str, object]) -> Iterator[str]:
    return (str(one[key]) for key in IDS if isinstance(one.get(key), (str, int)))


def _arguments(given: list[Any], raw: str, place: int) -> dict[str, Any] | str:
    """The arguments: an object, or a string that holds the JSON of one."""
    if not given or given[0] is None or given[0] == "":
        return {}  # the object of the call is whole: it has none
    if not isinstance(given[0], (dict, str)):
        raise call_error(NOT_A_CALL, raw, place)
    return given[0]
