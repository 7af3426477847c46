"""What of a text that is still written is a token for certain, and what may still become one."""

import re

import pytest

from src.shared.domain.engine.signs import MARGIN
from src.shared.domain.reading import escapes, tokens

KEYS = {
    '"a b": 1': '"a b"',
    '"a\\"\\u00e9": 1': '"a\\"\\u00e9"',
    "'a': 1": "'a'",
    "“a”: 1": "“a”",
    "$a_1 : 1": "$a_1",
    '"a': None,
    "'a\": 1": None,
    "“a“: 1": None,
    '"a\\x": 1': None,
    '"a\n": 1': None,
    "a_1": None,
    "1a: 1": None,
}
OTHER_ENDS = {
    "x’, 'b": "’",
    "x” ， “b": "”",
    "x`\n}": "`",
    "x’s, and": None,
    "x”: b": None,
    "x, 'b": None,
}
LINES = {
    'x", \t': True,
    "x}": True,
    "x，\r": True,
    " " * MARGIN: True,
    "x": False,
    "x}\n": False,
    " " * (MARGIN - 1): False,
    "": False,
}
SCALARS = {"100.0 }": "}", " -5,": ",", "true": None, "null]": "]", "12 m": None}
NO_SCALARS = ("- x", "some", "  1", "True")
WHOLE_ESCAPES = {
    r"\n ": r"\n",
    r"\new x": r"\n",
    r"\"": r"\"",
    r"\u4e2d": r"\u4e2d",
    r"\ud83d\ude00": r"\ud83d\ude00",
    r"\n": None,
    r"\new": None,
    r"\ud83d": None,
    r"\ud83dx": None,
    r"\d": None,
}
BEGUN_ESCAPES = {
    "\\": True,
    r"\n": True,
    r"\new": True,
    r"\u4e2": True,
    r"\ud83d\u": True,
    r"\a": True,
    r"\d": False,
    r"\n ": False,
    r"\u4x": False,
}


def text_of(found: re.Match[str] | None) -> str | None:
    return found.group() if found else None


@pytest.mark.parametrize(("text", "key"), KEYS.items())
def test_key_is_whole_once_its_end_is_there(text: str, key: str | None) -> None:
    assert text_of(tokens.WHOLE_KEY.match(text)) == key


@pytest.mark.parametrize(("text", "sign"), OTHER_ENDS.items())
def test_another_sign_may_end_a_string_before_a_member_or_a_bracket(text: str, sign: str | None) -> None:
    found = tokens.OTHER_END.search(text)
    assert (found["sign"] if found else None) == sign
    assert found is None or tokens.LAST_OF_END.search(found.group()[-1])


@pytest.mark.parametrize(("text", "ends"), LINES.items())
def test_line_may_be_one_of_json_by_its_last_sign(text: str, ends: bool) -> None:  # noqa: FBT001
    assert bool(tokens.ENDS_LINE.search(text)) is ends


@pytest.mark.parametrize(("text", "sign"), SCALARS.items())
def test_quote_may_be_a_slip_before_a_number_or_a_literal(text: str, sign: str | None) -> None:
    found = tokens.BEGUN_SCALAR.match(text)
    assert found is not None
    assert found["sign"] == sign


@pytest.mark.parametrize("text", NO_SCALARS)
def test_quote_is_no_slip_before_other_text(text: str) -> None:
    assert tokens.BEGUN_SCALAR.match(text) is None


@pytest.mark.parametrize(("text", "escape"), WHOLE_ESCAPES.items())
def test_escape_is_whole_once_what_follows_tells(text: str, escape: str | None) -> None:
    assert text_of(escapes.WHOLE_ESCAPE.match(text)) == escape


@pytest.mark.parametrize(("text", "is_begun"), BEGUN_ESCAPES.items())
def test_backslash_may_become_an_escape(text: str, is_begun: bool) -> None:  # noqa: FBT001
    assert bool(escapes.BEGUN_ESCAPE.match(text)) is is_begun


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [(r"\x41", True), (r"\u{41}", True), ("\\\n", True), (r"\a ", True), (r"\alpha", False), (r"\d", False)],
)
def test_backslash_may_begin_an_escape_of_another_language(text: str, is_foreign: bool) -> None:  # noqa: FBT001
    assert escapes.may_be_foreign(text, 0) is is_foreign
