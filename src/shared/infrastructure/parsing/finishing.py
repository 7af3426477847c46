"""The last stages, which every text takes once its object is decoded: `root`, `normalize`, `validate`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import ValidationError

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.reading.edits import EditedText
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.parse_errors import (
    broken_contract,
    normalizer_failed,
    wrong_root,
)
from src.shared.infrastructure.parsing.plain import decoded
from src.shared.infrastructure.parsing.state import ParseState, Span, Stage, changed, run_stage
from src.shared.infrastructure.parsing.target_type import NormalizerError, normalized


def root(state: ParseState) -> ParseState:
    """Refuse another root, and a scalar in any case."""
    if not state.target.accepts_root(state.data):
        raise wrong_root(state.data, state.raw, state.repair_kinds, state.target.accepted_roots)
    return state


def normalize(state: ParseState) -> ParseState:
    """Run the hooks in order on the decoded data."""
    if not state.target.normalizers:
        return state
    try:
        data = normalized(state.data, state.target.normalizers, state.target.roots)
    except NormalizerError as error:
        raise normalizer_failed(error.name, error.problem, _as_decoded(state), state.raw) from error.__cause__
    return changed(state, data=data)


def _as_decoded(state: ParseState) -> Any:  # noqa: ANN401 - decoded JSON
    """The data before any hook changed it, decoded once more: a copy made beforehand would cost every text."""
    try:
        return decoded(state.raw, state.target).data
    except LLMJsonParseError:  # the hooks do not do the same twice, and choose another object
        return state.data


Path: TypeAlias = tuple[str | int, ...]
_Tree: TypeAlias = dict[str | int, Any]

_WHITE_SPACE = " \t\n\r"
_MISSING = "missing"
_NOTHING = object()


def places_of(state: ParseState, problems: Sequence[Mapping[str, Any]]) -> list[dict[str, int] | None]:
    """The place of the value that each problem is about, `{line, column, offset}`; of a missing field's its object.

    None where the value has no place: a normalizer made it, or the whole text was escaped. Linear in the text.

    Args:
        state: its object is chosen, and the type has refused it.
        problems: `{loc, type, msg}`, as in the details of the error.
    """
    span = _chosen(state)
    # the edit of a key that occurs twice only marks it: the decoder takes the last one
    edits = [edit for edit in state.edits if edit.kind is not RepairKind.DUPLICATE_KEY]
    edited = EditedText(state.text, span.start, span.end, edits)
    try:
        data, _ = _DECODER.raw_decode(edited.text)
        paths = [_path(problem, data, as_written=not state.target.normalizers) for problem in problems]
        found = _offsets(edited.text, [path for path in paths if path is not None])
    except (ValueError, RecursionError):  # the edits name the repairs; not all of them make JSON on their own
        return [None] * len(problems)
    offsets = [None if path is None else edited.exact_origin(found[path]) for path in paths]
    return [None if at is None else state.lines.position(at) for at in offsets]


_DECODER = json.JSONDecoder(parse_int=str, strict=False)
"""Numbers stay texts: one with too many digits for Python has a place, too. A string may hold raw control
characters, which one edit for all of them names."""


def _chosen(state: ParseState) -> Span:
    return next(note.span for note in reversed(state.notes) if note.action == "chosen")


def _path(problem: Mapping[str, Any], data: object, *, as_written: bool) -> Path | None:
    """The part of a location that is keys and indexes of the data: Pydantic names the members of unions as well.

    Where a normalizer may have made the value, the last step has to be in the data.
    """
    loc: Sequence[str | int] = problem["loc"]
    path: list[str | int] = []
    for step in loc:
        inside = _member(data, step)
        if inside is not _NOTHING:
            data = inside
            path.append(step)
    is_whole = as_written or problem["type"] == _MISSING or path[-1:] == [*loc[-1:]]
    return tuple(path) if is_whole else None


def _member(data: object, step: str | int) -> object:
    if isinstance(data, dict):
        return data.get(step, _NOTHING)
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step]
    return _NOTHING


def _offsets(text: str, paths: Sequence[Path]) -> dict[Path, int]:
    """Where the values of these paths start; of a key that occurs twice the last one, which counts."""
    tree: _Tree = {}
    for path in paths:
        branch = tree
        for step in path:
            branch = branch.setdefault(step, {})
    found: dict[Path, int] = {}
    _walk(text, 0, tree, (), found)
    return found


def _walk(text: str, at: int, tree: _Tree, path: Path, found: dict[Path, int]) -> int:
    """Note where the value at `at` starts, and those of the tree in it; return where it ends."""
    found[path] = at
    if not tree:
        return _end(text, at)
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
    return at + 1


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _token(text: str, at: int) -> int:
    while text[at] in _WHITE_SPACE:
        at += 1
    return at


def validate(state: ParseState) -> ParseState:
    """Validate the data; a caller that named no type gets it as it is."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return state
    try:
        validated = dto_type.read(state.data, hooked=bool(state.target.normalizers))
    except ValidationError as error:
        raise _refusal(error, dto_type.name, state) from error
    return changed(state, result=validated.value, coercions=validated.coercions)


def _refusal(error: ValidationError, name: str, state: ParseState) -> LLMJsonParseError:
    """What the type refuses, and its place."""
    refusal = broken_contract(error, name, state.data, state.raw, state.repair_kinds)
    details = refusal.details
    places = places_of(state, details["validation_errors"])
    if any(places):
        details.setdefault("validation_places", places)
    return refusal


FINISHING: tuple[Stage, ...] = (root, normalize, validate)
"""In their order."""


def finish(state: ParseState) -> ParseState:
    """The state after these stages."""
    for stage in FINISHING:
        state = run_stage(stage, state)
    return state
