"""Of a damaged text is shown what has one reading only; where another one is possible, the stream waits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamState
from src.shared.infrastructure.parsing.stream.tree import MAX_DEPTH
from tests.streamed import snapshots, taken_back

REGULAR = {
    "single quotes": "{'a': 'it\\'s', 'b': ['x y']}",
    "apostrophes": "{'a': 'it's good', 'b': 1}",
    "double quotes in single ones": "{'a': 'the \"good\" one', 'b': 1}",
    "curly quotes": "{“a”: “x y”, “b”: 1}",
    "keys without quotes": "{a: 1, $b: {c_1: true}}",
    "a key that is a number": '{"a": 1, 5: 2}',
    "literals of Python": '{"a": None, "b": [True, False]}',
    "literals in capital letters": '{"a": NULL, "b": [TRUE, False]}',
    "line ends in a string": '{"a": "one\ntwo\tthree", "b": 1}',
    "full-width signs": '｛"a"：［1，2］，"b"：｛"c"：3｝｝',
    "trailing commas": '{"a": [1, 2,], "b": {"c": 3,},}',
    "commas missing at line ends": '{\n"a": "x y"\n"b": [1]\n"c": 2\n}',
    "commas missing between objects": '{"a": [{"b": 1}\n{"b": 2}]}',
    "a control character": '{"a": "one two three\x01y", "b": 1}',
    "LaTeX": r'{"a": "so \( x \cdot y \)", "b": 1}',
    "a path": r'{"a": "C:\dir\sub", "b": 1}',
    "escapes": r'{"a": "\u00e9 \ud83d\ude00 \"x\" \\ \/ \n", "b": 1}',
    "a form feed and a backspace": r'{"a": "one two \f \b", "b": 1}',
    "blanks before colons": '{"a"  : 1, "b"\n:\t2}',
    "a list of all kinds": '{"a": [{"b": "x y z"}, 1, 2, [5], true, "x", null, {"c": "y"}, 3, "z", 4.5]}',
    "an escaped key": r'{"a\"b\n": 1}',
    "empty values": '{"a": "", "b": [], "c": {}, "": 1}',
    "numbers": '{"a": [-1, 0, 1.5, 2e3, -0.1E-2], "b": 12}',
}
UNSURE = {
    "a quote in a string": ('{"a": "this is the "good" one", "b": 1}', {"a": "this is the"}),
    "a quote that was forgotten": ('{"a": "x y z, "b": 1}', {"a": "x y z"}),
    "a quote that was forgotten at a line's end": ('{"a": "x y z,\n"b": 1}', {"a": "x y z"}),
    "a key as a value": ('{"a": "a": "x"}', {}),
    "a bracket that was forgotten": ('{"a": ["b": 1]}', None),
    "a bracket of the other kind before a key": ('{"a": {"n": 1, "b": ["c d": 1, "e": 2}}}', {"a": {"n": 1}}),
    "a bracket that was forgotten before a key": ('{"a": ["x", "b": 1}', {"a": ["x"]}),
    "a key with an apostrophe": ('{"n": 1, "a": ["what\'s new": 1}}', {"n": 1}),
    "a key in Chinese": ('{"n": 1, "a": ["来源（链接）": 1}}', {"n": 1}),
    "a key as a value, in Chinese": ('{"n": 1, "a": "来源（链接）": 1}}', {"n": 1}),
    "a key on the lines of an outer object": (
        '{\n  "a": {\n    "b": {\n      "c": 1\n    ,\n    "d": 2\n  }\n}',
        None,
    ),
    "a key on the lines of the root": ('{\n  "a": {\n    "b": 1\n  ,\n  "c": 2\n}', None),
    "a first key on the lines of an outer object": ('{\n  "n": 1,\n  "a": {\n  "b": 2\n}', {"n": 1}),
    "a quote before a number": ('{"n": 1, "a": "100.0}, "b": 2}', {"n": 1}),
    "a quote before a number at a line's end": ('{"n": 1, "a": ["0.25,\n3.5\n],\n"b": 2}', {"n": 1}),
    "a list that ends with another quote": ('{"n": 1, "a": ["x y z’], "b": 2}', {"n": 1, "a": ["x y z"]}),
    "a quote that was forgotten before a comma": ('{"n": 1, "a": "x y z,\n  "， b": 2}', {"n": 1, "a": "x y z"}),
    "a quote before a literal": ('{"n": 1, "a": "true,\n"b": 2}', {"n": 1}),
    "a comment": ('{"a": 1, // one\n"b": 2}', None),
    "a comma too many": ('{"a": 1,, "b": 2}', None),
    "a key that stands twice": ('{"a": 1, "b": 2, "a": 3}', {"a": 1}),
    "a number with a comma": ('{"a": 1,234, "b": 2}', None),
    "a value without quotes": ('{"a": 1, "b": some words, "c": 2}', {"a": 1}),
    "no number": ('{"a": 1, "b": 007, "c": 2}', {"a": 1}),
    "a bracket of the other kind": ('{"a": [1, 2}, "b": 3}', {"a": [1]}),
    "a bracket on a line of its value": ('{\n  "a": {\n    "b": [1]},\n    "c": 2\n  }\n}', {"a": {"b": [1]}}),
    "the root's bracket on a line of its value": ('{\n  "a": {\n    "b": "x"}},\n    "c": "y"\n  }', {"a": {"b": "x"}}),
    "a key with an escape that may be LaTeX": ('{"a": "b", "diagonal\\ble": 2}', {"a": "b"}),
    "an escape that may be LaTeX": (r'{"a": "one two three \times y", "b": 1}', {"a": "one two three"}),
    "a backslash of Python's": (r'{"a": "one two three \x41 y", "b": 1}', {"a": "one two three"}),
    "a backslash in single quotes": (r"{'a': 'one two three \d y', 'b': 1}", {"a": "one two three"}),
    "two readings of the backslashes": (r'{"a": "one two three \d \\server y", "b": 1}', {"a": "one two three"}),
    "half a pair": (r'{"a": "one two three \ud83d y", "b": 1}', {"a": "one two three"}),
    "no colon": ('{"a" 1}', None),
    "no key": ('{"a": 1, (5): 2}', None),
    "a comma that may be in a string": ('{"a": "x y z,"\n"b": 1}', {"a": "x y z"}),
    "no value": ('{"a": 1, "b": , "c": 2}', {"a": 1}),
    "no comma": ('{"a": 1 "b": 2}', None),
}


@pytest.mark.parametrize("text", REGULAR.values(), ids=REGULAR)
def test_regular_damage_is_read_as_it_comes(text: str) -> None:
    shown = snapshots(text)
    final = decode_llm_json(text).data
    assert (shown[-1].state, json.dumps(shown[-1].data)) == (StreamState.DONE, json.dumps(final))
    assert taken_back(shown, final) is None


@pytest.mark.parametrize(("text", "data"), UNSURE.values(), ids=UNSURE)
def test_stream_waits_at(text: str, data: object) -> None:
    shown = snapshots(text)
    assert (shown[-1].state, shown[-1].data) == (StreamState.UNSURE, data)


@pytest.mark.parametrize("text", [*REGULAR.values(), *(text for text, _ in UNSURE.values())])
def test_pieces_make_no_difference(text: str) -> None:
    one_by_one = snapshots(text)
    at = 0
    for snapshot, size in zip(snapshots(text, sizes=(3, 1, 5)), 20 * [3, 1, 5] * 10, strict=False):
        at = min(at + size, len(text))
        assert snapshot == one_by_one[at - 1]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": "12', {}),
        ('{"a": "12.5 m of it', {"a": "12.5 m of it"}),
        ('{"a": "-', {}),
        ('{"a": "- one and two', {"a": "- one and two"}),
        ('{"a": "nu', {}),
        ('{"a": "number one of two', {"a": "number one of two"}),
        ("{\"a\": \"x y z', 'b': 2, 'c'", {"a": "x y z"}),
        ('{"a": "2024, the year of', {}),
        ('{"a": "2024, the year of", "b":', {"a": "2024, the year of"}),
    ],
)
def test_text_that_may_still_be_a_number_or_a_literal_is_not_shown(text: str, data: object) -> None:
    assert LLMJsonStream(dict[str, Any]).feed(text).data == data


@pytest.mark.parametrize(
    "text",
    [
        "use 'a', 'b' and",
        "the d['a'] is it",
        "the ‘good’, “one” or",
        "the bulls' case, or",
        "a `b`, `c` or",
        "it’s, they say, a",
    ],
)
def test_quotes_in_a_text_hold_nothing_of_it(text: str) -> None:
    assert LLMJsonStream(dict[str, Any]).feed('{"a": "' + text).data == {"a": text}


@pytest.mark.parametrize("fence", ["```", "~~~"])
@pytest.mark.parametrize("bracket", ["}", "｝"])
def test_bracket_and_a_fence_may_end_the_object_of_a_string_that_was_not_closed(bracket: str, fence: str) -> None:
    text = f'{fence}json\n{{\n"a": "2024 so far\n{bracket}\n{fence}'
    assert [snapshot.data for snapshot in snapshots(text + " and more")][-1] == {"a": "2024 so far"}


def test_nothing_is_taken_back_of_a_string_that_a_bracket_and_a_fence_end() -> None:
    text = '~~~json\n｛\n"note"： "x"，\n"key points"： "as in 2024\n｝\n~~~'
    assert taken_back(snapshots(text), decode_llm_json(text, finished=True).data) is None


@pytest.mark.parametrize("indent", ["", "  ", "\t"])
def test_indentation_of_a_clean_text_stops_nothing(indent: str) -> None:
    lines = ("{", '"a": {', '"b": {', '"c": 1', "},", '"d": [', "{", '"e": 2', "}", "]", "},", '"f": 3', "}")
    depths = (0, 1, 2, 3, 2, 2, 3, 4, 3, 2, 1, 1, 0)
    text = "\n".join(indent * depth + line for depth, line in zip(depths, lines, strict=True))
    assert LLMJsonStream(dict[str, Any]).feed(text).state is StreamState.DONE


@pytest.mark.parametrize(("depth", "state"), [(MAX_DEPTH, StreamState.DONE), (MAX_DEPTH + 1, StreamState.UNSURE)])
def test_depth_is_bounded(depth: int, state: StreamState) -> None:
    text = '{"a":' * (depth - 1) + '{"a": 1}' + "}" * (depth - 1)
    assert LLMJsonStream(dict[str, Any]).feed(text).state is state


def test_text_behind_the_value_changes_nothing() -> None:
    stream = LLMJsonStream(dict[str, Any])
    done = stream.feed('{"a": 1}')
    assert done == stream.feed("\n```\nI hope that helps.")
    assert stream.snapshot.changed == ()


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"rows": ["x', None),
        ('{"rows": ["x y z', {"rows": ["x y z"]}),
        ('{"rows": ["x", "y', {"rows": ["x"]}),
        ('{"a": "x', {}),
        ('{"a": "x-ray of it', {"a": "x-ray of it"}),
    ],
)
def test_text_that_may_still_become_a_key_is_not_shown(text: str, data: object) -> None:
    assert LLMJsonStream(dict[str, Any]).feed(text).data == data
