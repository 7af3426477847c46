"""Damage whose cheapest reading is not the only sensible one: it is refused, at the place where the readings part."""

from collections.abc import Mapping

import pytest

from src.shared.domain.parse_reasons import COMMENT_OR_ELEMENT, NUMBER_OR_TEXT, TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reading import ELISION, NO_KEY, NO_VALUE
from tests.shared.reading import refusal_of, value_of, why_and_where


def rivals(table: Mapping[str, tuple[str, int]]) -> pytest.MarkDecorator:
    """Run a test, of `raw` and the offset `at` of its refusal, once for each case; its name says what it shows."""
    return pytest.mark.parametrize(("raw", "at"), table.values(), ids=table.keys())


def parts_at(raw: str) -> int:
    """The offset at which a text that must be refused for its two readings can be read in two ways."""
    details = refusal_of(raw, finished=True).details
    assert details["json_error"] == TWO_READINGS.en
    return int(details["position"]["offset"])


@rivals(
    {
        "after a comma": ('{"a": "b", as follows:\n "c": "d"}', 7),
        "before a number": ('{"a": "b", as follows:\n "c": 1}', 7),
        "without a comma": ('{"a": "b" as follows:\n "c": "d"}', 7),
        "after a semicolon": ('{"a": "b"; as follows:\n "c": "d"}', 7),
        "as a note": ('{"a": "b", see: x\n "c": "d"}', 7),
        "after digits": ('{"a": "24", as follows:\n "c": "d"}', 7),
        "in a row": ('{"x": [{"a": "b", as follows:\n "c": "d"}]}', 14),
        "in Chinese": ('{"a": "乙"，如下：\n "c": "d"}', 7),
        "before a key without quotes": ('{"a": "b", as follows:\n c: "d"}', 7),
        "between single quotes": ("{'a': 'b', as follows:\n 'c': 'd'}", 7),
        "between typographic quotes": ("{“a”：“b”，如下：\n “c”：“d”}", 15),
        "between single quotes, before a number": ("{'a': 'b' as follows:\n 'c': 1}", 7),
    }
)
def test_line_of_prose_behind_a_string_is_no_part_of_it(raw: str, at: int) -> None:
    assert parts_at(raw) == at


def test_quotation_in_a_string_that_is_not_closed_is_text() -> None:
    raw = '{"a": "the "core" of it,\n "b": 1}'
    assert value_of(raw) == {"a": 'the "core" of it', "b": 1}


_COMMENTS = {
    "a link": "/* https://x.y */",
    "a comma": "/* c, d */",
    "a word in quotes": '/* the "b" */',
    "a member": '/* "e": 2 */',
    "Chinese": "/* 见 https://x.y */",
    "of HTML": "<!-- https://x.y -->",
    "to the end of the line": "// see https://x.y\n",
    "after a hash": "# note\n",
}


@pytest.mark.parametrize("comment", _COMMENTS.values(), ids=_COMMENTS.keys())
@pytest.mark.parametrize("before", ['{"a":"b"', "{'a': 'b'", '{\n  "a": "b"', '{"a": "use "x" b"', "{“a”：“b”"])
def test_comment_right_behind_a_string_is_no_part_of_it(before: str, comment: str) -> None:
    text = 'use "x" b' if "use" in before else "b"
    assert value_of(f'{before}{comment},"d": ["e"{comment}]}}') == {"a": text, "d": ["e"]}


def test_comment_between_a_key_and_its_colon_is_no_part_of_the_key() -> None:
    assert value_of('{"a"/* https://x.y */:"b","d":1}') == {"a": "b", "d": 1}


def test_comment_right_behind_a_string_that_stands_for_members_is_refused() -> None:
    assert refusal_of('{"a":"b"/* 8 more rows */,"d":1}').details["json_error"] == ELISION.en


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('{"a":"use "x"/* y */ z","d":1}', 'use "x"/* y */ z'),
        ('{"a":"glob "src"/**/*.py","d":1}', 'glob "src"/**/*.py'),
        ('{"a":"C"#" and F","d":1}', 'C"#" and F'),
    ],
)
def test_what_looks_like_a_comment_in_a_text_with_quotations_is_text(raw: str, text: str) -> None:
    assert value_of(raw) == {"a": text, "d": 1}


@rivals(
    {
        "two rows": ('{"k": ["a"], ["b"]}', 10),
        "two rows of several": ('{"k": ["a", 1], ["b", 2]}', 13),
        "three rows": ('{"k": ["a"], ["b"], ["c"]}', 10),
        "rows before a member": ('{"t": [10, 20], [30, 40], "b": {"c": [1]}}', 13),
        "rows that something closes": ('{"t": [10, 20], [30, 40]], "b": 1}', 13),
        "rows without a comma": ('{"t": [10, 20]\n[30, 40]], "b": 1}', 13),
        "rows of objects": ('{"k": [{"a": 1}], [{"b": 2}]], "n": 1}', 15),
        "an empty row": ('{"t": [1], []], "b": 1}', 8),
        "rows in an object": ('{"x": {"k": ["a"], ["b"]}, "n": 1}', 16),
        "rows on lines": ('{"k":\n ["甲"],\n ["乙"]\n}', 11),
        "rows in a fence": ('```json\n{"k": ["a"], ["b"]}\n```', 18),
        "rows side by side": ('{"k": ["a"] ["b"]}', 8),
        "rows with a full-width comma": ('{"k": ["甲"]， ["乙"]}', 8),
    }
)
def test_rows_without_the_list_around_them_are_no_list_in_the_first_row(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "rows"),
    [
        ('{"k": [["a"]], ["b"]]}', [["a"], ["b"]]),
        ('{"k": [["a"] ["b"]]}', [["a"], ["b"]]),
        ('{"k": [["a"], ["b"]}', [["a"], ["b"]]),
        ('{"k": [10], 20]}', [10, 20]),
        ('{"k": [{"a": 1}], {"a": 2}]}', [{"a": 1}, {"a": 2}]),
    ],
)
def test_bracket_too_many_between_elements_alike_is_dropped(raw: str, rows: list[object]) -> None:
    assert value_of(raw) == {"k": rows}


@rivals(
    {
        "in a list": ("{'k': ['a':{'d': 1, 'd': 2}]}", 10),
        "before another key": ("{'k': ['a':{'d': 1, 'e': 3, 'd': 2}], 'n': 1}", 10),
        "after a colon": ("{'k': 'a':{'d': 1, 'd': 2}}", 17),
        "between double quotes": ('{"k": "a": {"d": 1, "b": 2}}', 18),
        "further out": ("{'k': ['a':{'d': {'e': 1, 'e': 2}}]}", 10),
        "in an object": ("{'x': {'k': ['a':{'d': 1, 'd': 2}]}}", 16),
        "on lines": ("{'k': [\n 'a':{'d': 1, 'd': 2}\n]}", 12),
        "in Chinese": ("{“键”: [“甲”:{“乙”: 1, “乙”: 2}]}", 10),
    }
)
def test_end_of_an_object_inside_one_that_was_not_opened_is_not_guessed(raw: str, at: int) -> None:
    assert refusal_of(raw, finished=True).details["position"]["offset"] == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("{'k': ['a':{'d': 1, 'e': 2}}]}", {"k": [{"a": {"d": 1, "e": 2}}]}),
        ('{"k": ["a": [1, 2], "b": 2}, {"a": [3], "b": 4}]}', {"k": [{"a": [1, 2], "b": 2}, {"a": [3], "b": 4}]}),
        ('{"k": "a": {"d": 1}, "b": 2}}', {"k": {"a": {"d": 1}, "b": 2}}),
        ('{"k": [{"a": {"d": 1, "d": 2}]}', {"k": [{"a": {"d": 1}, "d": 2}]}),
    ],
)
def test_bracket_that_alone_was_forgotten_is_put(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


@rivals(
    {
        "in a value": ('{"a": "{ b": 1 }"}', 11),
        "without a blank": ('{"a": "{b": 1}"}', 10),
        "before another member": ('{"a": "{ b": 1 }", "c": 2}', 11),
        "without the last quote": ('{"a": "{ b": 1 }, "c": 2}', 11),
        "before two members": ('{"a": "{ b": 1, "c": 2 }"}', 11),
        "of a list": ('{"a": "[ b": 1 ]"}', 10),
        "in an element": ('{"a": ["{ b": 1 }"]}', 12),
        "of the other kind": ('{"a": "}b": 1 }"}', 10),
        "after a member": ('{"a": 1, "{ b": 2 }, "c": 3}', 14),
        "between single quotes": ("{'a': '{ b': 1 }'}", 7),
        "between typographic quotes": ('{"a": “{ b”: 1 }”}', 7),
        "in Chinese": ('{"a": "{ 键"： 1 }"}', 11),
        "in a fence": ('```json\n{"a": "{ b": 1 }"}\n```', 19),
    }
)
def test_bracket_behind_a_quote_is_no_part_of_a_key(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('{"a": "{ "b": 1 }"}', {"a": '{ "b": 1 }'}),
        ('{"a": "k[0]": 1}}', {"a": {"k[0]": 1}}),
        ('{"k[0]": 1, "f{x}": 2,}', {"k[0]": 1, "f{x}": 2}),
        ('{"a": "b": 1}}', {"a": {"b": 1}}),
        ('{"a{": 1, "b": 2, "c": 3, "d": 4, "e": 5,}', {"a{": 1, "b": 2, "c": 3, "d": 4, "e": 5}),
        ('{"a": "{b" and "c}", "d": 1}', {"a": '{b" and "c}', "d": 1}),
    ],
)
def test_brackets_of_a_text_or_in_pairs_stay(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


@rivals(
    {
        "on lines": ('{"a": "x:"\n "y: z"\n "w"\n}', 20),
        "on one line": ('{"a": "x:" "y: z" "w"}', 18),
        "before another member": ('{"n": 1, "a": "x:"\n "y: z"\n "w",\n "b": 2}', 28),
        "between single quotes": ("{'a': 'x:'\n 'y: z'\n 'w'\n}", 20),
        "between typographic quotes": ("{“a”: “x：”\n “y：z”\n “w”\n}", 19),
        "with a comment between them": ('{"a": "x" // c\n "y: z" "w"}', 23),
        "in an object": ('{"a": {"b": "x:"\n "y: z"\n "w"\n}, "c": 1}', 26),
        "before a number": ('{"a": "x:"\n "y: z" 5\n}', 19),
    }
)
def test_string_between_two_strings_is_no_key(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('{"a": "x",\n "b"\n "y"\n}', {"a": "x", "b": "y"}),
        ('{"a": "x"\n "b": "y"\n "c": "z"\n}', {"a": "x", "b": "y", "c": "z"}),
        ('{"a" "x", "b" "y"}', {"a": "x", "b": "y"}),
        ('{"a": ["x:"\n "y: z"\n "w"\n]}', {"a": ["x:", "y: z", "w"]}),
    ],
)
def test_string_with_a_sign_on_one_side_is_a_key(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


@rivals(
    {
        "with a colon inside": ('{"z": {"d": 7, "A: a, b and c"}, "n": 1}', 12),
        "a word": ('{"z": {"d": 7, "x"}, "n": 1}', 12),
        "after a literal": ('{"z": {"d": false, "x"}, "n": 1}', 12),
        "at the end": ('{"d": null, "x"}', 6),
        "after a semicolon": ('{"z": {"d": 7; "x"}, "n": 1}', 12),
        "further in": ('{"z": {"d": {"e": 7, "x"}}}', 18),
        "between single quotes": ("{'z': {'d': 7, 'A: a, b and c'}, 'n': 1}", 12),
        "in Chinese": ('{"z": {"d": 7, "甲：乙，丙"}, "n": 1}', 12),
        "a list": ('{"z": {"d": 7, ["x"]}, "n": 1}', 12),
        "an object": ('{"z": {"d": 7, {"x": 1}}, "n": 1}', 12),
        "after a string": ('{"z": {"d": "q", "x"}, "n": 1}', 13),
        "after a string in single quotes": ("{'z': {'d': 'q', 'x'}}", 13),
        "after a string in typographic quotes": ('{"z": {“d”: “q”, “x”}}', 13),
    }
)
def test_string_for_a_member_does_not_make_a_list(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('{"d": 7, 8, 9, "n": 1}', {"d": [7, 8, 9], "n": 1}),
        ('{"z": {"d": 7, "x"]}, "n": 1}', {"z": {"d": [7, "x"]}, "n": 1}),
        ('{"z": {"d": [7, "x"}, "n": 1}', {"z": {"d": [7, "x"]}, "n": 1}),
        ('{"a": "he said "a", "b" ok", "c": 1}', {"a": 'he said "a", "b" ok', "c": 1}),
    ],
)
def test_list_without_one_bracket_or_of_numbers_is_read(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


@rivals(
    {
        "in SQL": ("{'c': ['n = 'O''B' AND x', 'd']}", 15),
        "in a name": ("{'c': ['O''Brien', 'd']}", 10),
        "in words": ("{'c': ['don''t', 'won''t']}", 12),
        "in Chinese": ("{'c': ['他说''好''了', '乙']}", 11),
        "around a word": ("{'c': ['SELECT ''x''', 'd']}", 16),
        "between backticks": ("{`c`: [`a``b`, `c`]}", 10),
        "in a member": ("{'c': 'it''s', 'd': 1}", 7),
        "in SQL of a member": ("{'c': 'n = ''O'' AND x'}", 7),
        "in a call": ("{'c': ['x IN ('a', 'b')', 'd']}", 8),
    }
)
def test_quotes_that_may_be_text_do_not_divide_it(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ("{'c': ['n = 'O' AND x', 'd']}", {"c": ["n = 'O' AND x", "d"]}),
        ("{'c': 'n = 'O''B' AND x'}", {"c": "n = 'O''B' AND x"}),
        ("{'c': ['a' 'b', '', 'd']}", {"c": ["a", "b", "", "d"]}),
        ("{'c': ['f('a')', 'the '90s']}", {"c": ["f('a')", "the '90s"]}),
        ("{'c': ''x''}", {"c": "x"}),
    ],
)
def test_single_quotes_with_one_reading_are_read(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


@rivals(
    {
        "a comma, after escaped quotes": ('{"a": {"c": "x \\"y\\"", "z"}}', 13),
        "a comma, before an apostrophe": ('{"a": {"c": "the bulls\' case","z:}, {"}}', 13),
        "a number between commas": ('{"a": {"c": "x",5,"z"}}', 13),
        "a bar of print": ('{"a": ["x"│ "z"]}', 8),
        "a middle dot and a line end": ('{"a": [\n    "Q3 2024"·\n    "-"\n  ]\n}', 13),
        "after a blank text": ('{"a": [" "• "z"]}', 8),
    }
)
def test_quotes_with_nothing_but_a_sign_between_them_divide_a_text(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@rivals(
    {
        "a number": ('{"score: 85"}', 1),
        "a list": ('{"q": {"name: [1, 2]"}}', 7),
        "escaped quotes": ('{"x1: \\"quoted\\""}', 1),
        "an opening quote of print": ('{"b:“"}', 1),
        "behind a list": ('{"items": [5, 0.25], "answer: 风险"}', 10),
        "behind an object's member": ('{"a": [{"b": "x",\n"what\'s new: left"\n}], "c": 1}', 16),
        "in rows": ('{"a": [{"b": "x", "c: ,"}, {"b": null}]}', 16),
    }
)
def test_member_in_one_pair_of_quotes_is_neither_a_member_nor_an_element(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@rivals(
    {
        "a key": ("{'id': true, 'what''s new': false}", 14),
        "a key's escapes": ('{"a": "b", 如下：\n "\\u98ce": "c"}', 17),
        "a brace and a line end": ('{"a": "{\n            b": 1\n}"}', 7),
    }
)
def test_end_of_a_string_inside_a_key_is_not_guessed(raw: str, at: int) -> None:
    assert parts_at(raw) == at


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        ('{"a": "the "、" mark", "b": 1}', {"a": 'the "、" mark', "b": 1}),
        ('{"a: 1, "b": 2}', {"a": 1, "b": 2}),
        ('{"a": ["x"], "y"]}', {"a": ["x", "y"]}),
        ('{"r": [{"a": 1, {"a": 2}]}', {"r": [{"a": 1}, {"a": 2}]}),
    ],
)
def test_what_only_looks_divided_is_read(raw: str, data: dict[str, object]) -> None:
    assert value_of(raw) == data


def test_key_behind_a_bracket_says_that_an_object_did_not_end_there() -> None:
    raw = "{'a': 'x', 'b': [{'c': 'd', 'e': 'f'}], 'g}}: None}"
    assert refusal_of(raw, finished=True).details["stage"] == "repair"


@rivals(
    {
        "before an object": (r'{"x": ["v1", {\"t\": \"x\", \"s\": 0}"]}', 8),
        "before a list": (r'{"x": ["v1",[\"x\"]"]}', 8),
    }
)
def test_quote_left_as_it_is_among_escaped_ones_ends_its_element(raw: str, at: int) -> None:
    assert parts_at(raw) >= at


@rivals(
    {
        "at the end": ("{'t': 'apologetic',a: 'send': true}", 7),
        "in other quotes": ('{null:"C:",target:\'"null",\'what\':{r:1}}', 0),
        "with strings": ('{"a": "say "b", note: "c" and", "d": 1}', 0),
    }
)
def test_member_without_quotes_for_its_key_is_no_part_of_a_string(raw: str, at: int) -> None:
    assert int(refusal_of(raw, finished=True).details["position"]["offset"]) >= at


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('{"q": "Which Moravia` and pilot?", "r":a: "The pilot, the `ticket is", "c": 1}', TRUNCATED, 78),
        ('{"q": "Which ` and pilot?", "r":a: "The pilot, the ` ticket is", "c": 1}', TRUNCATED, 72),
    ],
)
def test_lone_backticks_are_no_code(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_code_between_backticks_is_text_beside_other_members() -> None:
    raw = '{"r": "is: \'x\': 1, \'y\': 2. the `f("x--C")` is `[1, 1]`.",\n "answer": "[1, 1]"}'
    assert value_of(raw) == {"r": "is: 'x': 1, 'y': 2. the `f(\"x--C\")` is `[1, 1]`.", "answer": "[1, 1]"}


def test_string_that_opens_a_single_quotation_does_not_end_with_its_other_half() -> None:
    assert why_and_where(refusal_of("{'r': \"/x>'I'm afraid; it's a day.', 't': 'a', 's': true}")) == (TRUNCATED.en, 57)


def test_backslash_that_escapes_no_quote_begins_no_key() -> None:
    assert why_and_where(refusal_of(r'{"x": 1, \d: 2}')) == (NO_KEY.en, 9)


def test_escaped_key_that_opens_an_object_may_be_a_text() -> None:
    assert why_and_where(refusal_of(r'{"x": {\"a\": 1}, "b": 2,}')) == (TWO_READINGS.en, 7)


@pytest.mark.parametrize("comma", [",", "，"])
def test_empty_string_before_another_one_in_other_quotes_is_not_a_doubled_quote(comma: str) -> None:
    raw = f"""{{"i"： ["# a"， ""{comma} 'the name = 'x' AND n > 5;'], "b": 1}}"""
    assert value_of(raw) == {"i": ["# a", "", "the name = 'x' AND n > 5;"], "b": 1}


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('{"a": "1e-07, "b": 1}', TWO_READINGS, 6),
        ('{"a": .001n, "b": 1}', NUMBER_OR_TEXT, 6),
        ('{"a": [41.2, 1.0:-850]}', NO_VALUE, 13),
    ],
    ids=[
        "behind a quote, with an exponent",
        "without its leading zero, with a suffix",
        "two with a colon between them",
    ],
)
def test_number_that_may_be_a_text_is_refused(raw: str, reason: Reason, offset: int) -> None:
    details = refusal_of(raw).details

    assert (details["json_error"], details["position"]["offset"]) == (reason.en, offset)


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        ('{"r": ["Revenue grew., 12, 86.5], "b": 1}', TWO_READINGS, 8),
        ('{"a": ["x",\n# Heading |---|"\n], "b": 1}', COMMENT_OR_ELEMENT, 12),
    ],
    ids=["behind a text without its closing quote", "a comment that ends in a quote"],
)
def test_element_that_a_text_or_a_comment_may_have_swallowed_is_missed(raw: str, reason: Reason, offset: int) -> None:
    details = refusal_of(raw).details

    assert (details["json_error"], details["position"]["offset"]) == (reason.en, offset)
