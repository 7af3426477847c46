"""A reading as data: what the command line, the service and its page show of it, whoever asks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter
from pydantic_core import core_schema

from src.shared.infrastructure.agents.agent_output import plain_output, read_text
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.view import StageState, json_value, stages_of, view, view_steps


class Tea(BaseModel):
    name: str
    grams: int = 0


class Shelf(BaseModel):
    labels: set[str]
    groups: tuple[frozenset[int], ...]
    teas: list[Tea] = []


def test_places_are_offsets_by_path() -> None:
    spans = json.dumps(read_text("Sure: {'name': 'Sencha',}", None).decoded.spans())
    assert spans == '{"$": [6, 25], "$.name": [15, 23]}'


def test_reading_without_a_type_has_the_data_and_no_more() -> None:
    parsed = read_text("{'name': 'Sencha',}", None)

    assert parsed.value == parsed.decoded.data == {"name": "Sencha"}
    assert view(parsed) == {
        "repairs": [
            {"kind": kind, "line": 1, "column": at + 1, "offset": at, "found": found, "put": put, "count": 1}
            for kind, at, found, put in (
                ("single_quote", 1, "'name'", '"name"'),
                ("single_quote", 9, "'Sencha'", '"Sencha"'),
                ("trailing_comma", 17, ",", ""),
            )
        ],
        "coercions": [],
        "grade": "lossless",
        "truncated": False,
        "left_out": [],
    }


def test_note_on_a_string_has_its_path() -> None:
    text = '{"name": "Sencha<|call|>"}'
    notes = view_steps(read_text(text, None).decoded, text)["notes"]
    assert [(note["action"], note.get("path")) for note in notes] == [("chosen", None), ("looks_like_mark", "$.name")]


def test_reading_names_what_was_coerced_and_what_is_left_out() -> None:
    output: Any = plain_output(list[Tea])
    text = '[{"name": "Sencha", "grams": "1,200,000"}, {"name": 5}]'
    shown = view(read_text(text, output, coerce=True, keep="good"))

    assert [(one["kind"], one["path"], one["before"], one["after"]) for one in shown["coercions"]] == [
        ("separators", "$[0].grams", "1,200,000", 1_200_000)
    ]
    (left,) = shown["left_out"]
    assert (left["path"], left["text"], left["position"]) == (
        "$[1]",
        '{"name": 5}',
        {"line": 1, "column": 44, "offset": 43},
    )
    assert [problem["loc"] for problem in left["problems"]] == [(1, "name")]


STAGES = {
    "clean": (
        '{"name": "x"}',
        {"empty": "passed", "strict": "acted", "repair": "not_needed", "root": "passed", "validate": "passed"},
    ),
    "reasoning and a fence": (
        '<think>so</think>```json\n{"name": "x",}\n```',
        {"think": "acted", "fence": "acted", "strict": "nothing_to_do", "repair": "acted", "normalize": "passed"},
    ),
    "nothing in it": ("no answer", {"think": "nothing_to_do", "extract": "refused", "repair": "not_reached"}),
    "another type": ('{"name": 5}', {"strict": "acted", "validate": "refused"}),
}


@pytest.mark.parametrize(("text", "states"), STAGES.values(), ids=STAGES)
def test_each_stage_says_what_became_of_it(text: str, states: dict[str, str]) -> None:
    reading = inspect(text, Tea)
    refusing = reading.error.details["stage"] if reading.error else None
    steps = view_steps(reading, text)
    shown = {one["stage"]: one for one in steps["stages"]}

    assert {name: shown[name]["state"] for name in states} == states
    chosen = [note.stage for note in reading.notes if note.action == "chosen"]
    assert [one.name for one in stages_of(reading.notes, refusing) if one.is_deciding] == [*chosen, refusing][:1]
    noted = [note for stage in shown.values() for note in stage["notes"]]
    assert steps["repairs"] == [] or refusing is None
    assert [note for note in steps["notes"] if note not in noted] == []
    for one in noted:
        assert one["start"].keys() == one["end"].keys() == {"line", "column", "offset"}


def test_no_stage_behind_the_refusing_one_is_reached() -> None:
    states = [one.state for one in stages_of(inspect("", Tea).notes, "empty")]

    assert states == [StageState.REFUSED, *[StageState.NOT_REACHED] * (len(states) - 1)]


def test_members_of_a_set_stand_in_the_same_order_in_every_process() -> None:
    shelf = Shelf(labels={"b", "a", "c"}, groups=(frozenset({3, 1, 2}),), teas=[Tea(name="x")])

    assert json_value(shelf, Shelf) == {
        "labels": ["a", "b", "c"],
        "groups": [[1, 2, 3]],
        "teas": [{"name": "x", "grams": 0}],
    }


def test_value_of_a_type_without_a_schema_may_hold_a_set() -> None:
    def double(value: object) -> object:
        return {"a": value, "b": {1}}

    adapter: TypeAdapter[Any] = TypeAdapter(Any)
    adapter.core_schema = core_schema.no_info_plain_validator_function(double)

    assert json_value({"b": [2, 1]}, adapter) == {"b": [2, 1]}


def test_members_of_a_type_without_a_set_stand_as_they_are() -> None:
    assert json_value([Tea(name="b"), Tea(name="a")], list[Tea]) == [
        {"name": "b", "grams": 0},
        {"name": "a", "grams": 0},
    ]
