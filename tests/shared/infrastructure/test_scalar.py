"""An answer that is one value: where the option goes, how the reading is traced, and what the errors say."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, RootModel, TypeAdapter

from src.shared.application.repair_agent.agent import is_repairable
from src.shared.domain.coercion.lenient import LenientEnum, coercing
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import Partial
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.read_as import ReadAs, reading_as
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_at_once, parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.state import Span


class Rating(StrEnum):
    BUY = "BUY"
    SELL = "SELL"
    HOLD = "HOLD"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(Enum):
    PAIR = (1, 2)
    TRUE = True
    NOTHING = None
    WORD = "word"


class Review(BaseModel):
    score: int


SAID = "It is cheap.\n\nThe answer is **buy**."


def refusal(raw: str, dto_type: Any, **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output(raw, dto_type, scalar=True, **options)
    return error.value


# --- where the option goes ---


@pytest.mark.parametrize(
    "read",
    [
        lambda: parse_llm_json_output(SAID, Rating, scalar=True),
        lambda: parse_llm_json_output_with_trace(SAID, Rating, scalar=True).value,
        lambda: parse_llm_json_output(SAID, reading_as(Rating, scalar=True)),
        lambda: parse_llm_json_output(SAID, TypeAdapter(Annotated[Rating, ReadAs(scalar=True)])),
        lambda: parse_llm_json_output(SAID, coercing(reading_as(Rating, scalar=True))),
        lambda: parse_llm_json_output(SAID, reading_as(coercing(Rating), scalar=True)),
        lambda: parse_llm_json_output(SAID, LenientEnum[Rating], scalar=True),
        lambda: AgentOutput("a", Rating, LLMJsonParseError, options={"scalar": True}).parse(SAID),
        lambda: inspect(SAID, Rating, read_as=ReadAs(scalar=True)).result,
        lambda: parse_llm_json_output(SAID, RootModel[Rating], scalar=True).root,
        lambda: parse_llm_json_output(SAID, Annotated[Rating, AfterValidator(lambda one: one)], scalar=True),
    ],
)
def test_every_way_in_takes_it(read: Callable[[], object]) -> None:
    assert read() is Rating.BUY


def test_event_loop_may_read_it() -> None:
    parsed = parse_at_once(SAID, Rating, most_work=10_000, spent=lambda _: None, scalar=True)
    assert parsed is not None
    assert parsed.value is Rating.BUY


def test_rules_and_coercions_of_an_agent_hold() -> None:
    output: AgentOutput[int] = AgentOutput("a", int, LLMJsonParseError, options={"scalar": True, "coerce": True})
    assert output.parse("The answer is 1.2万.") == 12_000


@pytest.mark.parametrize("dto_type", [Rating, int, Literal["a"], Rating | None, bool, date, datetime, Decimal, float])
def test_without_it_the_type_is_refused_and_the_option_named(dto_type: Any) -> None:  # noqa: ANN401 - any type
    with pytest.raises(TypeError, match="with scalar=True also an enum"):
        parse_llm_json_output("BUY", dto_type)


@pytest.mark.parametrize(
    "dto_type",
    [
        str,
        bytes,
        None,
        Rating | str,
        Annotated[str, Field(pattern="^a$")],
        Annotated[Rating, BeforeValidator(str.upper)],
    ],
)
def test_type_that_no_text_can_be_held_against_is_refused(dto_type: Any) -> None:  # noqa: ANN401 - any type
    with pytest.raises(TypeError, match="neither an object nor an array"):
        parse_llm_json_output("BUY", dto_type, scalar=True)


def test_type_of_an_object_is_read_as_ever() -> None:
    assert parse_llm_json_output('{"score": 4}', Review, scalar=True) == Review(score=4)
    assert refusal("The answer is 4.", Review).details["json_error"] == "no JSON object in the text"


def test_json_schema_is_one_of_an_object_as_ever() -> None:
    schema = JsonSchema({"type": "object", "properties": {"score": {"type": "integer"}}})
    assert parse_llm_json_output('{"score": 4}', schema, scalar=True) == {"score": 4}
    assert parse_llm_json_output('{"Score": 4}', schema, scalar=True, coerce=True) == {"score": 4}


def test_option_is_true_or_false() -> None:
    with pytest.raises(TypeError, match="scalar must be True or False, not 'yes'"):
        parse_llm_json_output("BUY", Rating, scalar="yes")  # type: ignore[call-overload]


# --- what types there are ---


@pytest.mark.parametrize(
    ("raw", "dto_type", "value"),
    [
        ("2", Level, Level.HIGH),
        ("Answer: 1", Literal[1, 2], 1),
        ("True", Mixed, Mixed.TRUE),
        ("null", Mixed, Mixed.NOTHING),
        ("Word", Mixed, Mixed.WORD),
        ("4.50", Decimal, Decimal("4.50")),
        ("9007199254740993.0", Decimal, Decimal("9007199254740993.0")),
        ("9007199254740993", int, 9_007_199_254_740_993),
        ("4.5", int | float, 4.5),
        ("4", int | float, 4),
        ("-0", int, 0),
        ("-0.0", Decimal, Decimal("-0.0")),
    ],
)
def test_value_is_what_the_type_asks_for(raw: str, dto_type: Any, value: object) -> None:  # noqa: ANN401 - any type
    read = parse_llm_json_output(raw, dto_type, scalar=True)
    assert (repr(read), type(read)) == (repr(value), type(value))


def test_member_that_is_no_value_of_json_is_not_read() -> None:
    assert refusal("(1, 2)", Mixed).details["stage"] == "extract"


def test_empty_member_is_read_of_nothing() -> None:
    assert refusal("Answer:", Literal["", "a"]).details["stage"] == "extract"


# --- the trace ---


def test_trace_says_where_the_value_stood() -> None:
    decoded = parse_llm_json_output_with_trace(SAID, Rating, scalar=True).decoded
    at = SAID.index("buy")

    assert [(note.stage, note.action, note.span) for note in decoded.notes] == [
        ("extract", "is named at the end", Span(at, at + 3)),
        ("extract", "chosen", Span(at, at + 3)),
    ]
    assert [(one.kind, one.path, one.before, one.after) for one in decoded.coercions] == [
        ("choice_case", "$", "buy", "BUY")
    ]
    assert decoded.data == "BUY"


@pytest.mark.parametrize(
    ("raw", "dto_type", "word"),
    [
        ("Answer: **buy**.", Rating, "buy"),
        ("The answer is 5 million.", int, "5 million"),
        ("1,200,000", int, "1,200,000"),
        ("Answer: $7", int, "$7"),
        ("2025-11-12T00:00:00Z", date, "2025-11-12T00:00:00Z"),
        ("<think>no</think>\nAnswer: ４２", int, "４２"),
    ],
)
def test_place_is_all_that_was_read(raw: str, dto_type: Any, word: str) -> None:  # noqa: ANN401 - any type
    decoded = parse_llm_json_output_with_trace(raw, dto_type, scalar=True, coerce=True).decoded
    span = decoded.span("$")
    assert span is not None
    assert (raw[slice(*span)], decoded.spans()) == (word, {"$": span})


def test_place_of_a_wrapped_value_is_that_in_the_object() -> None:
    raw = '{"answer": "buy"}'
    decoded = parse_llm_json_output_with_trace(raw, Rating, scalar=True, unwrap=True).decoded
    span = decoded.span("$")
    assert span is not None
    assert raw[slice(*span)] == '"buy"'


@pytest.mark.parametrize(("raw", "grade"), [("BUY", "wrapped"), ("Answer: BUY", "read")])
def test_grade_can_be_asked_for(raw: str, grade: Any) -> None:  # noqa: ANN401 - a grade's name
    assert parse_llm_json_output(raw, Rating, scalar=True, accept=grade) is Rating.BUY
    assert refusal(raw, Rating, accept="clean").details["grade"] == grade


def test_digits_of_another_width_are_a_repair() -> None:
    repairs = parse_llm_json_output_with_trace("Answer: ４２", int, scalar=True).decoded.repairs
    assert [(one.kind, one.offset, one.found, one.put) for one in repairs] == [("number_spelling", 8, "４２", "42")]


def test_last_of_several_is_noted() -> None:
    raw = "Answer: SELL\n\nAnswer: BUY"
    parsed = parse_llm_json_output_with_trace(raw, Rating, scalar=True, several="last")
    passed_over = [raw[slice(*note.span)] for note in parsed.decoded.notes if note.action == "passed over"]
    assert (parsed.value, passed_over) == (Rating.BUY, ["SELL"])


def test_wrapping_is_traced() -> None:
    parsed = parse_llm_json_output_with_trace('{"answer": "buy"}', Rating, scalar=True, unwrap=True)
    assert [(one.kind, one.path) for one in parsed.decoded.coercions] == [("wrapper", "$.answer")]


# --- what is refused ---


def test_error_says_where_and_what_to_do() -> None:
    error = refusal("Answer: maybe BUY", Rating, language="en")

    assert error.details["position"]["column"] == 8
    assert error.details["root"] == "scalar"
    assert error.feedback() == (
        "not valid JSON: the text is not one value of the type alone, and does not name one as its answer at its end\n"
        "at line 1, column 8\nAnswer with the value alone."
    )


def test_several_answers_are_named() -> None:
    places = refusal("Answer: SELL\n\nFinal answer: BUY", Rating).details["candidates"]
    assert [place["line"] for place in places] == [1, 3]


def test_value_that_does_not_fit_is_no_other_one() -> None:
    error = refusal("Answer: 150", Annotated[int, Field(le=100)])
    assert [one["type"] for one in error.details["validation_errors"]] == ["less_than_equal"]


def test_more_labels_than_are_looked_at_are_refused() -> None:
    assert refusal("Answer: BUY\n" * 257, Rating).details["json_error"].startswith("the text names several answers")
    assert parse_llm_json_output("Answer: BUY\n" * 256, Rating, scalar=True) is Rating.BUY


@pytest.mark.parametrize(
    "raw", ["Answer: BUY because", "Answer: BUY " * 30_000, "*" * 100_000, "9" * 5_000, "答案" * 50_000]
)
def test_hostile_text_is_refused_at_once(raw: str) -> None:
    assert refusal(raw, Rating | int, timeout=5).details["stage"] == "extract"


def test_cut_answer_is_not_kept() -> None:
    assert refusal("BUY", Rating, finished=False, keep="good").details["truncated"]


# --- beside other options ---


def test_what_is_kept_is_all_of_it() -> None:
    assert parse_llm_json_output("Answer: BUY", Rating, scalar=True, keep="good") == Partial(Rating.BUY)


def test_normalizer_gets_the_value() -> None:
    assert parse_llm_json_output("7", int, scalar=True, normalizers=[lambda one: one + 1]) == 8
    error = refusal("7", int, normalizers=[lambda one: [one]])
    assert error.details["normalizer_error"] == "returned list, not one value"


# --- while it is written ---


def test_stream_settles_at_its_end() -> None:
    stream: LLMJsonStream[Rating] = LLMJsonStream(reading_as(Rating, scalar=True))
    shown = [stream.feed(char) for char in SAID]

    assert {(one.data, one.value, str(one.state)) for one in shown} == {(None, None, "waiting")}
    assert stream.close(finished=True) is Rating.BUY


def test_stream_shows_no_object() -> None:
    stream: LLMJsonStream[Rating] = LLMJsonStream(reading_as(Rating, scalar=True, unwrap=True))
    assert stream.feed('{"answer": "BUY"}').data is None
    assert stream.close() is Rating.BUY


# --- asking for it ---


def test_repair_agent_is_not_asked() -> None:
    raw = '{"answer": "maybe BUY", "other": }'
    assert not is_repairable(raw, refusal(raw, Rating, unwrap=True))


def test_prompt_asks_for_one_value() -> None:
    prompt = with_json_requirement("Rate it.", reading_as(Rating, scalar=True))
    assert "Output ONLY the raw JSON value." in prompt
    assert '"BUY" | "SELL" | "HOLD"' in prompt
