"""Texts that are written throughout in a style of their own: what is read, and what the trace says was undone where."""

import json
from typing import Any

import pytest

from src.shared.domain.edits import EditedText
from src.shared.domain.reading.reader import read
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.repair import how_often
from src.shared.infrastructure.llm_json import decode_llm_json

STYLED: list[tuple[str, dict[str, Any], list[tuple[K, int, str, str]]]] = [
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
     [(K.SMART_QUOTE, 1, "“a”", '"a"'), (K.SMART_QUOTE, 6, "“b\tc”", '"b\tc"'), (K.CONTROL_CHARACTER, 8, "\t", "\\t")]),
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


@pytest.mark.parametrize(("raw", "value", "repairs"), STYLED)
def test_trace_has_what_was_undone_at_its_place(
    raw: str, value: dict[str, Any], repairs: list[tuple[K, int, str, str]]
) -> None:
    lead = "Here:\n```json\n"
    decoded = decode_llm_json(lead + raw + "\n```")
    assert decoded.data == value
    assert [(one.kind, one.offset - len(lead), one.found, one.put) for one in decoded.repairs] == repairs


@pytest.mark.parametrize(("raw", "value"), [row[:2] for row in STYLED])
def test_edits_of_the_reading_make_the_text_that_was_decoded(raw: str, value: dict[str, Any]) -> None:
    reading = read(raw, 0)
    edits = [edit for edit in reading.edits if edit.kind is not K.CONTROL_CHARACTER]
    assert json.loads(EditedText(raw, 0, reading.end, edits).text, strict=False) == value


@pytest.mark.parametrize(
    ("raw", "value", "kinds"),
    [
        ("{'a': 'b', 'c': ['']}", {"a": "b", "c": [""]}, {K.SINGLE_QUOTE: 4}),
        ('{"a": \'b\', \'c\': ["it\'s", \'\']}', {"a": "b", "c": ["it's", ""]}, {K.SINGLE_QUOTE: 3}),
        ("{'a': '他说“好”'}", {"a": "他说“好”"}, {K.SINGLE_QUOTE: 2}),
        ("{“a”: “b, c”}", {"a": "b, c"}, {K.SMART_QUOTE: 2}),
        ('{"a": “b”, “c”: "他说“好”，走了"}', {"a": "b", "c": "他说“好”，走了"}, {K.SMART_QUOTE: 2}),
        ("｛“a”：［1，2］｝", {"a": [1, 2]}, {K.SMART_QUOTE: 1, K.FULL_WIDTH_PUNCTUATION: 6}),
        ('{"a"："甲，乙：丙"，"b": 1}', {"a": "甲，乙：丙", "b": 1}, {K.FULL_WIDTH_PUNCTUATION: 2}),
        ("{a: 1,\n b_2 : {$c: [{d: 2}]}}", {"a": 1, "b_2": {"$c": [{"d": 2}]}}, {K.UNQUOTED_KEY: 4}),
        ('{"a": "x\ny\tz\r", "b": "\\"\n"}', {"a": "x\ny\tz\r", "b": '"\n'}, {K.CONTROL_CHARACTER: 4}),
        ('{"a": [1, 2, ],\n}', {"a": [1, 2]}, {K.TRAILING_COMMA: 2}),
        ('{"a": True, "b": [False,None]}', {"a": True, "b": [False, None]}, {K.PYTHON_LITERAL: 3}),
        ('{"a": "b\\\\\n"}', {"a": "b\\\n"}, {K.CONTROL_CHARACTER: 1}),
        ('{"a"：[1，]}', {"a": [1]}, {K.FULL_WIDTH_PUNCTUATION: 1, K.TRAILING_COMMA: 1}),
        ("{'a': 'it's', 'b': 1}", {"a": "it's", "b": 1}, {K.SINGLE_QUOTE: 2 + 1, K.UNESCAPED_QUOTE: 1}),
        ("{a: 'b', 'c': None,}", {"a": "b", "c": None},
         {K.UNQUOTED_KEY: 1, K.SINGLE_QUOTE: 2, K.PYTHON_LITERAL: 1, K.TRAILING_COMMA: 1}),
        ('{"a": [1,], "b": "x\n"}', {"a": [1], "b": "x\n"}, {K.TRAILING_COMMA: 1, K.CONTROL_CHARACTER: 1}),
    ],
)  # fmt: skip
def test_each_slip_of_a_style_is_counted(raw: str, value: dict[str, Any], kinds: dict[K, int]) -> None:
    decoded = decode_llm_json(raw)
    assert (decoded.data, dict(how_often(decoded.repairs))) == (value, kinds)


@pytest.mark.parametrize(
    ("raw", "value", "kind"),
    [
        ('{"a": "x, ] y", "b": [1,]}', {"a": "x, ] y", "b": [1]}, K.TRAILING_COMMA),
        ('{"a": "x, y: z", b: 1}', {"a": "x, y: z", "b": 1}, K.UNQUOTED_KEY),
        ('{"a": "{x: 1}", b: 1}', {"a": "{x: 1}", "b": 1}, K.UNQUOTED_KEY),
        ('{"a": "= [\'b\', 1]", "c": \'d\'}', {"a": "= ['b', 1]", "c": "d"}, K.SINGLE_QUOTE),
        ("{\"a\": \"', '，', '\", \"c\": 'd'}", {"a": "', '，', '", "c": "d"}, K.SINGLE_QUOTE),
        ('{"a": "see “b”, c", “d”: 1}', {"a": "see “b”, c", "d": 1}, K.SMART_QUOTE),
        ('{"a": "one of [None, True]", "b": None}', {"a": "one of [None, True]", "b": None}, K.PYTHON_LITERAL),
        ("{'a': 'say \"b\"'}", {"a": 'say "b"'}, K.SINGLE_QUOTE),
        ('{"a": "\\"，x"，"b": 1}', {"a": '"，x', "b": 1}, K.FULL_WIDTH_PUNCTUATION),
        ('{"a": "say "b", he said, "c", d"}', {"a": 'say "b", he said, "c", d'}, K.UNESCAPED_QUOTE),
    ],
)
def test_what_looks_like_a_slip_inside_a_string_stays(raw: str, value: dict[str, Any], kind: K) -> None:
    decoded = decode_llm_json(raw)
    assert (decoded.data, set(how_often(decoded.repairs))) == (value, {kind})


def test_what_the_decoder_lets_through_is_named_at_its_place() -> None:
    raw = '{a: NaN, b: 1, \'c\': 1e999, a: 2, "d": "x\ty"}'
    repairs = decode_llm_json(raw).repairs
    assert how_often(repairs) == {
        K.UNQUOTED_KEY: 3, K.SINGLE_QUOTE: 1, K.NON_FINITE_NUMBER: 2, K.DUPLICATE_KEY: 1, K.CONTROL_CHARACTER: 1,
    }  # fmt: skip
    assert [one.offset for one in repairs if one.kind is K.DUPLICATE_KEY] == [27]


@pytest.mark.parametrize(
    ("raw", "end"),
    [
        ("{'a': 1} and it's so", 8),
        ("{a: 1} see {x} and [1]", 6),
        ("{a: 1,}\n{b: 2}", 7),
        ("{'a': {'b': 1}} but {it's}", 15),
        ('{a: "the "moat" is"}\nso', 20),
    ],
)
def test_value_ends_where_its_bracket_stands_whatever_follows(raw: str, end: int) -> None:
    assert read(raw, 0).end == end
