"""Clean text goes straight through Pydantic: the result, or the refusal, is that of the long way."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.fields import Confidence, FiniteNumber, QuantityText, Score
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing.decoded import all_notes
from src.shared.infrastructure.parsing.finishing import finish
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.stages import search
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.parsing.target_type import target_type
from tests.properties.damaged_texts import mutated, small_json, styled_json
from tests.properties.json_texts import json_texts


class Inner(BaseModel):
    a: int = 0
    b: str | None = None


class Mixed(BaseModel):
    a: int = 0
    b: float = 0.0
    c: str = ""
    d: bool = False
    e: Literal["x", "y"] = "x"
    f: list[int] = []
    g: dict[str, float] = {}
    h: Inner | None = None
    i: Any = None
    j: list[Inner] = []
    k: dict[int, bool] = {}


class Shared(BaseModel):
    a: Confidence = 0
    b: QuantityText = ""
    c: Score = 0
    d: FiniteNumber = 0


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: Annotated[str, Field(alias="A")] = ""


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int | str = 0
    b: list[Any] = []


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    a: Decimal = Decimal(0)
    b: date | None = None
    c: Literal["x", 1] = "x"
    d: float | Decimal = 0
    e: tuple[int, ...] | str = ()


@dataclass
class Plain:
    a: Decimal | int = 0
    b: date | str = ""
    c: UUID | None = None


class Partial(TypedDict, total=False):
    a: int
    b: Annotated[str, Field(alias="x")]


TYPES: list[Any] = [
    *(Mixed, Shared, Open, Closed, ValuationResultDTO, Strict, Plain, Partial, RootModel[dict[str, Decimal]]),
    *(list[Strict], list[Inner | Partial], TypeAdapter(Plain | Inner | list[Plain]), dict[str, Any]),
]

SPELLINGS = (
    "1", "-0", "1.0", "1e2", "-0.0", "1.5", "1e400", "9" * 30, "true", "null", '"1"', '"1.0"', '"true"', '""', '"x"',
    '"y"', "0.1", "5e-324", "1.7976931348623159e308", "123456789.123456789", "100", "[]", "[1]", '[1.0, "2", true]',
    "{}", '{"a": 1}', '{"a": 1.5}', '{"1": true}', '{"b": null, "a": "7"}', '[{"a": 1}, {"b": "x"}]', '"\\ud800"',
    '"\\ud83d\\ude00"', '"\\u0000"', '"中文"', '"NaN"', "NaN", '" 1 "', '"1_000"', "2147483648",
    "9223372036854775808", "1.10", "0.12345678901234567890", '"2024-01-05"',
    '"12345678-1234-5678-1234-567812345678"', '"0.5"', '"１"',
)  # fmt: skip
"""Values at which a JSON validator and one of Python objects could differ."""

members = st.builds(
    '"{}": {}'.format, st.sampled_from([*"abcdefghijkAx", "valuation_verdict"]), st.sampled_from(SPELLINGS)
)
typed_objects = st.lists(members, max_size=4).map(lambda some: "{" + ", ".join(some) + "}")
typed_texts = typed_objects | st.lists(typed_objects, max_size=3).map(lambda some: "[" + ", ".join(some) + "]")


def through_all_stages(raw: str, dto_type: Any) -> ParseState:  # noqa: ANN401 - any type
    state = ParseState.of(raw, Target(target_type(dto_type)))
    return finish(search(state))


def inspected(raw: str, dto_type: Any) -> object:  # noqa: ANN401 - any type
    reading = inspect(raw, dto_type)
    if reading.error:
        raise reading.error
    return reading.result


WAYS: list[Callable[[str, Any], object]] = [
    parse_llm_json_output,
    lambda raw, dto_type: parse_llm_json_output_with_trace(raw, dto_type).value,
    inspected,
    lambda raw, dto_type: through_all_stages(raw, dto_type).result,
]


def outcome(way: Callable[[str, Any], object], raw: str, dto_type: Any) -> str:  # noqa: ANN401 - any type
    try:
        return repr(way(raw, dto_type))
    except LLMJsonParseError as error:
        return json.dumps(error.details | {"root": None}, sort_keys=True)


def evidence(read: Callable[[str], ParseState | DecodedJson[Any]], raw: str) -> object:
    try:
        found = read(raw)
    except LLMJsonParseError as error:
        return error.message, error.details
    return found.data, found.repairs, all_notes(found) if isinstance(found, ParseState) else found.notes


@given(typed_texts | mutated(typed_texts) | json_texts(), st.sampled_from(TYPES))
@example('{"a": ' + "[" * 300 + "]" * 300 + "}", Open)
def test_result_with_and_without_evidence_is_the_same(raw: str, dto_type: Any) -> None:  # noqa: ANN401 - any type
    assert len({outcome(way, raw, dto_type) for way in WAYS}) == 1


UNSEEN = {RepairKind.DUPLICATE_KEY, RepairKind.NON_FINITE_NUMBER}
"""What the short way does not see; the value is the same."""
WRAPPINGS = [
    ("Here it is:\n", "\nI hope it helps."),
    ("<think>a</think>Answer: ", ""),
    ("Example:\n```json\n", "\n```"),
    ("", ""),
    (" ", "\n"),
    ("```json\n", "\n```"),
    ("```\n", "```"),
    ("<think>{}</think>", ""),
    ("<think>a</think>\n```json\n", "\n```"),
]


def wrapped(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda ends, text: ends[0] + text + ends[1], st.sampled_from(WRAPPINGS), texts)


@given(wrapped(styled_json() | json_texts()) | mutated(wrapped(small_json)))
@example('{"a": 1, "a": 2}')
def test_short_way_reads_what_the_stages_read(raw: str) -> None:
    value = validate_directly(raw, target_type(Open))
    if value is UNREAD:
        return
    state = through_all_stages(raw, Open)
    assert repr(state.result) == repr(value)
    assert {repair.kind for repair in state.repairs} <= UNSEEN


@given(wrapped(styled_json() | json_texts()) | mutated(wrapped(small_json)))
@example('```json\n{"a": "\t"}\n```')
@example('Note: "x"\n```json\n{"a": "\\times"}\n```"')
@example("\u00a0<think>a</think>\u00a0{}")
@example('{"a": 1}' + " " * 100 + ", 12, 13")
@example('"x":' + "\n" * 50 + '{"a": 1}')
@example('Here it is:\n{"<|channel|>1.5":"<|message|>"}\nI hope it helps.')
def test_plain_way_leaves_the_evidence_that_the_stages_leave(raw: str) -> None:
    def long_way(raw: str) -> ParseState:
        return finish(search(ParseState.of(raw, Target())))

    assert repr(evidence(decode_llm_json, raw)) == repr(evidence(long_way, raw))
