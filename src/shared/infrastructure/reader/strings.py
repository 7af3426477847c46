"""Where a string ends: the one question that damaged JSON is about.

A quote ends a string when what follows is what must follow there: a colon after a key; a comma and a key, or a
closing bracket, after a member's value; a comma and a value, or a closing bracket, after an element. Any other
quote belongs to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from src.shared.domain.notation import COMMAS, MARGIN, QUOTES
from src.shared.domain.parse_reasons import TRUNCATED, Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.possessive import repeated
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.reader.cursor import Cursor, UnreadableError
from src.shared.infrastructure.reader.edits import Edit
from src.shared.infrastructure.reader.patterns import (
    AFTER_CLOSER,
    CLEAN_STRING,
    CLOSER_RUN,
    COLON_NEXT,
    ELEMENT_FOLLOW,
    ESCAPED_STRING,
    KEY_AT,
    KEY_FOLLOW,
    KEY_FOLLOW_WITHOUT_COLON,
    KEY_LIMIT,
    MEMBER_FOLLOW,
    STRING,
    TRIPLE_QUOTED,
)
from src.shared.infrastructure.reader.quotations import rival_end
from src.shared.infrastructure.reader.string_text import Marks, string_edits

INDENT_LIMIT = 200
"""Characters before a quote searched for the start of its line."""
JOINT_LIMIT = 100
"""Characters after a quote searched for the plus sign of a concatenation."""
LINE_LIMIT = 200
"""Characters after a closing bracket searched for quotes."""
QUOTE_COST = 4 * STEP
"""Units of work for a quote that may end a string."""
TWO_READINGS = Reason("此处有两种读法，无法判定", "the text can be read in two ways here")
NO_STRING_END = Reason("字符串没有合理的结束处", "no quote here can end the string")


_MORE_THAN_TEXT = re.compile(
    rf"[\"\\”“„＂][ \t]{{0,{MARGIN}}}\Z|[{{\[]\s{{0,{MARGIN}}}\Z"
    rf"|\n\s{{0,{INDENT_LIMIT}}}[\]}}｝］\[{{][\]}}｝］,，\s]{{0,{MARGIN}}}(?:\n|\Z)|,\s{{1,{MARGIN}}}(?://|\#|/\*)"
    rf"|[{{｛]\s{{0,{MARGIN}}}[\"“'][^\"”'\n]{{1,{KEY_LIMIT}}}[\"”']\s{{0,{MARGIN}}}[:：]|</\w"
)
"""What says that a string without a closing quote has swallowed structure: a quote of another kind at its end, a line
of brackets, a comment after a comma, the first member of an object, a closing tag."""


QUOTED_TWICE = re.compile(r"\"[^\"]*+\"|'[^']*+'|`[^`]*+`")
_GAP_MARKS = ",，:："


class Role(Enum):
    """What a string is: it decides what may follow it."""

    KEY = KEY_FOLLOW
    MEMBER = MEMBER_FOLLOW
    ELEMENT = ELEMENT_FOLLOW

    def follow(self, text: str, after: int) -> re.Match[str] | None:
        """What stands after a quote, if it may follow the end of such a string."""
        if text[after : after + 1].isalpha():
            return None  # what most quotes inside a text are followed by
        pattern: re.Pattern[str] = self.value
        return pattern.match(text, after)


def _to_next(closers: str) -> re.Pattern[str]:
    other = rf"[^\\{re.escape(closers)}]*+"
    return re.compile(other + repeated(rf"\\.{other}"), re.DOTALL)


TO_NEXT = {quote: _to_next(closers) for quote, closers in QUOTES.items()}


def read_string(c: Cursor, role: Role, *, beyond: int = -1) -> None:
    """Read the string whose opening quote stands at the position, and note the edits that make it strict JSON.

    A quote at or before `beyond` is not taken for its end.
    """
    start = c.pos
    quote = c.text[start]
    c.python = c.python or quote == "'"
    if c.text.startswith('"""', start) and _read_triple_quoted(c, role):
        return
    if quote == '"' and beyond < 0:
        clean = CLEAN_STRING.match(c.text, start)
        if clean and _ends(c, role, clean.end() - 1, []) and not (c.latex and "\\" in clean.group()):
            c.pos = clean.end()
            return
    marks = Marks([], [])
    at = _next_quote(c, quote, start, marks)
    while at <= beyond or not _ends(c, role, at, marks.inner):
        joint = _joint(c, role, quote, at) if at > beyond and not marks.inner else 0
        if joint:
            marks.joints.append((at, joint))
        elif at > beyond and _closes_before_key(c, role, quote, at):
            quoted = len(marks.inner) % 2 == 0 and rival_end(c.text, start, at, marks.inner) is None
            _finish_missing_quote(c, start, at, marks, sure=beyond < 0 and quoted)
            return
        else:
            marks.inner.append(at)
        at = _next_quote(c, quote, joint - 1 if joint else at, marks)
    if role is Role.KEY and quote != '"' and QUOTED_TWICE.fullmatch(c.text, start + 1, at):
        raise c.fail(TWO_READINGS, at=start)  # `"key"` in other quotes: which of them are the key's own?
    _check_one_reading(c, role, start, at, marks.inner)
    edits = _edits(c, start, at, marks)
    if len(edits) == 1 and quote != '"':
        c.edit(start, at + 1 - start, f'"{c.text[start + 1 : at]}"', edits[0].kind)
    else:
        c.edits += edits
        if quote != '"':
            c.edit(at, 1, '"', None)
    c.pos = at + 1


def _edits(c: Cursor, start: int, end: int, marks: Marks) -> list[Edit]:
    """The edits of a string's text, if there are not too many."""
    c.spend(end - start)
    c.room_for(c.text.count("\\", start, end) + c.text.count('"', start, end) + len(marks.inner) + len(marks.joints))
    return string_edits(c.text, start, end, marks, latex=c.latex, python=c.python)


def _next_quote(c: Cursor, quote: str, at: int, marks: Marks) -> int:
    """The next quote after `at` that could close a string opened by `quote`."""
    c.spend(QUOTE_COST)
    at = TO_NEXT[quote].match(c.text, at + 1).end()  # type: ignore[union-attr]  # it matches the empty text too
    if at >= len(c.text) or c.text[at] == "\\":
        raise _no_end(c, marks.inner)
    return at


def _no_end(c: Cursor, inner: list[int]) -> UnreadableError:
    """The text is over inside a string: cut off, unless a bracket says that the object went on to its end."""
    c.spend(len(c.text) - c.pos)
    if inner and any(bracket in c.text[inner[-1] :] for bracket in "}｝"):
        return c.fail(NO_STRING_END)
    return c.fail(TRUNCATED, at=len(c.text))


def _ends(c: Cursor, role: Role, at: int, inner: list[int]) -> bool:
    """Whether the quote at `at` ends a string of this role that has the quotes `inner` inside."""
    follow = role.follow(c.text, at + 1)
    if follow is None:
        return role is Role.KEY and not inner and _is_key_without_colon(c, at)
    found = follow.lastgroup
    if found == "plus":
        return c.text[follow.end() - 1] != c.text[at]
    if found == "end" and '"' in c.text[at + 1 : at + 1 + LINE_LIMIT].partition("\n")[0]:
        raise c.fail(TWO_READINGS, at=at, other=follow.start("end"))
    if found == "close":
        return _bracket_closes(c, at + 1, clean=not inner)
    if found == "comma" and role is Role.ELEMENT and len(inner) % 2 and not _stray(c.text, inner, inner[0], at):
        raise c.fail(TWO_READINGS, at=inner[0], other=at)
    return True


def _is_key_without_colon(c: Cursor, at: int) -> bool:
    """Whether what ends at the quote is a key, on one line as keys are, and a value follows."""
    follow = KEY_FOLLOW_WITHOUT_COLON.match(c.text, at + 1)
    if follow is None or "\n" in c.text[c.pos : at]:
        return False
    return COLON_NEXT.match(c.text, follow.end()) is None


def _check_one_reading(c: Cursor, role: Role, start: int, at: int, inner: list[int]) -> None:
    """Refuse an end that another would rival.

    That is: a key that holds structure; a string with quotes inside after which the text is over (it may have been
    cut off); one whose inner
    quotes do not pair up as quotations do.
    """
    if not inner:
        return
    if role is Role.KEY and any(char in "\n,，:：{}[]" for char in c.text[start:at]):
        raise c.fail(NO_STRING_END, at=inner[0])
    follow = role.follow(c.text, at + 1)
    over = follow is not None and follow.lastgroup == "end"
    if over and not c.text[at + 1 :].strip():
        raise c.fail(TRUNCATED, at=len(c.text))
    if _stray(c.text, inner, start, at):
        return
    rival = inner[-1] if over else rival_end(c.text, start, at, inner)
    if rival is not None:
        raise c.fail(TWO_READINGS, at=rival, other=at)


def _bracket_closes(c: Cursor, after: int, *, clean: bool) -> bool:
    """Whether the closing brackets that come next are structure, or still the text of a string."""
    run = CLOSER_RUN.match(c.text, after)
    end = run.end()  # type: ignore[union-attr]  # the caller has seen a bracket
    brackets = sum(char in "}]｝］" for char in c.text[after:end])
    if AFTER_CLOSER.match(c.text, end):
        return True
    if brackets < len(c.frames):
        return False
    rest = c.text[end : end + LINE_LIMIT].partition("\n")[0]
    return rest.count('"') % 2 == 0 if clean else '"' not in rest


def _stray(text: str, inner: list[int], start: int, at: int) -> bool:
    """Whether the only inner quote is the opening or the closing one, written twice.

    Not the closing one behind a digit, where it means inches, or behind a gap, where two quotes are an empty string.
    """
    if inner == [at - 1]:
        return not (text[at - 2].isdigit() or text[at - 2].isspace() or text[at - 2] in _GAP_MARKS)
    return inner == [start + 1]


def _joint(c: Cursor, role: Role, quote: str, at: int) -> int:
    """Where the text of a string goes on after `" + "`, or 0."""
    if role is Role.KEY or "+" not in c.text[at + 1 : at + 1 + JOINT_LIMIT]:
        return 0
    follow = role.follow(c.text, at + 1)
    if follow is None or follow.lastgroup != "plus" or c.text[follow.end() - 1] != quote:
        return 0
    return follow.end()


def _closes_before_key(c: Cursor, role: Role, quote: str, at: int) -> bool:
    """Whether the quote opens the next key, because the string's own closing quote was forgotten.

    It does at the start of a line; in the middle of one only if the key is one the DTO knows, after a comma.
    """
    if role is not Role.MEMBER or quote not in "\"'" or c.text[at - 1] not in " \t\n,":
        return False
    next_key = KEY_AT.match(c.text, at)
    if next_key is None:
        return False
    margin = c.text[max(0, at - INDENT_LIMIT) : at].rstrip(" \t")
    name = next_key.group().rstrip(":： \t\n")[1:-1]
    if not (margin.endswith("\n") or (margin.endswith(",") and name in c.keys)):
        return False
    key = c.text[slice(*c.frames[-1].key)].rstrip(": \t\n\r")
    if key and c.text.startswith(key, at):  # the same member once more: a second draft, not the next member
        raise c.fail(TWO_READINGS, at=c.frames[-1].key[0], other=at)
    return True


def _finish_missing_quote(c: Cursor, start: int, at: int, marks: Marks, *, sure: bool) -> None:
    """End a string before the key at `at`, if nothing else can have ended in between."""
    body = c.text[start + 1 : at].rstrip()
    end = start + 1 + len(body.rstrip(COMMAS))
    if not sure or _MORE_THAN_TEXT.search(c.text, start + 1, end):
        raise c.fail(TWO_READINGS, at=start, other=at)
    c.edits += _edits(c, start, end, marks)
    c.edit(end, 0, '"', RepairKind.MISSING_QUOTE)
    c.pos = end


def _read_triple_quoted(c: Cursor, role: Role) -> bool:
    """Read a value between Python's triple quotes, if that is what it is."""
    match = TRIPLE_QUOTED.match(c.text, c.pos)
    if match is None or role.follow(c.text, match.end()) is None:
        return False
    start, end = match.span("text")
    c.python = True
    c.edit(c.pos, 3, '"', RepairKind.PYTHON_LITERAL)
    c.edits += _edits(c, start - 1, end, Marks([], []))
    c.edit(end, 3, '"', None)
    c.pos = match.end()
    return True


def read_escaped_string(c: Cursor, role: Role) -> None:
    r"""Read a value whose quotes are escaped as if it stood inside a string: `\"x\"`, also closed `\""`."""
    match = ESCAPED_STRING.match(c.text, c.pos)
    if match is None or role.follow(c.text, match.end()) is None:
        raise c.fail(NO_STRING_END)
    start, end = match.span("text")
    c.edit(c.pos, start - c.pos, '"', RepairKind.ESCAPED_JSON)
    c.edits += _edits(c, start - 1, end, Marks([], []))
    c.edit(end, match.end() - end, '"', None)
    c.pos = match.end()


def swallowed_brackets(text: str, start: int, end: int) -> Iterator[int]:
    """Where strings end with a bracket that they did not open: it may be the one that is missing outside."""
    for string in STRING.finditer(text, start, end):
        content = string.group()[1:-1]
        for opener, closer in ("{}", "[]"):
            if content.endswith(closer) and content.count(closer) > content.count(opener):
                yield string.end() - 2
