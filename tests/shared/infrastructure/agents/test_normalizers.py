"""The normalizers several agents share."""

from typing import Any

import pytest

from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.agents.normalizers import (
    each_object,
    fill_missing_text,
    null_to_empty_list,
    wrap_single_text,
)


def shout(item: dict[str, Any]) -> str:
    return str(item["text"]).upper()


CASES: dict[str, tuple[Normalizer, dict[str, Any], dict[str, Any]]] = {
    "a single string becomes a list of one": (wrap_single_text("a"), {"a": "x"}, {"a": ["x"]}),
    "an empty string becomes a list of one": (wrap_single_text("a"), {"a": ""}, {"a": [""]}),
    "a list stays a list": (wrap_single_text("a"), {"a": ["x"]}, {"a": ["x"]}),
    "a number is not wrapped": (wrap_single_text("a"), {"a": 1}, {"a": 1}),
    "an object is not wrapped": (wrap_single_text("a"), {"a": {"b": 1}}, {"a": {"b": 1}}),
    "null is not wrapped": (wrap_single_text("a"), {"a": None}, {"a": None}),
    "a missing list is not made up by wrapping": (wrap_single_text("a"), {"b": "x"}, {"b": "x"}),
    "every named field is wrapped": (
        wrap_single_text("a", "b"),
        {"a": "x", "b": "y", "c": "z"},
        {"a": ["x"], "b": ["y"], "c": "z"},
    ),
    "null becomes an empty list": (null_to_empty_list("a"), {"a": None}, {"a": []}),
    "a missing list stays missing": (null_to_empty_list("a"), {"b": None}, {"b": None}),
    "false, zero and the empty string are not null": (
        null_to_empty_list("a", "b", "c"),
        {"a": False, "b": 0, "c": ""},
        {"a": False, "b": 0, "c": ""},
    ),
    "a missing text becomes empty": (fill_missing_text("a"), {"b": 1}, {"b": 1, "a": ""}),
    "a null text becomes empty": (fill_missing_text("a"), {"a": None}, {"a": ""}),
    "a text that is there stays": (fill_missing_text("a"), {"a": " "}, {"a": " "}),
    "a value of another type is not taken for missing": (fill_missing_text("a"), {"a": 0}, {"a": 0}),
    "each object of a list is changed, in order": (
        each_object("a", shout),
        {"a": [{"text": "x"}, {"text": "y"}]},
        {"a": ["X", "Y"]},
    ),
    "items that are no objects stay where they are": (
        each_object("a", shout),
        {"a": ["x", {"text": "y"}, None, 1, [{"text": "z"}]]},
        {"a": ["x", "Y", None, 1, [{"text": "z"}]]},
    ),
    "an object that is no list stays": (each_object("a", shout), {"a": {"text": "x"}}, {"a": {"text": "x"}}),
    "a missing list of objects stays missing": (each_object("a", shout), {}, {}),
}


@pytest.mark.parametrize(("normalizer", "given", "expected"), CASES.values(), ids=CASES.keys())
def test_normalizer_does_what_its_case_says(
    normalizer: Normalizer, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert normalizer(given) == expected


@pytest.mark.parametrize(
    ("normalizer", "name"),
    [
        (wrap_single_text("a"), "wrap_single_text"),
        (null_to_empty_list("a"), "null_to_empty_list"),
        (fill_missing_text("a"), "fill_missing_text"),
        (each_object("a", shout), "each_object"),
    ],
)
def test_normalizer_carries_the_name_an_error_shows(normalizer: Normalizer, name: str) -> None:
    assert normalizer.__name__ == name


def test_error_in_a_change_is_not_swallowed() -> None:
    with pytest.raises(KeyError, match="text"):
        each_object("a", shout)({"a": [{}]})
