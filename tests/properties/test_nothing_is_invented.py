"""What is unwrapped equals the inner text parsed, what is split equals the rows, and a number is what the text says."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_calls import parse_tool_call
from tests.properties.json_texts import awkward_text

WORDS = awkward_text.filter(lambda text: not any(0xD800 <= ord(char) <= 0xDFFF for char in text))
LAYOUTS = st.sampled_from([None, 0, 2])


class Row(BaseModel):
    name: str
    count: int
    note: str | None = None


class Box(BaseModel):
    rows: list[Row]


class Exact(BaseModel):
    whole: int
    exact: Decimal


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    row = {"name": draw(WORDS), "count": draw(st.integers())}
    return row | ({"note": draw(WORDS)} if draw(st.booleans()) else {})


def members(row: dict[str, Any], indent: int | None) -> str:
    """What stands between the braces of an object."""
    return json.dumps(row, ensure_ascii=False, indent=indent)[1:-1].strip()


@given(st.lists(rows(), min_size=1, max_size=4), LAYOUTS)
def test_rows_that_are_split_are_the_rows(some: list[dict[str, Any]], indent: int | None) -> None:
    text = "[{" + ", ".join(members(row, indent) for row in some) + "}]"
    expected = [parse_llm_json_output(json.dumps(row), Row, finished=True) for row in some]

    assert parse_llm_json_output(text, list[Row], run_together="split") == expected
    assert parse_llm_json_output(f'{{"rows": {text}}}', Box, run_together="split") == Box(rows=expected)
    if len(some) > 1:
        with pytest.raises(LLMJsonParseError) as error:
            parse_llm_json_output(text, list[Row])
        assert error.value.details["validation_errors"][0]["type"] == "rows_run_together"


@given(st.lists(st.lists(rows(), min_size=1, max_size=2), min_size=1, max_size=4), LAYOUTS)
def test_no_row_is_lost_silently(groups: list[list[dict[str, Any]]], indent: int | None) -> None:
    text = "[" + ", ".join("{" + ", ".join(members(row, indent) for row in group) + "}" for group in groups) + "]"
    try:
        read = parse_llm_json_output(text, list[Row])
    except LLMJsonParseError:
        read = parse_llm_json_output(text, list[Row], run_together="split")

    assert [row.model_dump(exclude_unset=True) for row in read] == [row for group in groups for row in group]


@given(st.lists(rows(), min_size=2, max_size=4), st.sampled_from(["\n", ", ", ",\n", " "]))
def test_rows_without_brackets_are_the_rows(some: list[dict[str, Any]], between: str) -> None:
    text = between.join(json.dumps(row) for row in some)

    assert parse_llm_json_output(text, list[Row], finished=True) == [Row(**row) for row in some]
    with pytest.raises(LLMJsonParseError) as error:
        parse_llm_json_output(text, list[Row])
    assert error.value.details["truncated"]


@given(rows(), st.sampled_from(["output", "Row", "结果", "a\nb"]), st.booleans(), st.booleans(), LAYOUTS)
def test_what_is_unwrapped_is_the_inner_text(
    row: dict[str, Any],
    key: str,
    in_list: bool,  # noqa: FBT001 - drawn
    in_key: bool,  # noqa: FBT001 - drawn
    indent: int | None,
) -> None:
    inner: Any = [row] if in_list else row
    text = json.dumps({key: inner} if in_key else inner, indent=indent)

    assert parse_llm_json_output(text, Row, unwrap=True) == parse_llm_json_output(json.dumps(row), Row)


@given(st.lists(rows(), max_size=3))
def test_json_in_a_string_is_what_the_string_says(some: list[dict[str, Any]]) -> None:
    inner = json.dumps(some)
    text = json.dumps({"rows": inner})

    assert parse_llm_json_output(text, Box, coerce=True).rows == parse_llm_json_output(inner, list[Row], finished=True)


FORMULAS = st.lists(
    st.sampled_from([r"\frac", r"\beta", r"\times", r"\nabla", r"\right", r"\to", " x ", "{1}", "é"])
).map("".join)


@given(FORMULAS)
def test_latex_that_is_read_so_is_the_text_as_it_stands(formula: str) -> None:
    assert parse_llm_json_output(f'{{"name": "{formula}", "count": 1}}', Row, escapes="latex").name == formula


@given(st.lists(st.sampled_from(["new", "temp", "bin", "fonts", "roms"]), min_size=1))
def test_path_that_is_read_so_is_the_text_as_it_stands(parts: list[str]) -> None:
    path = "C:\\" + "\\".join(parts)

    assert parse_llm_json_output(f'{{"name": "{path}", "count": 1}}', Row, escapes="path").name == path


@given(WORDS, WORDS)
def test_what_is_escaped_as_json_wants_it_is_never_changed(name: str, note: str) -> None:
    text = json.dumps({"name": name.replace("\\", "/"), "count": 1})
    doubled = json.dumps({"name": "x\\" + note.replace("\b", "").replace("\f", ""), "count": 1})

    for escapes in ("latex", "path"):
        assert parse_llm_json_output(doubled, Row, escapes="json").name.startswith("x\\")
        if not any(control in name for control in "\b\f\n\r\t"):
            assert parse_llm_json_output(text, Row, escapes=escapes) == parse_llm_json_output(text, Row)


@given(
    st.integers(-(10**30), 10**30),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.sampled_from(["", ".0", ".000"]),
)
def test_numbers_are_what_the_text_says_on_every_way(whole: int, exact: Decimal, fraction: str) -> None:
    text = f'{{"whole": {whole}{fraction}, "exact": {exact:f}}}'
    damaged = text.replace('"whole"', "whole")
    stream: LLMJsonStream[Exact] = LLMJsonStream(Exact)
    stream.feed(text)
    read = [
        parse_llm_json_output(text, Exact),
        parse_llm_json_output(damaged, Exact),
        stream.close(),
        parse_tool_call(text, Exact),
    ]

    assert {repr(one) for one in read} == {repr(Exact(whole=whole, exact=exact))}
