"""`keep="good"`: what satisfies the type is kept, and everything else is named with its path, place, text and error."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator, model_validator

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import Partial
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing import parts


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


def refused(raw: str, type_: Any = list[Item], **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - as above
    with pytest.raises(LLMJsonParseError) as error:
        kept(raw, type_, **options)
    return error.value


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


def test_element_with_none_of_the_fields_is_left_out() -> None:
    partial = kept('[{"lang": "x", "author": "y"}, {"other": 1}]', list[dict[str, str] | Meta])
    assert partial.value[0] == {"lang": "x", "author": "y"}


class Defaults(BaseModel):
    a: int = 0
    b: int = 0


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


def test_member_under_an_alias_is_found() -> None:
    class Aliased(BaseModel):
        rows: list[int] = Field(alias="theRows")

    assert kept('{"theRows": [1, "x"]}', Aliased).value.rows == [1]


def test_too_many_bad_elements_refuse_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_PROBLEMS", 2)
    assert len(kept('["x", "y", 1]', list[int]).problems) == 2
    assert refused('["x", "y", "z", 1]', list[int]).details["validation_error_count"] == 3


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

    for items in ("[2]", "[]"):
        (problem,) = kept(f'{{"title": "t", "items": {items}}}', Report, normalizers=[with_items]).problems
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


@pytest.mark.parametrize(("data", "put"), [({"a": 1}, "}}"), ([], "]]"), ({}, "]}"), ([1], "}")])
def test_brackets_that_the_data_does_not_have_say_nothing(data: object, put: str) -> None:
    assert parts._opened(data, put) == []  # noqa: SLF001 - no text is known that gives them


def test_hook_that_moves_what_was_cut_off_leaves_nothing_to_keep() -> None:
    def moved(data: dict[str, Any]) -> dict[str, Any]:
        return {"title": "t", "items": [*data["items"], {"name": "z"}]}

    error = refused('{"items": [{"name": "a"}, {"name": "b"', Report, normalizers=[moved])
    assert error.details["truncated"]


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
