"""Text that a model may have written, on one line: nothing in it begins a line, shows nothing or turns the writing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.shared.domain.one_line import one_line


@pytest.mark.parametrize("text", ["", "plain", "裁决：持有 50%", "a b\u3000c\xa0d", "naïve 👍", "back\\slash"])
def test_text_without_breaks_stays_as_it_is(text: str) -> None:
    assert one_line(text, 100) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("a\r\nb\tc", r"a\r\nb\tc"),
        ("a\x0bb\x0cc\x1cd\x85e", r"a\x0bb\x0cc\x1cd\x85e"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\u202etxet\u202c \u2066x\u2069", r"\u202etxet\u202c \u2066x\u2069"),
        ("a\u200bb\ufeffc\xad", r"a\u200bb\ufeffc\xad"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_character_that_breaks_a_line_hides_or_turns_the_writing_is_an_escape(text: str, shown: str) -> None:
    assert one_line(text, 100) == shown


@pytest.mark.parametrize(("length", "shown"), [(9, "x" * 9), (10, "x" * 10), (11, "x" * 9 + "…")])
def test_longer_text_is_cut_to_the_limit_and_says_so(length: int, shown: str) -> None:
    assert one_line("x" * length, 10) == shown


def test_escapes_count() -> None:
    assert one_line("\n" * 6, 10) == r"\n\n\n\n\…"


@given(st.text(), st.integers(1, 40))
def test_result_is_one_bounded_line_of_visible_characters(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
    assert {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
