"""The attack with duels finds a reader that returns the other object, or neither."""

from random import Random

import pytest
from pydantic import ValidationError

from tests.attack.readers import crashing, first_object, first_object_as, strict, strict_as
from tools.attack.answers import OTHERS, SHAPES, Other, Shape, failing
from tools.attack.budget import Budget
from tools.attack.duels import any_duel, attack, judged
from tools.attack.layouts import LAYOUTS, REASONING_MARKS, Layout
from tools.attack.reader import Accepted, Crashed, Reading, Refused

SAMPLE = Budget(count=20 * len(LAYOUTS))
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.dto_type.__name__)


@each_shape
def test_an_answer_satisfies_its_type(shape: Shape) -> None:
    for seed in range(50):
        shape.dto_type.model_validate(shape.make(Random(seed)))


@each_shape
def test_a_failing_answer_fails_its_type(shape: Shape) -> None:
    for seed in range(50):
        rng = Random(seed)
        answer = failing(rng, shape, shape.make(rng))
        with pytest.raises(ValidationError, match="validation error"):
            shape.dto_type.model_validate(answer)


@each_shape
@pytest.mark.parametrize("other", OTHERS[:4], ids=lambda other: other.name)
def test_templates_drafts_examples_and_earlier_versions_satisfy_the_type(shape: Shape, other: Other) -> None:
    for seed in range(30):
        rng = Random(seed)
        shape.dto_type.model_validate(other.make(rng, shape, shape.make(rng)))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
def test_a_layout_has_the_other_object_and_the_answer_where_it_answers(layout: Layout) -> None:
    for seed in range(60):
        text = layout.write(Random(seed), "«the answer»", "«the other»")
        assert "«the other»" in text
        assert ("«the answer»" in text) is layout.answers


def test_there_are_eight_layouts_and_reasoning_without_an_answer() -> None:
    assert [layout.name[0] for layout in LAYOUTS] == [*"1234566", *"78"]
    assert len(REASONING_MARKS) == len(set(REASONING_MARKS)) > 33


def test_the_two_objects_of_a_duel_differ_whatever_the_type_makes_of_them() -> None:
    for seed in range(300):
        duel = any_duel(Random(seed), LAYOUTS[seed % len(LAYOUTS)])
        assert duel.other not in duel.answers[:1]


@pytest.mark.parametrize(
    ("fought", "alone", "column"),
    [
        (Accepted({"a": 1}), Accepted({"a": 1}), "answer"),
        (Accepted({"a": 1}), Refused(), "answer"),
        (Accepted({"o": 1}), Refused(), "other"),
        (Accepted({"a": 1.0}), Refused(), "garbage"),
        (Accepted({"a": 1.0}), Accepted({"a": 1.0}), "misread"),
        (Accepted({"a": 1, "o": 1}), Accepted({"a": 1}), "garbage"),
        (Refused(), Accepted({"a": 1}), "refused"),
        (Crashed("KeyError"), Refused(), "crashed"),
    ],
)
def test_a_duel_is_judged_by_what_comes_back(fought: Reading, alone: Reading, column: str) -> None:
    assert judged(fought, alone, [{"a": 1}], {"o": 1}) == column


def test_a_reader_that_guesses_nothing_breaks_no_promise() -> None:
    assert not attack(SAMPLE, 1, strict, strict_as).broken


def test_a_reader_that_takes_the_first_object_is_caught_in_every_layout() -> None:
    report = attack(SAMPLE, 1, first_object, first_object_as)
    assert {(layout, typed) for layout, typed, column in report.shortest if column == "other"} == {
        (layout.name, typed) for layout in LAYOUTS for typed in (False, True)
    }


def test_an_object_that_is_neither_of_the_two_is_garbage() -> None:
    def first_inner(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
        return first_object(text[text.find("{") + 1 :], finished=finished, salvage=salvage)

    def never(text: str, dto_type: object, *, finished: bool | None = None) -> Reading:
        del text, dto_type, finished
        return Refused()

    assert "garbage" in {column for *_, column in attack(SAMPLE, 1, first_inner, never).shortest}


def test_a_crash_is_found() -> None:
    assert "crashed" in {column for *_, column in attack(SAMPLE, 1, crashing, strict_as).shortest}


def test_readable_answers_are_counted_where_they_came_back() -> None:
    report = attack(SAMPLE, 1, first_object, first_object_as)
    for layout in LAYOUTS:
        returned = report.counts[layout.name, False, "of them returned"]
        assert returned <= report.counts[layout.name, False, "readable"]
    assert report.counts["6 reasoning, no answer", False, "readable"] == 0
    assert report.counts["2 answer, example", False, "of them returned"] > 0
