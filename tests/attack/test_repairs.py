"""The attack with repairs finds an agent that believes lies, and counts the honest answers it takes."""

import json
from random import Random

from tests.thorough import at_length
from tools.attack.budget import Budget
from tools.attack.damages import BY_NAME, KINDS
from tools.attack.documents import any_document
from tools.attack.lies import LIES, lies
from tools.attack.repairs import HONEST, ONE_READING, Case, any_case, attack, believes
from tools.attack.repairs import LIES as LIES_A_TEXT

SAMPLE = Budget(count=at_length(440, 3_300))
FEW = Budget(count=HONEST + LIES_A_TEXT)
COLUMNS = ("texts", "lies", "honest", "honest accepted")
DOCUMENT = {"a": "x, y\n", "b": [1, "z", {"c": None}], "d": {"e": "1", "f": [2, 3]}, "g": -1.5}


def test_no_lie_is_believed_and_nine_honest_answers_of_ten_are() -> None:
    report = attack(SAMPLE, 1)
    counts = {column: sum(report.counts[key] for key in report.counts if key[1] == column) for column in COLUMNS}
    assert not report.broken, report.text()
    assert counts["texts"] >= at_length(8, 60)
    assert counts["lies"] >= at_length(350, 2_900)
    assert counts["honest"] >= at_length(40, 300)
    assert counts["honest accepted"] >= 0.9 * counts["honest"]


def test_an_agent_that_believes_everything_breaks_the_promise() -> None:
    report = attack(FEW, 1, lambda *_: True)
    assert report.broken
    assert "believed" in report.text()


def test_an_agent_that_believes_nothing_breaks_none() -> None:
    report = attack(FEW, 1, lambda *_: False)
    assert not report.broken
    assert sum(report.counts[kind, "honest accepted"] for kind in ONE_READING) == 0


def test_there_is_a_lie_of_every_kind_and_none_is_the_document() -> None:
    found = list(lies(Random(1), DOCUMENT, '{"a": "x, y\\n"; "z"}', 10_000))
    assert {kind for kind, _ in found} == {lie.kind for lie in LIES}
    assert json.dumps(DOCUMENT) not in {json.dumps(answer) for _, answer in found}


def test_lies_are_as_many_as_asked_for() -> None:
    document = any_document(Random(2)) | DOCUMENT
    assert len(list(lies(Random(1), document, "", 50))) == 50


def test_damages_of_surplus_punctuation_are_kinds_of_damage() -> None:
    assert set(ONE_READING) <= {damage.kind for damage in KINDS}


def test_a_case_is_a_text_the_agent_is_asked_about_and_may_believe() -> None:
    case = any_case(Random(1), BY_NAME["stray colon"], has_one_reading=True)
    assert isinstance(case, Case)
    assert not believes(case, "{}")
