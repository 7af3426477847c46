"""What an error says: its details, stage by stage, and the terms in its message that callers match on."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator
from pydantic.errors import PydanticUserError

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.inspection import STAGES
from src.shared.infrastructure.parsing.parse_errors import SUMMARY_LIMIT, VALIDATION_ERRORS_LIMIT
from tests.shared.reading import Score, refusal_by, refusal_of


class Row(BaseModel):
    score: int


class Table(BaseModel):
    rows: list[Row] = Field(min_length=1)


def boom(data: dict[str, Any]) -> dict[str, Any]:
    raise LookupError(sorted(data))


def no_object(data: dict[str, Any]) -> dict[str, Any]:
    return list(data)  # type: ignore[return-value]


FAILURES: dict[str, Callable[[], LLMJsonParseError]] = {
    "empty": lambda: refusal_by(Score, " "),
    "think": lambda: refusal_by(Score, "<think>x"),
    "extract": lambda: refusal_by(Score, "没有"),
    "repair": lambda: refusal_by(Score, '{"score": f(x)}'),
    "root": lambda: refusal_by(Score, '[{"score": 1}]'),
    "normalize": lambda: refusal_by(Score, '{"score": 1}', boom),
    "validate": lambda: refusal_by(Score, '{"score": "x"}'),
}
"""A failure of each stage that can fail."""

_READ = {"stage", "raw_length", "json_error"}
_REFUSED = {"stage", "raw_length", "validation_errors", "validation_error_count", "validation_places", "data_summary"}
KEYS = {
    "empty": _READ,
    **dict.fromkeys(("think", "extract", "repair"), _READ | {"position"}),
    "root": _READ | {"data_summary"},
    "normalize": _READ | {"normalizer", "normalizer_error", "data_summary"},
    "validate": _REFUSED,
}


@pytest.mark.parametrize("stage", FAILURES)
def test_error_names_its_stage_and_has_the_details_of_it_as_plain_values(stage: str) -> None:
    error = FAILURES[stage]()
    assert (error.details["stage"], error.code, str(error)) == (stage, "LLM_JSON_PARSE_ERROR", error.message)
    assert set(error.details) == KEYS[stage]
    assert isinstance(error.details.get("json_error", ""), str)
    assert is_plain(error.details)
    assert stage in {function.__name__ for function in STAGES}


def is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    return all(map(is_plain, value)) if isinstance(value, list | tuple) else isinstance(value, str | int | bool)


def test_stages_run_in_the_order_of_the_specification() -> None:
    names = [function.__name__ for function in STAGES]
    assert " ".join(names) == "empty think fence control_chars strict extract repair root normalize validate"


# --- each detail -------------------------------------------------------------------------------------------


def test_validation_errors_hold_place_type_and_message_only() -> None:
    error = refusal_by(Table, '{"rows": [{"score": 1}, {"score": "高"}, {}]}')
    assert isinstance(error.__cause__, ValidationError)
    assert error.details["validation_errors"] == [
        {
            "loc": ("rows", 1, "score"),
            "type": "int_parsing",
            "msg": "Input should be a valid integer, unable to parse string as an integer",
        },
        {"loc": ("rows", 2, "score"), "type": "missing", "msg": "Field required"},
    ]


def test_validation_errors_are_bounded_and_their_whole_number_is_given() -> None:
    details = refusal_by(Table, '{"rows": [' + ",".join(["{}"] * 500) + "]}").details
    assert (len(details["validation_errors"]), details["validation_error_count"]) == (VALIDATION_ERRORS_LIMIT, 500)


@pytest.mark.parametrize(("error", "told"), [(LookupError(1), "1"), (LookupError(), "LookupError")])
def test_exception_a_validator_raises_is_a_validation_error_of_the_whole_object(error: Exception, told: str) -> None:
    class Picky(BaseModel):
        @model_validator(mode="before")
        @classmethod
        def check(cls, _data: object) -> object:
            raise error

    errors = refusal_by(Picky, '{"a": 1}').details["validation_errors"]
    assert errors == [{"loc": (), "type": "LookupError", "msg": told}]


@pytest.mark.parametrize("raw", ['{"score": 1}', '{"x": 1} {"score": 1}'], ids=["one object", "two candidates"])
def test_mistake_in_the_type_itself_is_not_blamed_on_the_text(raw: str) -> None:
    class Broken(BaseModel):
        score: "Missing"  # type: ignore[name-defined]  # noqa: F821 - that is the mistake

    with pytest.raises(PydanticUserError, match="Missing"):
        parse_llm_json_output(raw, Broken)


def test_mistake_that_the_type_shows_while_it_validates_is_not_blamed_on_the_text() -> None:
    class Lazy(BaseModel):
        score: int

        @field_validator("score")
        @classmethod
        def check(cls, _: int) -> int:
            message = "no schema yet"
            raise PydanticUserError(message, code=None)

    with pytest.raises(PydanticUserError, match="no schema yet"):
        parse_llm_json_output("{'score': 1}", Lazy)


class Hook:
    def __call__(self, data: dict[str, Any]) -> dict[str, Any]:
        raise LookupError(len(data))


@pytest.mark.parametrize(
    ("hook", "name", "told"),
    [
        (boom, "boom", "LookupError: ['score']"),
        (no_object, "no_object", "returned list, not dict"),
        (Hook(), "Hook", "LookupError: 1"),
    ],
)
def test_failing_hook_is_named_with_what_it_did(hook: Callable[..., Any], name: str, told: str) -> None:
    error = refusal_by(Score, '{"score": 1}', hook)
    assert (error.details["normalizer"], error.details["normalizer_error"]) == (name, told)
    assert isinstance(error.__cause__, LookupError) is told.startswith("LookupError")


CHANGING_HOOKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "raises": lambda data: (data.pop("rows"), data["rows"]),
    "raises deep inside": lambda data: (data["rows"][0].update(score="x"), data["none"]),
    "returns no object": lambda data: data.update(rows=[]),
}


@pytest.mark.parametrize("hook", CHANGING_HOOKS.values(), ids=CHANGING_HOOKS)
@pytest.mark.parametrize(
    "text",
    [
        '{"rows": [{"score": 1}]}',
        '<think>t</think>{"rows": [{"score": 1}]}',
        "{'rows': [{'score': 1,}]}",
        json.dumps('{"rows": [{"score": 1}]}'),
        'Say {"a": 2}: {"rows": [{"score": 1}]}',
    ],
)
def test_data_summary_of_a_failing_hook_shows_the_object_that_the_model_wrote(
    text: str, hook: Callable[[dict[str, Any]], Any]
) -> None:
    error = refusal_by(Table, text, lambda data: data["rows"].append(None) or data, hook)
    assert error.details["data_summary"] == '{"rows": [{"score": 1}]}'


def test_data_summary_of_a_hook_that_never_does_the_same_is_what_it_left() -> None:
    """Hooks help to find which object is the answer; this one does so once, then fails, then makes both of them one."""
    whole = iter([{"score": 1}, {}, {}, {}])

    def fickle(data: dict[str, Any]) -> dict[str, Any]:
        try:
            return next(whole)
        except StopIteration:
            is_first = "left" not in seen
            seen.update(left=True)
            data.update(seen)
            return data["none"] if is_first else {"score": 1} if data else {}  # a KeyError

    seen: dict[str, Any] = {}
    assert refusal_by(Score, '{"a": 1} {"b": 2}', fickle).details["data_summary"] == '{"a": 1, "left": true}'


def test_hooks_run_in_order_on_what_the_one_before_returned() -> None:
    seen: list[dict[str, Any]] = []

    def step(data: dict[str, Any]) -> dict[str, Any]:
        seen.append(data)
        return {"score": data["score"] + 1}

    assert parse_llm_json_output('{"score": 1}', Score, normalizers=[step, step]).score == 3
    assert seen == [{"score": 1}, {"score": 2}]


@pytest.mark.parametrize("stage", ["root", "normalize", "validate"])
def test_data_summary_is_bounded(stage: str) -> None:
    long = '"x": "' + "甲" * 10_000 + '"'
    failures = {
        "root": lambda: refusal_of(f"[{{{long}}}]", root="object"),
        "normalize": lambda: refusal_by(Score, f"{{{long}}}", boom),
        "validate": lambda: refusal_by(Score, f"{{{long}}}"),
    }
    assert len(failures[stage]().details["data_summary"]) == SUMMARY_LIMIT


def test_data_summary_of_what_a_hook_made_unprintable_is_its_type() -> None:
    def tie(_: dict[str, Any]) -> dict[str, Any]:
        knot: dict[str, Any] = {}
        knot["self"] = knot
        return knot

    assert refusal_by(Score, '{"a": 1}', tie).details["data_summary"] == "<dict>"
