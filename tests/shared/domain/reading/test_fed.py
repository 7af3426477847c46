"""The reader that is fed: what is settled of a text depends on the text alone, and is what the whole of it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from src.shared.domain.reading.fed import CROWD, EVERY, LOOK_AHEAD, Fed, Token, TwoReadingsError, string_value
from src.shared.domain.reading.machine import Machine
from src.shared.domain.reading.reader import read
from tests.streamed import pieces

MORE = ', "more": "' + "word " * (LOOK_AHEAD // 4) + '"'
"""Undamaged text behind a damage, as much as it takes to tell it."""


def fed(text: str, size: int = 1) -> tuple[Fed, list[Token]]:
    """The tokens of a text that comes in pieces of this length."""
    reader, tokens = Fed(), list[Token]()
    for piece in pieces(text, (size,)):
        tokens += reader.feed(piece) or ()
    return reader, tokens


def value_of(tokens: list[Token]) -> Any:  # noqa: ANN401 - decoded JSON
    """The value that tokens are of, as far as they go."""
    root: list[Any] = []
    opened: list[Any] = [root]
    for _, key, sign, scalar in tokens:
        if sign in ("}", "]"):
            opened.pop()
            continue
        value: Any = {"{": {}, "[": []}.get(sign, scalar)
        if key is None:
            opened[-1].append(value)
        else:
            opened[-1][key] = value
        if sign in ("{", "["):
            opened.append(value)
    return root[0] if root else None


READ = {
    "clean": '{"a": 1, "b": [1, 2, {"c": "x"}], "d": {}, "e": [], "f": -0.5e3}',
    "on lines": '{\n  "a": [\n    1,\n    2\n  ],\n  "b": null\n}',
    "single quotes": "{'a': 'x', 'b': ['y']}",
    "apostrophes": "{'a': 'it's good', 'b': [True, 'isn't it', None]}",
    "bare keys": "{a: 1, $b: {c_1: true}}",
    "full width": '｛"a"：［1，2］，"b"：｛"c"：3｝｝',
    "trailing commas": '{"a": [1, 2,], "b": {"c": 3,},}',
    "commas missing at line ends": '{\n"a": "x y"\n"b": [1\n2]\n"c": 2\n}',
    "inner quotes": f'{{"a": "this is the "good" one", "b": 1{MORE}}}',
    "comments": f'{{"a": 1, // one\n"b": [2, /* two */ 3]{MORE}}}',
    "doubled commas": f'{{"a": [1,, 2,, 3]{MORE}}}',
    "colons missing": f'{{"a" "x", "b" 2{MORE}}}',
    "backslashes": r'{"a": "C:\dir\sub", "b": "so \( x \)"}',
}
WAITING = {
    "inner quotes": ('{"a": 1, "b": "this is the "good" one", "c": 1}', {"a": 1}),
    "a comment": ('{"a": 1, // one\n"b": 2}', {"a": 1}),
    "a comma that is missing on a line": ('{"a": 1 "b": 2}', {}),
    "a bracket that is missing": ('{"a": [1, "b": 2}' + MORE, {"a": [1]}),
    "a bracket of the other kind": ('{"a": [1, 2}, "b": 3}' + MORE, {"a": [1]}),
    "edits that overlap": ("{'a': 1, 'b:' 5, 'c': 2, 'd': 3}", {"a": 1}),
    "text without quotes": ('{"a": 1, "b": some words, "c": 2}', {"a": 1}),
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_tokens_say_what_the_whole_text_says(text: str, size: int) -> None:
    reader, tokens = fed(text + " and more", size)
    assert json.dumps(value_of(tokens)) == json.dumps(read(text, 0).data)
    assert (reader.end, reader.is_waiting) == (len(text), False)


@pytest.mark.parametrize(("text", "value"), WAITING.values(), ids=WAITING)
def test_what_cannot_be_told_yet_is_not_settled(text: str, value: object) -> None:
    reader, tokens = fed(text)
    assert (value_of(tokens), reader.end, reader.is_waiting) == (value, -1, True)


@pytest.mark.parametrize("text", [*READ.values(), *(text for text, _ in WAITING.values())])
def test_pieces_make_no_difference(text: str) -> None:
    _, one_by_one = fed(text)
    for size in (2, 5, EVERY + 1, len(text)):
        assert fed(text, size)[1] == one_by_one


def test_damage_is_told_once_enough_text_stands_behind_it() -> None:
    begun = '{"a": "this is the "good" one", "b": "'
    assert fed(begun + "x" * (LOOK_AHEAD // 2))[0].is_waiting
    reader, tokens = fed(begun + "x" * (LOOK_AHEAD + EVERY))
    assert (reader.is_waiting, value_of(tokens)) == (False, {"a": 'this is the "good" one'})


def test_what_is_told_of_a_damage_is_not_told_again() -> None:
    first, second = '"a": "the "good" one"', '"b": "the "bad" one"'
    _, tokens = fed(f"{{{first}{MORE}, {second}" + MORE.replace("more", "less") + "}", 10_000)
    assert list(value_of(tokens)) == ["a", "more", "b", "less"]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ('{"a": 1, "b', None),
        ('{"a": 1, "b"', None),
        ('{"a": 1,\n  "b":', (2, "b", -1)),
        ('{"a": 1, "b": "x', (-1, "b", 14)),
        ('{"a": [1, "x', (-1, "", 10)),
        ("{'a': 1, 'b\\'c': 'x", None),
        ("", None),
    ],
)
def test_item_that_is_still_written_is_known_from_its_colon_on(text: str, item: object) -> None:
    assert fed(text)[0].item == item


@pytest.mark.parametrize("word", ["NaN", "-Infinity", "-0", "1" * 5_000])
def test_number_that_another_decoder_reads_otherwise_is_no_token(word: str) -> None:
    assert fed(f'{{"a": {word}, "b": 1}}')[1][1] == (-1, "a", "", None)


@pytest.mark.parametrize(
    ("string", "is_json", "value"),
    [
        (r'"a \" \u00e9 \\ b"', True, 'a " é \\ b'),
        (r'"so \( x \)"', True, "so \\( x \\)"),
        (r'"\frac{1}{2} \( x \) is a half"', True, "\\frac{1}{2} \\( x \\) is a half"),
        (r'"a \\times b"', True, "a \\times b"),
    ],
)
def test_string_with_backslashes_says(string: str, is_json: bool, value: str) -> None:  # noqa: FBT001 - a column
    assert string_value(string, is_json=is_json) == value


@pytest.mark.parametrize(
    ("string", "is_json"),
    [(r'"one \times two"', True), (r'"one \ud83d two"', True), (r'"one \d two"', False), (r'"a \d \\server b"', True)],
)
def test_string_may_be_read_in_two_ways(string: str, is_json: bool) -> None:  # noqa: FBT001 - a column
    with pytest.raises(TwoReadingsError):
        string_value(string, is_json=is_json)


@pytest.mark.parametrize("size", [1, 3, 7])
def test_comma_alone_on_its_line_may_stand_for_a_bracket_so_that_nothing_behind_it_is_settled(size: int) -> None:
    reader, tokens = fed('{\n  "a": {\n    "b": {"x": 1}\n  ,\n  "c": 2', size)
    assert value_of(tokens) == {"a": {"b": {"x": 1}}}
    assert reader.is_waiting


def settled_after(text: str) -> int:
    """How much of the text has to come, character by character, before its first member is settled."""
    reader = Fed()
    return next(at for at, char in enumerate(text, 1) if any(key for _, key, _, _ in reader.feed(char) or ()))


@pytest.mark.parametrize(("quotes", "length"), [(CROWD - 1, 832), (CROWD, 1024)])
def test_damage_with_many_quotes_behind_it_is_looked_at_less_often(quotes: int, length: int) -> None:
    begins, ends = '{"a": "it is so ', 'and", "b": "'
    inner, apostrophes = divmod(quotes - (begins + ends).count('"'), 2)
    text = begins + '"q" ' * inner + "it's " * apostrophes + ends
    assert text.count('"') + text.count("'") == quotes
    assert settled_after(text + "word " * LOOK_AHEAD) == 1 + length


def test_damage_is_looked_at_in_a_few_times_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    copied = Machine.copied

    def counted(m: Machine) -> Machine:
        looked_at.append(len(m.text) - m.at)
        return copied(m)

    monkeypatch.setattr(Machine, "copied", counted)
    text = '{"":"' * 3_000
    fed(text, 64)
    assert sum(looked_at) < 4 * len(text)


@pytest.mark.parametrize("size", [8, 5_000])
@pytest.mark.parametrize("opening", ['{"":', '{"a":', "{'a':", "[", '[{"a":'])
def test_what_is_nested_too_deeply_waits_for_the_end(opening: str, size: int) -> None:
    reader, _ = fed(opening * 1_020 + "1", size)
    assert (reader.end, reader.feed("}"), reader.feed('"a": 1}')) == (-1, None, None)
