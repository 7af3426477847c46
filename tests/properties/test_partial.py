"""Nothing that is kept is invented: it is what the element alone is parsed to, and it was whole in the text."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output


class Item(BaseModel):
    name: str
    count: int = Field(7, ge=0)


class Report(BaseModel):
    title: str
    items: list[Item]
    total: int = 0
    remark: str = ""


names = st.text(alphabet="ab 中，\"\\\n{}[],:'", max_size=5)
elements = st.one_of(
    st.fixed_dictionaries({"name": names}, optional={"count": st.integers(0, 99)}),
    st.fixed_dictionaries({"name": names, "count": st.integers(-9, -1)}),
    st.fixed_dictionaries({"name": st.integers()}),
    st.fixed_dictionaries({"other": names}),
    st.integers() | names | st.none(),
)
layouts = st.sampled_from([None, 1, 2])


def alone(element: object) -> Item | None:
    """What the element is parsed to by itself."""
    try:
        return parse_llm_json_output(json.dumps(element), Item)
    except LLMJsonParseError:
        return None


@given(st.lists(elements, max_size=6), layouts)
def test_each_element_is_kept_as_it_is_parsed_alone_or_named(rows: list[Any], indent: int | None) -> None:
    text = json.dumps(rows, ensure_ascii=False, indent=indent)
    partial = parse_llm_json_output(text, list[Item], keep="good")
    by_themselves = [alone(row) for row in rows]
    assert partial.value == [item for item in by_themselves if item is not None]
    assert [problem.path for problem in partial.problems] == [
        f"$[{at}]" for at, item in enumerate(by_themselves) if item is None
    ]


@given(st.lists(elements, max_size=6), layouts)
def test_text_of_what_is_left_out_is_the_element(rows: list[Any], indent: int | None) -> None:
    text = json.dumps(rows, ensure_ascii=False, indent=indent)
    for problem in parse_llm_json_output(text, list[Item], keep="good").problems:
        assert json.loads(problem.text) == rows[int(problem.path[2:-1])]
        assert text.startswith(problem.text, (problem.place or {})["offset"])


@given(st.lists(elements, max_size=5), layouts, st.data())
def test_of_a_list_cut_anywhere_only_whole_elements_are_kept(
    rows: list[Any], indent: int | None, data: st.DataObject
) -> None:
    whole = json.dumps(rows, ensure_ascii=False, indent=indent)
    text = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        partial = parse_llm_json_output(text, list[Item], keep="good")
    except LLMJsonParseError:
        return
    by_themselves = [alone(row) for row in rows]
    kept = [item for item in by_themselves if item is not None]
    assert partial.value == kept[: len(partial.value)]
    assert partial.problems[-1].error.details["truncated"]


@given(st.lists(st.integers(), min_size=1, max_size=5), st.data())
def test_number_at_the_end_of_a_cut_list_is_never_kept(rows: list[int], data: st.DataObject) -> None:
    whole = json.dumps(rows)
    text = whole[: data.draw(st.integers(1, len(whole) - 1))]
    try:
        value = parse_llm_json_output(text, list[int], keep="good").value
    except LLMJsonParseError:
        value = []
    assert value == rows[: len(value)]
    assert len(value) <= text.count(",")


@given(st.lists(elements, max_size=3), names, st.integers(), names, layouts, st.data())
def test_of_an_object_cut_anywhere_each_field_is_whole_or_named(
    rows: list[Any], title: str, total: int, remark: str, indent: int | None, data: st.DataObject
) -> None:
    given_ = {"title": title, "items": rows, "total": total, "remark": remark}
    whole = json.dumps(given_, ensure_ascii=False, indent=indent)
    text = whole[: data.draw(st.integers(1, len(whole) - 1))]
    try:
        partial = parse_llm_json_output(text, Report, keep="good")
    except LLMJsonParseError:
        return
    named = {problem.path for problem in partial.problems}
    good = [item for item in map(alone, rows) if item is not None]
    assert partial.value.title == title
    assert partial.value.items == good[: len(partial.value.items)]
    for field, value in (("total", total), ("remark", remark)):
        assert getattr(partial.value, field) == value or f"$.{field}" in named
