"""Reads all the rest of a container in one go, where it is written in the reading's dialect to its end.

One expression goes from one sign that is not as JSON has it to the next, and the strict decoder proves the result: what
it does not read is left to the search, as is what has to be weighed. Little is kept of each sign; its edits are made
where the reading is taken.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from src.shared.domain.edits import Edit, EditedText, LazyEdits, counted
from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.costs import DOUBT
from src.shared.domain.reading.dialect import WIDE, Dialect
from src.shared.domain.reading.escapes import StringParts, string_edits
from src.shared.domain.reading.evidence import with_doubts
from src.shared.domain.reading.lexicon import COLONS, COMMAS, FOREIGN_LITERALS
from src.shared.domain.reading.moves.gaps import is_elision
from src.shared.domain.reading.moves.keys import BRACKET, holds_bracket
from src.shared.domain.reading.reading import UnreadableError
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import Frame, Members, Offsets, Place, Run, State, Step, Text, linked
from src.shared.domain.reading.tokens import CLEAN_STRING
from src.shared.domain.repair import RepairKind
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.work import FAILED_SPELLED, SPELLED


def edits_of_string(raw: str, step: Step, text: Text, *, latex: bool, python: bool) -> list[Edit]:
    """The edits of one string: its quotes, and what is inside. Undamaged, it has none, whatever its escapes say."""
    start = text.first - 1
    if (
        step.closing == 1
        and not (latex and "\\" in raw[start : step.end])
        and CLEAN_STRING.fullmatch(raw, start, step.end + 1)
    ):
        return []
    inner = [one.at for one in linked(text.inner)][::-1]
    joints = [(one.start, one.end) for one in linked(text.joints)][::-1]
    edits = string_edits(raw, start, step.end, StringParts(inner, joints), latex=latex, python=python)
    edits = [_as_text(edit) if edit.kind is RepairKind.STRAY_QUOTE else edit for edit in edits]
    if step.closing < 0 or not text.quote:
        edits = [edit for edit in edits if edit.offset > start]
    if step.closing < 0:
        return [*edits, Edit(step.end, -step.closing, '"')]
    if text.quote in {"", '"'} or not step.closing:
        return edits
    body = raw[text.first : step.end]
    if len(edits) == 1 + body.count('"') and all(raw[edit.offset] == '"' for edit in edits[1:]):
        put = body.replace('"', '\\"')  # a double quote that another one delimits is no slip
        return [Edit(start, step.end + 1 - start, f'"{put}"', edits[0].kind)]
    return [*(edit._replace(kind=None) if raw[edit.offset] == '"' else edit for edit in edits), Edit(step.end, 1, '"')]


def _as_text(edit: Edit) -> Edit:
    """A doubled quote that is taken for text; whether it is stray is a reading of its own."""
    return Edit(edit.offset, 0, "\\", RepairKind.UNESCAPED_QUOTE)


def edits_in_dialect(raw: str, group: str, start: int, end: int) -> Iterator[Edit]:
    """The edits of a scalar in a reading's dialect; `group` is the one of the dialect's expression that matched it."""
    found = raw[start:end]
    if group == "literal":
        yield Edit(start, end - start, FOREIGN_LITERALS[found], RepairKind.PYTHON_LITERAL)
    elif "\\" in found:
        text = Text(start, found[0], *inner_quotes(raw, start, end - 1)) if group == "text" else Text(start, found[0])
        step = Step(None, text=text, end=end - 1, closing=1)
        yield from edits_of_string(raw, step, text, latex=False, python=group == "single")
    elif group == "text":
        at = raw.find('"', start + 1, end - 1)
        while at >= 0:
            yield Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE)
            at = raw.find('"', at + 1, end - 1)
    else:
        put = found[1:-1].replace('"', '\\"')
        kind = RepairKind.SINGLE_QUOTE if group == "single" else RepairKind.SMART_QUOTE
        yield Edit(start, end - start, f'"{put}"', kind)


def inner_quotes(raw: str, start: int, end: int) -> tuple[Offsets | None, None, tuple[int, int]]:
    """The quotes inside a string that no backslash escapes, as a `Text` has them."""
    inner, count = None, 0
    at = raw.find('"', start + 1, end)
    while at >= 0:
        if raw[at - 1] != "\\":
            inner, count = Offsets(at, inner), count + 1
        at = raw.find('"', at + 1, end)
    return inner, None, (count, 0)


_LINES = DOUBT
"""What a string on several lines costs; no more than that, in a dialect that has them."""
_TO_WEIGH = expression(
    rf"""
      [\\{{}}\[\]`~<] | \*\*
    | " \s{{0,40}} [{COMMAS}、;；|｜/／·•│،]
    | ["'“”‘’」』＂＇`] \s{{0,10}} [{COLONS}]
    | [{COMMAS}] \s{{0,10}} [\w$-]{{1,60}} \s{{0,10}} [{COLONS}]
    """,
    re.VERBOSE,
)
"""Without one of these a text is nothing but words, some of them in quotes: no member, list, mark or division."""


def is_plain_text(raw: str, begun: State, start: int, end: int) -> bool:
    """Whether nothing is evidence against the string, no key, whose quotes are at `start` and `end`."""
    if raw[start + 1] == raw[end - 1] == '"':  # quotes around all of it may delimit it twice
        return False
    if _TO_WEIGH.search(raw, start + 1, end) is None:
        return True
    text = Text(start, raw[start], *inner_quotes(raw, start, end))
    before = begun.but(role=Place.VALUE)
    read = with_doubts(raw, before, text, end, mended=False, closed=True)
    return read.steps is before.steps and read.cost - before.cost <= _LINES * ("\n" in raw[start:end])


_GROUPS = ("text", "single", "single_value", "curly", "literal", "bare_key", "dropped", "wide", "comment")
_NUMBER_OF = {group: number for number, group in enumerate(_GROUPS)}


class Spelled:
    """Where signs stand that are not as JSON has them, and which group of the dialect's expression matched each."""

    __slots__ = ("_ends", "_groups", "_starts", "end", "is_quoting")

    def __init__(self, end: int) -> None:
        """Begin with none; `end` is where the expression stops."""
        self.end = end
        self.is_quoting = False
        self._starts, self._ends, self._groups = array("L"), array("L"), bytearray()

    def add(self, group: str, start: int, end: int) -> None:
        """One more, behind those before."""
        self._starts.append(start)
        self._ends.append(end)
        self._groups.append(_NUMBER_OF[group])

    def __len__(self) -> int:
        """How many there are."""
        return len(self._groups)

    @property
    def last(self) -> int:
        """Where the last one ends; -1 without any."""
        return self._ends[-1] if self._ends else -1

    def behind(self, at: int) -> int:
        """How many stand behind an offset."""
        return len(self._starts) - bisect_left(self._starts, at)

    def edits(self, raw: str, until: int) -> Iterator[Edit]:
        """The edits of what was met before an offset."""
        before = zip(self._groups, self._starts[: bisect_left(self._starts, until)], self._ends, strict=False)
        for number, start, end in before:
            group = _GROUPS[number]
            if group == "dropped":
                yield Edit(start, 1, "", K.TRAILING_COMMA)
            elif group == "wide":
                yield Edit(start, 1, WIDE[raw[start]], K.FULL_WIDTH_PUNCTUATION)
            elif group == "bare_key":
                yield Edit(start, end - start, f'"{raw[start:end]}"', K.UNQUOTED_KEY)
            elif group == "comment":
                yield Edit(start, end - start, " ", K.COMMENT)
            else:
                yield from edits_in_dialect(raw, group.removesuffix("_value"), start, end)


AHEAD = 24
"""How many times what was passed member by member the rest may be, for trying to read it in one go."""
COST, FAILED = 2, 8
"""Units of work for a character of the rest, and for one behind the end of what was read."""
FIRST_SPELLED, MORE_SPELLED = 64, 16
"""After how many signs that are not as JSON has them the rest is tried first, and how many times as many next."""
_INSIDE = {"{": "{{{}:", "[": "["}
_BEFORE = {
    Place.FIRST_KEY: "{{",
    Place.KEY: "{{{}:0,",
    Place.FIRST_ELEMENT: "[",
    Place.ELEMENT: "[0,",
}
_ANY_KEYS = json.JSONDecoder(strict=False)
"""For a reading that puts and drops neither a bracket nor a quote: then a key is what it seems to be."""


def is_due(s: Search, begun: int, at: int) -> bool:
    """Whether enough was passed since a place to try the rest."""
    return at > s.swept and (len(s.text) - at) <= AHEAD * (at - begun)


def sweep(s: Search, state: State, dialect: Dialect) -> bool:
    """Finish a reading whose rest is in its dialect; False where it is not, or not to be told in one go."""
    head = _head(state)
    if head is None:
        return False
    spelled, most = Spelled(state.at), FIRST_SPELLED
    while True:
        at, known = spelled.end, len(spelled)
        is_more = _spell(s, state, dialect, spelled, most)
        s.spend(COST * (spelled.end - at) + SPELLED * (len(spelled) - known))
        end = None
        with suppress(UnreadableError):  # backslashes that have to be weighed
            end = _read(s, state, head, spelled)
        if end is not None:
            _pay(s, spelled, end)
            return True
        if not is_more or s.swept < spelled.end or s.is_exhausted:
            _pay(s, spelled, state.at)
            return False
        most *= MORE_SPELLED


def _pay(s: Search, spelled: Spelled, end: int) -> None:
    """Pay for what was met behind the end of what was read; for the rest only if the reading fails."""
    charge_failed = spelled.behind(end)
    s.spend((FAILED_SPELLED - SPELLED) * charge_failed + (FAILED - COST) * (spelled.end - end))
    s.work.owed += (FAILED_SPELLED - SPELLED) * (len(spelled) - charge_failed)


def _read(s: Search, state: State, head: str, spelled: Spelled) -> int | None:
    """Where what was met ends, if the strict decoder reads it behind what is open; then the reading is at its end."""
    edits = LazyEdits((), lambda: spelled.edits(s.text, spelled.end), lambda: counted(()))
    edited = EditedText(s.text, state.at, spelled.end, edits)
    try:
        is_sure = not state.cost and not spelled.is_quoting
        end = (_ANY_KEYS if is_sure else _decoder(state)).raw_decode(head + edited.text)[1]
    except (ValueError, RecursionError) as error:
        stopped = getattr(error, "pos", len(head) + len(edited.text)) - len(head)  # too deep: none inside is tried
        s.swept = edited.origin(max(0, stopped)) if stopped < len(edited.text) else spelled.end
        return None
    behind = len(head) + len(edited.text) - end
    is_unedited = spelled.last <= spelled.end - behind
    end = s.swept = spelled.end - behind if is_unedited else edited.origin(end - len(head) - 1) + 1
    if s.rest.cost(end):
        return None
    steps = Step(state.steps, run=Run(state, end, spelled.is_quoting, spelled.edits)) if len(spelled) else state.steps
    s.finish(state.but(at=end, place=Place.AFTER, steps=steps), end)
    return end


def _spell(s: Search, state: State, dialect: Dialect, spelled: Spelled, most: int) -> bool:
    """What is met from there on, as far as the text is in the dialect; True if there may be more than so many signs."""
    text, at = s.text, spelled.end
    while True:
        start = match_end(dialect.plain, text, at)
        found = dialect.at_sign(text, start)
        if found is None:
            break
        if len(spelled) == most:
            spelled.end = at
            return True
        group = found.lastgroup or ""
        end = found.end(group)
        if group == "text":
            if not is_plain_text(text, state, start, end - 1):
                break
            spelled.is_quoting = True
        elif group == "comment" and is_elision(text[start:end]):
            break
        elif group == "last":  # another value begins behind it
            if text[start] in WIDE:
                spelled.add("wide", start, end)
            start = end
            break
        spelled.add(group, start, end)
        at = found.end()
    spelled.end = start
    return False


def _head(state: State) -> str | None:
    """What of the containers that are open stands before the rest, as JSON; the first key of an object names it."""
    frames: list[Frame] = []
    frame: Frame | None = state.frame
    while frame is not None:
        frames.append(frame)
        frame = frame.parent
    if any(frame.kind not in _INSIDE for frame in frames) or state.place not in _BEFORE:
        return None
    marks = [f'"\\u0000{depth}"' for depth in range(len(frames))]
    heads = [_INSIDE[frame.kind].format(mark) for frame, mark in zip(frames, marks, strict=True)]
    heads[0] = _BEFORE[state.place].format(marks[0])
    return "".join(reversed(heads))


def _decoder(state: State) -> json.JSONDecoder:
    """Refuses a key that its object has already, or that may have swallowed a bracket."""
    known: list[set[str]] = []
    members: Members | None = state.members
    while members is not None:
        known.append({key.text for key in linked(members.keys)})
        members = members.outer

    def made(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if names and names[0].startswith("\0") and not known[int(names[0][1:])].isdisjoint(names):
            raise ValueError
        if len(set(names)) != len(names) or (BRACKET.search("".join(names)) and any(map(holds_bracket, names))):
            raise ValueError

    return json.JSONDecoder(object_pairs_hook=made, strict=False)
