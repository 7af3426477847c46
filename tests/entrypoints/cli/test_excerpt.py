"""The line around a place, and the caret under it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from src.entrypoints.cli.plain_output import visible
from src.entrypoints.cli.reading_view import excerpt
from tests.entrypoints.cli.harness import invoke


def _above_the_caret(shown: str, caret: int) -> str:
    """The character that stands at a cell."""
    cells = 0
    for char in shown:
        if cells == caret and cell_len(char):  # a combining mark stands on the cell before
            return char
        cells += cell_len(char)
    return ""


@pytest.mark.parametrize(
    "line", ["abX", "中文字X，", "\t\tX", "a\t中\x1b[0mX", "e\u0301X", "，：｛X｝", "\u3000\u200bX", "😀X"]
)
def test_the_caret_stands_under_the_character_whatever_comes_before_it(line: str) -> None:
    assert _above_the_caret(*excerpt(line, line.index("X"), 60)) == "X"


@pytest.mark.parametrize(
    ("text", "offset", "shown"),
    [
        ("one\ntwo three\nfour", 8, ("two three", 4)),
        ("中文", 2, ("中文", 4)),
        ('"a\nb"', 2, ('"a␊', 2)),
        ("ab\r\ncd", 1, ("ab", 1)),
        ("a\n\nb", 2, ("␊", 0)),
        ("", 0, ("", 0)),
    ],
    ids=["a short line", "the text's end", "a line end", "a windows line end", "an empty line", "an empty text"],
)
def test_place_is_shown_in_its_line(text: str, offset: int, shown: tuple[str, int]) -> None:
    assert excerpt(text, offset, 60) == shown


def test_a_long_line_is_cut_on_both_sides_around_the_place() -> None:
    shown, caret = excerpt("中" * 1000 + "X" + "文" * 1000, 1000, 60)

    assert cell_len(shown) <= 60
    assert (shown[0], shown[-1]) == ("…", "…")
    assert _above_the_caret(shown, caret) == "X"


@given(
    text=st.text(st.sampled_from("ab\n\r\t中，\x1b\u200b😀"), max_size=200),
    where=st.floats(0, 1),
    width=st.integers(24, 80),
)
def test_an_excerpt_never_exceeds_its_width_and_always_shows_the_place(text: str, where: float, width: int) -> None:
    offset = int(where * len(text))

    shown, caret = excerpt(text, offset, width)

    assert cell_len(shown) <= width
    assert "\n" not in shown
    if offset < len(text):
        assert _above_the_caret(shown, caret) == visible(text[offset])[0]


def test_a_narrow_terminal_still_shows_the_place() -> None:
    ended = invoke("parse", text='{"甲": "' + "乙" * 500, columns=20)

    line, caret = ended.stderr.splitlines()[3:5]
    assert cell_len(line) <= 32
    assert caret.endswith("^")


def test_an_excerpt_on_screen_has_its_caret_under_the_place() -> None:
    ended = invoke("parse", text='说明\n{"结论": "买入", "理由": "' + "好" * 300, columns=60)

    line, caret = ended.stderr.splitlines()[3:5]
    assert max(cell_len(line), cell_len(caret)) <= 60
    assert cell_len(line) == cell_len(caret) - 1
