"""Marks of calls of which a sign, or one of several marks, is missing, doubled or wrong, and how they are mended.

Asked only for a text that cannot be read as it stands. Each row of the table gives its marks with some of that
allowed; what matches so is written anew as the row has it. The names of the tools and of their parameters are known:
a mark with one of them counts only with that, and with at least one sign of a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end
from src.shared.infrastructure.tool_call_forms import marks
from src.shared.infrastructure.tool_call_forms.notations import IN_HEADERS, NOTATIONS, Grammar
from src.shared.infrastructure.tool_call_forms.typed_calls import ToolCall, place_in_original

LONGEST = 1 << 16
"""Most characters of a text whose marks are mended."""
MOST_EDITS = 16
"""Most damaged marks of a text that are looked at."""
_TOKEN = expression(r"(<[^<>]{1,80}+>|\[/?[A-Z_]++\])")
_PART = expression(rf"({marks.NAMED}|\{{\w++\}}|…|~)")
_WORD = expression(r"[^\W_]{3,}+")
_SEPARATOR = expression(r"([ =\"]++|\bname\b|\bkey\b)")
_SIGNS = expression(r"[<>\[\]|｜]")
_OF_ID = r"[^\s<>\[\]{}|｜]"
# It begins where a word does: a search that began at each letter would go over the rest of the word.
_ID = f"(?<!{_OF_ID}){_OF_ID}{{1,{marks.NAME_LIMIT}}}?"
_ATTRIBUTES = marks.attributes("name|key|tool")


class _LooseMark(NamedTuple):
    """A mark of the table, and what may be left of it.

    Attributes:
        mark: the mark as a row writes it.
        left: what may be left; its groups are what the signs in braces stand for.
        whole: the mark without a damage.
        parts: the mark as it should be; a number is that of a group.
        cores: words of which one is left of it in any case.
        is_told: whether what stands behind it tells that it is one, even if no sign of it is left.
    """

    mark: str
    left: re.Pattern[str]
    whole: re.Pattern[str]
    parts: tuple[str | int, ...]
    cores: tuple[str, ...]
    is_told: bool


class _Writer:
    """Writes the expression of what may be left of one mark."""

    def __init__(self, template: str, given: Mapping[str, str], *, ends_a_value: bool) -> None:
        self.parts: list[str | int] = []
        self.written = ""
        self._given = given
        self._groups = 0
        pieces = _TOKEN.split(template)
        is_alone = _TOKEN.fullmatch(template) is not None
        for at, piece in enumerate(pieces):
            before = pieces[at - 1] if at else ""
            if at % 2 == 0:
                opens = "(?:" if piece.endswith("…") else ""  # what may be there up to the next mark, or up to the end
                self.written += self._literal(piece.removesuffix("…")) + opens + self._literal("…" * bool(opens))
            elif at == 1 and pieces[at + 1].startswith("…"):  # without the mark, a header does not begin in prose
                self.written += f"(?:{self._token(piece)}{self._literal('…')})?"
                pieces[at + 1] = pieces[at + 1][1:]
            elif "{" in piece or is_alone:
                self.written += self._token(piece)
            elif before.endswith("…"):
                self.written += rf"{self._token(piece)}|{self._literal('…')}(?=\s*+(?!{_IN_HEADERS})[<{{]))"
                self.parts[-2:] = self.parts[:-3:-1]
            else:
                self.written += (
                    f"(?:{self._token(piece, is_first=at == 1)}|{_NO_SIGN if ends_a_value and at == 1 else ''})"
                )

    def _literal(self, text: str) -> str:
        return "".join(self._part(part) for part in _PART.split(text) if part)

    def _group(self, pattern: str) -> str:
        self._groups += 1
        self.parts.append(self._groups)
        return f"({pattern})"

    def _part(self, part: str) -> str:
        if part in self._given:
            return self._group(self._given[part])
        if part[0] == "=" and "{" in part:
            quote = '"' * part.endswith('"')
            self.parts.append(f"={quote}")
            named = self._group(self._given[part.strip('="')])
            self.parts.append(quote)
            return rf"{_loosened('=')}{named}(?:\s*+[\"'=:]{{1,2}})?{self._group(_ATTRIBUTES)}"
        self.parts.append("" if part == "~" else part)
        return r"\s*+" if part == "~" else "".join(map(_loosened, _SEPARATOR.split(part)))

    def _token(self, token: str, *, is_first: bool = True) -> str:
        """What may be left of a mark: it lacks a sign, or stands there twice."""
        opened, closed = re.escape(token[0]), re.escape(token[-1])
        if "{" in token:
            self.parts.append(token[0])
            inside = self._literal(token[1:-1])
            self.parts.append(token[-1])
            return rf"{opened}{{0,2}}{inside}(?:\s*+/?+\s*+{closed}{{1,2}})?"
        self.parts.append(token.replace("~", ""))
        inside = marks.pattern_of(token[1:-1])
        apart = r"(?<![\w<\[|｜/:])" if is_first and token[1].isalpha() else r"(?<![<\[])(?<!<[ ])"
        whole = f"{opened}{inside}{closed}"
        return rf"(?:{whole}(?:\s*+{whole})?|(?:{opened}[ ]?{inside}{closed}?|{apart}{inside}{closed})(?!\s*+{whole}))"


_BESIDE = 40
"""Most characters beside a damaged mark in which a piece of it is looked for."""
_BARS = ("<", ">", "|", "｜")
_EDGES = (*_BARS, "/", "=", '"', "'")
"""Signs that are a piece of a mark beside it: those of any, and those of one that lacks its first or its last sign."""
_IN_HEADERS = marks.any_of(map(re.escape, IN_HEADERS))
_NO_SIGN = r"(?<![<>|｜\[\]])"


def _loosened(part: str) -> str:
    if part in {"name", "key"}:
        return f"(?:{part})?"
    return r"[ \t=:\"']{0,3}" if part and not part.strip(' ="') else marks.pattern_of(part)


_Template: TypeAlias = tuple[str, str, bool]
"""A mark as a row writes it, what has to stand behind it, and whether that tells of it."""


def _templates() -> Iterator[_Template]:
    for row in marks.WITH_MARKS:
        is_pair = row.grammar is Grammar.PAIRS
        behind = r"(?=\s*+(?:[{｛`~\"\\]|<(?![ ]?/)))" if row.grammar is Grammar.JSON else ""
        behind = rf"(?=\s*+<?{re.escape(marks.head_of(row.parameter[0])[1:-1])})" if is_pair else behind
        for call in row.calls:
            is_alone = _TOKEN.match(call) or row.may_be_bare or row.needs_a_tool
            before = [""] if is_alone else [f"{opened}~" for opened, _ in row.wraps]
            yield from ((one + call, behind, is_pair) for one in before)
        wraps = (mark for wrap in row.wraps for mark in wrap)
        headers = (*row.calls, row.parameter[0].rpartition("~")[2])
        tokens = (one for mark in headers for one in _TOKEN.split(mark)[1::2] if "{" not in one)
        yield from ((one, "", False) for one in (*row.parameter, *wraps, *row.ends, row.quotes, *tokens))


def _last(mark: str) -> str:
    return _TOKEN.split(mark)[-2] if mark else ""


_OPENED = [row.parameter[0] for row in NOTATIONS]
_BEFORE_VALUES = {mark: _last(mark) for opened in _OPENED for mark in (opened, _last(opened))}
_LAST = [marks.pattern_of(last) for last in _BEFORE_VALUES.values() if last and "{" not in last]
_WHOLE = expression(marks.any_of([marks.MARK.pattern, *_LAST]))
_BEFORE_VALUES |= {row.quotes: row.quotes[-1:] for row in NOTATIONS}
_BEHIND_VALUES = frozenset(mark for row in NOTATIONS for mark in (row.parameter[1], row.quotes))
_PADDED = frozenset(mark for row in NOTATIONS if row.is_padded for mark in row.parameter)
_TEMPLATES = tuple(dict.fromkeys(one for one in _templates() if _TOKEN.search(one[0])))


@lru_cache(maxsize=64)
def _loose_marks(names: frozenset[str], keys: frozenset[str]) -> tuple[_LooseMark, ...]:
    """The marks of the table with the names of these tools and parameters."""
    known = {"{name}": marks.name_of(names), "{key}": marks.any_word(keys)}
    loose = []
    for mark, behind, is_told in _TEMPLATES:
        id_ = _ID if "{name}" in mark else f"{known['{name}']}(?::[0-9]{{1,9}})?"
        writer = _Writer(mark, {"…": marks.HEADER, **known, "{id}": id_}, ends_a_value=mark in _BEHIND_VALUES)
        words = [one for one in _WORD.findall(_PART.sub(" ", mark)) if one not in {"name", "key"}]
        cores = tuple(words or [mark[1:-1]])
        whole = expression(marks.pattern_of(mark) + behind)
        left = rf"(?=\S)(?:{writer.written}){behind}"  # a search that began at each of many blanks would go over all
        loose.append(_LooseMark(mark, expression(left), whole, tuple(writer.parts), cores, is_told))
    return tuple(loose)


def damaged_marks(text: str, names: frozenset[str], keys: frozenset[str], since: int) -> list[Edit]:
    """What mends the damaged marks of a text from a place on, one each, in order; nothing if they are too many."""
    if len(text) > LONGEST:
        return []
    found: dict[int, Edit] = {}
    loose = [one for one in _loose_marks(names, keys) if any(core in text for core in one.cores)]
    for one in loose:
        for match in one.left.finditer(text, since):
            start, end = match.span()
            is_longest = start not in found or end - start > found[start].length
            is_mark = is_longest and (one.is_told or _SIGNS.search(match.group()))
            is_whole = (match_end(whole, text, start) >= end for whole in (marks.MARK, *(each.whole for each in loose)))
            if is_mark and not any(is_whole) and not _leaves_a_piece(one, text, start, end):
                parts = ((match[part] or "") if isinstance(part, int) else part for part in one.parts)
                found[start] = Edit(start, end - start, "".join(parts))
    return sorted(found.values()) if len(found) <= MOST_EDITS else []


def _leaves_a_piece(one: _LooseMark, text: str, start: int, end: int) -> bool:
    """Whether a piece of a damaged mark would be left in the value beside it, or the value would be cut at its mark."""
    edges = _EDGES if one.mark in _PADDED else (*_EDGES, *" \t\r\n")
    if one.mark in _BEFORE_VALUES and _is_left_behind(one, text, start, end, edges):
        return True
    if one.mark not in _BEHIND_VALUES:
        return False
    value = text[max(0, start - _BESIDE) : start]
    if text[start] == one.mark[0]:
        whole = None if one.mark in marks.QUOTES else one.whole.match(text, start)
        is_twice = whole and one.whole.match(text, marks.behind_space(text, whole.end()))
        return value.endswith(_BARS) or bool(is_twice)
    at = text.rfind("<", max(0, start - _BESIDE), start)
    return value.endswith(edges) or (at >= 0 and not _WHOLE.match(text, at))


def _is_left_behind(one: _LooseMark, text: str, start: int, end: int, edges: tuple[str, ...]) -> bool:
    """Whether a piece of a mark in front of a value would be left in that value."""
    last = _BEFORE_VALUES[one.mark]
    found = _WHOLE.search(text, end, end + _BESIDE)
    value = text[end : found.start() if found else end + _BESIDE]
    is_twice = len(last) > 1 and text[start : end - len(last)].rstrip().endswith(last)
    if is_twice or (found and found.group() == last):
        return True
    has_pairs = (text.count('"', start, end) - one.mark.count('"')) % 2 == 0
    if has_pairs and text.endswith(last[-1] if "{" in last else last, start, end):
        return value.startswith(_BARS)
    return value.startswith(edges) or ">" in value


def read_mended(
    text: str, edits: Sequence[Edit], read: Callable[[str], tuple[ToolCall, ...]]
) -> tuple[ToolCall, ...] | None:
    """The calls of a text with one of its marks mended, or else with all of them; None if they are not just these.

    Args:
        text: the text.
        edits: what mends its marks, one each, in order.
        read: reads a text.
    """
    found: dict[str, tuple[ToolCall, ...]] = {}
    tried = [[one] for one in edits]
    if len(edits) > 1:
        tried.append([one for at, one in enumerate(edits) if at == 0 or sum(edits[at - 1][:2]) <= one.offset])
    for some in tried:
        if len(some) > 1 and found:
            break
        with suppress(LLMJsonParseError):  # that was not it
            mended = EditedText(text, 0, len(text), some)
            calls = read(mended.text)
            in_values = [one for one in some if one.put in _facts_of(calls)]
            if len(in_values) < len(some) > 1:
                mended = EditedText(text, 0, len(text), [one for one in some if one not in in_values])
                calls, in_values = read(mended.text), []
            if calls and not in_values:
                found.setdefault(_facts_of(calls), tuple(place_in_original(call, mended) for call in calls))
    return next(iter(found.values())) if len(found) == 1 else None


def _facts_of(calls: Sequence[ToolCall]) -> str:
    return repr([(call.name, call.arguments) for call in calls])
