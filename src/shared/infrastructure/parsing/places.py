"""Where each value of an answer stands in the raw text: for highlights in a page, and for audits.

The JSON that the edits make of the answer is gone through once, when the first place is asked for. What it says is
compared with the data of the reading: what is another value there, or may stand elsewhere, has no place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import isnan
from typing import cast

from src.shared.domain.coercion.coercion import CoercionKind
from src.shared.domain.edits import EditedText
from src.shared.domain.exceptions import Place, json_path
from src.shared.domain.one_line import one_line
from src.shared.domain.strict_json import decode_at
from src.shared.domain.type_shapes import Path
from src.shared.infrastructure.parsing.paths import (
    NOTHING,
    AnswerText,
    Part,
    member_at,
    member_of,
    parts_in,
    path_of,
    steps_of,
)
from src.shared.infrastructure.parsing.state import ALONE, STATED, ParseState, Span

_SHOWN = 200
"""Characters of a path that an error quotes."""
MOST_SPANS = 10_000
"""Values of one answer, at most, whose places are listed."""
MOST_PATH_CHARACTERS = 1_000_000
"""Characters of their paths, at most, together."""


class ValuePlaces:
    """The places of the values of one reading; none where it has no text."""

    def __init__(self, state: ParseState) -> None:
        self._coercions, answer = state.coercions, AnswerText(state)
        self._edited, self._whole = answer.edited, cast("Part | None", None)
        for note in state.notes:
            if note.action in (ALONE, STATED):  # it is no JSON: `5 million`
                self._edited, self._whole = EditedText(state.raw, 0, len(state.raw), ()), Part(*note.span, {}, [])
                return
        if answer.data is NOTHING:
            return
        text = answer.edited.text
        with suppress(ValueError, RecursionError):  # an integer with too many digits; nested too deeply
            read = member_at(decode_at(text, 0, as_written=state.target.reads_decimals).data, state.inside)
            whole = parts_in(text).at(state.inside)
            if whole and (state.target.normalizers or read != state.data):
                _keep_same(whole, read, state)
            self._whole = whole

    def span(self, data: object, path: str) -> Span | None:
        """Where the value at a path of the data stands; None where it has no single place.

        Raises:
            KeyError: there is no value at the path.
            ValueError: it is no path.
        """
        steps = steps_of(path)
        if member_at(data, steps) is NOTHING:
            steps = self._coerced_around(steps)
        part = self._whole.at(steps) if self._whole else None
        return self._span(part) if part else None

    def spans(self) -> Iterator[tuple[str, Span]]:
        """The paths of the values that have a place, and where each stands: an outer one before those in it."""
        left: list[tuple[str, Path, Part]] = [("$", (), self._whole)] if self._whole else []
        count = characters = 0
        while left and count < MOST_SPANS and characters < MOST_PATH_CHARACTERS:
            around, steps, part = left.pop()
            path = around + json_path(steps)[1:]
            left += [(path, (step,), inner) for step, inner in [*part.members.items()][MOST_SPANS::-1]]
            if span := self._span(part):
                count, characters = count + 1, characters + len(path)
                yield path, span

    def _span(self, part: Part) -> Span | None:
        start, end = self._edited.exact_origin(part.start), self._edited.exact_end(part.end)
        return None if start is None or end is None else Span(start, end)

    def _coerced_around(self, steps: Path) -> Path:
        """The path of the coerced value that one at this path is in: that is in the data."""
        for one in self._coercions:
            before = steps_of(one.path) if one.kind is not CoercionKind.WRAPPER else steps
            rest = steps[len(before) :]
            if rest and steps[: len(before)] == before and member_at(one.after, rest) is not NOTHING:
                return before
        message = f"there is no value at {one_line(json_path(steps), _SHOWN)}"
        raise KeyError(message)


def _keep_same(whole: Part, read: object, state: ParseState) -> None:
    """Take out the parts that are not the same in the data, or may stand elsewhere in it: a hook may have sorted it."""
    escaped = {one.path for one in state.coercions if one.kind is CoercionKind.ESCAPE}
    left: list[tuple[Place, Part, object, object]] = [(None, whole, read, state.data)]
    while left:
        around, part, before, after = left.pop()
        if isinstance(before, list) and (state.target.normalizers or len(before) != len(cast("list[object]", after))):
            if before != after:
                part.members.clear()
            continue
        for step, inner in [*part.members.items()]:
            old, new, place = member_of(before, step), member_of(after, step), (around, step)
            if _is_same(old, new) or (escaped and path_of(place) in escaped):
                left.append((place, inner, old, new))
            else:
                del part.members[step]


def _is_same(before: object, after: object) -> bool:
    if isinstance(before, dict | list):
        return isinstance(after, type(before))
    is_nan = isinstance(before, float) and isinstance(after, float) and isnan(before) and isnan(after)
    return is_nan or (type(before) is type(after) and before == after)
