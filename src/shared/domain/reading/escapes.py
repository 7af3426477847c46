"""Decides how the backslashes of one string in a damaged text are read: all of them in the same way.

If all backslashes start JSON escapes, the string is read as JSON reads it. If one does not, the kind of string shows
how its writer meant the others (`docs/adr/0013-escapes-of-a-string.md` has the reasons):

- mathematics and Markdown: the writer escaped line ends and quotes, and left the backslashes of commands alone;
- a regular expression or a path: every backslash is a backslash;
- a Python string: the escapes are Python's.

A string that would have different values in two of these ways is refused.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression
from src.shared.domain.latex import COMMAND, EVIDENCE, is_command, is_named
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.reading.lexicon import QUOTES
from src.shared.domain.reading.reading import UnreadableError
from src.shared.domain.reading.tokens import BAD_ESCAPE, ESCAPE, ESCAPE_OR_QUOTE, PLAIN_QUOTES, WINDOWS_PATH
from src.shared.domain.repair import RepairKind

_UNICODE_ESCAPE_LENGTH = 6
_JSON_ESCAPES = frozenset('"\\/bfnrt')
NEVER_IN_TEXT = frozenset("bf")
"""Letters of escapes for control characters that nobody writes: backspace and form feed."""
_LINE_LETTERS = frozenset("nrt")
_PATH_LETTERS = _LINE_LETTERS | {"\\"}
_PATTERN_SIGNS = frozenset(".+?^-")
"""Signs that a regular expression escapes, and mathematics does not."""
_CODE_POINT = r"(?:x(?P<byte>[0-9a-fA-F]{2})|U(?P<point>00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}))"
_PYTHON = expression(rf"\\(?:{_CODE_POINT}|(?P<octal>0[0-7]{{0,2}}|[1-3][0-7]{{2}})|(?P<letter>[av])(?![A-Za-z]))")
"""An escape that Python has and JSON has not; `\\1` is the group of a pattern, `\\alpha` is LaTeX."""
_FOREIGN = expression(rf"\\(?:{_CODE_POINT}|[0-3][0-7]{{2}}|u\{{[0-9a-fA-F]{{1,6}}\}}|N\{{[A-Z][A-Z0-9 -]{{0,99}}\}})")
"""A Python or JavaScript escape for a character, which means the same in a pattern."""
_FOREIGN_LETTERS = frozenset("xUuNav0123")
"""Letters of the two above, since a look at one is cheaper."""
_PYTHON_LETTERS = {"a": 7, "v": 11}
WHOLE_ESCAPE = expression(
    r"""
    \\(?: u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}    # a pair, which is one character
      | u (?![dD][89a-fA-F]) [0-9a-fA-F]{4}
      | ["\\/]
      | [bfnrt] (?= [^A-Za-z] )                                        # LaTeX has letters behind it
      | [bfnrt] (?= [A-Za-z]{1,24} [^A-Za-z] | [A-Za-z]{24} )
    )
    """,
    re.VERBOSE,
)
"""An escape of JSON with as much behind it as tells that it is one."""
BEGUN_ESCAPE = expression(
    r"""
    \\(?: u[0-9a-fA-F]{0,3}+
      | u[dD][89abAB][0-9a-fA-F]{2} (?: \\(?: u[0-9a-fA-F]{0,3}+ )? )?
      | [bfnrt][A-Za-z]{0,24}+
      | [av]
    )? \Z
    """,
    re.VERBOSE,
)
"""What may become one with the next characters, or one of Python."""
_BLANK = expression(r"\s|[^\x00-\x7f]")
"""What a text has, and a single pattern or path seldom."""
_MATHS_SIGN = expression(r"[{}^$=]|\\[(\[]")
_NEW_PATH = expression(r"\\[nrt][A-Za-z]:\\")


SURROGATES = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
"""Two escapes that are one character, behind the backslash of the first."""
_ONE_ESCAPE = expression(rf"\\{SURROGATES}|{ESCAPE}")


def end_of_content(text: str, at: int, content: str) -> int:
    """Where the known content of a string ends that begins there, or the text before it; -1 if another stands there.

    Each character may be escaped or not. What the string says as a whole is for its reading to tell.
    """
    for char in content:
        escape = _ONE_ESCAPE.match(text, at)
        if escape and json.loads(f'"{escape.group()}"') == char:
            at = escape.end()
        elif text.startswith(char, at):
            at += 1
        elif char in QUOTES and text.startswith("\\" + char, at):
            at += 2
        else:
            return at if at >= len(text) else -1
    return at


def escapes(text: str, start: int, end: int, joints: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Backslashes with what they escape, and quotes, of `text[start:end]`, with their places; `joints` are left out."""
    covered = iter([*joints, (len(text), 0)])
    joint, joint_end = next(covered)
    for found in ESCAPE_OR_QUOTE.finditer(text, start, end):
        at = found.start()
        while at >= joint_end > 0:
            joint, joint_end = next(covered)
        if at < joint:
            yield at, found.group()


_ESCAPED_IN_THEMSELVES = frozenset("'`")


def may_be_foreign(text: str, at: int) -> bool:
    """Whether a backslash that begins no escape of JSON may begin one of Python or JavaScript."""
    letter = text[at + 1]
    is_foreign = letter in _FOREIGN_LETTERS and not (letter in _PYTHON_LETTERS and text[at + 2 : at + 3].isalpha())
    return is_foreign or letter in "'\n\r"


class Backslashes:
    """The backslashes of the string whose opening quote is at `start` and whose text ends before `end`.

    With `latex`, the text around may hold LaTeX commands that look like escapes; with `python`, it is Python's.
    """

    def __init__(
        self, text: str, start: int, end: int, joints: Sequence[tuple[int, int]], *, latex: bool, python: bool
    ) -> None:
        self._text = text
        self._quote = text[start]
        self._latex = latex
        self._is_bad = False
        self._raw = self._named = self._sign = -1
        for at, escape in escapes(text, start + 1, end, joints):
            self._weigh(at, escape)
        self._paths = list(_windows_paths(text, start, end))
        self._is_text = _BLANK.search(text, start + 1, end) is not None
        maths = self._named >= 0 and (self._is_text or _MATHS_SIGN.search(text, start + 1, end) is not None)
        if maths:
            self._raw = -1
        elif self._paths:
            self._raw = self._paths[0][0]
        elif self._raw < 0 and not self._is_text:
            self._raw = max(self._named, self._sign)
        self._is_python = python and self._raw < 0 and not maths and not self._is_bad
        self._evident = latex and EVIDENCE.search(text, start, end) is not None

    def edit(self, at: int, escape: str) -> Edit | None:
        """What strict JSON writes for the escape at `at`; None if it stands as it is.

        Raises:
            UnreadableError: the escape has one value in one way of reading the string and another in the other.
        """
        if escape == '\\"':
            return None
        if self._quote in _ESCAPED_IN_THEMSELVES and escape == f"\\{self._quote}":
            return Edit(at, 1, "", None)
        if self._is_python:
            found = _PYTHON.match(self._text, at)
            if found:
                return Edit(at, len(found.group()), _as_json(found), RepairKind.BAD_ESCAPE)
        if self._raw >= 0:
            return self._edit_of_raw(at, escape)
        return self._edit_of_text(at, escape)

    def _weigh(self, at: int, escape: str) -> None:
        """Note what one escape says about the others."""
        letter = escape[1:2]
        if _is_json(escape):
            if self._latex and letter in _LINE_LETTERS and COMMAND.match(self._text, at):
                self._named = at
            if not (letter in NEVER_IN_TEXT and self._text[at + 2 : at + 3].isalpha()):
                return
        elif letter in _FOREIGN_LETTERS and (_PYTHON.match(self._text, at) or _FOREIGN.match(self._text, at)):
            return
        if is_named(self._text, at):
            self._named, self._is_bad = at, True
        elif letter.isascii() and letter.isalnum():
            self._raw, self._is_bad = at if self._raw < 0 else self._raw, True
        elif letter not in {"'", self._quote}:
            self._is_bad = True
            self._sign = at if self._sign < 0 and letter in _PATTERN_SIGNS else self._sign

    def _edit_of_raw(self, at: int, escape: str) -> Edit:
        """In a pattern or a path every backslash is one, unless the string is a text that holds such a thing."""
        letter = escape[1:2]
        foreign = letter in _FOREIGN_LETTERS and _FOREIGN.match(self._text, at) is not None
        ambiguous = foreign or letter == "'" or (_is_json(escape) and letter not in NEVER_IN_TEXT)
        if ambiguous and not self._is_in_path(at, letter):
            surely_escape = letter == "\\" or len(escape) == _UNICODE_ESCAPE_LENGTH or _NEW_PATH.match(self._text, at)
            if self._is_text or surely_escape:
                raise UnreadableError(self._raw, TWO_ESCAPE_READINGS, at)
        return _kept(at, letter)

    def _edit_of_text(self, at: int, escape: str) -> Edit | None:
        """In a text the escapes that JSON has are escapes, unless they start a command or stand in a path."""
        letter = escape[1:2]
        if escape == "\\'":
            return Edit(at, 1, "", RepairKind.BAD_ESCAPE)
        if letter in _FOREIGN_LETTERS and _FOREIGN.match(self._text, at) and not self._is_in_path(at, letter):
            raise UnreadableError(at, TWO_ESCAPE_READINGS)
        stands = _is_json(escape) and not (
            (letter in _PATH_LETTERS and self._is_in_path(at, letter))
            or (letter in NEVER_IN_TEXT and self._is_bad)
            or (self._latex and is_command(self._text, at, evident=self._evident))
        )
        return None if stands else _kept(at, letter)

    def _is_in_path(self, at: int, letter: str) -> bool:
        """Whether a backslash stands in a path, and none of its line ends: those are followed by no small letter."""
        path = bisect_right(self._paths, (at, len(self._text))) - 1
        if path < 0 or at >= self._paths[path][1]:
            return False
        return letter not in _LINE_LETTERS or self._text[at + 2 : at + 3].islower()


def _is_json(escape: str) -> bool:
    return len(escape) == _UNICODE_ESCAPE_LENGTH or escape[1:] in _JSON_ESCAPES


def _kept(at: int, letter: str) -> Edit:
    """The edit that keeps a backslash, or two of them."""
    return Edit(at, 0, "\\\\" if letter == "\\" else "\\", RepairKind.BAD_ESCAPE)


def _as_json(found: re.Match[str]) -> str:
    """An escape of Python's as JSON writes the character."""
    if found["letter"]:
        code = _PYTHON_LETTERS[found["letter"]]
    else:
        code = int(found["octal"], 8) if found["octal"] else int(found["byte"] or found["point"], 16)
    return f"\\u{code:04x}" if code <= 0xFFFF else chr(code)  # noqa: PLR2004 - the last that four digits hold


def _windows_paths(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    r"""Paths with single backslashes, one of which starts no escape: then none of them was meant to.

    `\\theta\cdot` is none: that is LaTeX whose first backslash was escaped, and the second was not.
    """
    if text.find(":\\", start, end) < 0 and text.find("\\\\", start, end) < 0:
        return
    for path in WINDOWS_PATH.finditer(text, start, end):
        name = path.start() + 1
        is_latex = is_named(text, name) or COMMAND.match(text, name)
        if not is_latex and BAD_ESCAPE.search(text, path.end("root"), path.end()):
            yield path.span()


class StringParts(NamedTuple):
    """What was met inside a string on the way to its end.

    Attributes:
        inner: quotes that could have closed it, but did not.
        joints: parts between two pieces of it (`" + "`), as start and end.
    """

    inner: list[int]
    joints: list[tuple[int, int]]


def string_edits(
    text: str, start: int, end: int, parts: StringParts, *, latex: bool, python: bool = False
) -> list[Edit]:
    """The edits of a string whose opening quote is at `start` and whose text ends before `end`.

    With `latex`, the text around may hold LaTeX commands that look like escapes; with `python`, its escapes may be
    Python's.

    Raises:
        UnreadableError: its backslashes can be read in two ways.
    """
    inner, joints = parts
    quote, edits, stray = text[start], [], -1
    if quote != '"':
        kind = RepairKind.SINGLE_QUOTE if quote in PLAIN_QUOTES else RepairKind.SMART_QUOTE
        edits.append(Edit(start, 1, '"', kind))
        edits += (Edit(at, 1, text[at], RepairKind.UNESCAPED_QUOTE) for at in inner)
    elif inner in ([start + 1], [end - 1]):
        stray = inner[0]
    edits += (Edit(at, to - at, "", RepairKind.STRING_CONCATENATION) for at, to in joints)
    backslashes: Backslashes | None = None
    for at, mark in escapes(text, start + 1, end, joints):
        if at == stray:
            edits.append(Edit(at, 1, "", RepairKind.STRAY_QUOTE))
        elif mark == '"':
            edits.append(Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE if quote == '"' else None))
        else:
            backslashes = backslashes or Backslashes(text, start, end, joints, latex=latex, python=python)
            edit = backslashes.edit(at, mark)
            edits += [edit] if edit else []
    return sorted(edits, key=itemgetter(0))
