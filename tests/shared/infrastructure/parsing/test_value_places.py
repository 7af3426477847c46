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


class Dated(BaseModel):
    when: int


class Order(BaseModel):
    id: int
    items: list[Item] = Field(default_factory=list)
    extra: Item | Dated | None = None


def refused(raw: str, normalizers: tuple[Callable[[Any], Any], ...] = (), **options: Any) -> LLMJsonParseError:  # noqa: ANN401
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(raw, Order, normalizers=normalizers, **options)
    return caught.value


def shown(raw: str, **options: Any) -> list[str | None]:  # noqa: ANN401 - as the parser's
    """The first characters of the text at each place."""
    places = refused(raw, **options).details["validation_places"]
    return [raw[place["offset"] :][:5] if place else None for place in places]


def test_value_that_a_normalizer_made_has_none() -> None:
    raw = '{"id": 1, "item": "x"}'

    assert refused(raw, (lambda data: data | {"items": "x"},)).details.get("validation_places") is None


def test_value_beside_what_a_normalizer_made_has_one() -> None:
    assert shown('{"id": "y", "item": "x"}', normalizers=(lambda data: data | {"items": []},)) == ['"y", ']


def test_where_no_stack_is_left_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise RecursionError

    monkeypatch.setattr(paths, "_walk", full)

    assert "validation_places" not in refused('{"id": "x"}').details


def test_fifty_problems_in_a_megabyte_take_no_longer_than_reading_it() -> None:
    rows = [{"name": "x" * 80, "price": "much"} for _ in range(10_000)]
    raw = json.dumps({"id": 1, "items": rows})

    start = time.perf_counter()
    assert len(refused(raw).details["validation_places"]) == 50
    assert time.perf_counter() - start < 5
