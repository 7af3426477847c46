"""The text of a string: what strict JSON writes for the quotes and backslashes in it."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from src.shared.domain.latex import EVIDENCE, is_command
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.edits import Edit
from src.shared.infrastructure.reader.patterns import BAD_ESCAPE, ESCAPE_OR_QUOTE, PLAIN_QUOTES, WINDOWS_PATH

_UNICODE_ESCAPE_LENGTH = 6
_CONTROL_LETTERS = frozenset("bfnrt")
_JSON_ESCAPES = frozenset('"\\/bfnrt')


class Marks(NamedTuple):
    """What was met inside a string on the way to its end.

    Attributes:
        inner: quotes that could have closed it, but did not.
        joints: parts between two pieces of it (`" + "`), as start and end.
    """

    inner: list[int]
    joints: list[tuple[int, int]]


def string_edits(text: str, start: int, end: int, marks: Marks, *, latex: bool) -> list[Edit]:
    """The edits of a string whose opening quote is at `start` and whose text ends before `end`.

    With `latex`, the text around may hold LaTeX commands that look like escapes.
    """
    inner, joints = marks
    quote, edits, stray = text[start], [], -1
    evident = latex and EVIDENCE.search(text, start, end) is not None
    paths = iter([*_windows_paths(text, start, end), (len(text), len(text))])
    path, path_end = next(paths)
    if quote != '"':
        edits.append(Edit(start, 1, '"', _kind_of(quote)))
        edits += (Edit(at, 1, text[at], RepairKind.UNESCAPED_QUOTE) for at in inner)
    elif inner in ([start + 1], [end - 1]):
        stray = inner[0]
    edits += (Edit(at, to - at, "", RepairKind.STRING_CONCATENATION) for at, to in joints)
    covered = iter([*joints, (len(text), 0)])
    joint, joint_end = next(covered)
    for found in ESCAPE_OR_QUOTE.finditer(text, start + 1, end):
        at = found.start()
        while at >= joint_end > 0:
            joint, joint_end = next(covered)
        if at == stray:
            edits.append(Edit(at, 1, "", RepairKind.STRAY_QUOTE))
        elif at < joint:
            edits += _escape(at, found.group(), quote)
            while at >= path_end:
                path, path_end = next(paths)
            in_path = path < at and found.group()[1:] in _CONTROL_LETTERS
            if in_path or (latex and is_command(text, at, evident=evident)):
                edits.append(Edit(at, 0, "\\", RepairKind.BAD_ESCAPE))
    return sorted(edits, key=itemgetter(0))


def _windows_paths(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paths with single backslashes, one of which starts no escape: then none of them was meant to."""
    if text.find(":\\", start, end) >= 0:
        for path in WINDOWS_PATH.finditer(text, start, end):
            if BAD_ESCAPE.search(path.group()):
                yield path.span()


def _escape(at: int, found: str, quote: str) -> list[Edit]:
    """A backslash or a double quote inside a string: what strict JSON writes there."""
    if found == '"':
        return [Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE if quote == '"' else None)]
    if found == "\\'":
        return [Edit(at, 1, "", RepairKind.BAD_ESCAPE if quote == '"' else None)]
    if len(found) == _UNICODE_ESCAPE_LENGTH or found[1:] in _JSON_ESCAPES:
        return []
    return [Edit(at, 0, "\\", RepairKind.BAD_ESCAPE)]


def _kind_of(quote: str) -> RepairKind:
    return RepairKind.SINGLE_QUOTE if quote in PLAIN_QUOTES else RepairKind.SMART_QUOTE
