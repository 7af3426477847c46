"""The vocabulary of repair is closed: every kind can occur, and each is traced where it occurred."""

import tomllib
from pathlib import Path

import pytest

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import reading_of, trace_of

TESTS = Path(__file__).parents[3]
SAMPLES = {
    K.CONTROL_CHARACTER: ('{"a": "x|\n|y"}', "\\n"),
    K.SMART_QUOTE: ("{|“a”|: 1}", '"a"'),
    K.FULL_WIDTH_PUNCTUATION: ('{"a"|：|1}', ":"),
    K.SINGLE_QUOTE: ("{|'a'|: 1}", '"a"'),
    K.UNQUOTED_KEY: ("{|a|: 1}", '"a"'),
    K.UNQUOTED_VALUE: ('{"a": |x y|}', '"x y"'),
    K.UNESCAPED_QUOTE: ('{"a": "x ||"y" z"}', "\\"),
    K.MISSING_QUOTE: ('{"a": "x||,\n"b": 1}', '"'),
    K.STRAY_QUOTE: ('{"a": "x"|"|}', ""),
    K.BAD_ESCAPE: ('{"a": "||\\d"}', "\\"),
    K.TRAILING_COMMA: ('{"a": 1|,|}', ""),
    K.MISSING_COMMA: ('{"a": "x"|| "b": 1}', ","),
    K.DOUBLED_COMMA: ('{"a": 1,|,| "b": 1}', ""),
    K.MISSING_COLON: ('{"a" |=>| 1}', ":"),
    K.COMMENT: ('{"a": 1 |/* x */|}', " "),
    K.PYTHON_LITERAL: ('{"a": |None|}', "null"),
    K.JAVASCRIPT_LITERAL: ('{"a": |undefined|}', "null"),
    K.NON_FINITE_NUMBER: ('{"a": |Infinity|}', "Infinity"),
    K.NUMBER_SPELLING: ('{"a": |+1|}', "1"),
    K.ELLIPSIS: ('{|...| "a": 1}', ""),  # salvage only
    K.MISSING_BRACKET: ('{"a": [1||}', "]"),
    K.SURPLUS_BRACKET: ('{"a": 1|}|, "b": 2}', ""),
    K.STRING_CONCATENATION: ('{"a": "x|" + "|y"}', ""),
    K.INVISIBLE_CHARACTER: ('{"a":|\u200b|1}', " "),
    K.ESCAPED_JSON: ('|{\\"a\\": 1}|', '{"a": 1}'),
    K.MARKUP: ('{|**|"a"**: 1}', ""),
    K.REPEATED_KEY: ('{"a": |"a":| 1}', ""),
    K.DUPLICATE_KEY: ('{"a": 1, |"a"|: 2}', ""),
    K.TRUNCATED_MEMBER: ('{"a": 1|, "b": "x|', "}"),
}
"""A text for each kind, with bars around what was found there, and what was read instead."""

TABLE = tomllib.loads((TESTS / "tables" / "decisions.toml").read_text(encoding="utf-8"))["row"]
OF_SALVAGE = {
    K.ELLIPSIS: "shared/domain/reading/test_punctuation.py",
    K.TRUNCATED_MEMBER: "shared/infrastructure/test_llm_json_truncation.py",
}
"""Kinds that no row of the table has, and the tests that say what is read, and what only looks like it."""


def test_every_kind_stands_in_the_table_or_is_one_of_salvage() -> None:
    assert {K(kind) for row in TABLE for kind in row.get("repairs", ())} == set(K) - OF_SALVAGE.keys()


@pytest.mark.parametrize(("kind", "name"), OF_SALVAGE.items())
def test_kind_of_salvage_is_named_by_its_tests(kind: K, name: str) -> None:
    assert f".{kind.name}" in (TESTS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", K)
def test_repair_is_traced_with_its_place_and_what_was_read_instead(kind: K) -> None:
    marked, put = SAMPLES[kind]
    before, found, after = marked.split("|")
    decoded = decode_llm_json(before + found + after, salvage=kind in {K.TRUNCATED_MEMBER, K.ELLIPSIS})
    traced = [(repair.kind, repair.offset, repair.found, repair.put) for repair in decoded.repairs]
    assert (kind, len(before), found, put) in traced


@pytest.mark.parametrize("kind", K)
def test_repairs_come_in_the_order_of_the_text(kind: K) -> None:
    text = SAMPLES[kind][0].replace("|", "")
    offsets = [repair.offset for repair in decode_llm_json(text, salvage=True).repairs]
    assert offsets == sorted(offsets)


def test_long_finding_is_cut_in_the_trace() -> None:
    repair = decode_llm_json('{"a": 1 /* ' + "长" * 100 + " */}").repairs[0]
    assert (len(repair.found), repair.found[-1]) == (40, "…")


def test_trace_shows_the_string_that_stood_there_and_the_one_that_was_read() -> None:
    repair = trace_of('{"甲": 1,\n “a”: 2}')[0]
    assert (repair.line, repair.column, repair.offset, repair.found, repair.put) == (2, 2, 10, "“a”", '"a"')


def test_duplicate_key_in_a_damaged_object_is_traced_where_it_stood() -> None:
    raw = "{'a': 1, b: 2, \"a\": 3}"
    places = {repair.kind: repair.offset for repair in trace_of(raw)}
    assert places == {K.SINGLE_QUOTE: 1, K.UNQUOTED_KEY: raw.index("b:"), K.DUPLICATE_KEY: raw.index('"a"')}


def test_raw_control_characters_in_a_damaged_object_are_traced_where_they_stood() -> None:
    kinds = reading_of('{"a": "x\ny", "b": "z\t",}')
    assert kinds == ({"a": "x\ny", "b": "z\t"}, {K.CONTROL_CHARACTER, K.TRAILING_COMMA})
