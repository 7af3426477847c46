"""Damage of several kinds in one object: each is undone as it would be alone."""

from typing import Any

import pytest

from src.shared.domain.parse_reasons import TOO_DAMAGED, TWO_READINGS, Reason
from src.shared.domain.repair import RepairKind as K
from tests.shared.domain.reading.cases import cases, refusals
from tests.shared.reading import reading_of, refusal_of, why_and_where


@pytest.mark.parametrize(
    ("raw", "data", "kind"),
    [
        ('｛"a": 1,, "b": ［2］｝', {"a": 1, "b": [2]}, K.FULL_WIDTH_PUNCTUATION),
        ('{"a"： 1，, "b": 2}', {"a": 1, "b": 2}, K.FULL_WIDTH_PUNCTUATION),
        ("{'a': 1,, 'b': 'x'}", {"a": 1, "b": "x"}, K.SINGLE_QUOTE),
        ("{“a”: 1,, “b”: “x”}", {"a": 1, "b": "x"}, K.SMART_QUOTE),
        ("{a: 1,, b: 2}", {"a": 1, "b": 2}, K.UNQUOTED_KEY),
        ('{"a": 1,, "b": True}', {"a": 1, "b": True}, K.PYTHON_LITERAL),
        ('{"a": 1,, "b": [2,],}', {"a": 1, "b": [2]}, K.TRAILING_COMMA),
        ('{"a": 1,, "b": "x "y" z"}', {"a": 1, "b": 'x "y" z'}, K.UNESCAPED_QUOTE),
    ],
)
def test_damage_beside_a_doubled_comma_is_undone_too(raw: str, data: dict[str, Any], kind: K) -> None:
    assert reading_of(raw) == (data, {kind, K.DOUBLED_COMMA})


def test_surplus_bracket_after_a_comma_is_dropped() -> None:
    assert reading_of('{"a": [1], ] "b": 2}') == ({"a": [1], "b": 2}, {K.SURPLUS_BRACKET})


def test_members_after_a_bracket_and_no_comma_may_be_another_object_and_are_refused() -> None:
    assert "two ways" in refusal_of('{"a": 1}\n"b": 2}').message


def test_surplus_bracket_between_two_commas_is_dropped_with_one() -> None:
    assert reading_of('{"a": 1,}, "b": 2}') == ({"a": 1, "b": 2}, {K.SURPLUS_BRACKET, K.DOUBLED_COMMA})


def test_surplus_bracket_after_a_comma_takes_the_comma_for_its_own() -> None:
    assert reading_of('{"a": 1,} "b": 2}') == ({"a": 1, "b": 2}, {K.SURPLUS_BRACKET})


def test_members_after_an_empty_object_are_refused() -> None:
    assert len(refusal_of('{}, "b": 2}').details["candidates"]) == 2


def test_surplus_bracket_of_an_object_in_single_quotes_is_dropped() -> None:
    assert reading_of("{'a': 1}, \"b\": 2}") == ({"a": 1, "b": 2}, {K.SINGLE_QUOTE, K.SURPLUS_BRACKET})


def test_path_of_escapes_only_keeps_them_beside_an_unescaped_quote() -> None:
    data, kinds = reading_of(r'{"a": "C:\new "x" y",, "b": 1}')
    assert (data, kinds) == ({"a": 'C:\new "x" y', "b": 1}, {K.UNESCAPED_QUOTE, K.DOUBLED_COMMA})


@cases(
    {
        "with quotes inside": ('{"a": """x "y" z""", "b": 1}', {"a": 'x "y" z', "b": 1}),
        "over two lines": ('{"a": """x\ny"""}', {"a": "x\ny"}),
        "in a list": ('{"a": ["""x""", 1]}', {"a": ["x", 1]}),
    }
)
def test_triple_quotes_delimit_a_string(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw)[0] == data


@cases(
    {
        "a quotation after a comma and a bracket": ('{"a": "x", (b" c)", "c": 1}', {"a": 'x", (b" c)', "c": 1}),
        "a quotation that holds a comment's marks": (
            '{"a": "x", /* c */ (b" c)", "c": 1}',
            {"a": 'x", /* c */ (b" c)', "c": 1},
        ),
    }
)
def test_quote_that_seemed_to_end_a_string_is_taken_back(raw: str, data: dict[str, Any]) -> None:
    assert reading_of(raw) == (data, {K.UNESCAPED_QUOTE})


def test_quote_before_a_bracket_that_closes_too_little_is_text() -> None:
    assert reading_of('{"a": {b: "x"} y" z"}}') == ({"a": {"b": 'x"} y" z'}}, {K.UNQUOTED_KEY, K.UNESCAPED_QUOTE})


@refusals(
    {
        "the same member twice, once unclosed": ('{"a": "1\n"a": 2}', TWO_READINGS, 12),
        "an unclosed string whose quotes are odd": ('{"a": "x", (b)", "c": 1,,}', TWO_READINGS, 8),
    }
)
def test_second_draft_of_a_member_is_refused(raw: str, reason: Reason, offset: int | None) -> None:
    assert why_and_where(refusal_of(raw)) == (reason.en, offset)


@pytest.mark.parametrize("prose", ['["x" y]', '["x", y]', '["x"'])
def test_list_that_is_none_is_prose(prose: str) -> None:
    assert reading_of(f'见 {prose} 与 {{"a": 1}}') == ({"a": 1}, set())


@pytest.mark.parametrize("raw", ['{"a": 1}"', '{"a": 1,}"', '"{"a": 1}"'])
def test_quote_right_after_the_object_is_prose(raw: str) -> None:
    assert reading_of(raw)[0] == {"a": 1}


def test_comments_that_use_up_the_work_before_a_value_are_too_much_damage() -> None:
    assert refusal_of('{"a": ' + "/**/" * 30_000 + "1}").details["json_error"] == TOO_DAMAGED.en
