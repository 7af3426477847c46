"""Reads all the rest of a container in one go, where it is written in the reading's dialect to its end.

One expression goes from one sign that is not as JSON has it to the next, and the strict decoder proves the result: what
it does not read is left to the search, as is what has to be weighed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from src.shared.infrastructure.parsing.reader.budget import SPELLED, SPELLED_IN_VAIN
from src.shared.infrastructure.parsing.reader.edits import EditedText, LazyEdits, counted
from src.shared.infrastructure.parsing.reader.problem import UnreadableError
from src.shared.infrastructure.parsing.resolve.comments import is_elision
from src.shared.infrastructure.parsing.resolve.dialect import WIDE, Dialect
from src.shared.infrastructure.parsing.resolve.keys import BRACKET, holds_bracket
from src.shared.infrastructure.parsing.resolve.quoted import is_plain_text
from src.shared.infrastructure.parsing.resolve.search import Search
from src.shared.infrastructure.parsing.resolve.spelled import Spelled
from src.shared.infrastructure.parsing.resolve.states import (
    Frame,
    Members,
    Place,
    Run,
    State,
    Step,
    names_of,
)

AHEAD = 24
"""How many times what was passed member by member the rest may be, for trying to read it in one go."""
COST, IN_VAIN = 2, 8
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
    in_vain = spelled.behind(end)
    s.spend((SPELLED_IN_VAIN - SPELLED) * in_vain + (IN_VAIN - COST) * (spelled.end - end))
    s.work.owed += (SPELLED_IN_VAIN - SPELLED) * (len(spelled) - in_vain)


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
    steps = Step(state.steps, run=Run(state, end, spelled.is_quoting, spelled)) if len(spelled) else state.steps
    s.finish(state.but(at=end, place=Place.AFTER, steps=steps), end)
    return end


def _spell(s: Search, state: State, dialect: Dialect, spelled: Spelled, most: int) -> bool:
    """What is met from there on, as far as the text is in the dialect; True if there may be more than so many signs."""
    text, at = s.text, spelled.end
    next_spelled = dialect.spelled.match
    while (found := next_spelled(text, at)) and (group := found.lastgroup):
        if len(spelled) == most:
            spelled.end = at
            return True
        start, end = found.span(group)
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
    else:
        start = found.end() if found else at
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
        known.append(set(names_of(members.keys)))
        members = members.outer

    def made(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if names and names[0].startswith("\0") and not known[int(names[0][1:])].isdisjoint(names):
            raise ValueError
        if len(set(names)) != len(names) or (BRACKET.search("".join(names)) and any(map(holds_bracket, names))):
            raise ValueError

    return json.JSONDecoder(object_pairs_hook=made, strict=False)
