"""A small sample of each attack on the parser itself; `python -m tools.attack all` goes on from here."""

from functools import cache

import pytest

from tests.thorough import at_length
from tools.attack import calls, cuts, damage, duels
from tools.attack.budget import Budget
from tools.attack.damages import KINDS
from tools.attack.layouts import LAYOUTS
from tools.attack.reader import FINISHED_IS_KNOWN

SEED = 11

READ_WRONG = frozenset(
    [
        "Python's repr of the bytes",
        "Python's repr of the text",
        "backslashes not escaped",
        "backslashes not escaped anywhere",
        "backticks everywhere",
        "backticks in one place",
        "bar for a comma",
        "bold value",
        "closed too late",
        "closing bracket missing",
        "closing bracket opens",
        "closing bracket surplus",
        "colon inside the quotes",
        "comma inside the quotes",
        "commas missing everywhere",
        "control character between members",
        "end of an empty one missing",
        "first inner quote not escaped",
        "full stop for a comma",
        "full-width quotes",
        "inner quotes doubled",
        "inner quotes escaped twice",
        "key's opening quote doubled",
        "last inner quote not escaped",
        "line continued by a backslash",
        "line of prose between members",
        "low smart quotes",
        "nothing escaped in a text with backslashes",
        "number with a minus sign",
        "number with a suffix",
        "only the quotes escaped",
        "only the quotes escaped, in quotes",
        "opened double, closed single",
        "opening bracket missing",
        "opening bracket of the wrong kind",
        "opening bracket surplus",
        "quotes as entities in one place",
        "quotes doubled everywhere",
        "remark in brackets",
        "stray quote before a number",
        "stray single quote",
        "text of two strings, no sign",
        "text without quotes",
        "texts without quotes",
        "triple quotes",
        "two closing brackets missing",
        "two single quotes for a double",
    ]
)
"""Kinds of which `tools.attack damage --count 36200 --seed 1` finds a wrong value. It may only get shorter."""


@cache
def damaged() -> damage.DamageReport:
    """Every kind once alone."""
    return damage.attack(Budget(count=len(KINDS)), SEED)


@cache
def cut() -> cuts.CutReport:
    """Some texts of each style, cut in up to 25 places."""
    return cuts.attack(Budget(count=at_length(60, 1_750)), SEED)


@cache
def called() -> calls.CallReport:
    """Some calls for each finish reason."""
    return calls.attack(Budget(count=at_length(8, 40) * len(calls.REASONS)), SEED)


@cache
def fought() -> duels.DuelReport:
    """Some duels in each layout."""
    return duels.attack(Budget(count=at_length(8, 50) * len(LAYOUTS)), SEED)


def shown(report: cuts.CutReport, column: str) -> list[str]:
    return [f"{style}: {example}" for (style, broken), example in report.shortest.items() if broken == column]


@pytest.mark.parametrize("kind", [each.kind for each in KINDS if each.kind not in READ_WRONG])
def test_damage_that_is_read_right_stays_so(kind: str) -> None:
    found = damaged().shortest.get(kind)
    assert found is None, found


def test_every_kind_that_is_read_wrong_is_a_kind() -> None:
    assert {each.kind for each in KINDS} >= READ_WRONG


@pytest.mark.parametrize("column", ["missing", "unmarked", "half", "crashed", "texts misread"])
def test_no_cut_breaks_a_promise(column: str) -> None:
    assert shown(cut(), column) == [], cuts.BROKEN.get(column, "a text that was not cut was read as something else")


@pytest.mark.skipif(not FINISHED_IS_KNOWN, reason="the parser cannot be told how a text ended")
def test_a_text_known_to_be_cut_is_refused_as_truncated() -> None:
    assert shown(cut(), "not refused") == []


@pytest.mark.parametrize("column", calls.BROKEN)
def test_no_call_breaks_a_promise(column: str) -> None:
    assert [found for (_, broken), found in called().shortest.items() if broken == column] == [], calls.BROKEN[column]


@pytest.mark.parametrize("column", ["other", "garbage", "crashed"])
@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
@pytest.mark.parametrize("layout", [each.name for each in LAYOUTS])
def test_no_duel_is_won_by_anything_but_the_answer(layout: str, column: str, *, typed: bool) -> None:
    assert fought().shortest.get((layout, typed, column)) is None
