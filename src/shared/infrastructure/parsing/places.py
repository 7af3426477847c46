"""Where the values of an answer stand in the text: by the path of each, through the edits that reading it took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError

from src.shared.domain.edits import EditedText
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import Path
from src.shared.infrastructure.parsing.parse_errors import broken_contract, found_in
from src.shared.infrastructure.parsing.state import ParseState, Span

_Tree: TypeAlias = dict[str | int, Any]

_WHITE_SPACE = " \t\n\r"
_MISSING = "missing"
NOTHING = object()
"""What is at a path that leads nowhere."""
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
    problems = refusal.details["validation_errors"]
    paths = [data_path(problem, answer.data, as_written=not state.target.normalizers) for problem in problems]
    found = answer.values(path for path in paths if path is not None)
    places = [state.lines.position(found[path].span.start) if path in found else None for path in paths]
    if any(places):
        refusal.details["validation_places"] = places
    return refusal


def span_of(state: ParseState, path: Path) -> Span:
    """The part of the text that is the value at a path; all that was chosen where that has no place of its own."""
    found = AnswerText(state).values([path])
    return found[path].span if found else state.chosen or Span(0, 0)


class Member(NamedTuple):
    """Where an object stands, and where its keys are, each time one stands there."""

    span: Span
    keys: list[tuple[str, int]]


class TextOfValue(NamedTuple):
    """A value of an answer: where it stands in the raw text, and its JSON once the edits are applied."""

    span: Span
    written: str


class AnswerText:
    """The JSON text of the chosen answer, without what it was wrapped in.

    Attributes:
        data: what it says, with numbers as texts; something without members where it is no JSON by itself.
    """

    def __init__(self, state: ParseState) -> None:
        self._inside = state.inside
        span = state.chosen or Span(0, 0)
        # the edit of a key that occurs twice only marks it: the decoder takes the last one
        edits = [edit for edit in state.edits if edit.kind is not RepairKind.DUPLICATE_KEY]
        self._edited = EditedText(state.text, span.start, span.end, edits)
        self.data: Any = NOTHING
        if state.is_split:  # its rows stand in no list in the text
            return
        try:
            self.data, _ = _DECODER.raw_decode(self._edited.text)
        except (ValueError, RecursionError):  # the edits name the repairs; not all of them make JSON on their own
            return
        for step in self._inside:
            self.data = member_of(self.data, step)

    def values(self, paths: Iterable[Path]) -> dict[Path, TextOfValue]:
        """The texts of the values at these paths; those that came from no place of their own are left out."""
        text, found = self._edited.text, {}
        for path, (start, end) in self._spans(paths).items():
            origin = self._edited.exact_origin(start)
            if origin is not None:
                found[path] = TextOfValue(Span(origin, self._edited.end_origin(end)), text[start:end])
        return found

    def objects(self, paths: Iterable[Path]) -> dict[Path, Member]:
        """The objects at these paths; those of which a key came from no place of its own are left out."""
        text, found = self._edited.text, {}
        for path, (start, end) in self._spans(paths).items():
            places = [(key, self._edited.exact_origin(at)) for key, at in _keys_of(text, start)]
            known = [(key, at) for key, at in places if at is not None]
            if len(known) == len(places):
                found[path] = Member(Span(self._edited.origin(start), self._edited.end_origin(end)), known)
        return found

    def _spans(self, paths: Iterable[Path]) -> dict[Path, tuple[int, int]]:
        """Where the values of these paths start and end; of a key that occurs twice the last one, which counts."""
        if self.data is NOTHING:
            return {}
        wanted, tree = {(*self._inside, *path) for path in paths}, _Tree()
        for path in wanted:
            branch = tree
            for step in path:
                branch = branch.setdefault(step, {})
        found: dict[Path, tuple[int, int]] = {}
        try:
            _walk(self._edited.text, 0, tree, (), found)
        except RecursionError:
            return {}
        return {path[len(self._inside) :]: span for path, span in found.items() if path in wanted}


def data_path(problem: Mapping[str, Any], data: object, *, as_written: bool) -> Path | None:
    """The part of a location that is keys and indexes of the data: Pydantic names the members of unions as well.

    Where a normalizer may have made the value, the last step has to be in the data.
    """
    loc: Sequence[str | int] = problem["loc"]
    path: list[str | int] = []
    for step in loc:
        inside = member_of(data, step)
        if inside is not NOTHING:
            data = inside
            path.append(step)
    is_whole = as_written or problem["type"] == _MISSING or path[-1:] == [*loc[-1:]]
    return tuple(path) if is_whole else None


def member_of(data: object, step: str | int) -> object:
    """The member of an object or a list; something that is no data where there is none."""
    if isinstance(data, dict):
        return data.get(step, NOTHING)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return NOTHING


def _walk(text: str, at: int, tree: _Tree, path: Path, found: dict[Path, tuple[int, int]]) -> int:
    """Note where the value at `at` starts and ends, and those of the tree in it; return where it ends."""
    start = at
    if tree:
        is_object = text[at] == "{"
        at, index = _token(text, at + 1), 0
        while text[at] not in "}]":
            step: str | int = index
            if is_object:
                step, at = _DECODER.raw_decode(text, at)
                at = _token(text, _token(text, at) + 1)
            inside = step in tree
            at = _token(text, _walk(text, at, tree[step], (*path, step), found) if inside else _end(text, at))
            at = _token(text, at + 1) if text[at] == "," else at
            index += 1
        at += 1
    else:
        at = _end(text, at)
    found[path] = start, at
    return at


def _keys_of(text: str, at: int) -> list[tuple[str, int]]:
    """The keys of the object that begins there, and where each is."""
    keys, at = list[tuple[str, int]](), _token(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        keys.append((key, at))
        at = _token(text, _end(text, _token(text, _token(text, end) + 1)))
        at = _token(text, at + 1) if text[at] == "," else at
    return keys


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _token(text: str, at: int) -> int:
    while text[at] in _WHITE_SPACE:
        at += 1
    return at
