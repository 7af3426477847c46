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


@pytest.mark.parametrize(
    ("raw", "at"),
    [
        ('{"id": "x1234"}', ['"x123']),
        ('{"id": 1, "items": [{"name": "a", "price": 1}, {"name": "b", "price": "much"}]}', ['"much']),
        ('{"id": 1, "items": [{"name": "a"}]}', ['{"nam']),
        ('{"items": []}', ['{"ite']),
        ('{"id": 1, "id": "twice"}', ['"twic']),
        ('{"id": [1, 2, 3, 4]}', ["[1, 2"]),
        ("{'id': 'no number', items: [],}", ["'no n"]),
        ('Here:\n```json\n{"id": "fenced"}\n```', ['"fenc']),
        ('<think>{"id": 1}</think>{"id": "after"}', ['"afte']),
        ('{"id": 1, "items": ["text", 7, {"price": 1, "name": 2}]}', ['"text', '7, {"', "2}]}"]),
    ],
)
def test_place_is_where_the_value_starts(raw: str, at: list[str]) -> None:
    assert shown(raw) == at


def test_place_has_line_column_and_offset() -> None:
    assert refused('{\n  "id": "x"\n}').details["validation_places"] == [{"line": 2, "column": 9, "offset": 10}]


def test_names_of_a_unions_members_are_no_keys_of_the_data() -> None:
    raw = '{"id": 1, "extra": {"name": "a", "price": "much", "when": "never"}}'

    assert shown(raw) == ['"much', '"neve']


def test_value_that_is_none_of_a_unions_members_has_its_place_for_each_of_them() -> None:
    assert shown('{"id": 1, "extra": 77777}') == ["77777", "77777"]


def test_text_that_was_escaped_as_a_whole_has_none() -> None:
    assert "validation_places" not in refused(json.dumps('{"id": "wrong"}')).details


def test_root_of_such_a_text_has_one() -> None:
    assert shown(json.dumps('{"items": []}')) == ['"{\\"i']


def test_value_that_a_normalizer_made_has_none() -> None:
    raw = '{"id": 1, "item": "x"}'

    assert refused(raw, (lambda data: data | {"items": "x"},)).details.get("validation_places") is None


def test_raw_control_characters_are_no_hindrance() -> None:
    assert shown('{"id": "a\n\n\tb", "items": "c"}') == ['"a\n\n\t', '"c"}']


def test_text_whose_edits_alone_make_no_json_has_none() -> None:
    assert "validation_places" not in refused('{\\"id\\":{\\n\\"a\\":@}\\n}').details


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
