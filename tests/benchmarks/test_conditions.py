"""Every condition of the benchmarks is a text that our parser reads rightly: only then is a time worth a look."""

import json

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tools.benchmarks.conditions import REFUSE, Condition, conditions
from tools.benchmarks.documents import KB, Report, build, clean_text

CONDITIONS = {condition.name: condition for condition in conditions()}
READABLE = [condition for condition in conditions() if condition.name != "truncated"]


def _name(condition: Condition) -> str:
    return condition.name


@pytest.mark.parametrize("condition", READABLE, ids=_name)
def test_the_expected_value_is_what_the_typed_parser_returns(condition: Condition) -> None:
    """With the type that the benchmarks use."""
    text, expected = condition.make(build(2 * KB))
    assert parse_llm_json_output(text, Report).model_dump() == expected


@pytest.mark.parametrize("condition", READABLE, ids=_name)
def test_the_expected_value_is_what_the_untyped_parser_returns(condition: Condition) -> None:
    """Like for like with the libraries that take no type."""
    text, expected = condition.make(build(2 * KB))
    assert decode_llm_json(text).data == expected


def test_the_truncated_text_is_refused_as_truncated() -> None:
    """Returning a value here counts as accepted, which is the worst verdict."""
    text, expected = CONDITIONS["truncated"].make(build(2 * KB))
    assert expected == REFUSE
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, Report)
    assert caught.value.details["truncated"] is True


@pytest.mark.parametrize("condition", [each for each in READABLE if each.name != "clean"], ids=_name)
def test_a_condition_is_not_strict_json(condition: Condition) -> None:
    """It does not measure the clean text under another name."""
    with pytest.raises(json.JSONDecodeError):
        json.loads(condition.make(build(2 * KB))[0])


@pytest.mark.parametrize("name", [name for name in CONDITIONS if name.endswith("everywhere")])
def test_damage_in_three_places_is_less_than_everywhere(name: str) -> None:
    """Both variants start from the same document."""
    few, document = CONDITIONS[name.replace("everywhere", "in 3 places")], build(20 * KB)
    everywhere, _ = CONDITIONS[name].make(document)
    in_places, _ = few.make(document)
    assert in_places != everywhere
    assert clean_text(document) != in_places
