"""The reference itself: what it takes for a reading, what it charges, and that blind enumeration finds the same."""

from __future__ import annotations

import json
from itertools import product
from random import Random

import pytest

from tests.reference_reader.grammar import DOUBT, EDIT, MIXED, SIGNS, SPELLING
from tests.reference_reader.readings import nearest
from tools.attack.documents import any_document
from tools.attack.pieces import SPACED, join, write

ONE_READING = {
    "strict JSON": ('{"a": [1, "x, {y}", true]}', 0, {"a": [1, "x, {y}", True]}),
    "a sign put": ('{"a": [1, 2}', EDIT, {"a": [1, 2]}),
    "a sign dropped": ('{"a": 1,, "b": 2}', EDIT, {"a": 1, "b": 2}),
    "a sign changed": ('{"a", 1}', EDIT, {"a": 1}),
    "another sign for it": ('{"a" => [1; 2]}', 2 * EDIT, {"a": [1, 2]}),
    "a closing quote put": ('{"a": "x, "b": 1}', EDIT, {"a": "x", "b": 1}),
    "an opening quote put": ('{"a": x y"}', EDIT, {"a": "x y"}),
    "both quotes put": ('{"a": x (y) z}', 2 * EDIT, {"a": "x (y) z"}),
    "a word without quotes": ('{a: "x"}', EDIT, {"a": "x"}),
    "quotes escaped": ('{"a": "he "x" so"}', 2 * EDIT, {"a": 'he "x" so'}),
    "quotes of print": ("{“a”： ‘it’}", 3 * SPELLING, {"a": "it"}),
    "quotes that are no pair": ("{\"a': 1}", MIXED, {"a": 1}),
    "words of Python": ('{"a": None}', SPELLING, {"a": None}),
    "a number otherwise": ('{"a": [+1, .5, 1_000, ５]}', 4 * SPELLING, {"a": [1, 0.5, 1000, 5]}),
    "a raw line end": ('{"a": "x\ny"}', SPELLING, {"a": "x\ny"}),
    "a backslash that is text": ('{"a": "\\d"}', EDIT, {"a": "\\d"}),
    "a comment": ('{"a": 1 /* {x} */}', EDIT, {"a": 1}),
    "strings added": ('{"a": "x" + "y"}', EDIT, {"a": "xy"}),
    "a put quote that takes in a mark": ('{"a": x, y"}', EDIT + DOUBT, {"a": "x, y"}),
}
SEVERAL_READINGS = {
    "a bracket in one of two places": ('{"a": {"b": 1, "c": 2}', [{"a": {"b": 1, "c": 2}}, {"a": {"b": 1}, "c": 2}]),
    "a quote too much or text": ('{"a": ""x"}', [{"a": "x"}, {"a": '"x'}]),
    "a value that is missing": ('{"a": }', [{"a": []}, {"a": {}}]),
}


@pytest.mark.parametrize(("text", "cost", "value"), ONE_READING.values(), ids=ONE_READING)
def test_one_reading_is_nearest(text: str, cost: int, value: object) -> None:
    found = nearest(text)
    assert found is not None
    assert (found.values, found.cost) == ([value], cost)


@pytest.mark.parametrize(("text", "values"), SEVERAL_READINGS.values(), ids=SEVERAL_READINGS)
def test_several_readings_are_as_near(text: str, values: list[object]) -> None:
    found = nearest(text)
    assert found is not None
    assert sorted(map(json.dumps, found.values)) == sorted(map(json.dumps, values))


@pytest.mark.parametrize("text", ['{"a": @}', "", "no brackets here", '{"a": 0x2a}'])
def test_no_reading_is_within_reach(text: str) -> None:
    assert nearest(text, farthest=EDIT) is None


@pytest.mark.parametrize(("text", "lead"), [('{"a": [1, 2]}', None), ('{"a": x, y"}', 3), ('{"a": [1, 2}', None)])
def test_lead_says_how_far_the_next_value_is(text: str, lead: int | None) -> None:
    found = nearest(text, further=EDIT)
    assert found is not None
    assert found.lead == lead


@pytest.mark.parametrize("seed", range(40))
def test_strict_json_is_its_own_only_reading(seed: int) -> None:
    document = any_document(Random(seed))  # noqa: S311 - chance that can be repeated
    found = nearest(join(write(document, SPACED)))
    assert found is not None
    assert (found.cost, found.values) == (0, [document])


BLIND = (
    '{"a": [1, 2}',
    '{"a": 1 "b": 2}',
    '{"a", 1}',
    '{"a": {"b": 1, "c": 2}',
    '{"a": "x, "b": 1}',
    '{"a: 1}',
    "[1]]",
)


@pytest.mark.parametrize("text", BLIND)
def test_every_reading_one_sign_away_is_found_by_trying_all_signs_blindly(text: str) -> None:
    signs, places = (*SIGNS, '"', ""), range(len(text) + 1)
    tried = {text[:at] + sign + text[at + width :] for sign, at, width in product(signs, places, (0, 1))}
    values = {json.dumps(value) for each in tried if (value := _value(each)) is not None}
    found = nearest(text)
    assert found is not None
    assert found.cost == EDIT
    assert {json.dumps(value) for value in found.values} <= values


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
