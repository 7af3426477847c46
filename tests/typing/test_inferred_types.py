"""The result has the type that was asked for, as a type checker sees it; run by mypy with the rest of the tests."""

from dataclasses import dataclass
from typing import Annotated, Any, Optional, assert_type

import pytest
from pydantic import BaseModel, Field, RootModel, TypeAdapter

from llm_output import FinishReason, LLMJsonStream, ReadAs, coercing, parse_tool_call, reading_as
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.partial import Partial
from src.shared.domain.ports.output import OutputPort
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm_json import (
    ParsedOutput,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from tests.shared.application.typed import Grade, typed

pytestmark = pytest.mark.anyio


class Item(BaseModel):
    name: str


@dataclass
class Point:
    x: int


Names = RootModel[list[str]]
ITEM = '{"name": "a"}'


def test_parsed_value_has_the_type_asked_for() -> None:
    assert_type(parse_llm_json_output(ITEM, Item), Item)
    assert_type(parse_llm_json_output('{"x": 1}', Point), Point)
    assert_type(parse_llm_json_output(f"[{ITEM}]", list[Item]), list[Item])
    assert_type(parse_llm_json_output(f'{{"k": {ITEM}}}', dict[str, Item]), dict[str, Item])
    assert_type(parse_llm_json_output('["a"]', Names), RootModel[list[str]])


def test_parsed_value_has_the_type_of_the_adapter() -> None:
    adapter: TypeAdapter[Item | list[Item]] = TypeAdapter(Item | list[Item])
    assert_type(parse_llm_json_output(ITEM, adapter), Item | list[Item])
    assert_type(parse_llm_json_output(f"[{ITEM}]", TypeAdapter(list[Item])), list[Item])


def test_traced_value_has_the_type_asked_for() -> None:
    assert_type(parse_llm_json_output_with_trace(f"[{ITEM}]", list[Item]), ParsedOutput[list[Item]])


def test_partial_is_no_value_of_the_type() -> None:
    partial = parse_llm_json_output(f"[{ITEM}]", list[Item], keep="good")
    assert_type(partial, Partial[list[Item]])
    assert_type(partial.value, list[Item])
    taken: list[Item] = partial  # type: ignore[assignment]  # mypy fails here if it takes one for the other
    del taken


def test_partial_with_its_trace_is_one_too() -> None:
    parsed = parse_llm_json_output_with_trace(f"[{ITEM}]", list[Item], keep="good")
    assert_type(parsed, ParsedOutput[Partial[list[Item]]])


def test_agent_keeps_good_parts_as_a_partial() -> None:
    assert_type(plain_output(Item).parse_good(ITEM), Partial[Item])


async def test_answer_asked_for_in_parts_is_a_partial() -> None:
    llm, _, _ = typed('{"score": 1}')
    assert_type(await llm.call_with_json("", output_model=Grade, keep="good"), Partial[Grade])


def test_decoded_data_has_the_type_of_the_root_asked_for() -> None:
    assert_type(decode_llm_json(ITEM, root="object").data, dict[str, Any])
    assert_type(decode_llm_json(ITEM).data, Any)
    assert_type(decode_llm_json("[1]", root="array").data, list[Any])
    assert_type(decode_llm_json("[1]", root="any").data, dict[str, Any] | list[Any])


def test_output_contract_has_the_type_asked_for() -> None:
    output: OutputPort[list[Item]] = plain_output(list[Item])
    assert_type(output.read(f"[{ITEM}]").value, list[Item])


async def test_answer_of_a_model_has_the_type_asked_for() -> None:
    llm: TypedLLM = typed('[{"score": 80}]')[0]
    assert_type(await llm.call_with_json("Grade them.", output_model=list[Grade]), list[Grade])


# --- types that are no classes ---

Tagged = Annotated[Item | Point, Field(description="either")]
ITEM_OR_POINT = TypeAdapter[Item | Point]


def test_parsed_value_of_a_union_has_its_type() -> None:
    """mypy and pyright know `A | B` and `Annotated` as types where a parameter is a `TypeForm`."""
    assert_type(parse_llm_json_output(ITEM, Item | Point), Item | Point)
    assert_type(parse_llm_json_output(ITEM, Item | list[Item]), Item | list[Item])
    assert_type(parse_llm_json_output(ITEM, Optional[Item]), Item | None)  # noqa: UP045 - as older code writes it
    assert_type(parse_llm_json_output(ITEM, Annotated[Item, ReadAs(unwrap=True)]), Item)
    assert_type(parse_llm_json_output(ITEM, Tagged), Item | Point)
    assert_type(parse_llm_json_output(f"[{ITEM}]", list[Item | Point]), list[Item | Point])
    assert_type(parse_llm_json_output(ITEM, Item | Point, keep="good"), Partial[Item | Point])
    assert_type(parse_llm_json_output(ITEM, Item | Point, finished=FinishReason.STOP, several="last"), Item | Point)


def test_whatever_takes_a_type_takes_a_union() -> None:
    assert_type(parse_llm_json_output_with_trace(ITEM, Item | Point), ParsedOutput[Item | Point])
    assert_type(parse_tool_call(ITEM, Item | Point), Item | Point)
    assert_type(plain_output(Item | Point).parse(ITEM), Item | Point)
    assert_type(reading_as(Item | Point, unwrap=True), ITEM_OR_POINT)
    assert_type(coercing(Item | Point), ITEM_OR_POINT)
    stream = LLMJsonStream(Item | Point)
    stream.feed(ITEM)
    assert_type(stream.close(), Item | Point)


async def test_answer_of_a_model_may_be_a_union() -> None:
    llm: TypedLLM = typed(ITEM)[0]
    assert_type(await llm.call_with_json("", output_model=Item | Point), Item | Point)
