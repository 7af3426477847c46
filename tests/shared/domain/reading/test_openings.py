"""What of a text that is still written begins a value for certain, and what may."""

import pytest

from src.shared.domain.reading import openings

VALUES = {
    '{"a"': True,
    "{ a :": True,
    "[\n-1": True,
    "[true]": True,
    "{}": True,
    "｛“a”": True,
    "{a}": False,
    "[trueish": False,
    "[a": False,
    "{true}": False,
    "(1)": False,
}
MAY_BE_VALUES = {"{": True, "[ tr": True, "{ a_1 ": True, '{"': False, "{a}": False, "[a b c": False}


@pytest.mark.parametrize(("text", "begins"), VALUES.items())
def test_bracket_begins_a_value_if_data_follow(text: str, begins: bool) -> None:  # noqa: FBT001 - a table's column
    assert bool(openings.VALUE_BEGINS.match(text)) is begins


@pytest.mark.parametrize(("text", "may_begin"), MAY_BE_VALUES.items())
def test_bracket_may_begin_a_value_while_nothing_else_follows(text: str, may_begin: bool) -> None:  # noqa: FBT001
    assert bool(openings.VALUE_MAY_BEGIN.match(text)) is may_begin


@pytest.mark.parametrize("text", ["<![CDATA['a', 'b']]>", "<![ 'a', 'b']>"])
def test_bracket_of_a_section_opens_no_list(text: str) -> None:
    assert openings.LISTS_TOO.search(text, 0) == -1
    assert openings.LISTS_TOO.search(text.replace("<!", "<"), 0) >= 0
