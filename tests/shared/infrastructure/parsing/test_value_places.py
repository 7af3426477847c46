"""A value that the type refuses is shown where it stands in the raw text."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing import paths


class Item(BaseModel):
    name: str
    price: int


class Order(BaseModel):
    id: int
    items: list[Item] = Field(default_factory=list)


def refused(raw: str, normalizers: tuple[Callable[[Any], Any], ...] = ()) -> dict[str, Any]:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, Order, normalizers=normalizers)
    return caught.value.details


@pytest.mark.parametrize(
    ("raw", "made", "offsets"),
    [('{"id": 1, "item": "x"}', {"items": "x"}, None), ('{"id": "y", "item": "x"}', {"items": []}, [7])],
    ids=["the value itself", "a value beside it"],
)
def test_value_that_a_normalizer_made_has_no_place(raw: str, made: dict[str, Any], offsets: list[int] | None) -> None:
    places = refused(raw, (lambda data: data | made,)).get("validation_places")
    assert (places and [place["offset"] for place in places]) == offsets


def test_where_no_stack_is_left_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise RecursionError

    monkeypatch.setattr(paths, "parts_in", full)

    assert "validation_places" not in refused('{"id": "x"}')


def test_fifty_problems_in_a_megabyte_take_no_longer_than_reading_it() -> None:
    rows = [{"name": "x" * 80, "price": "much"} for _ in range(10_000)]
    raw = json.dumps({"id": 1, "items": rows})

    start = time.perf_counter()
    assert len(refused(raw)["validation_places"]) == 50
    assert time.perf_counter() - start < 5
