"""Commas, colons, brackets and gaps: what stands between values."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import (
    NUMBER_OR_TEXT,
)
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import reading_of, refusal_of, trace_of

ELISIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "before the first element": ('{"a": [..., 1]}', {"a": [1]}),
    "before the first member": ('{..., "a": 1}', {"a": 1}),
    "of one character": ('{"a": [… 1]}', {"a": [1]}),
    "between two elements": ('{"a": [1, ..., 9]}', {"a": [1, 9]}),
    "after the last element": ('{"a": [1, 2, ...]}', {"a": [1, 2]}),
    "after the last member": ('{"a": 1, ...}', {"a": 1}),
    "on a line of its own": ('{\n"a": 1,\n...\n}', {"a": 1}),
    "a comment": ('{"a": [1, // ... 8 more rows\n9]}', {"a": [1, 9]}),
    "a comment in words": ('{"a": [1, // 8 more rows\n9]}', {"a": [1, 9]}),
    "a comment between marks": ('{"a": [1, /* other items omitted */ 9]}', {"a": [1, 9]}),
    "a comment in Chinese": ('{"a": [1, # 其余省略\n9]}', {"a": [1, 9]}),
}


@texts({name: raw for name, (raw, _) in ELISIONS.items()})
def test_elision_is_a_loss_and_refused(raw: str) -> None:
    assert "left out" in refusal_of(raw).message


@cases(ELISIONS)
def test_salvage_keeps_what_stands_around_an_elision_and_says_that_something_is_lost(
    raw: str, data: dict[str, Any]
) -> None:
    decoded = decode_llm_json(raw, salvage=True)
    assert (decoded.data, decoded.truncated) == (data, True)


def test_ellipsis_is_traced_where_it_stood() -> None:
    repairs = decode_llm_json('{"a": [1, ..., 9]}', salvage=True).repairs
    assert [(one.kind, one.offset, one.found, one.put) for one in repairs] == [
        (K.ELLIPSIS, 10, "...", ""),
        (K.DOUBLED_COMMA, 13, ",", ""),
    ]


@texts({"in an object": '{"a": {...}}', "in a list": '{"a": [...], "b": 1}', "of one character": '{"a": [ … ]}'})
def test_ellipsis_in_place_of_all_contents_is_no_value_even_for_salvage(raw: str) -> None:
    assert "ellipsis" in refusal_of(raw, salvage=True).message


@pytest.mark.parametrize("char", ["\ufeff", "\u200b", "\u200d", "\u2060", "\u00a0", "\u202f", "\u3000", "\u2028"])
@pytest.mark.parametrize(
    "raw", ['{{{}"a": 1}}', '{{"a"{}: 1}}', '{{"a": {}1}}', '{{"a": 1{}}}', '{{"a": 1, {}"b": 2}}']
)
def test_invisible_character_between_tokens_is_dropped(raw: str, char: str) -> None:
    data, kinds = reading_of(raw.format(char))
    assert (data["a"], kinds) == (1, {K.INVISIBLE_CHARACTER})


def test_characters_that_show_nothing_are_one_repair_for_each_stretch_and_counted() -> None:
    repairs = trace_of('{"a": \u200b \u200b\ufeff 1,\u00a0\u00a0 "b": 2}')
    assert [(one.offset, one.found, one.put, one.count) for one in repairs] == [
        (6, "\u200b \u200b\ufeff", " ", 3),
        (13, "\u00a0\u00a0", " ", 2),
    ]


@texts(
    {
        f"a number and {sign}": f'{{"a": 0.85{sign}\n "v": null}}'
        for sign in ("／", "¦", "│", "❘", "‖", "·", "•", "､", "﹐", "،", "؛", "．", "｡")
    }
)
def test_number_and_a_sign_that_divides_is_no_text(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == NUMBER_OR_TEXT.en
