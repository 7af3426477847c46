"""The attack with hostile texts finds what it says it finds, makes it smaller, and outlives a reading that hangs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from random import Random

import pytest

from src.shared.infrastructure.tool_call_forms.notations import NOTATIONS, Notation
from tools.attack import hostile
from tools.attack.budget import Budget
from tools.attack.child import HANGS, Child, Measured, Task
from tools.attack.families import Family
from tools.attack.hostile import Find, HostileReport, Measure, Problem, found, smallest
from tools.attack.hostile_parts import KINDS, SCHEMA_NAMES, any_schema_family, any_text_family
from tools.attack.hostile_ways import ANSWERS, WAYS
from tools.attack.smaller import smaller

LONG = Family("[", "ab", "]")


def taking(seconds: Callable[[str], float], peak: int = 0) -> Measure:
    """A reading that takes so long, whatever way it is asked for in."""
    return lambda task: Measured(seconds(task.text), peak)


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (taking(lambda text: len(text) * 1e-6), None),
        (taking(lambda text: (len(text) / 1e6) ** 2), "growth"),
        (taking(lambda text: min(0.2, (len(text) / 1e5) ** 2)), None),
        (taking(lambda text: (len(text) / 1e5) ** 2), "slow"),
        (taking(lambda text: 0.6 if len(text) > 10_000 else 0.0), "slow"),
        (taking(lambda _: 0.0, peak=hostile.LARGE * 21), "memory"),
        (lambda _: Measured(0, error="ValueError: x"), "crashed"),
        (lambda _: Measured(0, error=HANGS), "hangs"),
    ],
    ids=["linear", "square", "charged to a bound", "slow square", "slow", "memory", "an exception", "hanging"],
)
def test_each_bound_that_is_broken_is_a_problem(measure: Measure, kind: str | None) -> None:
    problem = found(measure, LONG, "decode")

    assert (problem and problem.kind) == kind


def test_what_is_not_so_when_it_is_measured_again_is_no_problem() -> None:
    taken: Iterator[float] = iter([0.0] * 6 + [0.9])

    assert found(lambda _: Measured(next(taken, 0.01)), LONG, "decode") is None


def test_a_find_keeps_what_it_needs_and_the_least_length() -> None:
    def measure(task: Task) -> Measured:
        return Measured(0, error="ValueError: x" if task.text.count("(") > 50 and task.text.endswith("]") else "")

    find = Find(Family('{"a": ', 'x, "(" y', "}]"), "decode", Problem("crashed", 2_048, "ValueError: x"))

    assert smallest(measure, find) == Find(Family("", "(", "]"), "decode", Problem("crashed", 64, "ValueError: x"))


def test_a_find_of_memory_keeps_the_length_at_which_it_counts() -> None:
    find = Find(Family("", "(", ""), "decode", Problem("memory", hostile.LARGE, ""))

    assert smallest(lambda task: Measured(0, 21 * len(task.text)), find).problem.size == hostile.LARGE


def test_a_part_is_left_out_as_long_as_the_rest_shows_the_problem() -> None:
    shorter = smaller(Family("abc", "de№", "fgh"), lambda one: "b" in one.prefix and "№" in one.body)

    assert shorter == Family("b", "№", "")


@pytest.mark.parametrize(
    "family", [Family("[", "a'", "]"), Family("", "k№ ", "№"), Family("{", "№:№+,", "}", "|", "k№\n")]
)
def test_a_family_is_told_as_python_writes_it(family: Family) -> None:
    assert eval(family.expression(100)) == family.text(100)  # noqa: S307 - that is what is tested


@pytest.mark.parametrize("number", range(20))
def test_composed_families_are_texts_and_schemas_of_any_length(number: int) -> None:
    schema = any_schema_family(Random(number))
    text = any_text_family(Random(number)).text(1_000)

    assert isinstance(json.loads(schema.text(3_000)), dict)
    assert len(text.encode("utf-8", "surrogatepass")) < 1_100


def test_schemas_that_take_each_level_of_a_text_twice_are_composed() -> None:
    following = r'\{"\$ref": "#/\$defs/d№\+"\}'
    twice = re.compile(rf'\{{"properties": \{{"a": \{{"anyOf": \[{following}(?:, {following}){{1,2}}\]\}}\}}\}}')
    composed = [any_schema_family(Random(number)) for number in range(1_000)]

    found = next(family for family in composed if twice.search(family.body))
    assert len(json.loads(found.text(hostile.LONGER * hostile.FIRST))["$defs"]) >= 24


def test_each_step_into_a_schema_is_in_an_answer_as_often_as_there_are_definitions() -> None:
    steps = [f'{{"{name}": ' for name in SCHEMA_NAMES] + ["["]

    assert [step for step in steps if not any(step * 24 in answer for answer in ANSWERS)] == []


def test_answers_are_read_into_a_schema_that_strict_mode_refuses() -> None:
    assert WAYS["schema"].read('{"properties": {"a": {}}}') is not None


@pytest.mark.parametrize("row", NOTATIONS, ids=[row.name for row in NOTATIONS])
def test_marks_of_every_notation_are_composed(row: Notation) -> None:
    marks = {mark.replace("~", " ") for pair in row.wraps for mark in pair if mark}

    assert marks <= set(KINDS["notations"])


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    with closing(Child()) as one:
        yield one


def test_a_child_reads_in_every_way(child: Child) -> None:
    measured = {way: child.measure(Task(way, '{"a": 1,}', memory=True, unhurried=way == "decode")) for way in WAYS}

    assert [way for way, one in measured.items() if one.error or not one.seconds or not one.peak] == []


def test_a_child_tells_an_exception_that_is_not_the_projects(child: Child) -> None:
    measured = child.measure(Task("no such way", ""))

    assert measured.error.startswith("KeyError")


def test_a_child_that_hangs_is_given_up_and_the_next_reading_has_a_new_one() -> None:
    with closing(Child(patience=0)) as child:
        assert [child.measure(Task("decode", "[" * 100_000)).error for _ in range(2)] == [HANGS, HANGS]


def test_a_run_reports_its_families_and_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = iter([None, Problem("slow", 100, "100 bytes take 1.00 s")])
    monkeypatch.setattr(hostile, "found", lambda *_: next(problems))
    monkeypatch.setattr(hostile, "smallest", lambda _, find: Find(LONG, "decode", find.problem))

    report = hostile.attack(Budget(count=2), 1)

    assert report.broken
    assert sum(count for (_, column), count in report.counts.items() if column == "families") == 2
    assert report.text().endswith("slow, decode: 100 bytes take 1.00 s\n  '[' + 'ab' * 48 + ']'")


def test_a_run_without_a_find_breaks_nothing() -> None:
    assert not HostileReport().broken
