r"""Decides how the backslashes of each string in a damaged text are read: all of one string in the same way.

If all backslashes start JSON escapes, the string is read as JSON reads it. If one does not, the kind of string shows
how its writer meant the others (`docs/adr/0013-escapes-of-a-string.md` has the reasons):

- mathematics and Markdown: the writer escaped line ends and quotes, and left the backslashes of commands alone;
- a regular expression or a path: every backslash is a backslash;
- a Python string: the escapes are Python's.

A string that would have different values in two of these ways is refused. Nearly all of them are mathematics and
Markdown, told by which escapes they have: that is decided once for all strings with the same ones. The others are
weighed escape by escape.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from src.shared.domain.edits import Edit, EditedText, Edits
from src.shared.domain.expression import expression, repeated
from src.shared.domain.latex import COMMAND, EVIDENCE, LINE_COMMAND_REST, is_command, is_named
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.reading.lexicon import QUOTES
from src.shared.domain.reading.reading import UnreadableError
from src.shared.domain.repair import RepairKind

SURROGATES = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
"""Two escapes that are one character, behind the backslash of the first."""
ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
_ONE_ESCAPE = expression(rf"\\{SURROGATES}|{ESCAPE}")
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

_PLAIN = r'[^"\\]*+'
_ESCAPED = rf"\\.{_PLAIN}"
_STRING = expression(
    rf"""
    {_PLAIN} {repeated(f'"{_PLAIN}"{_PLAIN}')}
    (?: (?P<string> "{_PLAIN} {repeated(_ESCAPED, "+")} " ) | .* )
    """,
    re.DOTALL | re.VERBOSE,
)
"""The next string with a backslash and all before it, or the rest; all strings of the text are in double quotes."""
_STANDS = rf'["/]|(?!{LINE_COMMAND_REST})[nrt]|u[0-9a-fA-F]{{4}}'
_KINDS = expression(rf"\\(?:{_STANDS}|\\|[bf](?![A-Za-z])|([A-Za-z]++|.))", re.DOTALL)
"""An escape of JSON that begins no command; what stands behind any other backslash: all its letters, or one sign."""
_STANDING = frozenset({""})
_MENDED = expression(rf"\\(?<!\\\\)(?:\\\\)*+(?!\\|{_STANDS})")
"""A backslash that is one in mathematics and Markdown, and the pairs of them before it."""
_BYTE_OR_LETTER = expression(r"[A-Za-z]\Z|x[0-9a-fA-F]")
_WEIGHED_SIGNS = frozenset("0123456789\n\r") | (QUOTES.keys() - {'"'})
_BLANK = expression(r"\s|[^\x00-\x7f]")
"""What a text has, and a single pattern or path seldom."""
_BLANK_OR_MATHS = expression(r"\s|[^\x00-\x7f]|[{}^$=]|\\[(\[]")
_PATH_PART = r"\\[\w.$%~][^\s\\\"':]*+" + repeated(repeated(r" [A-Z(][^\s\\\"':]*+", "+") + r"(?=\\)", "?")
"""A name in a path; one with blanks is followed by another, and its words begin as those of `Program Files (x86)`."""
_PATH = expression(
    rf"(?::(?<=[A-Za-z]:)(?<![A-Za-z][A-Za-z]:)|\\\\(?<![\\\w:]\\\\)(?P<server>\w[\w.$\-]*+))"
    rf"(?P<parts>{repeated(_PATH_PART, '+')})"
)
r"""A drive or `\\server` and what follows with single backslashes, as a model writes it that forgot to escape them."""
_BAD_ESCAPE = expression(r"\\(?:[^\"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))")
_ESCAPE = expression(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NEW_PATH = expression(r"\\[nrt][A-Za-z]:\\")
new = tuple.__new__
BAD = RepairKind.BAD_ESCAPE
_ESCAPED_IN_THEMSELVES = frozenset("'`")


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


def may_be_foreign(text: str, at: int) -> bool:
    """Whether a backslash that begins no escape of JSON may begin one of Python or JavaScript."""
    letter = text[at + 1]
    is_foreign = letter in _FOREIGN_LETTERS and not (letter in _PYTHON_LETTERS and text[at + 2 : at + 3].isalpha())
    return is_foreign or letter in "'\n\r"


def escape_edits(text: str, start: int, end: int, edits: Edits, *, python: bool) -> list[Edit]:
    """The further edits that the backslashes in the strings of a container need, in the order of their offsets.

    Args:
        text: the text.
        start: offset of the container's opening bracket.
        end: offset behind its closing one.
        edits: those after which it is JSON, backslashes in its strings apart, in the order of their offsets. What they
            put is JSON as it is. At one offset they come before the further ones.
        python: whether it has strings as only Python writes them: then their escapes may be Python's.

    Raises:
        UnreadableError: the backslashes of a string can be read in two ways.
    """
    if text.find("\\", start, end) < 0:
        return []
    edited = EditedText(text, start, end, edits)
    body, further = edited.text, list[Edit]()
    evidence_of: dict[frozenset[str], re.Pattern[str] | None] = {}
    for found in _STRING.finditer(body):
        opened, closed = found.span("string")
        kinds = frozenset(_KINDS.findall(body, opened, closed)) if closed > 0 else _STANDING
        if kinds == _STANDING or edited.exact_origin(opened + 1) is None:
            continue
        if kinds not in evidence_of:
            evidence_of[kinds] = _evidence(kinds)
        evidence = evidence_of[kinds]
        if evidence and evidence.search(body, opened, closed) and not _windows_paths(body, opened, closed):
            places = [mended.end() - 1 for mended in _MENDED.finditer(body, opened, closed)]
            shift = edited.origin(opened + 1) - (opened + 1)
            if text.startswith(body[opened + 1 : closed - 1], opened + 1 + shift):
                further += [new(Edit, (at + shift, 0, "\\", BAD, 1)) for at in places]
            else:
                further += [new(Edit, (edited.origin(at), 0, "\\", BAD, 1)) for at in places]
            continue
        quote = text[edited.begin_origin(opened)]
        try:
            weighed = Backslashes(body, opened, closed - 1, quote, python=python).edits()
            further += [edit._replace(offset=edited.origin(edit.offset)) for edit in weighed]
        except UnreadableError as error:
            at, reason, other = error.problem
            places = edited.origin(at), None if other is None else edited.origin(other)
            raise UnreadableError(places[0], reason, places[1]) from error
    return further


def _evidence(kinds: frozenset[str]) -> re.Pattern[str] | None:
    """What a string with these escapes holds too if it is mathematics or Markdown; None if they have to be weighed."""
    names = {kind for kind in kinds if kind.isascii() and kind.isalpha()}
    signs = kinds - names - _STANDING
    written = "".join(f"\\{kind}" for kind in names | signs)
    is_bad = bool(signs) or any(name[0] not in _LINE_LETTERS for name in names)
    is_weighed = any(map(_BYTE_OR_LETTER.match, names)) or not signs.isdisjoint(_WEIGHED_SIGNS)
    if is_weighed or not is_bad or not EVIDENCE.search(written):
        return None
    if names:
        return _BLANK_OR_MATHS if any(_is_known(f"\\{name}", 0) for name in names) else None
    return _MENDED if signs.isdisjoint(_PATTERN_SIGNS) else _BLANK


def _is_known(text: str, at: int) -> bool:
    """Whether a backslash begins a command whose name shows that the string is mathematics."""
    is_hidden = text[at + 1] in _LINE_LETTERS and COMMAND.match(text, at) is not None
    return is_hidden or is_named(text, at)


class Backslashes:
    """The backslashes of one string that have to be weighed one by one, in a text with the structure of JSON.

    The string's quotes are at `start` and `end`; `quote` is what stands for the first one in the raw text.
    """

    def __init__(self, text: str, start: int, end: int, quote: str, *, python: bool) -> None:
        self._text, self._quote = text, quote
        self._escapes = [(found.start(), found.group()) for found in _ESCAPE.finditer(text, start + 1, end)]
        self._is_bad = False
        self._raw = self._named = self._sign = -1
        for at, escape in self._escapes:
            self._weigh(at, escape)
        self._paths = _windows_paths(text, start, end)
        self._is_text = _BLANK.search(text, start + 1, end) is not None
        maths = self._named >= 0 and _BLANK_OR_MATHS.search(text, start + 1, end) is not None
        if maths:
            self._raw = -1
        elif self._paths:
            self._raw = self._paths[0][0]
        elif self._raw < 0 and not self._is_text:
            self._raw = max(self._named, self._sign)
        self._is_python = python and self._raw < 0 and not maths and not self._is_bad
        self._evident = EVIDENCE.search(text, start, end) is not None

    def edits(self) -> list[Edit]:
        """What strict JSON writes for those that do not stand as they are.

        Raises:
            UnreadableError: one has one value in one way of reading the string and another in the other.
        """
        edits = (self._edit(at, escape) for at, escape in self._escapes)
        return [edit for edit in edits if edit]

    def _edit(self, at: int, escape: str) -> Edit | None:
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
        letter = escape[1]
        if _is_json(escape):
            if letter in _LINE_LETTERS and COMMAND.match(self._text, at):
                self._named = at
            behind = self._text[at + 2]
            if not (letter in NEVER_IN_TEXT and behind.isascii() and behind.isalpha()):
                return
        elif letter in _FOREIGN_LETTERS and (_PYTHON.match(self._text, at) or _FOREIGN.match(self._text, at)):
            return
        elif self._text.startswith(("\n", "\r\n"), at + 1):  # some languages leave out both the backslash and the end
            before = self._text[:at].rstrip("\\")
            raise UnreadableError(len(before), TWO_ESCAPE_READINGS)
        if is_named(self._text, at):
            self._named, self._is_bad = at, True
        elif letter.isascii() and letter.isalnum():
            self._raw, self._is_bad = at if self._raw < 0 else self._raw, True
        elif letter not in {"'", self._quote}:
            self._is_bad = True
            self._sign = at if self._sign < 0 and letter in _PATTERN_SIGNS else self._sign

    def _edit_of_raw(self, at: int, escape: str) -> Edit:
        """In a pattern or a path every backslash is one, unless the string is a text that holds such a thing."""
        letter = escape[1]
        foreign = letter in _FOREIGN_LETTERS and _FOREIGN.match(self._text, at) is not None
        ambiguous = foreign or letter == "'" or (_is_json(escape) and letter not in NEVER_IN_TEXT)
        if ambiguous and not self._is_in_path(at, letter):
            surely_escape = letter == "\\" or len(escape) == _UNICODE_ESCAPE_LENGTH or _NEW_PATH.match(self._text, at)
            if self._is_text or surely_escape:
                raise UnreadableError(self._raw, TWO_ESCAPE_READINGS, at)
        return _kept(at, letter)

    def _edit_of_text(self, at: int, escape: str) -> Edit | None:
        """In a text the escapes that JSON has are escapes, unless they start a command or stand in a path."""
        letter = escape[1]
        if escape == "\\'":
            return Edit(at, 1, "", RepairKind.BAD_ESCAPE)
        if letter in _FOREIGN_LETTERS and _FOREIGN.match(self._text, at) and not self._is_in_path(at, letter):
            raise UnreadableError(at, TWO_ESCAPE_READINGS)
        stands = _is_json(escape) and not (
            (letter in _PATH_LETTERS and self._is_in_path(at, letter))
            or (letter in NEVER_IN_TEXT and self._is_bad)
            or is_command(self._text, at, evident=self._evident)
        )
        return None if stands else _kept(at, letter)

    def _is_in_path(self, at: int, letter: str) -> bool:
        """Whether a backslash stands in a path, and none of its line ends: those are followed by no small letter."""
        path = bisect_right(self._paths, (at, len(self._text))) - 1
        if path < 0 or at >= self._paths[path][1]:
            return False
        return letter not in _LINE_LETTERS or self._text[at + 2].islower()


def _is_json(escape: str) -> bool:
    return len(escape) == _UNICODE_ESCAPE_LENGTH or escape[1] in _JSON_ESCAPES


def _kept(at: int, letter: str = "") -> Edit:
    """The edit that keeps a backslash, or two of them."""
    return Edit(at, 0, "\\\\" if letter == "\\" else "\\", RepairKind.BAD_ESCAPE)


def _as_json(found: re.Match[str]) -> str:
    """An escape of Python's as JSON writes the character."""
    if found["letter"]:
        code = _PYTHON_LETTERS[found["letter"]]
    else:
        code = int(found["octal"], 8) if found["octal"] else int(found["byte"] or found["point"], 16)
    return f"\\u{code:04x}" if code <= 0xFFFF else chr(code)  # noqa: PLR2004 - the last that four digits hold


def _windows_paths(text: str, start: int, end: int) -> list[tuple[int, int]]:
    r"""Paths with single backslashes, one of which starts no escape: then none of them was meant to.

    `\\theta\cdot` is none: that is LaTeX whose first backslash was escaped, and the second was not.
    """
    if text.find(":\\", start, end) < 0 and text.find("\\\\", start, end) < 0:
        return []
    paths = []
    for path in _PATH.finditer(text, start, end):
        if path["server"] is not None and _is_latex(text, path.start() + 1):
            continue
        if _BAD_ESCAPE.search(text, *path.span("parts")):
            paths.append((path.start() - (path["server"] is None), path.end()))
    return paths


def _is_latex(text: str, at: int) -> bool:
    return is_named(text, at) or COMMAND.match(text, at) is not None
