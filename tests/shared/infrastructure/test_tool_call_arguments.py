"""Arguments of a call that the provider has told apart from the text."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from src.shared.domain.coercion.lenient import Percent
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import CUT_OFF, TRUNCATED, Reason
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.tool_calls import parse_tool_call
from tests.log_lines import structlog_unconfigured
from tests.shared.reading import why_and_where


@pytest.fixture(autouse=True)
def _logs_as_in_a_program_without_structlog() -> Iterator[None]:
    with structlog_unconfigured():
        yield


class Weather(BaseModel):
    city: str
    days: int = 1


class Now(BaseModel):
    pass


class Defaults(BaseModel):
    limit: int = 10


PARIS = Weather(city="Paris", days=3)
WHOLE = '{"city": "Paris", "days": 3}'


def refusal(arguments: str | None, dto_type: Any = Weather, *, finished: bool | None = None) -> LLMJsonParseError:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as caught:
        parse_tool_call(arguments, dto_type, name="get_weather", finished=finished)
    return caught.value


NO_KEYS = JsonSchema({"type": "object", "properties": {}, "additionalProperties": False})


@pytest.mark.parametrize(
    ("arguments", "dto_type", "finished", "value"),
    [
        *(
            (one, Weather, None, PARIS)
            for one in (
                WHOLE,
                "{'city': 'Paris', 'days': 3,}",
                f"```json\n{WHOLE}\n```",
                json.dumps(WHOLE),
                '{city: "Paris", days: 3}',
            )
        ),
        # none of them: the defaults of a type that requires none
        *((one, Defaults, None, Defaults()) for one in ("{}", " {\n} ", "null")),
        *((one, Now, None, Now()) for one in ("{}", " {\n} ", "null")),
        *((one, dict[str, int], None, {}) for one in ("{}", " {\n} ", "null")),
        # nothing at all: a call of a tool without parameters, or of one that is known to have ended
        *((one, Now, None, Now()) for one in ("", " \n", None)),
        *((one, NO_KEYS, None, {}) for one in ("", " \n", None)),
        ("", Defaults, True, Defaults()),
        ("", dict[str, int], True, {}),
    ],
)
def test_arguments_are_read_damaged_or_not(
    arguments: str | None,
    dto_type: Any,  # noqa: ANN401 - any type
    finished: bool | None,  # noqa: FBT001 - a parameter
    value: object,
) -> None:
    assert parse_tool_call(arguments, dto_type, finished=finished) == value


@pytest.mark.parametrize(("finished", "reason"), [(None, TRUNCATED), (True, TRUNCATED), (False, CUT_OFF)])
@pytest.mark.parametrize("size", range(1, len(WHOLE)))
def test_arguments_that_are_cut_are_refused_whatever_is_said_of_their_end(
    size: int,
    finished: bool | None,  # noqa: FBT001 - a parameter
    reason: Reason,
) -> None:
    """Servers say `stop` or `tool_calls` of calls that were cut off."""
    assert why_and_where(refusal(WHOLE[:size], finished=finished)) == (reason.en, size)


def test_whole_arguments_are_refused_if_the_model_was_cut_off() -> None:
    assert refusal(WHOLE, finished=False).details["truncated"] is True


@pytest.mark.parametrize(
    ("dto_type", "finished", "stage"),
    [
        (Defaults, None, "empty"),
        (dict[str, int], None, "empty"),
        (Weather, None, "empty"),
        (Weather, True, "validate"),
        (Weather, False, "empty"),
    ],
)
def test_nothing_at_all_may_be_a_call_that_was_cut_off_before_it_began(
    dto_type: Any,  # noqa: ANN401 - any type
    finished: bool | None,  # noqa: FBT001 - a parameter
    stage: str,
) -> None:
    assert refusal("", dto_type, finished=finished).details["stage"] == stage


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", ("empty", None)),
        ("{}", (CUT_OFF.en, 2)),
        ("null", (CUT_OFF.en, 4)),
        (None, ("empty", None)),
    ],
)
def test_no_arguments_of_a_tool_that_was_cut_off_are_refused(
    arguments: str | None, told: tuple[str, int | None]
) -> None:
    assert why_and_where(refusal(arguments, Now, finished=False)) == told


def test_missing_fields_and_those_of_another_type_are_told() -> None:
    missing, other = refusal("{}"), refusal('{"city": "Paris"}', Defaults)

    assert (missing.details["validation_errors"][0]["loc"], missing.details["tool"]) == (("city",), "get_weather")
    assert other.details["validation_errors"][0]["type"] == "no_known_field"


# --- errors, hooks, labels --------------------------------------------------------------------------------


def test_error_names_the_tool_and_asks_for_the_call_again() -> None:
    error = refusal('{"city": "Paris", "days": "many"}')

    assert error.message.startswith("get_weather: 不符合契约 Weather")
    assert error.feedback().startswith("get_weather: 不符合契约 Weather")
    assert error.feedback().endswith("with the corrected, complete arguments).")
    assert error.details["root"] == "call"


def test_error_of_a_call_without_a_name_does_not_begin_with_one() -> None:
    with pytest.raises(LLMJsonParseError, match=r"^不是合法 JSON"):
        parse_tool_call('{"city": "Par', Weather)


def test_normalizers_run_on_the_arguments_also_on_none() -> None:
    def with_city(data: dict[str, Any]) -> dict[str, Any]:
        return {"city": "Rome", **data}

    assert parse_tool_call(WHOLE, Weather, normalizers=[with_city]) == PARIS
    assert parse_tool_call("{}", Weather, normalizers=[with_city]) == Weather(city="Rome")


@pytest.mark.parametrize("arguments", ["{}", '{"city": 5}'])
def test_refusal_is_logged_once_under_the_name_or_a_label(arguments: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "llm_output"):
        refusal(arguments)
        with pytest.raises(LLMJsonParseError, match=r"get_weather: .*city"):
            parse_tool_call(arguments, Weather, name="get_weather", context_label="assistant")

    labels = [record.getMessage().split("context_label=")[1].split()[0] for record in caplog.records]
    assert labels == ["'get_weather'", "'assistant'"]


def test_mistakes_of_the_caller_are_no_refusals() -> None:
    with pytest.raises(TypeError, match="decode bytes first"):
        parse_tool_call(b"{}", Weather)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="is no object"):
        parse_tool_call("[]", list[Weather])


def test_values_are_coerced_if_the_caller_asks_for_it() -> None:
    class Price(BaseModel):
        value: float

    assert parse_tool_call('{"value": "1.2亿"}', Price, coerce=True) == Price(value=120_000_000)
    assert refusal('{"value": "1.2亿"}', Price).details["validation_errors"][0]["type"] == "float_parsing"


def test_marked_fields_are_coerced_and_may_be_missing() -> None:
    class Share(BaseModel):
        part: Percent = 1

    assert parse_tool_call('{"part": "85%"}', Share) == Share(part=0.85)
    assert parse_tool_call("{}", Share) == Share()
