"""Where a string ends: quotes that are text, quotes that are missing, quotes that delimit nothing."""

from typing import Any

from src.shared.domain.parse_reasons import TRUNCATED, TWO_READINGS, Reason
from src.shared.domain.reading.reading import NO_COMMA, NO_VALUE
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, refusals, texts
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where


@cases(
    {
        "around a word": ('{"a": "he said "hi" ok"}', {"a": 'he said "hi" ok'}),
        "around Chinese words": ('{"a": "所谓"护城河"效应", "b": 1}', {"a": '所谓"护城河"效应', "b": 1}),
        "around the last word": ('{"a": "he said "hi"", "b": 1}', {"a": 'he said "hi"', "b": 1}),
        "around the first word": ('{"a": ""hi" he said", "b": 1}', {"a": '"hi" he said', "b": 1}),
        "before a comma": ('{"a": "he said "hi", ok", "b": 1}', {"a": 'he said "hi", ok', "b": 1}),
        "in a list": ('{"a": ["x "y" z", "w"]}', {"a": ['x "y" z', "w"]}),
        "twice": ('{"a": "x "y" z "w" v"}', {"a": 'x "y" z "w" v'}),
        "as an inch mark": ('{"a": "a 5" disk", "b": 1}', {"a": 'a 5" disk', "b": 1}),
        "across lines": ('{\n"a": "x "y" z",\n"b": 1\n}', {"a": 'x "y" z', "b": 1}),
        "before a bracket of the text": ('{"a": "see ["x"] there", "b": 1}', {"a": 'see ["x"] there', "b": 1}),
    }
)
def test_unescaped_quote_inside_a_string_is_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


@cases(
    {
        "an escaped quote": (r'{"a": "he said \"hi\" ok",}', {"a": 'he said "hi" ok'}),
        "an escaped quote before a comma": (r'{"a": "x\", y", "b": 1,}', {"a": 'x", y', "b": 1}),
        "an escaped backslash before the end": (r'{"a": "x\\", "b": "y",}', {"a": "x\\", "b": "y"}),
        "a colon and a comma in the text": ('{"a": "x: y, z", "b": 1,}', {"a": "x: y, z", "b": 1}),
        "braces in the text": ('{"a": "{x}, [y]", "b": 1,}', {"a": "{x}, [y]", "b": 1}),
        "an empty string": ('{"a": "", "b": "",}', {"a": "", "b": ""}),
        "a list of empty strings": ('{"a": ["", ""],}', {"a": ["", ""]}),
    }
)
def test_string_that_ends_where_it_should_is_left_alone(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@refusals(
    {
        "a key over several words": ('{"a, "b": 1}', NO_VALUE, 6),
        "no quote that could end it": ('{"a": "x" y "z" w', TRUNCATED, 17),
        "a key without a value": ('{"foo": "bar", "a"}', TRUNCATED, 19),
        "a member whose quotes are missing in between": ('{"a": "x, b": "2"}', TRUNCATED, 18),
        "a member on the same line without its first quote": ('{"a": "x. answer": "4"}', TRUNCATED, 23),
        "two strings for one key": ('{"a": "x" "y"}', TWO_READINGS, 8),
        "a quotation in Chinese that is not closed": ('{"a": "标签为"正面", "b": 1}', TWO_READINGS, 10),
        "the same at the end": ('{"a": "结论为"通过"}', TWO_READINGS, 10),
        "the same before a raw line end": ('{"a": "返回"成功"}\n时表示正常", "b": 3}', TWO_READINGS, 9),
        "strings that code adds up": ('{"a": "echo " + x + " done"}', TWO_READINGS, 12),
        "strings on two lines": ('{"a": "one " \n  "two", "b": 1}', TWO_READINGS, 11),
        "a draft that a closing tag ends": ('{"a": "很好，\n</think>\n{"b": 5,\n "c": "好"}', TRUNCATED, 39),
        "an empty element after one that is not closed": ('{"a": ["x, "", "y"]}', TWO_READINGS, 9),
        "a bracket after which a quote ends the line": (
            '{\n  "a": "x "y" z",\n  "b": "c"} and so on "\n}',
            TWO_READINGS,
            30,
        ),
    }
)
def test_string_that_could_end_in_two_places_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@cases(
    {
        "before a newline and a key": ('{"a": "x\n"b": 1,}', {"a": "x", "b": 1}),
        "before a comma, a newline and a key": ('{"a": "x,\n  "b": 1,}', {"a": "x", "b": 1}),
        "after a word of its own line": ('{\n  "a": "第一 第二\n  "b": 1,}', {"a": "第一 第二", "b": 1}),
    }
)
def test_string_that_was_not_closed_ends_before_the_key_on_the_next_line(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw)[0] == data


def test_string_that_was_not_closed_is_traced_as_a_missing_quote() -> None:
    assert reading_of('{"a": "x,\n  "b": 1}')[1] == {K.MISSING_QUOTE}


def test_string_in_single_quotes_that_was_not_closed_ends_before_the_next_key() -> None:
    assert reading_of("{'a': 'x,\n  'b': 1}") == ({"a": "x", "b": 1}, {K.SINGLE_QUOTE, K.MISSING_QUOTE})


@cases(
    {
        "a member": ("{'a': 'x, \"\n,'b': 1}", {"a": "x, ", "b": 1}),
        "an element": ("{'a': ['x\" , 'y']}", {"a": ["x", "y"]}),
    }
)
def test_string_in_single_quotes_may_end_with_a_double_one(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw)[0] == data


@cases(
    {
        "of the first key": ('{a": 1}', {"a": 1}),
        "of a later key": ('{"x": 1, a": 2}', {"x": 1, "a": 2}),
    }
)
def test_quote_missing_before_a_key_is_filled_in(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.MISSING_QUOTE})


@cases(
    {
        "a raw newline": ('{"a": "x\ny", "b": 1}', {"a": "x\ny", "b": 1}),
        "a raw newline before quoted text": ('{"a": "x\n\\"y\\" z", "b": 1}', {"a": 'x\n"y" z', "b": 1}),
        "a raw newline before a word and a colon": ('{"a": "x\ny: z", "b": 1}', {"a": "x\ny: z", "b": 1}),
    }
)
def test_raw_newline_in_a_string_does_not_end_it(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.CONTROL_CHARACTER})


@cases(
    {
        "after the end": ('{"a": "x"", "b": 1}', {"a": "x", "b": 1}),
        "before the beginning": ('{"a": ""x", "b": 1}', {"a": "x", "b": 1}),
        "after the end in a list": ('{"a": ["x"", "y"]}', {"a": ["x", "y"]}),
        "after the end of the last value": ('{"b": 1, "a": "x""}', {"b": 1, "a": "x"}),
    }
)
def test_doubled_delimiter_is_dropped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.STRAY_QUOTE})


@cases(
    {
        "an empty string": ('{"a": "", "b": 1,}', {"a": "", "b": 1}),
        "an escaped quote at the end": (r'{"a": "x\"", "b": 1,}', {"a": 'x"', "b": 1}),
        "an escaped quote at the beginning": (r'{"a": "\"x", "b": 1,}', {"a": '"x', "b": 1}),
    }
)
def test_quote_that_looks_doubled_but_is_text_stays(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@cases(
    {
        "two strings": ('{"a": "x" + "y"}', {"a": "xy"}),
        "three strings": ('{"a": "x" + "y" + "z"}', {"a": "xyz"}),
        "over two lines": ('{"a": "x" +\n  "y", "b": 1}', {"a": "xy", "b": 1}),
        "in a list": ('{"a": ["x" + "y", "z"]}', {"a": ["xy", "z"]}),
        "with escapes": (r'{"a": "x\n" + "\"y\""}', {"a": 'x\n"y"'}),
    }
)
def test_concatenated_strings_are_one(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.STRING_CONCATENATION})


def test_concatenated_strings_in_single_quotes_are_one() -> None:
    assert reading_of("{'a': 'x' + 'y'}") == ({"a": "xy"}, {K.SINGLE_QUOTE, K.STRING_CONCATENATION})


@refusals(
    {
        "on both sides": ('{"a": "x "y" z" + "u "v" w"}', TWO_READINGS, 14),
        "before it": ('{"a": "x "y" z" + "u"}', TWO_READINGS, 14),
    }
)
def test_joint_in_a_string_with_unescaped_quotes_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_plus_sign_between_quotations_is_text() -> None:
    assert value_of('{"q": "What is "A"+"B"?"}') == {"q": 'What is "A"+"B"?'}


@texts(
    {
        "a comment": '{\n"a": "kg, // c\n"b": 1}',
        "code": '{\n"code": "d = {\n "k": "v",\n "m": 2\n}",\n"e": 3\n}',
    }
)
def test_forgotten_quote_that_may_have_swallowed_more_than_text_is_refused(raw: str) -> None:
    assert len(refusal_of(raw).details["candidates"]) == 2


def test_forgotten_quote_after_quotations_is_filled_in() -> None:
    raw = '{\n"a": "it removes "x" first,\n"b": 1}'
    assert reading_of(raw) == ({"a": 'it removes "x" first', "b": 1}, {K.UNESCAPED_QUOTE, K.MISSING_QUOTE})


@texts({"a tag": '{"h": "<td>12"</td>", "c": 1}', "an attribute": '{"html": "<p title="</p>", "b": 1}'})
def test_quote_before_a_tag_is_not_the_end_where_the_line_goes_on(raw: str) -> None:
    assert len(refusal_of(raw).details["candidates"]) == 2


def test_odd_quote_behind_a_digit_before_structure_is_refused() -> None:
    assert why_and_where(refusal_of('{"a": ["12", x"]}')) == (TWO_READINGS.en, 10)


def test_plus_sign_inside_a_string_is_text() -> None:
    assert reading_of('{"a": "x + y",}') == ({"a": "x + y"}, {K.TRAILING_COMMA})


@refusals(
    {
        "a name": ('{"a": "x" + y}', NO_COMMA, 10),
        "a number": ('{"a": "x" + 1}', NO_COMMA, 10),
        "a key": ('{"a" + "b": 1}', NO_VALUE, 4),
        "nothing": ('{"a": "x" + }', NO_COMMA, 10),
    }
)
def test_string_added_to_what_is_no_string_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@texts(
    {
        "in a member": '{"a": "x"、"y"}',
        "a slash": '{"a": ["x" / "y", "z"]}',
    }
)
def test_quotes_with_a_separator_between_them_may_bound_two_strings(raw: str) -> None:
    assert len(refusal_of(raw).details["candidates"]) == 2


def test_separator_in_a_quotation_is_text() -> None:
    assert value_of('{"a": "the "、" mark", "b": 1}') == {"a": 'the "、" mark', "b": 1}


@cases(
    {
        "before a number": ('{"c": [\n "N,\n 365,\n "t"\n ]}', {"c": ["N", 365, "t"]}),
        "before a literal": ('{"c": [\n "N,\n true,\n null,\n "t"\n ]}', {"c": ["N", True, None, "t"]}),
        "before a list": ('{"c": [\n "N,\n [1],\n "t"\n ]}', {"c": ["N", [1], "t"]}),
        "before an object": ('{"c": [\n "N,\n {"a": 1},\n "t"\n ]}', {"c": ["N", {"a": 1}, "t"]}),
        "before numbers at the end": ('{"c": [\n "N,\n 5,\n 6\n ],\n "d": "x"}', {"c": ["N", 5, 6], "d": "x"}),
        "after a comma of its own": ('{"c": [\n "N, O,\n 365,\n "t"\n ]}', {"c": ["N, O", 365, "t"]}),
        "between single quotes": ("{'c': [\n 'N,\n 365,\n 't'\n ]}", {"c": ["N", 365, "t"]}),
        "with a full-width comma": ('{"c": [\n "甲，\n 365，\n "乙"\n ]}', {"c": ["甲", 365, "乙"]}),
        "twice": ('{"c": [\n "N,\n 1,\n "t,\n 2,\n "u"\n ]}', {"c": ["N", 1, "t", 2, "u"]}),
        "in a row": ('{"c": [[\n "N,\n 365,\n "t"\n ]]}', {"c": [["N", 365, "t"]]}),
    }
)
def test_element_that_was_not_closed_ends_before_the_comma_of_its_line(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@texts(
    {
        "lines of words": '{"c": [\n "first line,\n second line,\n "t"\n ]}',
        "a word": '{"c": [\n "N,\n bare,\n "t"\n ]}',
        "a number and a word": '{"c": [\n "N,\n 365 days,\n "t"\n ]}',
        "a line without a comma": '{"c": [\n "N\n 365,\n "t"\n ]}',
    }
)
def test_element_that_was_not_closed_before_a_line_of_words_has_two_readings(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == TWO_READINGS.en


_LAST: dict[str, tuple[str, dict[str, Any]]] = {
    "a word": ('{"topic": "AI”}', {"topic": "AI"}),
    "Chinese words": ('{"主题": "三季度”}', {"主题": "三季度"}),
    "digits": ('{"year": "2024”}', {"year": "2024"}),
    "nothing": ('{"topic": "”}', {"topic": ""}),
    "an apostrophe": ('{"topic": "it\'s”}', {"topic": "it's"}),
    "brackets in the text": ('{"topic": "f(x) = {y: [1]}”}', {"topic": "f(x) = {y: [1]}"}),
    "escapes": (r'{"topic": "a\n\"b\"”}', {"topic": 'a\n"b"'}),
    "another member before": ('{"n": 1, "topic": "AI”}', {"n": 1, "topic": "AI"}),
    "the bracket on the next line": ('{\n  "topic": "AI”\n}\n', {"topic": "AI"}),
    "blanks before the bracket": ('{"topic": "AI” }', {"topic": "AI"}),
    "an object around": ('{"a": {"topic": "AI”}}', {"a": {"topic": "AI"}}),
    "a list": ('{"topics": ["ML", "AI”]}', {"topics": ["ML", "AI"]}),
    "the sign that opens": ('{"topic": "AI“}', {"topic": "AI"}),
    "the full-width sign": ('{"topic": "AI＂}', {"topic": "AI"}),
    "a fence": ('```json\n{"topic": "AI”}\n```', {"topic": "AI"}),
    "reasoning": ('<think>t</think>{"topic": "AI”}', {"topic": "AI"}),
}


@cases(_LAST)
def test_last_string_may_end_with_a_typographic_quote(raw: str, data: dict[str, Any]) -> None:
    for finished in (None, True):
        assert reading_of(raw, finished=finished) == (data, {K.SMART_QUOTE})


@texts({name: raw for name, (raw, _) in _LAST.items()})
def test_text_that_was_cut_is_refused_whatever_quote_ends_it(raw: str) -> None:
    assert refusal_of(raw, finished=False).details["truncated"]


@texts(
    {
        "no bracket": '{"topic": "AI”',
        "no quote": '{"topic": "AI}',
        "a quotation": '{"topic": "he said “AI”}',
        "nothing but a quotation": '{"topic": "“AI”}',
        "a Chinese quotation": '{"topic": "他说“好”}',
        "a sign before it": '{"topic": "a” b”}',
        "the sign around a word": '{"topic": "”AI”}',
        "an apostrophe": '{"topic": "the users’}',
        "a sign of feet": '{"topic": "5’}',
        "a backtick": '{"topic": "AI`}',
        "text after the bracket": '{"topic": "AI”} and so on',
        "a semicolon": '{"topic": "AI”; }',
        "a sign of another quotation": '{"topic": "AI»}',
    }
)
def test_quotation_at_the_end_that_may_be_text_leaves_the_string_cut(raw: str) -> None:
    for finished in (None, True):
        assert refusal_of(raw, finished=finished).details["truncated"]


@cases(
    {
        "a bracket missing": ('{"a": {"topic": "AI”}', {"a": {"topic": "AI"}}),
        "a comma before the bracket": ('{"topic": "AI”,}', {"topic": "AI"}),
        "prose after the fence": ('```json\n{"topic": "AI”}\n```\nIt helps.', {"topic": "AI"}),
    }
)
def test_typographic_quote_before_more_damage_ends_the_string_of_a_model_that_had_finished(
    raw: str, data: dict[str, Any]
) -> None:
    assert refusal_of(raw).details["truncated"]
    assert reading_of(raw, finished=True)[0] == data


# --- what it costs ------------------------------------------------------------------------------------------


@cases(
    {
        "behind a quotation in German": ('{"a": "„b""}', {"a": '„b"'}),
        "the same before another member": (
            '{"a": "Kafkas „Der Process"", "b": 1}',
            {"a": 'Kafkas „Der Process"', "b": 1},
        ),
        "the same in the middle": ('{"a": "„b" c"}', {"a": '„b" c'}),
        "behind a quotation in English": (
            '{"a": "Kafka\'s “Der Process"", "b": 1}',
            {"a": "Kafka's “Der Process\"", "b": 1},
        ),
        "behind a quotation in French": ('{"a": "un «x"", "b": 1}', {"a": 'un «x"', "b": 1}),
        "behind a quotation in Chinese": ('{"a": "卡夫卡「审判"", "b": 1}', {"a": '卡夫卡「审判"', "b": 1}),
        "behind a round bracket": ('{"a": "the (last one"", "b": 1}', {"a": 'the (last one"', "b": 1}),
        "behind another quote": ('{"a": "he said "x"", "b": 1}', {"a": 'he said "x"', "b": 1}),
        "before a quotation's end": ('{"a": ""b“ c"}', {"a": '"b“ c'}),
        "inches": ('{"a": "x 16"", "b": 1}', {"a": 'x 16"', "b": 1}),
        "inches in a key": ('{"16"": 1}', {'16"': 1}),
        "quoted words in a key": ('{"Rated "5" stars": 12}', {'Rated "5" stars': 12}),
        "quoted words at a key's end": ('{"a "t"": 1}', {'a "t"': 1}),
        "a quoted number at a key's end": ('{"a "1"": 1}', {'a "1"': 1}),
    }
)
def test_quote_at_the_edge_is_text_where_something_in_the_string_pairs_with_it(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


@cases(
    {
        "of a text": ('{"a": "x""}', {"a": "x"}),
        "at its beginning": ('{"a": ""x"}', {"a": "x"}),
        "of a key": ('{"a"": 1}', {"a": 1}),
    }
)
def test_quote_at_the_edge_is_stray_where_nothing_pairs_with_it(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.STRAY_QUOTE})


@cases(
    {
        "before a key": ('{"a": "x.\\",\n "b": "y"}', {"a": "x.", "b": "y"}),
        "behind an escaped quotation": ('{"a": "say \\"x\\" ok\\",\n "b": 1}', {"a": 'say "x" ok', "b": 1}),
    }
)
def test_closing_quote_at_the_end_of_a_line_may_be_escaped(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw, finished=True) == (data, {K.ESCAPED_JSON})


@texts(
    {
        "the end of an escaped quotation": '{"a": "say \\"x\\",\n "b": 1}',
        "the end of a path": '{"a": "D:\\dir\\",\n "b": 1}',
    }
)
def test_escaped_quote_that_may_be_text_has_two_readings(raw: str) -> None:
    assert refusal_of(raw, finished=True).details["json_error"] == TWO_READINGS.en


@cases(
    {
        "in the middle": ('{"r": "as "old": yes", "x": "14"}', {"r": 'as "old": yes', "x": "14"}),
        "an object": ('{"r": "is {"a": 1, "b": 2} and", "x": "1"}', {"r": 'is {"a": 1, "b": 2} and', "x": "1"}),
        "an object with strings": ('{"r": "use { "a": "b" }.", "x": "1"}', {"r": 'use { "a": "b" }.', "x": "1"}),
    }
)
def test_what_a_sentence_quotes_of_json_is_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


@texts(
    {
        "a member with a literal": '{"r": "as "old": true, "x": "14"}',
        "an object that is not closed": '{"r": "is {"a": 1, "b": 2 and", "x": "1"}',
    }
)
def test_what_may_be_a_member_is_no_text(raw: str) -> None:
    assert refusal_of(raw).details["stage"] == "repair"


@cases(
    {
        "on the next line": ('{"r": "is 12.\nx": "12"}', {"r": "is 12.", "x": "12"}),
        "behind an empty line": ('{"r": "is 12.\n\nx": "12"}', {"r": "is 12.", "x": "12"}),
        "with its comma": ('{"r": "is 12,\n  x": "12"}', {"r": "is 12", "x": "12"}),
    }
)
def test_line_that_lost_its_quotes_ends_before_the_next_key(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


@refusals(
    {
        "at its beginning": ('{"a": ""[^\\"\\\\\\\\]*\\"", "b": 1}', TWO_READINGS, 8),
        "at its end": ('{"a": "\\"[^\\"\\\\\\\\]*"", "b": 1}', TWO_READINGS, 7),
        "that opens, alone": ('{"a": "“, "b": 1}', TWO_READINGS, 6),
        "of a key with an equals sign": ('{"@id" = "z", "price"" = "{", "b" = "-"}', TWO_READINGS, 14),
        "of a key without its colon": ('{"action"  ""\n" "}', TWO_READINGS, 1),
    }
)
def test_quote_beside_another_that_may_be_text_is_refused(raw: str, reason: Reason, offset: int) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@cases(
    {
        "phrases": ('{"a": ""the word is \\"buy\\""}', {"a": 'the word is "buy"'}),
        "a member of JSON": ('{"a": "{\\n \\"k\\": \\"v\\"\\n}"", "b": 1}', {"a": '{\n "k": "v"\n}', "b": 1}),
        "code of Python's": ('{"a": "print(f\\"{i}: ok\\")"", "b": 1}', {"a": 'print(f"{i}: ok")', "b": 1}),
        "inches": ('{"a": ""a 24\\" screen", "b": 1}', {"a": 'a 24" screen', "b": 1}),
    }
)
def test_quote_beside_another_is_stray_where_those_inside_stand_around_phrases(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data


def test_string_without_its_end_makes_no_list_of_the_number_before_it() -> None:
    assert why_and_where(refusal_of('{"price" -> 85,\n"error -> 0.5,\n"null" -> 100}')) == (TWO_READINGS.en, 12)
