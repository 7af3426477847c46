"""Where the values of an answer are, by their paths such as `$.rows[0].title`: in the data, the text and the type.

In the text they are found through the edits that reading it took.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator

from src.shared.domain.answer_type import AnswerType, SchemaType, adapter_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError, Place, json_path, steps_to
from src.shared.domain.expression import expression, repeated
from src.shared.domain.type_shapes import CoreSchema, Path, TypeParts, definitions_of, parts_with_keys
from src.shared.infrastructure.parsing.parse_errors import broken_contract, found_in
from src.shared.infrastructure.parsing.state import MOST_LAYERS, ParseState, Span

NOTHING = object()
"""What is at a path that leads nowhere."""
_STRING = r'"[^"\\\x00-\x1f]*+' + repeated(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+') + '"'
_STEP = expression(rf"\.(?P<name>[^\s.\[\]\"]++)|\[(?P<index>\d++)\]|\[(?P<quoted>{_STRING})\]")


def steps_of(path: str) -> tuple[str | int, ...]:
    """The keys and indexes of a path.

    Raises:
        ValueError: it is no path.
    """
    steps: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and (step := _STEP.match(path, at)):
        steps.append(step["name"] or (int(step["index"]) if step["index"] else json.loads(step["quoted"])))
        at = step.end()
    if not path.startswith("$") or at < len(path):
        message = f"not a JSON path: {path!r}; one looks like $.rows or $.report.rows[0]"
        raise ValueError(message)
    return tuple(steps)


def value_at(data: Any, path: str) -> Any:  # noqa: ANN401 - decoded JSON
    """The value at a path.

    Raises:
        LookupError: the data has none there.
        ValueError: it is no path.
    """
    for step in steps_of(path):
        is_there = isinstance(data, dict) if isinstance(step, str) else isinstance(data, list)
        if not is_there:
            raise KeyError(path)
        data = data[step]
    return data


def member_at(data: Any, path: Path) -> Any:  # noqa: ANN401 - decoded JSON
    """The value at a path; something that is no data where there is none."""
    for step in path:
        data = member_of(data, step)
    return data


def member_of(data: object, step: str | int) -> object:
    """The member of an object or a list; something that is no data where there is none."""
    if isinstance(data, dict):
        return data.get(step, NOTHING)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return NOTHING


def path_of(place: Place) -> str:
    """The path of a place."""
    return json_path(steps_to(place))


def places_in(data: object) -> Iterator[Place]:
    """The places of a value and of all values in it."""
    return (place for place, _, _ in _pairs(NOTHING, data))


def changed_places(before: object, data: object, complete: Container[str]) -> Iterator[Place]:
    """The places in the data of what was not complete before, or is another value than it was."""
    for place, old, value in _pairs(before, data):
        is_same = isinstance(value, dict | list) or (type(old) is type(value) and old == value)
        if not is_same or path_of(place) not in complete:
            yield place


def _pairs(before: object, data: object) -> Iterator[tuple[Place, object, object]]:
    """Each value of the data, with its place and what stood there before."""
    left: list[tuple[Place, object, object]] = [(None, before, data)]
    while left:
        place, old, value = left.pop()
        yield place, old, value
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        left += [((place, step), member_of(old, step), member) for step, member in reversed([*members])]


# --- in the text ---

Step: TypeAlias = str | int
"""The key of a member, or its index."""
_Tree: TypeAlias = dict[Step, Any]
"""Paths by their steps."""

_BETWEEN = " \t\n\r,:"
"""What stands between the values and keys of a JSON text."""
_MISSING = "missing"
_DECODER = json.JSONDecoder(parse_int=str, strict=False)
"""Numbers stay texts: one with too many digits for Python has a place, too. A string may hold raw control
characters, which one edit for all of them names."""


def refusal(error: ValidationError, name: str, state: ParseState) -> LLMJsonParseError:
    """What the type refuses, with the place of the value that each problem is about: `{line, column, offset}`.

    Of a missing field it is the place of its object; None where the value has no place: a normalizer made it, or the
    whole text was escaped. Linear in the text.
    """
    refusal = broken_contract(found_in(error), name, state.data, state.raw, state.repair_kinds)
    answer = AnswerText(state)
    details, as_written = refusal.details, not state.target.normalizers
    data, names = answer.data, answer.names
    paths = [data_path(one, data, as_written=as_written, names=names) for one in details["validation_errors"]]
    found = answer.values(path for path in paths if path is not None)
    places = [state.lines.position(found[path].span.start) if path in found else None for path in paths]
    if any(places):
        details.setdefault("validation_places", places)
    return refusal


def span_of(state: ParseState, path: Path) -> Span:
    """The part of the text that is the value at a path; all that was chosen where that has no place of its own."""
    found = AnswerText(state).values([path])
    return found[path].span if found else state.chosen or Span(0, 0)


class Member(NamedTuple):
    """Where an object stands, and where its keys are, each time one stands there."""

    span: Span
    keys: list[tuple[Step, int]]


class TextOfValue(NamedTuple):
    """A value of an answer: where it stands in the raw text, and its JSON once the edits are applied."""

    span: Span
    written: str


class WrittenNames:
    """Finds what the text has in place of the keys and indexes of a type whose keys, or lists, were coerced."""

    def __init__(self) -> None:
        self._keys: dict[int, dict[tuple[str, ...], list[str]]] = {}  # of each object, by its identity

    def of(self, data: object, step: str | int) -> Path:
        """The path in the text of a member that an object does not have by that name; empty where there is none."""
        if not isinstance(data, dict):
            return ()
        if isinstance(step, str):
            from src.shared.domain.coercion.keys import words_of  # noqa: PLC0415 - for who asks for it

            if id(data) not in self._keys:
                known = self._keys[id(data)] = {}
                for key in data:
                    known.setdefault(words_of(key), []).append(key)
            alike = self._keys[id(data)].get(words_of(step) or (step,), ())
            return (alike[0],) if len(alike) == 1 else ()
        keys = list[str]()
        inner: object = data
        while isinstance(inner, dict) and len(inner) == 1 and len(keys) < MOST_LAYERS:
            ((key, inner),) = inner.items()
            keys.append(key)
        return (*keys, step) if isinstance(inner, list) and step < len(inner) else ()


class AnswerText:
    """The JSON text of the chosen answer, without what it was wrapped in.

    Attributes:
        edited: the text.
        data: what it says, with numbers as texts; something without members where it is no JSON by itself.
        names: finds what the text has in place of the type's own keys; None where nothing was coerced.
    """

    def __init__(self, state: ParseState) -> None:
        wanted = state.target.dto_type
        self.names = WrittenNames() if wanted and wanted.coerces else None
        self._inside = state.inside
        self.edited = state.answer_text
        self.data: Any = NOTHING
        if state.is_split:  # its rows stand in no list in the text
            return
        with suppress(ValueError, RecursionError):  # the edits name the repairs; not all of them make JSON alone
            self.data = member_at(_DECODER.raw_decode(self.edited.text)[0], self._inside)

    def values(self, paths: Iterable[Path]) -> dict[Path, TextOfValue]:
        """The texts of the values at these paths; those that came from no place of their own are left out."""
        text, found = self.edited.text, {}
        for path, part in self._parts({path: self._written(path) for path in paths}):
            origin = self.edited.exact_origin(part.start)
            if origin is not None:
                span = Span(origin, self.edited.end_origin(part.end))
                found[path] = TextOfValue(span, text[part.start : part.end])
        return found

    def objects(self, paths: Iterable[Path]) -> dict[Path, Member]:
        """The objects at these paths; those of which a key came from no place of its own are left out."""
        found = {}
        for path, part in self._parts({path: path for path in paths}, ""):
            places = [(key, self.edited.exact_origin(at)) for key, at in part.steps]
            known = [(key, at) for key, at in places if at is not None]
            if len(known) == len(places):
                found[path] = Member(Span(self.edited.origin(part.start), self.edited.end_origin(part.end)), known)
        return found

    def _written(self, path: Path) -> Path:
        """The path in the text of a value at a path of the type."""
        if self.names is None:
            return path
        return data_path({"loc": path, "type": ""}, self.data, as_written=False, names=self.names) or path

    def _parts(self, paths: Mapping[Path, Path], *more: Step) -> Iterator[tuple[Path, Part]]:
        """The first of each two paths, and the part of the text at the second one; `more` is looked for in each."""
        if self.data is NOTHING:
            return
        tree: _Tree = {}
        for path in paths.values():
            branch = tree
            for step in (*self._inside, *path, *more):
                branch = branch.setdefault(step, {})
        try:
            whole = parts_in(self.edited.text, tree)
        except RecursionError:
            return
        for path, written in paths.items():
            if part := whole.at((*self._inside, *written)):
                yield path, part


def data_path(
    problem: Mapping[str, Any], data: object, *, as_written: bool, names: WrittenNames | None = None
) -> Path | None:
    """The part of a location that is keys and indexes of the data: Pydantic names the members of unions as well.

    Where a normalizer may have made the value, the last step has to be in the data. With `names` a key may stand there
    in another spelling, and a list inside what wraps it.
    """
    loc: Sequence[str | int] = problem["loc"]
    path: list[str | int] = []
    is_last_there = False
    for step in loc:
        steps: Path = (step,) if member_of(data, step) is not NOTHING else names.of(data, step) if names else ()
        is_last_there = bool(steps)
        for inner in steps:
            data = member_of(data, inner)
            path.append(inner)
    is_whole = as_written or problem["type"] == _MISSING or is_last_there
    return tuple(path) if is_whole else None


class Part(NamedTuple):
    """A value of a JSON text: where it starts and ends there.

    Attributes:
        start, end: its offsets.
        members: those of its members that are looked for; of a key that stands twice the last one, which counts.
        steps: the key or index of each member, each time it stands there, and where that is.
    """

    start: int
    end: int
    members: dict[Step, Part]
    steps: list[tuple[Step, int]]

    def at(self, path: Path) -> Part | None:
        """The part at a path from here; None where there is none."""
        part: Part | None = self
        for step in path:
            part = part and part.members.get(step)
        return part


def parts_in(text: str, wanted: _Tree | None = None) -> Part:
    """The value that a JSON text begins with, and the values in it: all of them, or those on the wanted paths."""
    decode: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]  # typeshed has it not
    outside, at = Part(0, 0, {}, []), 0
    opened: list[tuple[Part, _Tree | None]] = [(outside, None if wanted is None else {0: wanted})]
    while not outside.members:
        part, tree = opened[-1]
        while text[at] in _BETWEEN:
            at += 1
        if text[at] in "]}":
            at += 1
            opened.pop()
            around, _ = opened[-1]
            around.members[around.steps[-1][0]] = part._replace(end=at)
            continue
        step, place = cast("Step", len(part.steps)), at
        if part is not outside and text[part.start] == "{":
            step, at = decode(text, at)
            while text[at] in _BETWEEN:
                at += 1
        part.steps.append((step, place))
        is_wanted = tree is None or step in tree
        if is_wanted and text[at] in "[{" and (tree is None or tree[step]):
            opened.append((Part(at, at, {}, []), tree and tree[step]))
            at += 1
            continue
        start, at = at, decode(text, at)[1]
        if is_wanted:
            part.members[step] = Part(start, at, {}, [])
    return outside.members[0]


# --- in the type ---

_LAST = 100
"""The last element of an array that may have a type of its own."""


def item_adapter(dto_type: AnswerType[Any], path: str) -> SchemaValidator:
    """What validates an element of the list at a path of the type.

    Raises:
        TypeError: there is no such list in the type.
        ValueError: it is no path.
    """
    schema: Any = adapter_of(dto_type).core_schema
    definitions = definitions_of(schema)
    parts: list[CoreSchema] = [] if isinstance(dto_type, SchemaType) else [schema]
    for step in [*steps_of(path), 0]:
        step = step if isinstance(step, str) else min(step, _LAST)  # noqa: PLW2901 - the elements behind it are alike
        value = {step: None} if isinstance(step, str) else [None] * (step + 1)
        waiting, parts, seen = parts, [], set[int]()
        while waiting:
            part = waiting.pop()
            if id(part) not in seen:  # a type may be one of its own choices
                seen.add(id(part))
                inside = list(parts_with_keys(part, value, definitions))
                waiting += [inner for inner, key in inside if key is None]
                parts += [inner for inner, key in inside if key == step]
    if not parts:
        message = f"{name_of(dto_type)} has no list whose elements have a type at {path}"
        raise TypeError(message)
    union: Any = {"type": "union", "choices": parts} if parts[1:] else parts[0]
    return SchemaValidator(cast("Any", TypeParts(schema).with_definitions(union)))
