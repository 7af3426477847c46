"""A small sample of each attack on the parser itself; `python -m tools.attack all` goes on from here."""

import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.thorough import at_length
from tools.attack import calls, cuts, damage, duels
from tools.attack.budget import Budget
from tools.attack.damages import KINDS
from tools.attack.layouts import LAYOUTS
from tools.attack.reader import FINISHED_IS_KNOWN

SEED = 11

WRITTEN = tomllib.loads(Path(__file__).with_name("written.toml").read_text(encoding="utf-8"))
READ_WRONG = frozenset(WRITTEN["read_wrong"])


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
