"""The description that goes into a prompt holds everything the agents' contracts and the eleven formats ask for."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from src.modules.workbench.domain import response_formats
from src.shared.domain.type_description import describe_type
from tests.modules.agent_contract import AgentContract, Choice, Kind, Nested, Number, Objects, Place, Text, Texts
from tests.modules.all_contracts import CONTRACTS, each_agent, each_kind, every_place

FORMATS = [
    value
    for value in vars(response_formats).values()
    if isinstance(value, type) and issubclass(value, BaseModel) and value is not BaseModel
]
TYPES = [*(contract.dto for contract in CONTRACTS), *FORMATS]
each_type = pytest.mark.parametrize("dto_type", TYPES, ids=lambda dto_type: dto_type.__name__)


def line_of(contract: AgentContract, place: Place) -> str:
    """The line that describes a place: of its key, below those of the objects it is in."""
    lines = [line.strip() for line in describe_type(contract.dto).splitlines()]
    at = 0
    for key in (step for step in place if isinstance(step, str)):
        at = next(number for number in range(at, len(lines)) if lines[number].startswith(f'"{key}": '))
        inner = lines[at].partition(": ")[2].partition(" // ")[0].strip("[],")
        if f"{inner} = {{" in lines:
            at = lines.index(f"{inner} = {{")
    return lines[at]


@each_kind(every_place())
def test_every_place_of_a_contract_is_described_with_its_type(
    contract: AgentContract, place: Place, kind: Kind
) -> None:
    written = line_of(contract, place).partition(" // ")[0]
    match kind:
        case Choice():
            assert all(json.dumps(member, ensure_ascii=False) in written for member in kind.members)
        case Number():
            assert f": {'integer' if kind.whole else 'number'}" in written
        case Texts():
            assert ": [string]" in written
        case Text():
            assert ": string" in written
        case Objects() | Nested():
            assert "{" in written or written.rstrip(",").endswith(" = {")


@each_kind([case for case in every_place() if isinstance(case[2], Number) and case[2].bounded])
def test_every_bound_of_a_contract_is_described(contract: AgentContract, place: Place, kind: Number) -> None:
    assert f"// >={kind.low:g} <={kind.high:g};" in line_of(contract, place)


COUNTED = [case for case in every_place() if isinstance(case[2], Texts | Objects) and case[2].least]


@each_kind(COUNTED)
def test_every_least_number_of_items_is_described(contract: AgentContract, place: Place, kind: Texts | Objects) -> None:
    exact = isinstance(kind, Objects) and kind.most == kind.least
    assert f"// items {'=' if exact else '>='}{kind.least};" in line_of(contract, place)


@each_agent
def test_what_may_be_left_out_is_marked_and_nothing_else(contract: AgentContract) -> None:
    marked = {line.split('"')[1] for line in describe_type(contract.dto).splitlines() if "// optional" in line}
    schema = contract.dto.model_json_schema()
    objects = [schema, *schema.get("$defs", {}).values()]
    assert marked == {name for each in objects for name in each["properties"] if name not in each["required"]}


# --- every type, against what Pydantic says of it -----------------------------------------------------------


def said_in(schema: dict[str, Any]) -> Iterator[str]:
    """Field names, descriptions of fields and literals anywhere in a schema, as a description writes them."""
    for name, member in schema.get("properties", {}).items():
        yield json.dumps(name, ensure_ascii=False)
        yield member["description"]
        yield from (json.dumps(value, ensure_ascii=False) for value in member.get("enum", ()))
    for definition in schema.get("$defs", {}).values():
        yield from said_in(definition)


@each_type
def test_every_name_description_and_literal_is_in_the_description(dto_type: type[BaseModel]) -> None:
    described = describe_type(dto_type)
    assert [part for part in said_in(dto_type.model_json_schema()) if part not in described] == []


@each_type
def test_fields_stand_in_the_order_of_the_class(dto_type: type[BaseModel]) -> None:
    lines = describe_type(dto_type).splitlines()
    own = [line.split('"')[1] for line in lines[: lines.index("}")] if line.startswith('  "')]
    assert own == list(dto_type.model_fields)


@each_type
def test_description_is_shorter_than_the_schema(dto_type: type[BaseModel]) -> None:
    assert len(describe_type(dto_type)) < len(json.dumps(dto_type.model_json_schema(), ensure_ascii=False)) * 0.7
