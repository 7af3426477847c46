"""The tables of candidates: what stands around an object decides as the page says."""

import json

import pytest
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output, parse_llm_json_output_with_trace
from tests.docs.markdown import ROOT, read_page
from tests.docs.pages import PAGES, name_in, rows


class Score(BaseModel):
    """The type of the page's examples."""

    score: int


class Anything(BaseModel, extra="allow"):
    """A type that takes every object, so that the plain call is held to the table, too."""


ROWS = [
    row
    for page in (PAGES["docs/reference/candidates.md"], read_page(ROOT / "tests/docs/more_candidates.md"))
    for row in rows(page, "around the object")
]
TYPED = [row for row in ROWS if '"score"' in row[1]]
UNTYPED = [row for row in ROWS if row not in TYPED]


def text_of(row: list[str]) -> str:
    return name_in(row[1])


def expected_of(row: list[str]) -> object:
    return None if row[2] == "refused" else json.loads(name_in(row[2]))


@pytest.mark.parametrize("row", UNTYPED, ids=lambda row: row[0])
def test_row_without_a_type_is_decided_as_the_page_says(row: list[str]) -> None:
    try:
        data = decode_llm_json(text_of(row)).data
    except LLMJsonParseError:
        data = None
    assert data == expected_of(row)


@pytest.mark.parametrize("row", UNTYPED, ids=lambda row: row[0])
def test_plain_call_decides_as_the_page_says(row: list[str]) -> None:
    try:
        data = parse_llm_json_output(text_of(row), Anything).model_dump()
    except LLMJsonParseError:
        data = None
    assert data == expected_of(row)


@pytest.mark.parametrize("row", TYPED, ids=lambda row: row[0])
@pytest.mark.parametrize("with_trace", [False, True])
def test_row_with_a_type_is_decided_as_the_page_says(row: list[str], *, with_trace: bool) -> None:
    try:
        if with_trace:
            value = parse_llm_json_output_with_trace(text_of(row), Score).value
        else:
            value = parse_llm_json_output(text_of(row), Score)
        data = value.model_dump()
    except LLMJsonParseError:
        data = None
    assert data == expected_of(row)


def test_both_tables_are_held_to() -> None:
    assert (len(UNTYPED) > 25, len(TYPED) > 5) == (True, True)
