"""Passes over undamaged text, strict JSON or a reading's dialect, and goes on shortly before what is neither."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from src.shared.infrastructure.parsing.reader.budget import SKIM, SKIM_AGAIN, STEP
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.resolve.passage import OUTSIDE, Passage
from src.shared.infrastructure.parsing.resolve.search import Search, key_of
from src.shared.infrastructure.parsing.resolve.states import Place, Run, State
from src.shared.infrastructure.parsing.resolve.sweep import is_due, sweep

BACK = 3
"""How many members before the trouble alternatives are tried."""
FIRST_NOTED, ONE_NOTED_OF = 8, 16
"""Where readings that pass over the same text meet: at each of the first places, then at some, told by their offset."""
STRUCTURAL = frozenset({Place.FIRST_KEY, Place.KEY, Place.FIRST_ELEMENT, Place.ELEMENT, Place.AFTER})


def skim(s: Search, state: State) -> State | None:
    """Let a reading go on at the first thing that is not undamaged, and from a few members before it.

    Returns the state from which to go token by token, where that is the one given.
    """
    passage = Passage(s, state)
    first = passage.mark()
    trail = deque([first])
    count = 0
    can_sweep = not s.brackets_too and not s.asked.latex
    while passage.goes_on():
        _charge(s, passage.at)
        if passage.frame is OUTSIDE or s.is_exhausted:
            return None
        trail.append(passage.mark())
        if len(trail) > BACK:
            passed, count = trail.popleft(), count + 1
            if passed is not first and (count < FIRST_NOTED or passed.at % ONE_NOTED_OF == 0):
                noted = passage.state_at(passed)
                passage.begin_at(noted, passed)
                if not s.arrive(noted, key_of(noted), noted.steps):
                    return None
                if can_sweep and is_due(s, first.at, passed.at) and sweep(s, noted, passage.dialect):
                    return None
    s.spend((passage.at - first.at) // 4 + STEP)
    if trail[0] is first:
        return state.but(armed=passage.at)
    back = passage.state_at(trail[0]).but(armed=passage.at)
    s.settle(back)
    s.push(back)
    return None


def _charge(s: Search, at: int) -> None:
    """Charge for one more member, element or bracket that was passed over up to there."""
    if at > s.skimmed and not s.brackets_too:
        s.skimmed = at
        s.work.owed += SKIM_AGAIN - SKIM
        s.spend(SKIM)
    else:
        s.spend(SKIM_AGAIN)


def edits_of_run(s: Search, run: Run) -> Iterator[Edit]:
    """The edits of what was passed over, worked out once more."""
    if run.spelled is not None:
        yield from run.spelled.edits(s.text, run.end)
        return
    passage = Passage(s, run.begun, collects=True)
    while passage.at < run.end and passage.goes_on():
        yield from (edit for edit in passage.edits if edit.offset < run.end)
        passage.edits.clear()
