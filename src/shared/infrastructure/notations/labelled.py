"""`Label: value` lines: each label is a field, and its value goes up to the next one."""

from __future__ import annotations

from typing import Any

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import Reason
from src.shared.infrastructure.notations.fields import (
    EMPHASIS,
    FAREWELL,
    LABEL_LIMIT,
    NotationError,
    Wanted,
    given_twice,
    unknown,
)

_BULLET = expression(r"(?:[-*+•·]|[0-9]{1,3}[.)、])[ \t]++")
_COLON = expression("[:：]")
_LOOKS_LIKE_LABEL = expression(repeated(r"[\w'’()/&.-]++[ \t]?", "{1,5}") + r"(?::(?=\s|\Z|\*)|：)")
"""A few words and a colon, and no time of day and no address behind it."""
_IN_MARKS = expression(r"""["'“‘`].++(?<=["'”’`])|[|>][-+]?""")
_MARKS_OR_TEXT = Reason("the signs around the value may be marks of another notation, or a part of it")
_NO_LABEL = Reason("a line stands before the first label, or behind an empty line, that belongs to no label")
_NO_LIST = Reason("labelled lines are one object, and the type is a list")
_LONG = Reason("a value goes on in a second line, where the field takes no text")


def read(text: str, wanted: Wanted) -> dict[str, Any]:
    """The object of which each line gives a field.

    Raises:
        NotationError: a line has no label that is a field, or a field is given twice, or a value has no one reading.
    """
    if wanted.shape.arrays:
        raise NotationError(_NO_LIST)
    data: dict[str, Any] = {}
    for name, (place, lines) in _values(text, wanted).items():
        shape = wanted.shape.member(name)
        items = [line[match_end(_BULLET, line, 0) :] for line in lines[1:] if _BULLET.match(line)]
        if shape.arrays and "string" not in shape.types and items and [lines[0], len(items)] == ["", len(lines) - 1]:
            data[name] = [wanted.typed(item, shape.element(at), place) for at, item in enumerate(items)]
            continue
        if len(lines) > 1 and (shape.is_decimal or "string" not in shape.types):
            raise NotationError(_LONG, place)
        if lines[1:] and FAREWELL.match(f"\n{lines[-1]}", 1):
            raise NotationError(_NO_LABEL, place)
        if _IN_MARKS.fullmatch(lines[0]):
            raise NotationError(_MARKS_OR_TEXT, place)
        data |= wanted.flat(name, "\n".join(lines).strip(), place)
    return data


def _values(text: str, wanted: Wanted) -> dict[str, tuple[int, list[str]]]:
    """The fields, each with the place of its label and the lines of its value."""
    values: dict[str, tuple[int, list[str]]] = {}
    lines: list[str] | None = None
    at = 0
    for line in text.split("\n"):
        label, value = _parted(line.strip())
        name = wanted.field_of(label)
        looks_like = _LOOKS_LIKE_LABEL.match(line.strip(" \t-*+•_#>"))
        if name in values:
            raise given_twice(label, at)
        if name:
            lines = [value]
            values[name] = at, lines
        elif not line.strip():
            lines = None
        elif looks_like:
            raise unknown(looks_like[0].strip(" \t:："), at)
        elif lines is None or not any(map(str.isalnum, line)):
            raise NotationError(_NO_LABEL, at)
        else:
            lines.append(line.strip())
        at += len(line) + 1
    return values


def _parted(line: str) -> tuple[str, str]:
    """The label of a line, without the marks of Markdown around it, and its value; an empty label where it has none."""
    line = line[match_end(_BULLET, line, 0) :]
    colon = _COLON.search(line, 0, LABEL_LIMIT)
    if colon is None:
        return "", ""
    label, value = line[: colon.start()].strip(), line[colon.end() :]
    mark = next(filter(label.startswith, EMPHASIS), "")
    if mark and label.endswith(mark) and len(label) > 2 * len(mark):
        label = label[: -len(mark)]
    elif mark and value.startswith(mark):
        value = value[len(mark) :]
    elif mark and value.endswith(mark) and value.count(mark) == 1:
        value = value[: -len(mark)]
    elif mark:
        return "", ""
    return label[len(mark) :].strip(), value.strip()
