"""What is worked out of a type is kept, and never served for another type or for one that has changed."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter, create_model

from src.shared.application.typed_llm import output_schema
from src.shared.domain.answer_type import KNOWN_TYPES, AnswerType, adapter_of, per_type
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.strict_schema import NotStrictError, strict_schema
from src.shared.infrastructure.llm_json import parse_llm_json_output
from tests.processes import LIMIT


class First(BaseModel):
    n: int


class Second(BaseModel):
    n: int


@dataclass
class Plain:
    n: int


class Counted:
    """Counts how often something is worked out."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.schema = per_type(self._schema)

    def _schema(self, dto_type: AnswerType[Any]) -> dict[str, Any]:
        self.asked.append(dto_type)
        return adapter_of(dto_type).json_schema()


UNHASHABLE: Any = Annotated[First, {"no": "hash"}]
UNION: Any = First | Second


@pytest.mark.parametrize("dto_type", [First, list[First], Plain, TypeAdapter(First), UNION, UNHASHABLE], ids=str)
def test_type_is_looked_at_once(dto_type: Any) -> None:  # noqa: ANN401 - any type
    counted = Counted()
    assert counted.schema(dto_type) is counted.schema(dto_type)
    assert counted.asked == [dto_type]


def test_union_in_another_order_is_another_type() -> None:
    counted, turned = Counted(), Second | First
    assert turned == UNION
    assert counted.schema(UNION) != counted.schema(turned)  # type: ignore[arg-type]  # a union is no class to mypy


def test_two_types_without_a_hash_are_not_mixed_up() -> None:
    counted, other = Counted(), Annotated[Plain, {"no": "hash"}]
    counted.schema(UNHASHABLE)
    assert "Plain" in str(counted.schema(other))  # type: ignore[arg-type]  # Annotated is no class to mypy


def test_type_without_a_hash_lives_as_long_as_it_is_kept() -> None:
    """Else another object could get its identity, and what was worked out for it."""
    counted = Counted()

    class Note:
        __hash__ = None  # type: ignore[assignment]  # what makes the type unhashable

    note = Note()
    alive = weakref.ref(note)
    counted.schema(Annotated[First, note])  # type: ignore[arg-type]  # Annotated is no class to mypy
    del note
    counted.asked.clear()
    gc.collect()
    assert alive() is not None


def test_what_is_raised_is_not_kept() -> None:
    counted = Counted()
    for _ in range(2):
        with pytest.raises(TypeError, match="neither an object nor an array"):
            counted.schema(int)
    assert counted.asked == [int, int]


ALIASES: list[Any] = [
    lambda model: model,
    lambda model: list[model],  # type: ignore[valid-type]  # made at run time
    lambda model: Annotated[list[model], {}],  # type: ignore[valid-type]  # as above
]


@pytest.mark.parametrize("of", ALIASES, ids=["itself", "in a list", "without a hash"])
def test_model_that_was_rebuilt_is_looked_at_again(of: Any) -> None:  # noqa: ANN401 - a function
    counted, model = Counted(), create_model("Changing", n=(int, ...))
    dto_type = of(model)
    before = counted.schema(dto_type)
    model.model_fields["n"].description = "How many."
    model.model_rebuild(force=True)
    assert "How many." not in str(before)
    assert "How many." in str(counted.schema(dto_type))


def test_parser_prompt_and_schema_all_see_a_model_that_was_rebuilt() -> None:
    model = create_model("Changing", n=(int, ...))
    parse_llm_json_output('{"n": 1}', model)
    with_json_requirement("?", model)
    output_schema(model)
    model.model_fields["n"].annotation = str
    model.model_rebuild(force=True)
    assert parse_llm_json_output('{"n": "one"}', model).model_dump() == {"n": "one"}
    assert '"n": string' in with_json_requirement("?", model)
    assert output_schema(model).json_schema["properties"]["n"]["type"] == "string"


def test_adapter_that_was_rebuilt_is_looked_at_again() -> None:
    counted, adapter = Counted(), TypeAdapter(list[First])
    counted.schema(adapter)
    adapter.rebuild(force=True)
    counted.schema(adapter)
    assert counted.asked == [adapter, adapter]


def test_as_many_types_are_kept_as_the_bound_says() -> None:
    counted = Counted()
    types = [create_model(f"M{at}", n=(int, ...)) for at in range(KNOWN_TYPES + 1)]
    for model in [*types[:-1], types[0]]:
        counted.schema(model)
    assert len(counted.asked) == KNOWN_TYPES
    counted.schema(types[-1])  # the second is forgotten: the first was asked for again
    counted.schema(types[0])
    counted.schema(types[1])
    assert counted.asked[KNOWN_TYPES:] == [types[-1], types[1]]


def test_forgotten_class_is_collected() -> None:
    counted, made = Counted(), create_model("Made", n=(int, ...))
    alive = weakref.ref(made)
    counted.schema(made)
    counted.asked.clear()
    del made
    for at in range(KNOWN_TYPES):
        counted.schema(create_model(f"Other{at}", n=(int, ...)))
    gc.collect()
    assert alive() is None


def test_many_threads_get_the_schemas_of_their_types() -> None:
    counted, wrong = Counted(), list[str]()
    types = [create_model(f"T{at}", **{f"f{at}": (int, Field())}) for at in range(20)]  # type: ignore[call-overload]  # names made at run time
    together = threading.Barrier(8)

    def ask() -> None:
        together.wait(LIMIT)
        wrong.extend(
            model.__name__
            for model in types * 5
            if list(counted.schema(model)["properties"]) != [f"f{model.__name__[1:]}"]
        )

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert wrong == []
    assert set(counted.asked) == set(types)


def test_schema_of_a_request_is_the_same_object_at_every_call_and_so_is_the_strict_one() -> None:
    assert output_schema(First) is output_schema(First)
    assert output_schema(First).strict is output_schema(First).strict
    assert output_schema(First).strict == strict_schema(First.model_json_schema())


def test_schema_of_a_request_says_why_it_cannot_be_strict() -> None:
    with pytest.raises(NotStrictError, match="free keys"):
        _ = output_schema(dict[str, int]).strict
