"""Letters that Python writes before the quote of a string, and letters that only look like one of these."""

from typing import Any

from src.shared.domain.parse_reasons import TWO_READINGS
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, texts
from tests.shared.reading import reading_of, refusal_of, value_of


@cases(
    {
        "a formatted string": ('{"x": f"abc"}', {"x": "abc"}),
        "a raw string": ('{"x": r"abc"}', {"x": "abc"}),
        "a string of Python 2": ('{"x": u"abc"}', {"x": "abc"}),
        "two letters": ('{"x": rf"abc"}', {"x": "abc"}),
        "a capital letter": ('{"x": F"abc"}', {"x": "abc"}),
        "nothing": ('{"x": f"", "y": [u""]}', {"x": "", "y": [""]}),
        "an element": ('{"x": ["a", u"b", "c"]}', {"x": ["a", "b", "c"]}),
        "an escape": ('{"x": u"\\u4f60"}', {"x": "你"}),
        "three quotes": ('{"x": u"""abc"""}', {"x": "abc"}),
        "a blank first": ('{"x": u" a"}', {"x": " a"}),
        "keys": ('{u"x": 1, f"y": 2}', {"x": 1, "y": 2}),
        "on a line of its own": ('{"x":\n  u"甲"\n}', {"x": "甲"}),
        "in a fence": ('```json\n{"x": [{"y": u"abc"}]}\n```', {"x": [{"y": "abc"}]}),
    }
)
def test_letter_before_a_string_of_python_is_no_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.PYTHON_LITERAL})


def test_object_as_python_2_prints_it_is_read() -> None:
    raw = "{u'a': [u'x', u'it\\'s'], u'b': {u'c': None}, u'd': True}"
    assert value_of(raw) == {"a": ["x", "it's"], "b": {"c": None}, "d": True}


@texts(
    {
        "a place for a value": '{"x": f"a {b} c"}',
        "a raw backslash": r'{"x": r"\d+"}',
        "bytes": '{"x": b"abc", "y": 1}',
        "raw bytes": '{"x": rb"abc"}',
        "bytes in a list": '{"x": ["a", b"b", "c"]}',
        "a comma for the text": '{"x": [u",", "a"]}',
        "an escape of bytes": r'{"x": b"\xe4\xbd"}',
        "two strings in two lines": '{"x": [b"y"\n b"z"]}',
        "an expression": '{"x": r"a" if y else b"c"}',
        "a letter of no language": '{"x": L"abc", "y": 1}',
        "a word": '{"x": word"abc"}',
        "letters that do not go together": '{"x": fu"abc"}',
    }
)
def test_letter_that_may_change_the_text_is_refused(raw: str) -> None:
    assert refusal_of(raw).details["json_error"] == TWO_READINGS.en


@cases(
    {
        "a letter for a value": ('{"grade": b", "n": 1}', {"grade": "b", "n": 1}),
        "a letter for the last value": ('{"grade": b"}', {"grade": "b"}),
        "a letter for an element": ('{"grade": [f", "a"]}', {"grade": ["f", "a"]}),
        "a letter for a key": ('{"a": 1, b": 2}', {"a": 1, "b": 2}),
        "a word that begins with one": ('{"x": babc", "y": 1}', {"x": "babc", "y": 1}),
        "a letter and a blank": ('{"x": b abc", "y": 1}', {"x": "b abc", "y": 1}),
        "a quotation": ('{"x": the "b" thing", "y": 1}', {"x": 'the "b" thing', "y": 1}),
        "inches": ('{"x": size 5" disk"}', {"x": 'size 5" disk'}),
    }
)
def test_text_without_its_first_quote_begins_with_its_letters(raw: str, data: dict[str, Any]) -> None:
    assert value_of(raw) == data
