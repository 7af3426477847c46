"""The project's own texts: whole ones are read right, cut ones and those without an object refused, none read wrong."""

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.tool_calls import contains_tool_call
from tests.corpus.reading import OWN, decoded, lines_of, outcome
from tests.corpus.wanted import is_as_wanted

TEXTS: list[dict[str, Any]] = list(lines_of("outputs.jsonl", folder=OWN))
READINGS: list[dict[str, Any]] = list(lines_of("readings.jsonl", folder=OWN))
WITH_AN_OBJECT = [row for row in TEXTS if isinstance(row["expected"], dict)]
WITHOUT_A_VALUE = [row for row in TEXTS if row["expected"] is None]

KNOWN_MISSES = {
    "prose-sets-01": "the set {x : x > 3} in the prose has the shape of a key and a value: it counts as a rival",
}
"""Texts whose reading is clear and that are refused all the same. The list may only become shorter."""

FEWEST_BY_KIND = {
    "clean": 20,
    "fenced": 20,
    "prose": 20,
    "truncated": 10,
    "xml-tags": 10,
    "multi-object": 5,
    "no-json": 5,
}
"""How many texts of the frequent kinds there are at least; of every kind of damage together there are more than 80."""

MEDIAN, PERCENTILE_95, LONGEST = range(550, 750), range(6_500, 8_500), range(40_000, 50_000)
"""Lengths in characters. Of 157,001 real outputs: 645, 7,627 and 46,168."""


@cache
def outcomes(*, typed: bool) -> dict[str, str]:
    """What each text that holds an object is read as: right, wrong or refused."""
    return {row["id"]: outcome(row["text"], row["expected"], typed=typed) for row in WITH_AN_OBJECT}


@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
def test_every_text_that_holds_an_object_is_read_right_but_for_the_known_misses(
    typed: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    assert {name for name, found in outcomes(typed=typed).items() if found != "right"} == set(KNOWN_MISSES)


@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
def test_no_value_is_wrong(typed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert [name for name, found in outcomes(typed=typed).items() if found == "wrong"] == []


def test_text_without_one_object_is_refused() -> None:
    """Cut texts, several objects, prose alone, and texts with two readings."""
    assert [row["id"] for row in WITHOUT_A_VALUE if decoded(row["text"]) is not None] == []


def test_last_of_several_objects_is_read_where_the_caller_says_that_it_counts() -> None:
    several = [row for row in TEXTS if row["kind"] == "multi-object" and row["expected"] is None]
    rows = [row for row in several if not contains_tool_call(row["text"])]
    found = {row["id"]: decode_llm_json(row["text"], several="last").data for row in rows}
    assert found == {row["id"]: row["expected_all"][-1] for row in rows}
    assert found


def test_text_that_holds_calls_of_tools_is_read_only_where_one_is_the_only_object() -> None:
    rows = [row for row in TEXTS if contains_tool_call(row["text"])]
    errors = {row["id"]: inspect(row["text"]).error for row in rows}
    stages = {name: error.details["stage"] for name, error in errors.items() if error}
    assert stages == dict.fromkeys(("closer-missing-02", "multi-calls-01", "long-calls-01"), "tool_call")
    assert errors.keys() - stages.keys() == {"closer-extra-01", "tool-call-02", "tool-call-03"}


def test_array_is_read_where_the_caller_asks_for_one() -> None:
    rows = [row for row in TEXTS if isinstance(row["expected"], list)]
    assert [row["id"] for row in rows if decode_llm_json(row["text"], root="array").data != row["expected"]] == []


def test_actions_are_read_as_expected() -> None:
    rows = [row for row in TEXTS if "expected_action" in row]
    parsed = {row["id"]: parse_action(row["text"]) for row in rows}
    found = {name: [one.action_type, one.content] if one.action_type else None for name, one in parsed.items()}
    assert found == {row["id"]: row["expected_action"] for row in rows}


@pytest.mark.parametrize("cause", dict.fromkeys(row["cause"] for row in READINGS))
def test_minimal_texts_of_a_cause_are_read_as_wanted(cause: str) -> None:
    assert [row["text"] for row in READINGS if row["cause"] == cause and not is_as_wanted(row)] == []


def test_lengths_are_those_of_real_outputs() -> None:
    lengths = sorted(len(row["text"]) for row in TEXTS)
    assert lengths[len(lengths) // 2] in MEDIAN
    assert lengths[len(lengths) * 95 // 100] in PERCENTILE_95
    assert lengths[-1] in LONGEST


def test_every_kind_of_the_real_outputs_is_there() -> None:
    kinds = Counter(row["kind"] for row in TEXTS)
    assert {kind for kind, fewest in FEWEST_BY_KIND.items() if kinds[kind] < fewest} == set()
    assert sum(count for kind, count in kinds.items() if kind.startswith("broken-")) > 80


def test_texts_that_are_said_to_be_broken_are_no_json() -> None:
    damaged = [row for row in TEXTS if row["kind"].startswith("broken-")]
    assert [row["id"] for row in damaged if _is_object(row["text"])] == []


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
