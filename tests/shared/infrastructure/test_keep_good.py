"""`keep="good"`: what satisfies the type is kept, and everything else is named with its path, place, text and error."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, field_validator, model_validator

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import Partial
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.parsing import parts
from tests.shared.reading import refusal_of


class Item(BaseModel):
    name: str
    count: int = Field(0, ge=0)


class Meta(BaseModel):
    author: str
    lang: str = "en"


class Report(BaseModel):
    title: str
    items: list[Item]
    meta: Meta | None = None
    tags: dict[str, Item] = {}
    pair: tuple[int, int] = (0, 0)
    summary: str = ""


def kept(raw: str, type_: Any = list[Item], **options: Any) -> Partial[Any]:  # noqa: ANN401 - any type
    return parse_llm_json_output(raw, type_, keep="good", **options)


def paths(partial: Partial[Any]) -> list[str]:
    return [problem.path for problem in partial.problems]


def refused(raw: str, type_: Any = list[Item], **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - as above
    with pytest.raises(LLMJsonParseError) as error:
        kept(raw, type_, **options)
    return error.value


def test_answer_that_is_all_right_is_whole() -> None:
    partial = kept('[{"name": "a"}]')
    assert (partial.value, partial.is_whole) == ([Item(name="a")], True)


def test_good_elements_are_kept_in_their_order() -> None:
    assert kept('[{"name": "a"}, {"name": 1}, {"name": "b"}]').value == [Item(name="a"), Item(name="b")]


def test_bad_element_is_named_with_path_place_text_and_error() -> None:
    (problem,) = kept('```json\n[{"name": "a"},\n {"name": "b", "count": -1}]\n```').problems
    assert (problem.path, problem.place, problem.text) == (
        "$[1]",
        {"line": 3, "column": 2, "offset": 25},
        '{"name": "b", "count": -1}',
    )
    assert problem.error.details["validation_errors"] == [
        {"loc": (1, "count"), "type": "greater_than_equal", "msg": "Input should be greater than or equal to 0"}
    ]


def test_error_of_an_element_can_be_told_to_a_model() -> None:
    (problem,) = kept('[{"name": "a"}, {"name": "b", "count": -1}]').problems
    assert "$[1].count: Input should be greater than or equal to 0" in problem.error.feedback()


def test_text_of_a_damaged_element_is_as_the_model_wrote_it() -> None:
    (problem,) = kept("[{'name': 'a'}, {'name': None,}, {'name': 'b'}]").problems
    assert problem.text == "{'name': None,}"


def test_element_whose_bracket_was_forgotten_ends_where_its_text_does() -> None:
    (problem,) = kept('[{"name": "a"}, {"name": 2', finished=True).problems
    assert problem.text == '{"name": 2'


def test_elements_of_a_field_are_kept_too() -> None:
    partial = kept('{"title": "t", "items": [{"name": 1}, {"name": "b"}]}', Report)
    assert (partial.value.items, paths(partial)) == ([Item(name="b")], ["$.items[0]"])


def test_values_under_free_keys_are_elements_too() -> None:
    partial = kept('{"x": {"name": 1}, "y": {"name": "b"}}', dict[str, Item])
    assert (partial.value, paths(partial)) == ({"y": Item(name="b")}, ["$.x"])


def test_element_is_left_out_as_a_whole_however_deep_its_bad_member_is() -> None:
    partial = kept('[[{"name": "a"}, {"name": 1}], [{"name": "b"}]]', list[list[Item]])
    assert (partial.value, paths(partial)) == ([[Item(name="b")]], ["$[0]"])


def test_element_with_none_of_the_fields_is_left_out() -> None:
    partial = kept('[{"lang": "x", "author": "y"}, {"other": 1}]', list[dict[str, str] | Meta])
    assert partial.value[0] == {"lang": "x", "author": "y"}


class Defaults(BaseModel):
    a: int = 0
    b: int = 0


def test_what_shows_only_once_the_rest_is_right_is_left_out_too() -> None:
    partial = kept('[{"a": 1}, {"a": "x"}, {"other": 1}]', list[Defaults])
    assert (partial.value, paths(partial)) == ([Defaults(a=1)], ["$[1]", "$[2]"])


def test_all_elements_may_be_left_out() -> None:
    assert kept('[{"name": 1}]').value == []


def test_what_is_wrong_outside_a_list_refuses_the_answer() -> None:
    error = refused('{"title": 1, "items": [{"name": 1}]}', Report)
    assert [one["loc"] for one in error.details["validation_errors"]] == [("title",), ("items", 0, "name")]


def test_fixed_place_of_a_tuple_is_no_element() -> None:
    assert refused('{"title": "t", "items": [], "pair": [1, "x"]}', Report).details["stage"] == "validate"


def test_tuple_of_any_length_is_a_list() -> None:
    assert kept('[1, "x", 2]', tuple[int, ...]).value == (1, 2)


def test_list_that_a_union_decides_about_is_not_taken_apart() -> None:
    assert refused('[1, "x"]', TypeAdapter(list[int] | dict[str, int])).details["stage"] == "validate"


def test_rest_that_the_type_does_not_take_is_refused() -> None:
    class Two(BaseModel):
        rows: list[int] = Field(min_length=2)

    assert refused('{"rows": [1, "x"]}', Two).details["validation_errors"][0]["type"] == "too_short"


def test_list_that_a_validator_may_reorder_is_not_taken_apart() -> None:
    class Sorted(BaseModel):
        rows: list[int]

        @field_validator("rows", mode="before")
        @classmethod
        def _sorted(cls, rows: list[Any]) -> list[Any]:
            return sorted(rows, key=str)

    assert refused('{"rows": [2, "x", 1]}', Sorted).details["stage"] == "validate"


def test_validator_behind_the_list_sees_what_is_kept() -> None:
    class Total(BaseModel):
        rows: list[int]
        total: int

        @model_validator(mode="after")
        def _adds_up(self) -> "Total":
            if sum(self.rows) != self.total:
                message = "does not add up"
                raise ValueError(message)
            return self

    assert "does not add up" in refused('{"rows": [1, "x"], "total": 3}', Total).message
    assert kept('{"rows": [1, "x"], "total": 1}', Total).value.rows == [1]


class Tree(BaseModel):
    name: str
    children: "list[Tree]" = []


def test_type_inside_itself_is_taken_apart_at_its_first_list() -> None:
    partial = kept('{"name": "a", "children": [{"name": 1}, {"name": "b"}]}', Tree)
    assert (partial.value.children, paths(partial)) == ([Tree(name="b")], ["$.children[0]"])


def test_member_under_an_alias_is_found() -> None:
    class Aliased(BaseModel):
        rows: list[int] = Field(alias="theRows")

    assert kept('{"theRows": [1, "x"]}', Aliased).value.rows == [1]


def test_too_many_bad_elements_refuse_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_PROBLEMS", 2)
    assert len(kept('["x", "y", 1]', list[int]).problems) == 2
    assert refused('["x", "y", "z", 1]', list[int]).details["validation_error_count"] == 3


def test_trace_says_how_the_text_was_read() -> None:
    parsed = parse_llm_json_output_with_trace("[{'name': 'a'}]", list[Item], keep="good")
    assert (parsed.value.value, parsed.decoded.grade) == ([Item(name="a")], "lossless")


def test_what_to_keep_is_good_or_nothing() -> None:
    with pytest.raises(ValueError, match="keep must be 'good' or None, not 'all'"):
        parse_llm_json_output("[]", list[Item], keep="all")  # type: ignore[call-overload]


def lower(data: dict[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in data.items()}


def test_element_that_a_hook_left_alone_has_its_place() -> None:
    (problem,) = kept('{"TITLE": "t", "items": [{"name": 1}]}', Report, normalizers=[lower]).problems
    assert (problem.place or {}).get("column") == 26


def test_element_that_a_hook_made_has_its_text_as_json() -> None:
    def with_items(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"items": [{"name": 1}]}

    (problem,) = kept('{"title": "t", "items": [2]}', Report, normalizers=[with_items]).problems
    assert (problem.place, problem.text) == (None, '{"name": 1}')


def test_element_that_cannot_be_compared_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> object:
        raise RecursionError

    monkeypatch.setattr(json, "loads", full)
    (problem,) = kept('{"TITLE": "t", "items": [{"name": 1}]}', Report, normalizers=[lower]).problems
    assert problem.place is None


def test_rest_is_validated_a_few_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_ROUNDS", 1)
    assert refused('[{"a": 1}, {"a": "x"}, {"other": 1}]', list[Defaults]).details["stage"] == "validate"


# a text that was cut off


def test_whole_elements_of_a_text_that_was_cut_off_are_kept_and_the_cut_one_is_named() -> None:
    partial = kept('[{"name": "a"}, {"name": "b", "count": 1')
    assert (partial.value, paths(partial)) == ([Item(name="a")], ["$[1]"])


def test_element_that_was_cut_off_is_left_out_though_its_defaults_would_do() -> None:
    partial = kept('[{"name": "a"}, {"name": "b", ')
    assert [item.name for item in partial.value] == ["a"]


def test_cut_element_has_its_place_its_text_and_an_error_that_says_so() -> None:
    (problem,) = kept('[{"name": "a"}, {"name": "b", "count": 1').problems
    assert (problem.place, problem.text) == (
        {"line": 1, "column": 17, "offset": 16},
        '{"name": "b", "count": 1',
    )
    assert (problem.error.details["truncated"], problem.error.details["position"]["column"]) == (True, 41)


@pytest.mark.parametrize(("raw", "value"), [("[1, 2", [1]), ("[1, 2,", [1, 2]), ("[1, 2 ", [1])])
def test_number_at_the_end_is_never_kept(raw: str, value: list[int]) -> None:
    assert kept(raw, list[int]).value == value


def test_string_at_the_end_is_never_kept() -> None:
    assert kept('["a", "b', list[str]).value == ["a"]


def test_next_element_is_named_where_the_last_one_is_whole() -> None:
    (problem,) = kept('[{"name": "a"}').problems
    assert (problem.path, problem.text) == ("$[1]", "")


def test_fields_that_never_came_are_named() -> None:
    partial = kept('{"title": "t", "items": [{"name": "a"}, {"name', Report)
    assert paths(partial) == ["$.items[1]", "$.meta", "$.tags", "$.pair", "$.summary"]


def test_field_that_was_cut_off_is_named_with_its_text() -> None:
    partial = kept('{"title": "t", "items": [], "summary": "half a sen', Report)
    named = {problem.path: problem.text for problem in partial.problems}
    assert (partial.value.summary, named["$.summary"]) == ("", '"summary": "half a sen')


def test_member_of_no_field_is_named_as_its_object() -> None:
    partial = kept('{"title": "t", "items": [], "remark": "half a sen', Report)
    assert (paths(partial)[0], partial.problems[0].text) == ("$", '"remark": "half a sen')


def test_object_of_fields_keeps_those_that_were_complete() -> None:
    partial = kept('{"title": "t", "items": [], "meta": {"author": "x", "lang": "d', Report)
    assert (partial.value.meta, paths(partial)[0]) == (None, "$.meta") or partial.value.meta == Meta(author="x")


def test_value_under_a_free_key_that_was_cut_off_is_left_out() -> None:
    partial = kept('{"x": {"name": "a"}, "y": {"name": "b", "count": 1', dict[str, Item])
    assert (partial.value, paths(partial)) == ({"x": Item(name="a")}, ["$.y"])


def test_end_of_an_object_of_free_keys_is_named_as_the_object() -> None:
    partial = kept('{"x": {"name": "a"}, "y"', dict[str, Item])
    assert (partial.value, paths(partial)) == ({"x": Item(name="a")}, ["$"])


def test_tuple_that_was_cut_off_is_left_out() -> None:
    partial = kept('{"title": "t", "items": [], "pair": [1, 2', Report)
    assert (partial.value.pair, paths(partial)[0]) == ((0, 0), "$.pair")


def test_bad_element_and_cut_element_are_both_named() -> None:
    assert paths(kept('[{"name": 1}, {"name": "a"}, {"name"')) == ["$[0]", "$[2]"]


def test_text_without_a_field_that_has_to_be_there_is_refused_as_cut_off() -> None:
    error = refused('{"title": "t", "ite', Report)
    assert (error.details["stage"], error.details["truncated"]) == ("validate", True)


def test_root_that_a_union_decides_about_is_refused_as_cut_off() -> None:
    error = refused('{"author": "x", "lang": "d', TypeAdapter(Meta | Item))
    assert (error.details["stage"], error.details["truncated"]) == ("repair", True)


def test_text_that_looks_whole_and_is_known_to_be_cut_off_names_its_end() -> None:
    partial = kept('[{"name": "a"}]', finished=False)
    assert (partial.value, paths(partial), partial.problems[0].error.details["truncated"]) == (
        [Item(name="a")],
        ["$"],
        True,
    )


def test_elision_in_front_of_the_cut_leaves_it_open_what_is_whole() -> None:
    assert refused('{"a": [1, ...], "b": [2', dict[str, list[int]]).details["json_error"] == "the text is cut off here"


def test_elision_at_the_cut_is_the_beginning_of_what_is_left_out() -> None:
    partial = kept("[1, ..., 2", list[int])
    assert (partial.value, [problem.text for problem in partial.problems]) == ([1], ["..., 2"])


@pytest.mark.parametrize("raw", ['{"title": "t", "items": [], "title": "u', '{"title": "t", "title": "u", "items": [{'])
def test_key_that_stands_twice_leaves_it_open_what_is_whole(raw: str) -> None:
    assert refused(raw, Report).details["json_error"] == "the text is cut off here"


@pytest.mark.parametrize(("data", "put"), [({"a": 1}, "}}"), ([], "]]"), ({}, "]}"), ([1], "}")])
def test_brackets_that_the_data_does_not_have_say_nothing(data: object, put: str) -> None:
    assert parts._opened(data, put) == []  # noqa: SLF001 - no text is known that gives them


def test_hook_that_moves_what_was_cut_off_leaves_nothing_to_keep() -> None:
    def moved(data: dict[str, Any]) -> dict[str, Any]:
        return {"title": "t", "items": [*data["items"], {"name": "z"}]}

    error = refused('{"items": [{"name": "a"}, {"name": "b"', Report, normalizers=[moved])
    assert error.details["truncated"]


def test_text_that_cannot_be_read_is_refused_as_it_is() -> None:
    assert refused("nothing here").details["json_error"] == refusal_of("nothing here").details["json_error"]


def test_cut_text_is_read_within_the_time_of_the_call() -> None:
    assert kept('[{"name": "a"}, {"na', timeout=60).value == [Item(name="a")]


def test_agent_keeps_the_good_parts_with_its_own_error() -> None:
    class OwnError(Exception):
        def __init__(self, message: str, *, details: Mapping[str, Any]) -> None:
            super().__init__(message)
            self.details = details

    agent: AgentOutput[list[Item]] = AgentOutput("统计", list[Item], OwnError)
    assert agent.parse_good('[{"name": "a"}, {"name": 1}]').value == [Item(name="a")]
    with pytest.raises(OwnError):
        agent.parse_good("nothing")
