"""Damage whose cheapest reading is not the only sensible one: it is refused, at the place where the readings part."""

from collections.abc import Mapping

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.reading.reading import NO_COMMA
from tests.shared.reading import reading_of, refusal_of


def rivals(table: Mapping[str, tuple[str, int]]) -> pytest.MarkDecorator:
    """Run a test, of `raw` and the offset `at` of its refusal, once for each case; its name says what it shows."""
    return pytest.mark.parametrize(("raw", "at"), table.values(), ids=table.keys())


def parts_at(raw: str) -> int:
    """The offset at which a text that must be refused for its two readings can be read in two ways."""
    details = refusal_of(raw, finished=True).details
    assert details["json_error"] in {TWO_READINGS.en, NO_COMMA.en}
    return int(details["position"]["offset"])


@rivals(
    {
        "before an object": (r'{"x": ["v1", {\"t\": \"x\", \"s\": 0}"]}', 8),
        "before a list": (r'{"x": ["v1",[\"x\"]"]}', 8),
    }
)
def test_quote_left_as_it_is_among_escaped_ones_ends_its_element(raw: str, at: int) -> None:
    assert parts_at(raw) >= at


@rivals(
    {
        "at the end": ("{'t': 'apologetic',a: 'send': true}", 7),
        "in other quotes": ('{null:"C:",target:\'"null",\'what\':{r:1}}', 0),
        "with strings": ('{"a": "say "b", note: "c" and", "d": 1}', 0),
    }
)
def test_member_without_quotes_for_its_key_is_no_part_of_a_string(raw: str, at: int) -> None:
    assert int(refusal_of(raw, finished=True).details["position"]["offset"]) >= at


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1} "b": 2}',
        '{"a": 1}\n"b": 2}',
        '{"a": 1,}, "b": 2}',
        '{"a": 1}}, "b": 2}',
        '{"a": {"x": 1}}}, "b": 2}',
        '{"a": [1]}], "b": 2}',
        "{'a': 1}], 'b': 2}",
    ],
)
def test_members_after_a_surplus_bracket_are_never_lost_in_silence(raw: str) -> None:
    try:
        data = reading_of(raw)[0]
    except LLMJsonParseError:
        return
    assert data["b"] == 2
