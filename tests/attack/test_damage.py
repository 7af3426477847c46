"""The attack with damaged texts counts what comes back, and shows what is wrong."""

import pytest

from tests.attack.readers import crashing, first_object, inventing, strict
from tools.attack.budget import Budget
from tools.attack.damage import DamageReport, attack
from tools.attack.damages import KINDS
from tools.attack.outcome import Outcome
from tools.attack.reader import Read

SAMPLE = Budget(count=2 * len(KINDS))
FEW = Budget(count=100)
"""Every kind once alone, and once with another."""


def total(report: DamageReport, outcome: Outcome) -> int:
    return sum(count for (_, _, found), count in report.counts.items() if found is outcome)


def test_a_reader_that_guesses_nothing_breaks_no_promise() -> None:
    report = attack(SAMPLE, 1, strict)
    assert not report.broken
    assert total(report, Outcome.WRONG) == 0


def test_strict_json_that_says_something_else_is_not_counted_as_wrong() -> None:
    """A member written twice with another value: the text itself says the other value."""
    counts = attack(SAMPLE, 1, first_object).counts
    kind = "member twice, another value"
    assert counts[kind, 1, Outcome.OTHER] > 0
    assert counts[kind, 1, Outcome.WRONG] == 0


@pytest.mark.parametrize(("reader", "outcome"), [(inventing, Outcome.WRONG), (crashing, Outcome.CRASHED)])
def test_a_wrong_reader_is_caught(reader: Read, outcome: Outcome) -> None:
    report = attack(SAMPLE, 1, reader)
    assert report.broken
    assert total(report, outcome) > len(KINDS)


def test_the_example_of_a_kind_has_one_damage_if_there_is_such_a_text_and_is_the_shortest() -> None:
    report = attack(Budget(count=6 * len(KINDS)), 1, inventing)
    kind = "bold keys"
    assert report.shortest[kind].kinds == (kind,)
    assert f"{kind} ({kind})\n  text" in report.text()


def test_every_kind_is_read_alone_and_with_another() -> None:
    report = attack(SAMPLE, 1, strict)
    assert {(kind, damages) for kind, damages, _ in report.counts} >= {(damage.kind, 1) for damage in KINDS}
    assert sum(count for (_, damages, _), count in report.counts.items() if damages == 2) > len(KINDS)


def test_the_table_has_a_row_for_each_kind_and_one_for_all() -> None:
    header, _, *rows = attack(SAMPLE, 1, strict).text().partition("\n\n")[0].splitlines()
    assert header.split()[:7] == ["kind", "count", "equal", "refused", "wrong", "other", "crashed"]
    assert [row.split("  ")[0] for row in rows] == [*(damage.kind for damage in KINDS), "all"]
