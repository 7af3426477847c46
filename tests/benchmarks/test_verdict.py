"""Right, wrong, refused: the one comparison behind every table."""

import pytest

from tools.benchmarks.conditions import REFUSE
from tools.benchmarks.verdict import Verdict, judge


@pytest.mark.parametrize(
    ("value", "expected", "verdict"),
    [
        ({"a": [1]}, {"a": [1]}, Verdict.RIGHT),
        ({"a": 1.0}, {"a": 1}, Verdict.RIGHT),
        ({"a": float("nan")}, {"a": float("nan")}, Verdict.RIGHT),
        ({"a": True}, {"a": 1}, Verdict.WRONG),
        ({"a": "1"}, {"a": 1}, Verdict.WRONG),
        ({"a": 1, "b": 2}, {"a": 1}, Verdict.WRONG),
        ({"a": [1]}, {"a": [1, 2]}, Verdict.WRONG),
        ([], {"a": 1}, Verdict.REFUSED),
        ("", {"a": 1}, Verdict.REFUSED),
        (None, {"a": 1}, Verdict.REFUSED),
        ({"a": 1}, REFUSE, Verdict.ACCEPTED),
        ("", REFUSE, Verdict.REFUSED),
    ],
)
def test_a_value_is_judged_against_what_was_expected(value: object, expected: object, verdict: Verdict) -> None:
    """True is not 1, no object is no answer, and any object is one too many where there was nothing to find."""
    assert judge(value, expected) is verdict
