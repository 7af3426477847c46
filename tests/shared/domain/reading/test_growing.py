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
    "another quote before another one": ('"one two three’, ‘b and', "one two three"),
    "a tilde": ('"about ~5 of them', "about ~5 of them"),
    "a tilde at the end": ('"one two three ~', "one two three"),
    "a quotation before a bracket": ('"see “one”] and more', "see “one”] and more"),
    "another quote before a list's bracket": ('"one two three’] and', "one two three"),
    "another quote before a brace": ('"one two three”} and', "one two three"),
    "another quote before a single one": ("\"one two three’, 'b and", "one two three"),
    "another quote before a curly one": ('"one two three’, “b and', "one two three"),
    "another quote before a backtick": ('"one two three’, `b and', "one two three"),
    "another quote before a blank and a comma": ('"one two three’ , ‘b and', "one two three"),
    "another quote before a word": ('"the boys’ toys, and more', "the boys’ toys, and more"),
    "another quote before a comma and a word": ('"of the boys’, and more', "of the boys’, and more"),
    "another quote and a blank": ('"one two three’ ', "one two three"),
    "another quote at the end": ('"one two three’', "one two three"),
    "a fence behind brackets and blanks": ('"one two three } ]\n```\nand', "one two three"),
    "a fence right behind a bracket": ('"one two three}```\nand', "one two three"),
    "a fence of tildes behind a bracket": ('"one two three]\n~~~\nand', "one two three"),
    "a fence behind a bracket and a word": ('"see } and ```js more', "see } and ```js more"),
    "a fence behind a word": ('"one two three\n```\nand more', "one two three\n```\nand more"),
    "a bracket behind a fence": ('"see ``` and } more', "see ``` and } more"),
    "a fence behind a bracket": ('"one two three}\n```\nand', "one two three"),
    "code": ('"one `two` three `', "one `two` three"),
    "a line that may be a key": ('"one two three\n key', "one two three"),
    "a line that may be a key without a margin": ('"one two three\nkey', "one two three"),
    "a line that is none": ('"one two three\n key and more', "one two three\n key and more"),
    "a line that ends in a single quote": ("\"one two three'\n and more words", "one two three"),
    "a line that ends in a curly quote": ('"one two three”\n and more words', "one two three"),
    "a line that ends in an opening quote": ('"one two three“\n and more words', "one two three"),
    "a line that ends in a full-width comma": ('"one two three，\n and more words', "one two three"),
    "a line that ends in a bracket and a blank": ('"one two three]\t \r\n and more words', "one two three"),
    "a line end at the beginning": ('"\n and more words', ""),
    "an empty line after words": ('"one two three\n\nand more words', "one two three\n\nand more words"),
    "a long blank line": (f'"one two three\n{" " * 90}\nand more', "one two three"),
    "a line that may be a key with a hyphen": ('"one two three\n\tmy-key_1', "one two three"),
    "a line of JSON": ('"one two three,\n"b', "one two three"),
    "an escape": (r'"one \"two\" three\u00e9 x', 'one "two" threeé x'),
    "a character of two escapes": (r'"one two three \ud83d\uDE00 x', "one two three 😀 x"),
    "a character of two escapes that is begun": (r'"one two three \ud83d\u', "one two three"),
    **{rf"half of \u{one}": (rf'"one two \u{one} x', "one two") for one in ("d83d", "D93D", "dade", "DFFF")},
    "an escape before the last halves": (r'"one two three \ud7ff x', "one two three \ud7ff x"),
    "a slash that is escaped": (r'"one two three\/four five', "one two three/four five"),
    "line ends that are escaped": (r'"one two three\n\r\tfour five', "one two three\n\r\tfour five"),
    "a line end before a word": (r'"one two three\nfour and more', "one two three\nfour and more"),
    "a return before a word": (r'"one two three\rFour and more', "one two three\rFour and more"),
    "a tab before a word": (r'"one two three\tFour and more', "one two three\tFour and more"),
    "a line end before a word that is begun": (r'"one two three\nfour', "one two three"),
    "a tab before what may be a command": (rf'"one two three\t{"x" * 23}', "one two three"),
    "a tab before what is too long for one": (rf'"one two three\t{"x" * 24}', f"one two three\t{'x' * 24}"),
    "a backslash that is escaped": (r'"one two three \\ x', "one two three"),
    "a backslash before a letter": (r'"one two three \d x', "one two three"),
    "an escape that is begun": (r'"one two three\u00', "one two three"),
    "an escape that may be a command": (r'"one two three \times y', "one two three"),
    "a backslash of a path": (r'"see the C:\dir and so on', "see the C"),
    "a control character": ('"one two three\x01 y', "one two three"),
    "a number": ('"12.5', ""),
    "a negative number": ('"-7', ""),
    "a number and a blank": ('"12.5 ', ""),
    "a number in an object": ('"12.5}, and more words', ""),
    "a number in a list": ('"7], and more words', ""),
    "a literal and a blank": ('"true\t', ""),
    "a number and more": ('"12.5 of them, more', "12.5 of them, more"),
    "a number before a comma": ('"12, "b', ""),
    "a literal": ('"nul', ""),
    **{f"a sentence with {sign}": (f'"one{sign}two', f"one{sign}two") for sign in ",，。;；!！?？…"},
    "a line end in a sentence": ('"one\ntwo', "one"),
    "a tab in a sentence": ('"one\ttwo', "one\ttwo"),
    "a key": ('"key of', ""),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_shown_of_a_string(text: str, shown: str) -> None:
    string = GrowingString(text, 0, looks_like_key)
    assert (string.look(text), string.shown) == (bool(shown), shown)


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_it_only_grows_however_it_comes(text: str, shown: str) -> None:
    looked, grown = (GrowingString(text, 0, looks_like_key) for _ in range(2))
    for end in range(2, len(text) + 1):
        before = looked.shown
        looked.look(text[:end])
        if grown.grow(text[end - 1 : end]) is None:
            grown.look(text[:end])
        assert (looked.shown[: len(before)], looked.shown) == (before, grown.shown)
    assert looked.shown == shown


@pytest.mark.parametrize(("length", "shown"), [(KEY_LIMIT, False), (KEY_LIMIT + 1, True)])
def test_long_text_is_no_key(length: int, shown: bool) -> None:  # noqa: FBT001 - a column
    text = '"' + "k" * length
    assert GrowingString(text, 0, lambda _: True).look(text) is shown
