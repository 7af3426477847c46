r"""Decides how the backslashes of each string in a damaged text are read: all of one string in the same way.

If all backslashes start JSON escapes, the string is read as JSON reads it. If one does not, the kind of string shows
how its writer meant the others (`docs/adr/0013-escapes-of-a-string.md` has the reasons):

- mathematics and Markdown: the writer escaped line ends and quotes, and left the backslashes of commands alone;
- a regular expression or a path: every backslash is a backslash;
- a Python string: the escapes are Python's.

A string that has different values in two of these ways is refused. Mathematics and Markdown are nearly always told by
which escapes a string has, once for all strings with the same ones; the others are weighed one by one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from src.shared.domain.edits import Edit, EditedText, Edits
from src.shared.domain.expression import expression, repeated
from src.shared.domain.latex import COMMAND, EVIDENCE, LINE_COMMAND_REST, is_command, is_named
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.reading.gaps import skip_space
from src.shared.domain.reading.machine import Refusal
from src.shared.domain.reading.signs import CODE_UNIT, HEX, JSON_ESCAPE, QUOTES
from src.shared.domain.repair import RepairKind

_ONE_ESCAPE = expression(JSON_ESCAPE)
_JSON_ESCAPES = frozenset('"\\/bfnrt')
_NEVER_IN_TEXT = frozenset("bf")
"""Letters of escapes for control characters that nobody writes: backspace and form feed."""
_LINE_LETTERS = frozenset("nrt")
_CODE_POINT = rf"(?:x(?P<byte>{HEX}{{2}})|U(?P<point>00(?:0{HEX}|10){HEX}{{4}}))"
_PYTHON = expression(rf"\\(?:{_CODE_POINT}|(?P<octal>0[0-7]{{0,2}}|[1-3][0-7]{{2}})|(?P<letter>[av])(?![A-Za-z]))")
"""An escape that Python has and JSON has not; `\\1` is the group of a pattern, `\\alpha` is LaTeX."""
_PYTHONS: dict[RepairKind | None, str] = {RepairKind.PYTHON_LITERAL: "'\"", RepairKind.SINGLE_QUOTE: "'"}
"""Repairs of quotes around strings that only Python writes so → the quotes."""
_PYTHON_LETTERS = {"a": 7, "v": 11}
_FOREIGN = expression(rf"\\(?:{_CODE_POINT}|[0-3][0-7]{{2}}|u\{{{HEX}{{1,6}}\}}|N\{{[A-Z][A-Z0-9 -]{{0,99}}\}})")
"""A Python or JavaScript escape for a character, which means the same in a pattern."""

_PLAIN = r'[^"\\]*+'
_ESCAPED = rf"\\.{_PLAIN}"
_STRING = expression(rf"""
    {_PLAIN} {repeated(f'"{_PLAIN}"{_PLAIN}')}
    (?: (?P<string> "{_PLAIN} {repeated(_ESCAPED, "+")} " ) | .*+ )
    """, re.DOTALL | re.VERBOSE)  # fmt: skip
"""The next string with a backslash and all before it, or the rest; all strings of the text are in double quotes."""
_STANDS = rf'["/]|(?!{LINE_COMMAND_REST})[nrt]|{CODE_UNIT}'
_KINDS = expression(rf"\\(?:{_STANDS}|\\|[bf](?![A-Za-z])|([A-Za-z]++|.))", re.DOTALL)
"""An escape of JSON that begins no command; what stands behind any other backslash: all its letters, or one sign."""
_STANDING = frozenset({""})
_TWO = r"\\\\"
_MENDED = expression(rf"\\(?<!\\\\){repeated(_TWO)}(?!\\|{_STANDS})")
"""A backslash that is one in mathematics and Markdown, and the pairs of them before it."""
_BYTE_OR_LETTER = expression(rf"[A-Za-z]\Z|x{HEX}")
_WEIGHED_SIGNS = frozenset("0123456789\n\r") | (QUOTES.keys() - {'"'})
_PATTERN_SIGNS = frozenset(".+?^-")
"""Signs that a regular expression escapes, and mathematics does not."""
_BLANK = expression(r"\s|[^\x00-\x7f]")
"""What a text has, and a single pattern or path seldom."""
_BLANK_OR_MATHS = expression(r"\s|[^\x00-\x7f]|[{}^$=]|\\[(\[]")
_PART = r"\\[\w.$%~][^\s\\\"':]*+" + repeated(repeated(r" [A-Z(][^\s\\\"':]*+", "+") + r"(?=\\)", "?")
"""A name in a path; one with blanks is followed by another, and its words begin as those of `Program Files (x86)`."""
_DRIVE = r":(?<=[A-Za-z]:)(?<![A-Za-z][A-Za-z]:)"
_PATH = expression(rf"(?:{_DRIVE}|\\\\(?<![\\\w:]\\\\)(?P<server>\w[\w.$\-]*+))(?P<names>{repeated(_PART, '+')})")
r"""A drive or `\\server` and what follows with single backslashes, as a model writes it that forgot to escape them."""
_BAD_ESCAPE = expression(rf"\\(?:[^\"\\/bfnrtu]|u(?!{HEX}{{4}}))")
_ESCAPE = expression(rf"\\(?:{CODE_UNIT}|.)", re.DOTALL)
_EDIT = tuple.__new__  # makes an `Edit` in half the time of its constructor
_STRIPPED = expression(r"u(?<![\\\w]u)[0-9a-f]{4}u[0-9a-f]{4}(?:(?![0-9a-z])|u[0-9a-f]{4})")
"""Escapes of characters that have lost their backslashes."""
_NEW_PATH = expression(r"\\[nrt][A-Za-z]:\\")


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


def stand(text: str, start: int, end: int) -> bool:
    """Whether all backslashes between two offsets begin escapes of JSON, and none of them may begin a command."""
    return text.find("\\", start, end) < 0 or _STANDING.issuperset(_KINDS.findall(text, start, end))


def escape_edits(text: str, start: int, end: int, edits: Edits) -> list[Edit]:
    """The further edits that the backslashes in the strings of a container need, in the order of their offsets.

    Args:
        text: the text.
        start: offset of the container's opening bracket.
        end: offset behind its closing one.
        edits: those after which it is JSON, backslashes in its strings apart, in the order of their offsets. What they
            put is JSON as it is. At one offset they come before the further ones.

    Raises:
        Refusal: the backslashes of a string can be read in two ways.
    """
    if text.find("\\", start, end) < 0:
        return []
    edited = EditedText(text, start, end, edits)
    stripped = _STRIPPED.search(edited.text)
    if stripped:
        raise Refusal(edited.origin(stripped.start()), TWO_ESCAPE_READINGS)
    body, origin, further = edited.text, edited.origin, list[Edit]()
    quotes = (one for one in edits if one.kind in _PYTHONS and one.put[:1] == '"')
    python = any(text[one.offset] in _PYTHONS[one.kind] for one in quotes)
    evidence_of: dict[frozenset[str], re.Pattern[str] | None] = {}
    for found in _STRING.finditer(body):
        opened, closed = found.span("string")
        kinds = frozenset(_KINDS.findall(body, opened, closed)) if closed > 0 else _STANDING
        if kinds == _STANDING or edited.exact_origin(opened + 1) is None:
            continue
        if "_" in kinds and body.startswith(":", skip_space(body, closed)):  # Markdown may have escaped a key's
            raise Refusal(origin(closed))
        if kinds not in evidence_of:
            evidence_of[kinds] = _evidence(kinds)
        evidence = evidence_of[kinds]
        if evidence is None or not evidence.search(body, opened, closed) or _paths(body, opened, closed):
            quote = text[edited.begin_origin(opened)]
            further += _Backslashes(edited, opened, closed, quote, python=python).edits()
            continue
        places = [mended.end() - 1 for mended in _MENDED.finditer(body, opened, closed)]
        shift = origin(opened + 1) - (opened + 1)
        if text.startswith(body[opened + 1 : closed - 1], opened + 1 + shift):  # no edit in it
            further += [_EDIT(Edit, (at + shift, 0, "\\", RepairKind.BAD_ESCAPE, 1)) for at in places]
        else:
            further += [_kept(origin(at)) for at in places]
    return further


def _evidence(kinds: frozenset[str]) -> re.Pattern[str] | None:
    """What a string with these escapes holds too if it is mathematics or Markdown; None if they have to be weighed."""
    names = {kind for kind in kinds if kind.isascii() and kind.isalpha()}
    signs = kinds - names - _STANDING
    is_bad = bool(signs) or any(name[0] not in _LINE_LETTERS for name in names)
    is_weighed = any(map(_BYTE_OR_LETTER.match, names)) or not signs.isdisjoint(_WEIGHED_SIGNS)
    if is_weighed or not is_bad or not EVIDENCE.search("".join(f"\\{kind}" for kind in names | signs)):
        return None
    if names:
        return _BLANK_OR_MATHS if any(_is_known(f"\\{name}", 0) for name in names) else None
    return _MENDED if signs.isdisjoint(_PATTERN_SIGNS) else _BLANK


def _is_known(text: str, at: int) -> bool:
    """Whether a backslash begins a command whose name shows that the string is mathematics."""
    return is_named(text, at) or (text[at + 1] in _LINE_LETTERS and COMMAND.match(text, at) is not None)


class _Backslashes:
    """The backslashes of the string between two offsets of an edited text that have to be weighed one by one.

    `quote` is what opens the string in the raw text; with `python`, some strings of that are Python's.
    """

    def __init__(self, edited: EditedText, start: int, end: int, quote: str, *, python: bool) -> None:
        self._text = text = edited.text
        self._origin, self._quote = edited.origin, quote
        self._escapes = [(found.start(), found.group()) for found in _ESCAPE.finditer(text, start, end)]
        self._is_bad = False
        self._raw = self._named = self._sign = -1
        for at, escape in self._escapes:
            self._weigh(at, escape)
        self._paths = _paths(text, start, end)
        self._is_text = _BLANK.search(text, start, end) is not None
        maths = self._named >= 0 and _BLANK_OR_MATHS.search(text, start, end) is not None
        if maths:
            self._raw = -1
        elif self._paths:
            self._raw = self._paths[0][0]
        elif self._raw < 0 and not self._is_text:
            self._raw = max(self._named, self._sign)
        self._is_python = python and self._raw < 0 and not maths and not self._is_bad
        self._is_evident = EVIDENCE.search(text, start, end) is not None

    def edits(self) -> list[Edit]:
        """What strict JSON writes for those that do not stand as they are.

        Raises:
            Refusal: one has one value in one way of reading the string and another in the other.
        """
        edits = (self._edit(at, escape) for at, escape in self._escapes if escape != '\\"')
        return [_EDIT(Edit, (self._origin(edit[0]), *edit[1:])) for edit in edits if edit]

    def _edit(self, at: int, escape: str) -> Edit | None:
        if self._quote in "'`" and escape == f"\\{self._quote}":
            return Edit(at, 1, "", None)
        if self._is_python and (found := _PYTHON.match(self._text, at)):
            return Edit(at, len(found.group()), _as_json(found), RepairKind.BAD_ESCAPE)
        return self._edit_of_raw(at, escape) if self._raw >= 0 else self._edit_of_text(at, escape)

    def _weigh(self, at: int, escape: str) -> None:
        """Note what one escape says about the others."""
        text, letter = self._text, escape[1]
        if _is_json(escape) and not (letter in _NEVER_IN_TEXT and COMMAND.match(text, at)):
            self._named = at if _is_known(text, at) else self._named
        elif _PYTHON.match(text, at) or _FOREIGN.match(text, at):
            return
        elif is_named(text, at):
            self._named, self._is_bad = at, True
        elif letter.isascii() and letter.isalnum():
            self._raw, self._is_bad = at if self._raw < 0 else self._raw, True
        elif text.startswith(("\n", "\r\n"), at + 1):  # some languages leave out the backslash and the line end
            raise self._refusal(len(text[:at].rstrip("\\")))
        elif letter not in {"'", self._quote}:
            self._is_bad = True
            self._sign = at if self._sign < 0 and letter in _PATTERN_SIGNS else self._sign

    def _edit_of_raw(self, at: int, escape: str) -> Edit:
        """In a pattern or a path every backslash is one, unless the string is a text that holds such a thing."""
        letter, is_foreign = escape[1], _FOREIGN.match(self._text, at)
        is_ambiguous = is_foreign or letter == "'" or (_is_json(escape) and letter not in _NEVER_IN_TEXT)
        if is_ambiguous and not self._is_in_path(at, letter):
            is_escape = letter == "\\" or escape[2:] or _NEW_PATH.match(self._text, at)
            if self._is_text or is_escape:
                raise self._refusal(self._raw, at)
        return _kept(at, letter)

    def _edit_of_text(self, at: int, escape: str) -> Edit | None:
        """In a text the escapes that JSON has are escapes, unless they start a command or stand in a path."""
        letter, is_in_path = escape[1], self._is_in_path(at, escape[1])
        if letter == "'":
            return Edit(at, 1, "", RepairKind.BAD_ESCAPE)
        if not is_in_path and _FOREIGN.match(self._text, at):
            raise self._refusal(at)
        is_other = (is_in_path and letter in "nrt\\") or (letter in _NEVER_IN_TEXT and self._is_bad)
        is_other = is_other or is_command(self._text, at, evident=self._is_evident)
        return _kept(at, letter) if is_other or not _is_json(escape) else None

    def _is_in_path(self, at: int, letter: str) -> bool:
        """Whether a backslash stands in a path, and none of its line ends: those are followed by no small letter."""
        path = bisect_right(self._paths, (at, len(self._text))) - 1
        if path < 0 or at >= self._paths[path][1]:
            return False
        return letter not in _LINE_LETTERS or self._text[at + 2].islower()

    def _refusal(self, at: int, other: int | None = None) -> Refusal:
        return Refusal(self._origin(at), TWO_ESCAPE_READINGS, None if other is None else self._origin(other))


def _is_json(escape: str) -> bool:
    return len(escape) > len("\\u") or escape[1] in _JSON_ESCAPES


def _kept(at: int, letter: str = "") -> Edit:
    """The edit that keeps a backslash, or two of them."""
    return Edit(at, 0, "\\\\" if letter == "\\" else "\\", RepairKind.BAD_ESCAPE)


def _as_json(found: re.Match[str]) -> str:
    """An escape of Python's as JSON writes the character."""
    letter, octal = found["letter"], found["octal"]
    code = _PYTHON_LETTERS[letter] if letter else int(octal or found["byte"] or found["point"], 8 if octal else 16)
    return f"\\u{code:04x}" if code <= 0xFFFF else chr(code)  # noqa: PLR2004 - the last that four digits hold


def _paths(text: str, start: int, end: int) -> list[tuple[int, int]]:
    r"""Paths with single backslashes, one of which starts no escape: then none of them was meant to.

    `\\theta\cdot` is none: that is LaTeX whose first backslash was escaped, and the second was not.
    """
    if text.find(":\\", start, end) < 0 and text.find("\\\\", start, end) < 0:
        return []
    return [
        (path.start() - (not path["server"]), path.end())
        for path in _PATH.finditer(text, start, end)
        if _BAD_ESCAPE.search(text, *path.span("names"))
        and not (path["server"] and (is_named(text, path.start() + 1) or COMMAND.match(text, path.start() + 1)))
    ]
