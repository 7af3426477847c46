"""Answers in other notations than JSON: the rows of `tests/tables/notations.toml`, and what always holds."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from datetime import date
from decimal import Decimal
from typing import Any, Literal
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, model_validator
from ruamel.yaml import YAML

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.options import Notation
from src.shared.domain.read_as import reading_as
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.notations.fields import NotationError
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.notated import MOST_CHARACTERS, MOST_YAML
from tests.tables.rows import Row, table

OTHERS: tuple[Notation, ...] = ("yaml", "xml", "labelled", "markdown")


class Rated(BaseModel):
    """A flat answer."""

    rating: Literal["BUY", "SELL"]
    score: int
    price: Decimal = Decimal(0)
    note: str = ""


class Optional(BaseModel):
    """Fields that may be null."""

    rating: str
    score: float | None = None
    flag: bool = False
    note: str | None = None


class Either(BaseModel):
    """A field that takes two kinds of values."""

    v: int | str
    w: str = ""


class Close(BaseModel):
    """Names that differ in a separator."""

    a_b: int
    ab: int = 0


class Inner(BaseModel):
    """A part."""

    name: str
    n: int | None = None


class Report(BaseModel):
    """An answer with parts."""

    title: str
    tags: list[str] = []
    items: list[Inner] = []
    one: Inner | None = None
    when: date | None = None
    ok: bool = False


class Parts(BaseModel):
    """A list of parts or texts."""

    parts: list[Inner | str]


class Titled(BaseModel):
    """Fields with a title and with an alias."""

    key_risks: str = Field(title="Main risks")
    conclusion: str = Field(alias="结论", default="")


class Marked(BaseModel):
    """A choice with marks of emphasis in it, and one without."""

    mark: Literal["a", "*a*"]
    level: Literal["b", "c"]


class Loose(BaseModel):
    """Fields that may be anything."""

    a: Any
    b: int | None
    c: float = 0
    d: bool | str = ""


TYPES: dict[str, Any] = {one.__name__: one for one in (Rated, Optional, Either, Close, Report, Parts, Titled, Marked)}
TYPES["list[Rated]"] = list[Rated]
ROWS = table("notations")["row"]


def refusal(text: str, dto_type: Any = Rated, **options: Any) -> LLMJsonParseError:  # noqa: ANN401 - any type
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output(text, dto_type, **{"notations": OTHERS, "finished": True, **options})
    return caught.value


def read(text: str, dto_type: Any = Rated, **options: Any) -> Any:  # noqa: ANN401 - any type
    return parse_llm_json_output(text, dto_type, **{"notations": OTHERS, "finished": True, **options})


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['notations'][0]} {at}" for at, row in enumerate(ROWS)])
def test_row_is_read_or_refused(row: Row) -> None:
    dto_type = TYPES[row["type"]]
    options: Any = {"notations": row["notations"], "finished": None if row.get("open") else True}
    for text in row["texts"]:
        if "value" in row:
            parsed = parse_llm_json_output_with_trace(text, dto_type, **options)
            assert TypeAdapter(dto_type).dump_json(parsed.value, by_alias=True).decode() == row["value"], text
            assert parsed.decoded.grade is Grade.READ
            assert {note.action for note in parsed.decoded.notes} & {f"read as {one}" for one in row["notations"]}
        else:
            error = refusal(text, dto_type, **options)
            found = [
                f"{'.'.join(map(str, one['loc']))}: {one['type']}" for one in error.details.get("validation_errors", ())
            ]
            assert found == row.get("problems", []), text
            assert str(error.details.get("json_error", "")).endswith(row.get("why", "")), text


def test_at_least_150_near_misses_are_refused() -> None:
    assert sum(len(row["texts"]) for row in ROWS if "value" not in row) > 150


# --- JSON comes first ---


@pytest.mark.parametrize(
    "text",
    [
        '{"rating": "HOLD", "score": 4}\n\n```yaml\nrating: BUY\nscore: 4\n```',
        '{"rating": "HOLD", "score": 4',
        'Here: {"rating": "HOLD"\n\n<answer><rating>BUY</rating><score>4</score></answer>',
        "Here: {rating: HOLD, score: 4}\n| rating | score |\n|---|---|\n| BUY | 4 |\n\nbye",
        '"rating": "BUY",\n"score": 4,',
        "",
        "<think>rating: BUY\nscore: 4",
        '<tool_call>{"name": "f", "arguments": {"rating": "BUY"}}</tool_call>',
        "no answer",
    ],
)
def test_refusal_of_json_is_final(text: str) -> None:
    alone = refusal(text, notations=["json"])
    error = refusal(text, notations=["yaml", "xml", "markdown"])
    if text == "no answer":
        assert error.details["json_error"] != alone.details["json_error"]
        assert error.details["notations"] == ["yaml", "xml", "markdown"]
    else:
        assert error.details == alone.details


def test_json_is_read_as_without_the_option() -> None:
    for text in (
        '{"rating": "BUY", "score": 4}',
        "```json\n{'rating': 'BUY', score: 4,}\n```",
        "Sure: {rating: BUY, score: 4}.",
    ):
        one = parse_llm_json_output_with_trace(text, Rated)
        other = parse_llm_json_output_with_trace(text, Rated, notations=set(OTHERS))
        assert (one.value, one.decoded.repairs, one.decoded.grade) == (
            other.value,
            other.decoded.repairs,
            other.decoded.grade,
        )


def test_braces_in_a_value_are_no_json_of_the_type() -> None:
    text = 'Done.\n\n<answer><rating>a</rating><note>{"x": 1}</note></answer>'
    assert read(text, Optional) == Optional(rating="a", note='{"x": 1}')
    assert refusal('<a>{"x": 1}</b>', Optional).details["stage"] == "validate"


def test_text_without_the_option_imports_no_notation() -> None:
    program = (
        "import sys, llm_output, pydantic\nclass A(pydantic.BaseModel):\n    a: int\n"
        "try:\n    llm_output.parse_llm_json_output('a: 1', A)\nexcept llm_output.LLMJsonParseError:\n    pass\n"
        "print(sorted(name for name in sys.modules if '.parsing.notated' in name or 'ruamel' in name))"
    )
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - our own
    assert run.stdout == "[]\n"


# --- who may ask, and what is never asked ---


def test_every_way_to_ask_reads_the_same() -> None:
    text = "```yaml\nrating: BUY\nscore: 4\n```"
    wanted = Rated(rating="BUY", score=4)
    stream = LLMJsonStream(reading_as(Rated, notations=["yaml"]))
    shown = [stream.feed(piece).data for piece in text]
    assert (
        stream.close()
        == wanted
        == read(text)
        == read(text, reading_as(Rated, notations=frozenset({"yaml"})), notations=["json"])
    )
    assert shown == [None] * len(text)
    assert inspect(text, reading_as(Rated, notations=("yaml",))).result == wanted


def test_schema_is_read_with_values_as_json_writes_them() -> None:
    schema = JsonSchema(
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}},
            "required": ["a"],
        }
    )
    assert read("<x><a>4</a><b>y</b></x>", schema) == {"a": 4, "b": ["y"]}
    assert read("A: 4", schema) == {"a": 4}
    assert refusal("A: 4,000", schema).details["stage"] == "validate"


@pytest.mark.parametrize("dto_type", [dict[str, int], list[int], Rated | list[Rated]])
def test_type_without_fields_of_one_root_is_read_from_json_alone(dto_type: Any) -> None:  # noqa: ANN401 - any type
    assert "notations" not in refusal("rating: 4\nscore: 4", dto_type).details


@pytest.mark.parametrize("options", [{"finished": False}, {"finished": False, "keep": "good"}])
def test_cut_text_is_not_read(options: dict[str, Any]) -> None:
    assert "notations" not in refusal("rating: BUY\nscore: 4", **options).details


def test_hooks_see_the_data_and_keep_braces_for_json() -> None:
    upper = [lambda data: {**data, "rating": data["rating"].upper()}]
    assert read("rating: buy\nscore: 4", normalizers=upper, notations=["yaml"]) == Rated(rating="BUY", score=4)
    assert "notations" not in refusal("rating: buy\nscore: 4\nnote: {x}", normalizers=upper).details


def test_grade_and_good_rows() -> None:
    text = "| rating | score |\n|---|---|\n| BUY | 4 |\n| HOLD | 5 |\n\nbye"
    kept = read(text, list[Rated], keep="good")
    assert (kept.value, [one.path for one in kept.problems]) == ([Rated(rating="BUY", score=4)], ["$[1]"])
    error = refusal("rating: BUY\nscore: 4", accept="lossless", notations=["yaml"])
    assert (error.details["grade"], error.details["cause"]) == ("read", "read_as_yaml")


def test_yaml_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(ModuleNotFoundError, match=r"\[yaml\]"):
        read("rating: BUY\nscore: 4")


# --- two readings ---


def test_list_or_text_of_one_element_is_refused() -> None:
    class Listed(BaseModel):
        a: str | list[str]

    assert read("<x><a>1</a><a>b</a></x>", Listed) == Listed(a=["1", "b"])
    assert "stand around it" in refusal("<x><a>b</a></x>", Listed).details["json_error"]


def test_fence_holds_the_answer_alone() -> None:
    table_ = "| rating | score |\n|---|---|\n| BUY | 4 |"
    for inside in (f"Mine:\n\n{table_}", f"{table_}\n\nbye"):
        error = refusal(f"```markdown\n{inside}\n```", notations=["markdown"])
        assert error.details["json_error"].endswith("may be the answer")
    assert refusal("so <answer", notations=["xml"]).details["json_error"].endswith("any of them")
    assert refusal("so <answer a", notations=["xml"]).details["json_error"].endswith("no well-formed XML here")


def test_two_notations_have_to_say_the_same() -> None:
    assert read("rating: BUY\nscore: 4") == Rated(rating="BUY", score=4)
    assert read("rating: buy\nscore: 4", notations=OTHERS) == Rated(rating="BUY", score=4)
    error = refusal("rating: BUY\nscore: 4\nnote: x # y")
    assert error.details["json_error"] == "the text can be read in two ways here"


def test_crash_of_a_validator_fits_no_notation() -> None:
    class Crashing(BaseModel):
        a: str
        b: str

        @model_validator(mode="after")
        def crash(self) -> Crashing:
            raise ZeroDivisionError

    assert refusal("a: x\nb: y # z", Crashing).details["validation_errors"][0]["type"] == "ZeroDivisionError"


def test_field_may_be_called_as_a_mark_of_reasoning_is() -> None:
    class Reasoned(BaseModel):
        reasoning: str = ""
        score: int

    answer = "<reasoning>why</reasoning><score>4</score>"
    assert read(f"<answer>{answer}</answer>", Reasoned) == Reasoned(reasoning="why", score=4)
    assert refusal(answer, Reasoned, notations=["xml"]).details["json_error"].endswith("may be the answer")
    drafted = "rating: BUY\n<think>or SELL</think>\nscore: 4"
    assert refusal(drafted, notations=["yaml"]).details["json_error"].endswith("may be the answer")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: ~\nd: true", {"a": 1, "b": None, "c": 0.0, "d": True}),
        ("a: [x, 1.5, {k: no}]\nb: 2\nc: 1.50", {"a": ["x", 1.5, {"k": "no"}], "b": 2, "c": 1.5, "d": ""}),
        ("a: False\nb:\nc: 12e1\nd: 'true'", {"a": False, "b": None, "c": 120.0, "d": "true"}),
    ],
)
def test_yaml_decides_where_the_type_does_not(text: str, value: dict[str, Any]) -> None:
    assert read(text, Loose, notations=["yaml"]).model_dump() == value


def test_required_field_that_may_be_null_may_be_empty_in_lines_and_tables() -> None:
    assert read("a: x\nb:", Loose, notations=["labelled"]) == Loose(a="x", b=None)
    assert read("|a|b|\n|-|-|\n|x||", Loose, notations=["markdown"]) == Loose(a="x", b=None)
    assert (
        refusal(f"a: {'1' * 5000}\nb: 1", Loose, notations=["yaml"]).details["json_error"].endswith("too many digits")
    )


# --- what always holds ---

TEXT = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=8)
NUMBERS = st.decimals(-1000, 1000, places=2)
PARTS = st.builds(Inner, name=TEXT, n=st.none() | st.integers(-9, 10**20))
REPORTS = st.builds(
    Report, title=TEXT, tags=st.lists(TEXT, max_size=3), items=st.lists(PARTS, max_size=3), one=st.none() | PARTS,
    when=st.none() | st.dates(), ok=st.booleans(),
)  # fmt: skip
RATED = st.builds(Rated, rating=st.sampled_from(["BUY", "SELL"]), score=st.integers(), price=NUMBERS, note=TEXT)


def as_xml(data: dict[str, Any], name: str = "report") -> str:
    """Elements; a list is one a part, and what is null or empty is none."""
    inside = ""
    for key, value in data.items():
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            said = json.dumps(one) if isinstance(one, bool) else escape(str(one))
            inside += as_xml(one, key) if isinstance(one, dict) else f"<{key}>{said}</{key}>"
    return f"<{name}>{inside}</{name}>"


@given(REPORTS)
def test_report_written_as_yaml_or_xml_is_read_as_it_was(report: Report) -> None:
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(report.model_dump(mode="json"), stream)
    assert read(f"```yaml\n{stream.getvalue()}```", Report, notations=["yaml"], finished=None) == report
    written = as_xml(report.model_dump(mode="json", exclude_none=True))
    assert read(written, Report, notations=["xml"], finished=None) == report


@given(st.lists(RATED, min_size=1, max_size=3))
def test_rows_written_as_a_table_and_as_lines_are_read_as_they_were(rows: list[Rated]) -> None:
    data = [one.model_dump(mode="json") for one in rows]
    head = "|".join(data[0])
    lines = "\n".join("|".join(map(str, one.values())) for one in data)
    assert read(f"{head}\n{'-|' * 4}\n{lines}\n\nbye", list[Rated], notations=["markdown"], finished=None) == rows
    labelled = "\n".join(f"**{name.title()}:** {value}" for name, value in data[0].items())
    assert read(labelled, notations=["labelled"]) == rows[0]


@given(RATED, st.data())
def test_cut_answer_is_never_another_one(rated: Rated, data: st.DataObject) -> None:
    said = rated.model_dump(mode="json")
    lines = "\n".join(f"{name}: {value}" for name, value in said.items())
    table_ = f"| {' | '.join(said)} |\n|{'---|' * 4}\n| {' | '.join(map(str, said.values()))} |\n\nbye"
    for text in (lines, f"```yaml\n{lines}\n```\n", as_xml(said), table_):
        cut = text[: data.draw(st.integers(0, len(text)))]
        try:
            assert read(cut, finished=None) == rated
        except LLMJsonParseError as error:
            assert error.details["stage"] in ("empty", "extract", "think", "fence")  # noqa: PT017 - or it is the same


# --- hostile texts ---

HOSTILE = {
    "list in list": "- " * 90_000,
    "list in list, long": "- " * 5_000_000,
    "mapping in mapping": "".join(f"{' ' * depth}rating:\n" for depth in range(500)),
    "flow": "rating: " + "[" * 100_000,
    "laughs": "rating: &a [x, x]\nscore: [*a, *a]",
    "elements": "<a>" * 1_000_000,
    "elements of a root": f"<answer>{'<a>' * 100_000}{'</a>' * 100_000}</answer>",
    "siblings": f"<answer>{'<rating>BUY</rating>' * 40_000}</answer>",
    "entity": '<!DOCTYPE a [<!ENTITY x "BUY">]><answer><rating>&x;</rating><score>4</score></answer>',
    "lone surrogate": "<answer><rating>\ud800</rating></answer>",
    "cells": f"|{'a|' * 400_000}\n|{'-|' * 400_000}\n|{'x|' * 400_000}",
    "lines of dashes": "|---|\n" * 100_000,
    "labels": "rating: BUY\n" * 50_000,
    "fences": "```\n" * 100_000,
    "marks": "*" * 500_000 + ": x",
    "words": "a b c d e\n" * 50_000,
    "less than": "<" * 500_000,
    "colons": ":" * 500_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_soon(text: str) -> None:
    begun = time.monotonic()
    error = refusal(text)
    assert error.details["stage"] in ("extract", "validate", "repair", "strict")
    assert time.monotonic() - begun < 20, "linear, this takes about a second"


def test_answer_of_the_bound_is_read_and_one_beyond_is_not() -> None:
    rest = "rating: BUY\nscore: 4\nnote: "
    for notation, most in (("yaml", MOST_YAML), ("labelled", MOST_CHARACTERS)):
        text = rest + "x" * (most - len(rest))
        assert read(text, notations=[notation]).rating == "BUY"
        assert refusal(f"{text}x", notations=[notation]).details["json_error"].endswith("ask for JSON")


def test_error_of_a_notation_is_what_it_says() -> None:
    from src.shared.domain.parse_reasons import TOO_DEEP  # noqa: PLC0415 - for this test alone

    assert (str(NotationError(TOO_DEEP)), NotationError(TOO_DEEP, 3).offset) == (TOO_DEEP.en, 3)
