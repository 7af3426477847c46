"""`Label: value` lines: each label is a field, and its value goes up to the next one."""

from __future__ import annotations

from typing import Any

from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import Reason
from src.shared.infrastructure.notations.fields import EMPHASIS, FAREWELL, LABEL_LIMIT, NotationError, Wanted, unknown

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
    return wanted.flat((label, _value(lines, name, wanted, at), at) for label, name, lines, at in _labels(text, wanted))


def _value(lines: list[str], name: str, wanted: Wanted, at: int) -> str | list[str]:
    """The text of the lines behind a label, or the items that they are."""
    shape = wanted.row.member(name)
    items = [line[match_end(_BULLET, line, 0) :] for line in lines[1:] if _BULLET.match(line)]
    takes_text = "string" in shape.types and not shape.is_decimal
    if shape.arrays and not takes_text and items and [lines[0], len(items)] == ["", len(lines) - 1]:
        return items
    if len(lines) > 1 and not takes_text:
        raise NotationError(_LONG, at)
    if lines[1:] and FAREWELL.match(f"\n{lines[-1]}", 1):
        raise NotationError(_NO_LABEL, at)
    if _IN_MARKS.fullmatch(lines[0]):
        raise NotationError(_MARKS_OR_TEXT, at)
    return "\n".join(lines).strip()


def _labels(text: str, wanted: Wanted) -> list[tuple[str, str, list[str], int]]:
    """The labels and their fields, each with the lines of its value and its place."""
    found: list[tuple[str, str, list[str], int]] = []
    is_open, at = False, 0
    for line in text.split("\n"):
        label, value = _parted(line.strip())
        name = wanted.field_of(label)
        looks_like = _LOOKS_LIKE_LABEL.match(line.strip(" \t-*+•_#>"))
        if name:
            found.append((label, name, [value], at))
        elif looks_like:
            raise unknown(looks_like[0].strip(" \t:："), at)
        elif line.strip() and not (is_open and any(map(str.isalnum, line))):
            raise NotationError(_NO_LABEL, at)
        elif line.strip():
            found[-1][2].append(line.strip())
        is_open = bool(line.strip())
        at += len(line) + 1
    return found


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
