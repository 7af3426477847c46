"""What two parsers make of a text, in five classes, with counts and examples."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from src.modules.reparsing.domain.comparison import (
    ERROR_LIMIT,
    EXAMPLES,
    EXCERPT_LIMIT,
    MOST_NAMES,
    OTHERS,
    PATHS,
    VALUE_LIMIT,
    VALUES_SHOWN,
    Agreement,
    Comparison,
    ParserAnswer,
    compare,
)
from src.modules.reparsing.domain.record import Record
from tests.thorough import at_length

READ, OTHER = {"a": 1}, {"a": 2}
RAISED, REFUSED = ParserAnswer(error="ValueError: no"), ParserAnswer(error="not valid JSON")


def compared(
    old: ParserAnswer,
    new: ParserAnswer,
    comparison: Comparison | None = None,
    text: str = "raw",
    agent: str | None = None,
) -> dict[str, Any]:
    record = Record("in.jsonl:7", "seven", text, agent)
    return compare(record, old, new, Comparison() if comparison is None else comparison)


def example(old: ParserAnswer, new: ParserAnswer, text: str = "raw") -> dict[str, Any]:
    comparison = Comparison()
    agreement = compared(old, new, comparison, text)["agreement"]
    return comparison.examples[agreement][0]


@pytest.mark.parametrize(
    ("old", "new", "agreement"),
    [
        (ParserAnswer(READ), ParserAnswer(READ), Agreement.EQUAL),
        (ParserAnswer(READ), ParserAnswer(OTHER), Agreement.DIFFERENT),
        (ParserAnswer(READ), REFUSED, Agreement.ONLY_OLD),
        (RAISED, ParserAnswer(READ), Agreement.ONLY_NEW),
        (ParserAnswer(None), ParserAnswer(READ), Agreement.ONLY_NEW),
        (ParserAnswer({}), ParserAnswer({}), Agreement.EQUAL),
        (ParserAnswer(""), REFUSED, Agreement.ONLY_OLD),
        (RAISED, REFUSED, Agreement.NEITHER),
    ],
)
def test_class_of_a_text(old: ParserAnswer, new: ParserAnswer, agreement: Agreement) -> None:
    comparison = Comparison()
    found = compared(old, new, comparison)
    paths = ["$.a"] if agreement is Agreement.DIFFERENT else []
    assert [*found.values()] == ["in.jsonl:7", "seven", agreement.value, paths, old.error]
    assert comparison.classes == {agreement.value: 1}


def test_paths_are_told_up_to_the_bound() -> None:
    for count in (PATHS, PATHS + 1):
        old, new = dict.fromkeys(map(str, range(count)), 1), dict.fromkeys(map(str, range(count)), 2)
        assert len(compared(ParserAnswer(old), ParserAnswer(new))["paths"]) == PATHS


def test_path_counts_once_a_text_whatever_the_item() -> None:
    comparison = Comparison()
    for _ in range(3):
        compared(ParserAnswer([[1], [1]]), ParserAnswer([[2], [2]]), comparison)
    assert comparison.paths == {"$[*][*]": 3}


def test_classes_are_counted_by_agent_where_there_is_one() -> None:
    comparison = Comparison()
    for agent in ("judge", "judge", "bull", None):
        compared(ParserAnswer(READ), ParserAnswer(READ), comparison, agent=agent)
    assert comparison.by_agent == {"judge": {"equal": 2}, "bull": {"equal": 1}}


@pytest.mark.parametrize("rows", [1, 4, EXAMPLES + 1])
def test_first_examples_of_each_class_are_kept_however_the_rows_are_cut(rows: int) -> None:
    whole = Comparison()
    for first in range(0, 2 * EXAMPLES, rows):
        part = Comparison()
        for number in range(first, first + rows):
            compared(ParserAnswer(number), ParserAnswer(number), part)
        whole.add(part)
    assert [kept["new"] for kept in whole.examples["equal"]] == [str(number) for number in range(EXAMPLES)]


def test_names_and_paths_are_bounded() -> None:
    whole = Comparison()
    for number in range(MOST_NAMES + 2):  # more than two add up as well
        part = Comparison()
        compared(ParserAnswer({}), ParserAnswer({f"k{number}": 1}), part, agent=f"agent{number}")
        whole.add(part)
    assert len(whole.by_agent) == len(whole.paths) == MOST_NAMES + 1
    assert whole.by_agent[OTHERS] == {"different": 2}
    assert whole.paths[OTHERS] == 2
    assert whole.classes == {"different": MOST_NAMES + 2}


def test_example_shows_both_readings_and_the_differing_values() -> None:
    shown = example(ParserAnswer({"a": 1, "b": 1}), ParserAnswer({"b": 1}), text="the text")
    assert (shown["text"], shown["old"], shown["new"]) == ("the text", '{"a": 1, "b": 1}', '{"b": 1}')
    assert shown["values"] == [{"path": "$.a: only old", "old": "1", "new": ""}]
    given_up = example(RAISED, REFUSED)
    assert [given_up[name] for name in ("old_error", "new_error")] == ["ValueError: no", "not valid JSON"]
    assert (given_up["old"], given_up["new"]) == ("", "")


def test_example_is_bounded() -> None:
    old: dict[str, Any] = {f"k{number}": "\ud800" * 10_000 for number in range(30)}
    shown = example(ParserAnswer(old), ParserAnswer(dict.fromkeys(old, "\udfff" * 10_000)), text="\ud800" * 10_000)
    assert len(shown["values"]) == VALUES_SHOWN
    assert {len(shown[name]) for name in ("text", "old", "new")} == {EXCERPT_LIMIT}
    assert {len(value["old"]) for value in shown["values"]} == {VALUE_LIMIT}
    assert len(example(RAISED, ParserAnswer(error="e" * 1_000))["new_error"]) == ERROR_LIMIT


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * EXCERPT_LIMIT, "x" * EXCERPT_LIMIT),
        ("begin" + "." * 10_000 + "end", f"begin{'.' * 592} … {'.' * 197}end"),
    ],
)
def test_excerpt_has_the_beginning_and_the_end_of_what_is_too_long(text: str, shown: str) -> None:
    assert example(RAISED, REFUSED, text=text)["text"] == shown


def test_long_strings_are_shown_from_shortly_before_they_differ() -> None:
    (value,) = example(ParserAnswer("x" * 1_000 + "old"), ParserAnswer("x" * 1_000 + "new and more"))["values"]
    assert value == {"path": "$", "old": f'"… {"x" * 20}old"', "new": f'"… {"x" * 20}new and more"'}


def test_comparison_with_halves_of_surrogate_pairs_can_be_written() -> None:
    comparison = Comparison()
    record = Record("\udcff.jsonl:1", "\ud800", "\ud800", "\ud800")
    compare(record, ParserAnswer({"\ud800": 1}), ParserAnswer({"\ud800": "\ud800"}), comparison)
    kept = TypeAdapter(Comparison)
    assert kept.validate_json(kept.dump_json(comparison)) == comparison


def test_value_that_is_too_deep_to_show_is_cut() -> None:
    """Python 3.13 writes deeper ones than 3.11 does."""
    deep: Any = 1
    for _ in range(at_length(40_000, 100_000)):
        deep = [deep]
    assert example(ParserAnswer(deep), ParserAnswer([deep]))["new"] == "…"
