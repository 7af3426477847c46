"""The vocabulary of repair is closed: every kind can occur, and each is traced where it occurred."""

from collections import Counter
from pathlib import Path

import pytest

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json

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

OWNERS = {
    "domain/reading/test_backslashes.py": (K.BAD_ESCAPE,),
    "domain/reading/test_brackets.py": (K.MISSING_BRACKET, K.SURPLUS_BRACKET),
    "domain/reading/test_escapes.py": (K.CONTROL_CHARACTER, K.ESCAPED_JSON),
    "domain/reading/test_keys.py": (K.UNQUOTED_KEY, K.MISSING_COLON, K.REPEATED_KEY, K.DUPLICATE_KEY),
    "domain/reading/test_punctuation.py": (
        *(K.FULL_WIDTH_PUNCTUATION, K.TRAILING_COMMA, K.MISSING_COMMA, K.DOUBLED_COMMA),
        *(K.COMMENT, K.INVISIBLE_CHARACTER, K.ELLIPSIS),
    ),
    "domain/reading/test_quotes.py": (K.SMART_QUOTE, K.SINGLE_QUOTE, K.UNESCAPED_QUOTE),
    "domain/reading/test_string_ends.py": (K.MISSING_QUOTE, K.STRAY_QUOTE, K.STRING_CONCATENATION),
    "domain/reading/test_unquoted.py": (
        *(K.UNQUOTED_VALUE, K.PYTHON_LITERAL, K.JAVASCRIPT_LITERAL, K.NON_FINITE_NUMBER, K.NUMBER_SPELLING),
    ),
    "domain/reading/test_encoded.py": (K.MARKUP,),
    "infrastructure/test_llm_json_truncation.py": (K.TRUNCATED_MEMBER,),
}
"""Which tests say what is read, and what only looks like it, for each kind."""


def test_every_kind_has_exactly_one_owner() -> None:
    assert Counter(kind for kinds in OWNERS.values() for kind in kinds) == Counter(K)


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in OWNERS.items() for kind in kinds])
def test_owner_names_its_kind(name: str, kind: K) -> None:
    assert f".{kind.name}" in Path(__file__).parents[2].joinpath(name).read_text("utf-8")


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
