"""Strings delimited by something other than the plain double quote."""

from typing import Any

import pytest

from src.shared.domain.engine.signs import QUOTES
from src.shared.domain.parse_reasons import TRUNCATED, Reason
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, refusals
from tests.shared.reading import reading_of, refusal_of, trace_of, value_of, why_and_where


@cases(
    {
        "“ ” around key and value": ("{“a”: “x”}", {"a": "x"}),
        "“ ” around a value only": ('{"a": “x”, "b": 1}', {"a": "x", "b": 1}),
        "” ” at both ends": ("{”a”: ”x”}", {"a": "x"}),
        "„ “ as in German": ("{„a“: „x“}", {"a": "x"}),
        "‘ ’": ("{‘a’: ‘x’}", {"a": "x"}),
        "full-width ＂": ("{＂a＂: ＂x＂}", {"a": "x"}),
        "「 」": ("{「a」: 「x」}", {"a": "x"}),
        "『 』": ("{『a』: 『x』}", {"a": "x"}),
        "full-width ＇": ("{＇a＇: ＇x＇}", {"a": "x"}),
        "„ “ on lines, with other quotes inside": (
            "{\n  „a“: null,\n  „b“: „x‘y’z“,\n  „c“: 5\n}",
            {"a": None, "b": "x‘y’z", "c": 5},
        ),
        "in a list": ('{"a": [“x”, “y”]}', {"a": ["x", "y"]}),
        "closed by a plain quote": ('{“a": “x", “b”: "y"}', {"a": "x", "b": "y"}),
        "around an empty string": ("{“a”: “”}", {"a": ""}),
        "around plain double quotes": ('{“a”: “说 "好"”}', {"a": '说 "好"'}),
        "around plain double quotes, beside an apostrophe": ('{“a”: “is "b"”, “c\'s”: 1}', {"a": 'is "b"', "c's": 1}),
        "around JSON": ('{“a”: “{"b": "x", "c": 0}”, “d”: 1}', {"a": '{"b": "x", "c": 0}', "d": 1}),
        "around an escaped quote": (r"{“a”: “说 \"好\"”}", {"a": '说 "好"'}),
        "around a plain apostrophe": ("{“a”: “it's”}", {"a": "it's"}),
    }
)
def test_typographic_quotes_delimit_strings(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SMART_QUOTE})


@cases(
    {
        "“ ” inside": ('{"a": "他说“好”",}', {"a": "他说“好”"}),
        "“ ” at both ends inside": ('{"a": "“好”",}', {"a": "“好”"}),
        "‘ as an apostrophe": ('{"a": "it’s",}', {"a": "it’s"}),
        "「 」 before a comma": ('{"a": "「好」，「坏」",}', {"a": "「好」，「坏」"}),
        "in a key": ('{"“a”": 1,}', {"“a”": 1}),
        "an escaped unicode quote": ('{"a": "\\u201c",}', {"a": "“"}),
    }
)
def test_typographic_quotes_in_text_stay(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@cases(
    {
        "around key and value": ("{'a': 'x'}", {"a": "x"}),
        "around an empty string": ("{'a': ''}", {"a": ""}),
        "around double quotes": ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
        "around an escaped apostrophe": (r"{'a': 'it\'s'}", {"a": "it's"}),
        "around an escaped double quote": (r"{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
        "around escapes": (r"{'a': 'x\n\u4e2d\\'}", {"a": "x\n中\\"}),
        "in a list": ("{'a': ['x', 'y', []]}", {"a": ["x", "y", []]}),
        "backticks": ("{`a`: `x`}", {"a": "x"}),
        "backticks around apostrophes": ("{`a`: `it's`}", {"a": "it's"}),
        "beside double quotes": ("{'a': \"it's\"}", {"a": "it's"}),
    }
)
def test_single_quotes_and_backticks_delimit_strings(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SINGLE_QUOTE})


@cases(
    {
        "an apostrophe": ('{"a": "it\'s",}', {"a": "it's"}),
        "quoted words": ('{"a": "say \'hi\', ok",}', {"a": "say 'hi', ok"}),
        "the whole text": ('{"a": "\'x\'",}', {"a": "'x'"}),
        "backticks": ('{"a": "`x`: `y`",}', {"a": "`x`: `y`"}),
        "a key": ("{\"'a'\": 1,}", {"'a'": 1}),
    }
)
def test_single_quotes_and_backticks_in_text_stay(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.TRAILING_COMMA})


@cases(
    {
        "an apostrophe in single quotes": ("{'a': 'it's', 'b': 1}", {"a": "it's", "b": 1}),
        "two apostrophes": ("{'a': 'rock 'n' roll'}", {"a": "rock 'n' roll"}),
    }
)
def test_apostrophe_in_a_string_of_single_quotes_is_text(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.SINGLE_QUOTE, K.UNESCAPED_QUOTE})


def test_typographic_quotes_inside_typographic_quotes_are_text() -> None:
    assert reading_of("{“a”: “他说“好”吗”}") == ({"a": "他说“好”吗"}, {K.SMART_QUOTE, K.UNESCAPED_QUOTE})


@refusals(
    {
        "smart": ("{“a”: “x}", TRUNCATED, 9),
        "single": ("{'a': 'x}", TRUNCATED, 9),
        "backtick": ("{`a`: `x}", TRUNCATED, 9),
        "corner": ("{「a」: 「x}", TRUNCATED, 9),
    }
)
def test_string_whose_quote_never_closes_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


def test_trace_shows_the_string_that_stood_there_and_the_one_that_was_read() -> None:
    repair = trace_of('{"甲": 1,\n “a”: 2}')[0]
    assert (repair.line, repair.column, repair.offset, repair.found, repair.put) == (2, 2, 10, "“a”", '"a"')


@pytest.mark.parametrize(("opening", "closing"), [(one, other) for one, ends in QUOTES.items() for other in ends])
def test_every_quote_of_the_lexicon_may_stand_around_a_key_and_a_value(opening: str, closing: str) -> None:
    assert value_of(f"{{{opening}k{closing}: {opening}v{closing}, {opening}n{closing}: 1}}") == {"k": "v", "n": 1}
