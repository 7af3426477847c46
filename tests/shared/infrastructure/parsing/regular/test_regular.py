"""Regular damage of every kind takes the one way that mends it, whoever asks; doubtful damage never does."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain.repair import Repair, how_often
from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.parsing import scanner
from src.shared.infrastructure.parsing.fast.direct import validate_directly
from src.shared.infrastructure.parsing.reader.budget import Work
from src.shared.infrastructure.parsing.reader.edits import EditedText, MergedEdits, counted
from src.shared.infrastructure.parsing.regular.mend import mended
from src.shared.infrastructure.parsing.regular.value import RegularReader, RegularValue
from src.shared.infrastructure.parsing.target_type import target_type


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def same(data: dict[str, Any]) -> dict[str, Any]:
    return data


WAYS: dict[str, Callable[[str], Any]] = {
    "parse": lambda raw: parse_llm_json_output(raw, Anything).model_dump(),
    "parse with normalizers": lambda raw: parse_llm_json_output(raw, Anything, normalizers=[same]).model_dump(),
    "trace": lambda raw: parse_llm_json_output_with_trace(raw, Anything).value.model_dump(),
    "trace with normalizers": lambda raw: (
        parse_llm_json_output_with_trace(raw, Anything, normalizers=[same]).decoded.data
    ),
    "decode": lambda raw: decode_llm_json(raw).data,
}

REGULAR: list[tuple[str, dict[str, Any], list[tuple[K, int, str, str]]]] = [
    ('{"a": [1, 2,],\n}', {"a": [1, 2]}, [(K.TRAILING_COMMA, 11, ",", ""), (K.TRAILING_COMMA, 13, ",", "")]),
    ("{'a': 'b\"c'}", {"a": 'b"c'}, [(K.SINGLE_QUOTE, 1, "'a'", '"a"'), (K.SINGLE_QUOTE, 6, "'b\"c'", '"b\\"c"')]),
    ("{'a': \"it's\"}", {"a": "it's"}, [(K.SINGLE_QUOTE, 1, "'a'", '"a"')]),
    ("{'a': 'it's'}", {"a": "it's"},
     [(K.SINGLE_QUOTE, 1, "'a'", '"a"'), (K.SINGLE_QUOTE, 6, "'", '"'), (K.UNESCAPED_QUOTE, 9, "'", "'")]),
    ("{'a': 'it\\'s\t\"x\"'}", {"a": 'it\'s\t"x"'},
     [(K.SINGLE_QUOTE, 1, "'a'", '"a"'), (K.SINGLE_QUOTE, 6, "'", '"'), (K.CONTROL_CHARACTER, 12, "\t", "\\t")]),
    ("{“a”: “say 'x'”}", {"a": "say 'x'"},
     [(K.SMART_QUOTE, 1, "“a”", '"a"'), (K.SMART_QUOTE, 6, "“say 'x'”", "\"say 'x'\"")]),
    ("{“a”: “b\tc”}", {"a": "b\tc"},
     [(K.SMART_QUOTE, 1, "“a”", '"a"'), (K.SMART_QUOTE, 6, "“", '"'), (K.CONTROL_CHARACTER, 8, "\t", "\\t")]),
    ('{"a"：［1，2］｝', {"a": [1, 2]}, [
        (K.FULL_WIDTH_PUNCTUATION, 4, "：", ":"), (K.FULL_WIDTH_PUNCTUATION, 5, "［", "["),
        (K.FULL_WIDTH_PUNCTUATION, 7, "，", ","), (K.FULL_WIDTH_PUNCTUATION, 9, "］", "]"),
        (K.FULL_WIDTH_PUNCTUATION, 10, "｝", "}")]),
    ('{a: "x: y", b_2 : 1}', {"a": "x: y", "b_2": 1},
     [(K.UNQUOTED_KEY, 1, "a", '"a"'), (K.UNQUOTED_KEY, 12, "b_2", '"b_2"')]),
    ('{"a": True, "b": [None,False]}', {"a": True, "b": [None, False]}, [
        (K.PYTHON_LITERAL, 6, "True", "true"), (K.PYTHON_LITERAL, 18, "None", "null"),
        (K.PYTHON_LITERAL, 23, "False", "false")]),
    ('{"a": "x\ny\tz", "b": 1,}', {"a": "x\ny\tz", "b": 1},
     [(K.CONTROL_CHARACTER, 8, "\n", "\\n"), (K.TRAILING_COMMA, 21, ",", "")]),
    ('{"a": "the "moat" is wide", "b": 1}', {"a": 'the "moat" is wide', "b": 1},
     [(K.UNESCAPED_QUOTE, 11, "", "\\"), (K.UNESCAPED_QUOTE, 16, "", "\\")]),
    ('{"a": "他说"好"，走了\n", "b": ["the "moat""]}', {"a": '他说"好"，走了\n', "b": ['the "moat"']},
     [(K.UNESCAPED_QUOTE, 9, "", "\\"), (K.UNESCAPED_QUOTE, 11, "", "\\"), (K.CONTROL_CHARACTER, 15, "\n", "\\n"),
      (K.UNESCAPED_QUOTE, 30, "", "\\"), (K.UNESCAPED_QUOTE, 35, "", "\\")]),
    ('{"a": 1, // it is one\n"b": 2 /* two */}', {"a": 1, "b": 2},
     [(K.COMMENT, 9, "// it is one", " "), (K.COMMENT, 29, "/* two */", " ")]),
    ('{"a": None // n\n"b": ["x"\n"y"]\n}', {"a": None, "b": ["x", "y"]},
     [(K.PYTHON_LITERAL, 6, "None", "null"), (K.MISSING_COMMA, 10, "", ","),
      (K.COMMENT, 11, "// n", " "), (K.MISSING_COMMA, 25, "", ",")]),
    ("{a: 'b', “c”: None, # so\n'd': [\"e \\\"\",], }", {"a": "b", "c": None, "d": ['e "']}, [
        (K.UNQUOTED_KEY, 1, "a", '"a"'), (K.SINGLE_QUOTE, 4, "'b'", '"b"'), (K.SMART_QUOTE, 9, "“c”", '"c"'),
        (K.PYTHON_LITERAL, 14, "None", "null"), (K.COMMENT, 20, "# so", " "), (K.SINGLE_QUOTE, 25, "'d'", '"d"'),
        (K.TRAILING_COMMA, 37, ",", ""), (K.TRAILING_COMMA, 39, ",", "")]),
    ("{None: True, 'b': None}", {"None": True, "b": None},
     [(K.UNQUOTED_KEY, 1, "None", '"None"'), (K.PYTHON_LITERAL, 7, "True", "true"), (K.SINGLE_QUOTE, 13, "'b'", '"b"'),
      (K.PYTHON_LITERAL, 18, "None", "null")]),
    ("{'a': 'it\\'s'}", {"a": "it's"}, [(K.SINGLE_QUOTE, 1, "'a'", '"a"'), (K.SINGLE_QUOTE, 6, "'", '"')]),
    ("{'a': \"b\", c: '\"'}", {"a": "b", "c": '"'},
     [(K.SINGLE_QUOTE, 1, "'a'", '"a"'), (K.UNQUOTED_KEY, 11, "c", '"c"'), (K.SINGLE_QUOTE, 14, "'\"'", '"\\""')]),
]  # fmt: skip


def nothing_irregular(*_: object, **__: object) -> None:
    message = "the grammar-driven reader was asked"
    raise AssertionError(message)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrapping", ["{}", "```json\n{}\n```\nIt's done, isn't it?"], ids=["bare", "fenced"])
@pytest.mark.parametrize(("raw", "value"), [row[:2] for row in REGULAR])
def test_regular_damage_takes_the_same_way_whoever_asks(
    raw: str, value: dict[str, Any], wrapping: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanner.ValueScanner, "_irregular", nothing_irregular)
    assert WAYS[way](wrapping.replace("{}", raw)) == value


@pytest.mark.parametrize(("raw", "value", "repairs"), REGULAR)
def test_trace_has_what_was_undone_at_its_place(
    raw: str, value: dict[str, Any], repairs: list[tuple[K, int, str, str]]
) -> None:
    lead = "Here:\n```json\n"
    found = decode_llm_json(lead + raw + "\n```").repairs
    assert [(one.kind, one.offset - len(lead), one.found, one.put) for one in found] == repairs
    assert mended_kinds(raw) == how_often(found)
    assert value == decode_llm_json(raw).data


def mended_kinds(raw: str) -> Counter[K]:
    found = mended(raw)
    assert found is not None
    assert found.kinds == found.counted().keys()
    return found.counted()


@pytest.mark.parametrize("raw", [row[0] for row in REGULAR])
def test_edits_of_the_trace_make_the_text_that_was_decoded(raw: str) -> None:
    read = value_of(raw)
    assert read is not None
    edits = [edit for edit in read.edits if edit.kind is not K.CONTROL_CHARACTER]
    assert len(edits) <= len(read.edits)
    assert json.loads(EditedText(raw, 0, len(raw), edits).text, strict=False) == read.data


def value_of(raw: str, start: int = 0) -> RegularValue | None:
    return RegularReader(raw, Work(len(raw))).value_at(start, 0)


@pytest.mark.parametrize(
    "raw",
    [
        "{'a': 'dogs' tails', 'b': 1}",
        "{'a': '他说'好'', b: 1}",
        "{'a': 'b\nc'}",
        '{"a": "b\\\n", c: 1}',
        '{"a": "x "y", "b": 1}',
        '{"a": "x, "b": "y"}',
        '{"a": "x "y z", b: 1}',
        '{"a": ""x" y", b: 1}',
        '{"a": "x "y, z: 1" w", b: 1}',
        '{"a "b" c": 1}',
        '{"a": ["x "y", true"]}',
        '{"a": "x "y", key: 1"}',
        '{"a": 1, ...}',
        '{"a": [1, // 8 more rows\n]}',
        '{"a": "x"// y\n}',
        "{“a”: “b\\”, c”}",
        "{“a”: “x “y” z”}",
        "{'a': “b\\”}",
        '{"a": 1, b: \x01}',
        "{'a': 'b}",
        '{a: "b}',
        "{'a': \"b}",
        "{'a': 1, \"b': 2}",
        '{"a": 1 "b": 2}',
        '{"a": 1,, "b": 2}',
        '{"a": 1}',
        '{a: "the "moat" is"} wide "x"',
        "{'\"a\"': '\"b\"', c: 1}",
        '{“a”: “b" "c”}',
        "{a: “b 'c\"d”, e: 'f', g: \"h}",
        '{a: 1}, "b": 2}',
    ],
)
def test_what_has_to_be_judged_is_not_regular(raw: str) -> None:
    assert value_of(raw) is None


def test_edits_are_counted_and_told_one_by_one_alike() -> None:
    read = value_of("{a: 'b', 'c': True,}")
    assert read is not None
    assert bool(read.edits)
    assert len(read.edits) == sum(counted(read.edits).values()) == len(list(read.edits))
    both = MergedEdits(read.edits, [])
    assert bool(both)
    assert len(both) == len(read.edits)


def test_latex_in_a_damaged_text_is_left_to_the_reader() -> None:
    assert decode_llm_json("{a: '$\\times$'}").data == {"a": "$\\times$"}
    assert validate_directly("{a: '$\\times$'}", target_type(Anything)) is None


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        ("{'a': 1} and it's so", 8),
        ("{a: 1} see {x} and [1]", 6),
        ("{a: 1,}\n{b: 2}", 7),
        ("{'a': 1},\n}", 8),
        ("{'a': {'b': 1}} but {it's}", 15),
        ('{a: "the "moat" is"}\nso', 20),
    ],
)
def test_value_ends_where_its_bracket_stands_whatever_follows(raw: str, end: int) -> None:
    read = value_of(raw)
    assert read is not None
    assert read.end == end
    assert all(edit.offset < end for edit in read.edits)


def test_text_that_is_json_so_far_and_then_prose_has_no_damage() -> None:
    assert value_of('{"a": 1} True: "b", {c: 1}') is None


def test_what_the_decoder_lets_through_is_named_at_its_place() -> None:
    raw = '{a: NaN, b: 1, \'c\': 1e999, a: 2, "d": "x\ty"}'
    read = value_of(raw)
    assert read is not None
    repairs = decode_llm_json(raw).repairs
    assert how_often(repairs) == {
        K.UNQUOTED_KEY: 3, K.SINGLE_QUOTE: 1, K.NON_FINITE_NUMBER: 2, K.DUPLICATE_KEY: 1, K.CONTROL_CHARACTER: 1,
    }  # fmt: skip
    assert [one.offset for one in repairs if one.kind is K.DUPLICATE_KEY] == [27]


def test_second_value_is_read_after_one_that_is_not_regular() -> None:
    raw = "{'a': x y}\n" + "{'a': 1}"
    reader = RegularReader(raw, Work(len(raw)))
    assert reader.value_at(0, 0) is None
    second = reader.value_at(11, 0)
    assert second is not None
    assert second.data == {"a": 1}


def test_value_before_prose_that_cannot_be_divided_is_read() -> None:
    texts = ["{'a': 1} \" {x}", "{'a': 1, 'b': {}}" + " " * 300 + '" {x}']
    assert [read and read.end for read in map(value_of, texts)] == [8, 17]


def test_nothing_is_mended_without_work_left() -> None:
    work = Work(0)
    work.spend(work.left)
    assert RegularReader("{'a': 1}", work).value_at(0, 0) is None


class Row(BaseModel):
    kind: Literal["a", "b"]
    value: int | str


def test_repairs_are_told_whichever_way_was_taken() -> None:
    parsed = parse_llm_json_output_with_trace("{'kind': 'a', value: '1',}", Row)
    assert parsed.value == Row(kind="a", value="1")
    kinds: list[Repair] = list(parsed.decoded.repairs)
    assert how_often(kinds) == {K.SINGLE_QUOTE: 3, K.UNQUOTED_KEY: 1, K.TRAILING_COMMA: 1}
