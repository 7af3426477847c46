"""The rows of the outputs."""

import json

import pytest

from src.modules.reparsing.domain.comparison import Agreement, Compared
from src.modules.reparsing.domain.outcome import Answer, LeftOut, Outcome, Parsed, Refused, RepairMark
from src.modules.reparsing.domain.record import Record
from src.modules.reparsing.infrastructure.rows import compared_line, encoded

RECORD = Record("f:1", "a", agent="verdict")


def line(outcome: Outcome) -> bytes:
    return encoded(Answer(RECORD, outcome))[1]


def test_text_that_was_read_is_a_line_with_its_data_and_repairs() -> None:
    assert json.loads(
        line(Parsed({"a": "中"}, (RepairMark("comment", 2, 3),), "read", (LeftOut("$.b", 1, 2, "bad"),)))
    ) == {
        "place": "f:1",
        "id": "a",
        "agent": "verdict",
        "data": {"a": "中"},
        "repairs": [{"kind": "comment", "line": 2, "column": 3}],
        "grade": "read",
        "left_out": [{"path": "$.b", "line": 1, "column": 2, "message": "bad"}],
    }


def test_refused_text_is_a_line_with_what_was_wrong() -> None:
    assert json.loads(line(Refused("repair", "bad", "bad", "do better", 4, 5, truncated=True))) == {
        "place": "f:1",
        "id": "a",
        "agent": "verdict",
        "stage": "repair",
        "message": "bad",
        "line": 4,
        "column": 5,
        "truncated": True,
        "feedback": "do better",
    }


def test_line_is_one_line_of_utf_8() -> None:
    assert line(Parsed({"a": "中\n\u2028"})).count(b"\n") == 1


def test_half_of_a_surrogate_pair_is_kept() -> None:
    assert json.loads(line(Parsed({"a": "\ud83d"})))["data"] == {"a": "\ud83d"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_value_that_json_cannot_hold_is_refused(value: object) -> None:
    answer, written = encoded(Answer(RECORD, Parsed({"a": value})))
    assert isinstance(answer.outcome, Refused)
    assert json.loads(written)["stage"] == "output"


def test_comparison_is_a_line() -> None:
    compared = Compared("f:1", "a", Agreement.DIFFERENT, ("$.a",), "")
    assert json.loads(compared_line(compared))["agreement"] == "different"
