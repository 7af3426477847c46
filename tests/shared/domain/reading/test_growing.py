"""What is shown of a string that is still written is the beginning of what it turns out to be."""

from __future__ import annotations

import pytest

from src.shared.domain.reading.growing import KEY_LIMIT, GrowingString, looks_like_key

SHOWN = {
    "words": ('"one two three', "one two three"),
    "a blank at the end": ('"one two three ', "one two three"),
    "the closing quote": ('"one two three" and', "one two three"),
    "what may be its end": ('"one two three, ', "one two three"),
    "another quote before a comma": ('"one two three’, "b', "one two three"),
    "an apostrophe": ("'it's a good one", "it's a good one"),
    "an apostrophe at the end": ("'it is a bull'", "it is a bull"),
    "a quotation inside": ('"the ‘good’, “one” or', "the ‘good’, “one” or"),
    "a fence behind a bracket": ('"one two three}\n```\nand', "one two three"),
    "code": ('"one `two` three `', "one `two` three"),
    "a line that may be a key": ('"one two three\n key', "one two three"),
    "a line that is none": ('"one two three\n key and more', "one two three\n key and more"),
    "a line of JSON": ('"one two three,\n"b', "one two three"),
    "an escape": (r'"one \"two\" three\u00e9 x', 'one "two" threeé x'),
    "an escape that is begun": (r'"one two three\u00', "one two three"),
    "an escape that may be a command": (r'"one two three \times y', "one two three"),
    "a backslash of a path": (r'"see the C:\dir and so on', "see the C"),
    "a control character": ('"one two three\x01 y', "one two three"),
    "a number": ('"12.5', ""),
    "a number and more": ('"12.5 of them, more', "12.5 of them, more"),
    "a number before a comma": ('"12, "b', ""),
    "a literal": ('"nul', ""),
    "a key": ('"key of', ""),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_shown_of_a_string(text: str, shown: str) -> None:
    string = GrowingString(text, 0, looks_like_key)
    assert (string.look(text), string.shown) == (bool(shown), shown)


@pytest.mark.parametrize("text", [text for text, _ in SHOWN.values()], ids=SHOWN)
def test_it_only_grows_however_it_comes(text: str) -> None:
    looked, grown = (GrowingString(text, 0, looks_like_key) for _ in range(2))
    for end in range(2, len(text) + 1):
        before = looked.shown
        looked.look(text[:end])
        if grown.grow(text[end - 1 : end]) is None:
            grown.look(text[:end])
        assert (looked.shown[: len(before)], looked.shown) == (before, grown.shown)


@pytest.mark.parametrize(("length", "shown"), [(KEY_LIMIT, False), (KEY_LIMIT + 1, True)])
def test_long_text_is_no_key(length: int, shown: bool) -> None:  # noqa: FBT001 - a column
    text = '"' + "k" * length
    assert GrowingString(text, 0, lambda _: True).look(text) is shown
