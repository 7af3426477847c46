"""Decoded objects that are calls: a name and arguments, alone or in a list, in any of the usual spellings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from src.shared.domain.expression import expression
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT
from src.shared.infrastructure.tool_call_forms.words import NOT_A_CALL, OTHER_MEMBERS, TOO_MANY, call_error

MAX_CALLS = 128
"""Most calls of one text."""
NAMES = ("name", "tool_name")
ARGUMENTS = ("arguments", "parameters", "args", "input")
_IDS = ("id", "tool_call_id", "call_id")
_BESIDE = frozenset({*NAMES, *ARGUMENTS, *_IDS, "type", "index"})
_MESSAGE = frozenset({"tool_calls", "role", "content"})
GAP = r"[\"'“”]?\s{0,40}[:：]\s{0,40}"
"""What stands between a key and its value."""
NAME_MEMBER = expression(rf"(?:\b(?:tool_)?name){GAP}[\"'“](?P<name>[^\"'“”]{{1,{NAME_LIMIT}}}+)")
ARGUMENTS_MEMBER = expression(rf"\b(?:{'|'.join(ARGUMENTS)}){GAP}")


class Envelope(NamedTuple):
    """A call that was an object: its name, its arguments (as JSON in a string where they were one), and its id."""

    name: str
    arguments: dict[str, Any] | str
    id: str | None


def calls_in(data: Any, raw: str, place: int) -> list[Envelope] | None:  # noqa: ANN401 - decoded JSON
    """The calls that decoded data is; None if it is none."""
    objects = _objects(data)
    if len(objects) > MAX_CALLS:
        raise call_error(TOO_MANY, raw, place)
    if not objects or not any(map(_is_call, objects)):
        return None
    return [_envelope(one, raw, place) for one in objects]


def is_only_a_name(data: object) -> bool:
    """Whether decoded data is a call without arguments: nothing is in it but what calls have."""
    return any(_is_call(one) and one.keys() <= _BESIDE for one in _objects(data))


def names_of_calls(data: object) -> list[str]:
    """The tools that decoded data calls, as far as a name and arguments tell."""
    found = [one for one in _objects(data) if _is_call(one) and not one.keys().isdisjoint(ARGUMENTS)]
    return [one[key] for one in found for key in NAMES if isinstance(one.get(key), str)]


def _objects(data: object) -> list[Any]:
    """The objects that may be calls."""
    if isinstance(data, dict) and isinstance(data.get("tool_calls"), list) and data.keys() <= _MESSAGE:
        data = data["tool_calls"]
    return [_inner(one) for one in (data if isinstance(data, list) else [data])]


def _inner(one: object) -> Any:  # noqa: ANN401 - decoded JSON
    """The object with the name: of OpenAI's form the inner one, with the id of the outer."""
    if (
        isinstance(one, dict)
        and isinstance(one.get("function"), dict)
        and one.keys() <= {*_IDS, "type", "index", "function"}
    ):
        return {**one["function"], **{key: one[key] for key in _IDS if key in one}}
    return one


def _is_call(one: object) -> bool:
    return isinstance(one, dict) and any(isinstance(one.get(key), str) for key in NAMES)


def _envelope(one: object, raw: str, place: int) -> Envelope:
    if not isinstance(one, dict):
        raise call_error(NOT_A_CALL, raw, place)
    names = [one[key] for key in NAMES if key in one]
    given = [one[key] for key in ARGUMENTS if key in one]
    if len(names) != 1 or not isinstance(names[0], str) or len(given) > 1:
        raise call_error(NOT_A_CALL, raw, place)
    if not one.keys() <= _BESIDE:
        raise call_error(OTHER_MEMBERS, raw, place)
    return Envelope(names[0], _arguments(given, raw, place), next(_ids(one), None))


def _ids(one: Mapping[str, object]) -> Iterator[str]:
    return (str(one[key]) for key in _IDS if isinstance(one.get(key), (str, int)))


def _arguments(given: list[Any], raw: str, place: int) -> dict[str, Any] | str:
    """The arguments: an object, or a string that holds the JSON of one."""
    if not given or given[0] is None or given[0] == "":
        return {}  # the object of the call is whole: it has none
    if not isinstance(given[0], (dict, str)):
        raise call_error(NOT_A_CALL, raw, place)
    return given[0]
