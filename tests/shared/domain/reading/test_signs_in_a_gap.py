"""Texts with a gap, what may stand in it, and what the text says then: each sign and word that an expression names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from src.shared.domain.parse_reasons import (
    COMMENT_OR_ELEMENT,
    NO_OBJECT,
    NUMBER_OR_TEXT,
    PART_OF_MORE,
    TRUNCATED,
    TWO_ESCAPE_READINGS,
    TWO_NUMBERS,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import ELISION, NO_VALUE, PYTHON_SET
from tests.shared.reading import refusal_of, value_of, why_and_where

READ: dict[str, tuple[str, Sequence[str], object]] = {
    "a name in a path begins with it": (r'{"a": "C:\¤git\x", "b": 1}', ".$%~g", {"a": r"C:\¤git\x", "b": 1}),
    "a name behind a server begins with it": (r'{"a": "\\s\¤git\x"}', ".$%~g", {"a": r"\\s\¤git\x"}),
    "a sign of a link": ('{"a": http://x.y/z¤q, "b": 1}', "~%;=:#?&@", {"a": "http://x.y/z¤q", "b": 1}),
    "what a link begins with": (
        '{"a": ¤://x, "b": 1}',
        ["http", "git+ssh", "svn-x", "a.b"],
        {"a": "¤://x", "b": 1},
    ),
    "letters of Python before a key": (
        '{¤"a": 1, ¤"b": 1}',
        ["u", "U", "r", "R", "b", "B", "f", "F", "rb", "bR", "fr", "RF"],
        {"a": 1, "b": 1},
    ),
    "letters of Python before a text": ('{"a": ¤"x"}', ["u", "U", "r", "R", "f", "F", "fr", "RF"], {"a": "x"}),
    "two quotations with it between them": ('{"a": "see "x"¤ "y" now"}', "~-+=", {"a": 'see "x"¤ "y" now'}),
    "one quote behind a key without quotes": ('{"a": "x", b¤: 2}', "\"'”’", {"a": "x", "b": 2}),
    "a key between Markdown's marks": ('{¤: 1, "c": 2}', ["**a**", "*a*", "_a_", '**"a"**'], {"a": 1, "c": 2}),
    "a key of more than a word": (
        '{¤: 1, "c": 2}',
        ["a b", "a-b", "a.b", "a b c d e f", "a:b", "ns:a:b", "$a", "a$b"],
        {"¤": 1, "c": 2},
    ),
    "an entity beside encoded quotes": (
        "{&quot;a&quot;: &quot;x &¤; y&quot;}",
        ["#65", "#065", "#x41", "#X41"],
        {"a": "x A y"},
    ),
    "a word that names no entity": (
        "{&quot;a&quot;: &quot;x &¤; y&quot;}",
        ["a", "of", "longerthan"],
        {"a": "x &¤; y"},
    ),
    "a text that begins as a number": (
        '{"a": ¤, "b": 1}',
        ["5 %", "5 °", "5 €", "5 $", "5 ¥", "5 £", "5 kg", "5 x y", "5ab", "1.2.3"],
        {"a": "¤", "b": 1},
    ),
    "inches in a text": (
        '{"a": "the ¤" pipe", "b": 1}',
        ["5", "5.5", "5,25", "(5", "（5"],
        {"a": 'the ¤" pipe', "b": 1},
    ),
    "a semicolon for a colon": ('{"a"¤1, "b": 2}', [";", "; ", " ;", "；", " ； "], {"a": 1, "b": 2}),
    "a semicolon for a colon before a value": ('{"a"; ¤, "b": 2}', ['"x"'], {"a": "x", "b": 2}),
    "a line end that is escaped twice": (r"{\¤\"a\": 1}", ["n", "r", "t", "n  ", r"r\n", r"\n"], {"a": 1}),
    "an encoded quote": ("{&¤a&¤: 1}", ["quot;", "#34;", "#x22;", "#X22;"], {"a": 1}),
    "a colon behind doubled quotes": ('{""a""¤ 1}', [":", " :", ":  ", "="], {"a": 1}),
    "two single quotes for a double one": ("{'a': ''x¤y'', 'b': 1}", " ',:}]", {"a": "x¤y", "b": 1}),
    "a text without quotes": ('{"a": ¤x y, "b": 1}', ".-+@", {"a": "¤x y", "b": 1}),
    "a server": (r'{"a": "\\¤\d\x"}', ["s.a", "s$", "s-a", "s_a"], {"a": r"\\¤\d\x"}),
    "a letter of Python where a comma is missing": ('{"a": "x" ¤"b": 1}', "buf", {"a": "x", "b": 1}),
    "an element that another quote ends": ('{"a": ["x¤, "b"]}', "”“＂", {"a": ["x", "b"]}),
    "a value in other quotes without a colon": (
        '{"a": "x", "b" ¤, "c": 1}',
        ["“y”", "'y'"],
        {"a": "x", "b": "y", "c": 1},
    ),
    "signs of mathematics beside a backslash": (
        r'{"a": "see \d ¤"}',
        [r"\(x\)", r"\[x\]", "x=1", "{x}", "x^2"],
        {"a": r"see \d ¤"},
    ),
    "a path that goes on": (
        r'{"a": "C:\dir\new¤"}',
        [r";D:\work", r" Files\x", r" (x)\x", ":x", "'x'"],
        {"a": r"C:\dir\new¤"},
    ),
    "words in a path": (r'{"a": "C:\Program ¤\x"}', ["Files", "Files (x86)", "(x)", "F"], {"a": r"C:\Program ¤\x"}),
    "a text that has lost its first quote": ('{"a": x ¤ y", "b": 1}', ['"z"', "'s"], {"a": "x ¤ y", "b": 1}),
    "what ends a number": (
        '{"a": 5¤, "b": 1}',
        ["\t", "\n", "\u00a0", "\u200b", "//c\n", "/*c*/", "#c\n"],
        {"a": 5, "b": 1},
    ),
    "what ends the last number": ('{"a": 5¤', ["}", "//c\n}", "/*c*/}", "#c\n}", "\n```", "\n~~~"], {"a": 5}),
    "a number before a key without a comma": ('{"a": 5 ¤: 1}', ['"b"', "“b”", "'b'"], {"a": 5, "b": 1}),
    "brackets of prose": (
        'Given {¤}, then {"a": 1}',
        ["x", "…", "...", ", x", "x}", "-x: 1", "1", "x, y", "x\n"],
        {"a": 1},
    ),
    "brackets of prose that stay open": ('Given {¤ then {"a": 1,}', ["x", "…", "...", ", x"], {"a": 1}),
    "a list of prose": ('Given [¤], then {"a": 1}', ["1", '"x"', "[1]", "x", '[["x"]]', "-1", "true"], {"a": 1}),
    "what stands before a bracket": ('x¤{"a": 1}', ["_", "^", "$", "1", "a", " ", "\n", "("], {"a": 1}),
    "what stands behind a bracket": (
        "{¤a: 1}",
        ["\r", "\t", "\n", "\u00a0", "\u200b", "// c\n", "/* c */", "# c\n", "<!-- c -->"],
        {"a": 1},
    ),
    "what stands before a key in quotes": (
        '{¤"a": 1,}',
        ["\r", "\t", "\n", "\u00a0", "// c\n", "/* c */", "# c\n", "<!-- c -->", ","],
        {"a": 1},
    ),
    "an object in a list that stays open": (
        '{"a": [{"b": 1]¤',
        [', "c": 2}', ", c: 2}", '; "c": 2}'],
        {"a": [{"b": 1}], "c": 2},
    ),
    "a member behind an object": ('{"a": 1}¤"b": 2}', [", ", ",\n", " ", ", // c\n"], {"a": 1, "b": 2}),
    "an apostrophe": ("{'t': 'it¤s so', 'd': 2}", "'’", {"t": "it¤s so", "d": 2}),
    "signs in a key": (
        '{"k ¤ j": 1,}',
        ['"x"', "“x”", "'x'", "x,", "x;", "{x}", "(x)", "x|y", "`x`", "a=b"],
        {"k ¤ j": 1},
    ),
    "what follows the last member": ('{"a": "x"¤\n}', [",", "，", ";", ",,", ", ,", ", //c"], {"a": "x"}),
    "a key in a tag": (
        "<x>{¤}</x>",
        ["a: 1", "'a': 1", "“a”: 1", "**a**: 1", r"\"a\": 1", '"a": 1,'],
        {"a": 1},
    ),
    "a mark on each line": (
        '¤ {\n¤   "a": 1,\n¤   "b": 2\n¤ }',
        [">", ">>>", "|", "+", "-", "#", "//"],
        {"a": 1, "b": 2},
    ),
    "a line end of HTML": ('{<br>¤"a": 1<br>}', ["", " ", "\n"], {"a": 1}),
    "an escape of Python": (r"{'a': 'x\¤y'}", ["x41", "u0041", "U00000041", "101"], {"a": "xAy"}),
    "an object in a string": (r'"{¤\"a\": 1}"', [r"\n", r"\t", r"\r\n", " ", ""], {"a": 1}),
    "a text of digits and signs": (
        '{"a": ¤, "b": 1}',
        ["2024-01-05", "12:30", "1/2", "½", "∞", "N/A"],
        {"a": "¤", "b": 1},
    ),
    "a digit of another script": ('{"a": ¤, "b": 1}', ["٣", "３", "+3", "３．０", "+３"], {"a": 3, "b": 1}),
    "a member behind a text that another quote ends": (
        '{"a": "x”, ¤: 1, "b": 1}',
        ['"c"', "“c”", "'c'"],
        {"a": "x", "c": 1, "b": 1},
    ),
    "a key without its last quote": (
        '{"a¤: 1, "b": 2}',
        [" b", "-b", "_b", "$b", "?b", ".b", "/b", "(b)"],
        {"a¤": 1, "b": 2},
    ),
    "colons in a key without its last quote": ('{"a:b¤: 1, "c": 2}', ["", ":c", ":c:d", "/c"], {"a:b¤": 1, "c": 2}),
    "a colon behind a key with one": ('{"n:a"¤ 1,}', [":", "=", "->", "=>"], {"n:a": 1}),
    "a quote too many": ('{"a": "x"¤, "b": 1}', "'’”`\"", {"a": "x", "b": 1}),
    "a quote too many before a line end": ('{"a": "x"¤\n, "b": 1}', "'’”`", {"a": "x", "b": 1}),
    "a sign in a name": ("{a¤b: 1}", [" ", "-", ".", "_", "$", " - ", ":"], {"a¤b": 1}),
    "a tuple": ('{"a": (1, 2¤), "b": 3}', ["", ",", ", "], {"a": [1, 2], "b": 3}),
    "a comment and what is in it": ('{"a": 1, # x¤\n"b": 2}', ["#", " # y", "{}", "//", ""], {"a": 1, "b": 2}),
    "a comment": (
        '{"a": 1,¤"b": 2}',
        ["#\n", "//\n", "/**/", "/***/", "/* * */", "<!---->", "<!-- - -->", "<!-- -- -->", "// /\n", "# #\n"],
        {"a": 1, "b": 2},
    ),
    "a comment that names no things": ("[{}, // ¤\n{}]", ["2 more things", "others say", "etcetera"], [{}, {}]),
    "a comment whose words only begin so": (
        "[{}, // ¤\n{}]",
        [
            *("somemore rows", "manymore rows", "severalmore rows", "andmore rows", "themore rows", "2more rows"),
            *("andso on", "and soon", "others asneeded", "others tocome", "restx"),
        ],
        [{}, {}],
    ),
    "a decade": ("{'t': 'in the '¤ it'}", ["90s", "80s"], {"t": "in the '¤ it"}),
    "inches before a comma": (
        '{"t": "about ¤" wide, and more"}',
        ["12", "12.5", "9,5", "120", "(5", "（5", "5' 11"],
        {"t": 'about ¤" wide, and more'},
    ),
    "hyphens in a name": ("{a-¤b: 1}", ["-", "_", ""], {"a-¤b": 1}),
}
"""What is read, whatever sign or word stands there: the text, what may stand for ¤ in it, and what it says."""
REFUSED: dict[str, tuple[str, Sequence[str], Reason]] = {
    "two texts with a sign between them in a text": (
        '{"a": "see "x"¤ "y" now", "b": 1}',
        [*"、;；|｜/／·•.。،؛﹐､", "</b>", "<br>"],
        TWO_READINGS,
    ),
    "a sign that ends a link": ('{"a": http://x.y/z¤q, "b": 1}', "'`<>|\\{[", NO_VALUE),
    "letters that Python has not before a key": ('{¤"a": 1, "b": 1}', ["ur", "bu", "bf", "fb"], NO_OBJECT),
    "letters that Python has not before a text": ('{"a": ¤"x"}', ["ur", "bu", "bf", "fb"], NO_VALUE),
    "a key of too many words, or of a hyphen": ('{¤: 1, "c": 2}', ["a b c d e f g", "-a", "***a***"], NO_OBJECT),
    "a comment that stands for things": (
        '{"a": [1, // 2 more ¤\n2]}',
        "row rows item items entry entries element elements object objects field fields member members record records "
        "line lines value values result results".split(" "),
        ELISION,
    ),
    "a comment that says where others are": (
        '{"a": [1, // others ¤\n2]}',
        ["here", "follow", "follows", "below", "to come", "as needed"],
        ELISION,
    ),
    "a comment that counts more": (
        '{"a": [1, // ¤ more rows\n2]}',
        ["and", "the", "and 3", "some", "many", "several", "123456789"],
        ELISION,
    ),
    "a comment that repeats": ('{"a": [1, // ¤ b\n2]}', ["repeat for", "similar for", "similarly for"], ELISION),
    "a comment and a member that has lost its line": (
        '{"a": 1, // note¤"b": 2\n"c": 3}',
        "x.!?\"'”’)",
        COMMENT_OR_ELEMENT,
    ),
    "what is a number to some": (
        '{"a": ¤, "b": 1}',
        [
            *(
                "1e 5",
                "1e-",
                "1E5_0",
                "1e5_",
                "0x1F",
                "0o17",
                "0b01",
                "1 000",
                "1'000",
                "1’000",
                "-1 000.5",
                "+1 000",
                "–1 000",
            ),
            *("1\u00a0000", "1\u202f000", "1 000 000", "- 5", "–5", "−.5_", "1。5", "1__5", "007", "5（x）"),
            *(f"5{sign}" for sign in "a/／¦│❘‖·•､﹐،؛'’"),
        ],
        NUMBER_OR_TEXT,
    ),
    "what is a literal to some": (
        '{"a": ¤, "b": 1}',
        ["tru", "truee", "fal", "fals", "falsee", "nul", "nulll", "none", "NONE", "nil"],
        NUMBER_OR_TEXT,
    ),
    "two numbers or texts that nothing divides": (
        '{"a": [¤, 3], "b": 1}',
        [
            *("1:+2", "1:-2", "123:4", ".5:1", "1e5:2", "1e5.2", "1/ 2", "1: 2", "1／2", "1│2", "1·2", "1•2", "1،2"),
            *("1 true", "truefalse", "x;y", "x；y", "x、y", "x: y", "x //y", "x #y", "x;", "5 x1"),
        ],
        NO_VALUE,
    ),
    "a comment or another member in a text without quotes": (
        '{"a": ¤, "b": 1}',
        ["x #y", "x //y", "x; y", "x;", "x、", "x: y", "5 x1", "true story", "nan x", "undefined x"],
        NO_VALUE,
    ),
    "structure in a text without its last quote": (
        '{"a": "¤, "b": 1}',
        [
            "x\n]",
            "x\n],",
            "x {",
            "x [",
            "x”]",
            "x”, ]",
            "x</b>",
            "x, //c",
            "x, /*c",
            "x, # c",
            "x, -- c",
            "x, ...",
            "x, …",
        ],
        TWO_READINGS,
    ),
    "a key that is cut off": (
        '{"a": 1, ¤',
        ["b", '"b', '"b"', "**b", "**b**", "\\", r"\"", r"\"b", '\\"b\\', r"\"b\"", "“b", "“b”", "b-c", "'b", "`b`"],
        TRUNCATED,
    ),
    "a text that a mark cuts off": (
        '{"a": "x¤',
        ["</s>", "<|im_end|>", "[/INST]", "```", "~~~", "<br>"],
        TRUNCATED,
    ),
    "two single quotes for a double one and more": ("{'a': ''x¤y'', 'b': 1}", ["\n", "\\", "\\'"], TWO_READINGS),
    "a letter that Python does not write before a text": ('{"a": "x" ¤"b": 1}', "xg", TWO_READINGS),
    "an element that a single quote ends": ('{"a": ["x¤, "b"]}', "’'‘`´", TWO_READINGS),
    "a value in other quotes without a colon": (
        '{"a": "x", "b" ¤, "c": 1}',
        ["‘y’", "`y`", "„y“", "「y」", "『y』", "＂y＂"],
        TWO_READINGS,
    ),
    "a member on a line of a text": ('{"t": "x,\n"b¤c" => 1}", "d": 2}', "$ .&/@-_x", TWO_READINGS),
    "a member without a colon in a text": ('{"t": "x, "b¤c" = 1}", "d": 2}', "$ .&/@-_x", TWO_READINGS),
    "backslashes behind what is no server": (r'{"a": "\\¤\d\x"}', [".s", "s a"], TWO_ESCAPE_READINGS),
    "an escape that Python has and JSON has not": (
        r'{"a": "x\¤y",}',
        ["x41", "101", "U00000041", "N{DIGIT ONE}", "u{41}"],
        TWO_ESCAPE_READINGS,
    ),
    "a number and what is no unit of it": ('{"a": 5 ¤, "b": 1}', ["none", "null", "true", "km2"], NO_VALUE),
    "a bracket in a text without quotes": ('{"a": x ¤ y", "b": 1}', ["{", "[", "]", 'z"z'], NO_VALUE),
    "a key without quotes behind a sign of mathematics": ('x¤{a: 1, "b": 2}', "_^$\\1a", NO_OBJECT),
    "an ellipsis for the first member": ('{¤"a": 1,}', ["...", "…,", "... ,"], ELISION),
    "what ends a comment that elides": (
        '{"a": [1, // 2 ¤\n2]}',
        ["rest", "others", "omitted", "omitted."],
        ELISION,
    ),
    "what follows a number and ends no value": ('{"a": 5¤', ["</x>", "<|x|>", "```", "~~~"], TWO_READINGS),
    "a backslash in a text without quotes": ('{"a": x\\¤, "b": 1}', ["n", '"', "\n", "{"], NO_VALUE),
    "a sign behind a quote in a key": ('{"k "x¤" j": 1}', ":{[、;|=`() ", TWO_READINGS),
    "the end of an item behind a quote in a key": ('{"k "x¤" j": 1}', ",}]", NO_VALUE),
    "a word between two numbers": (
        '{"a": [1 ¤ 2], "b": 1}',
        ["and", "or", "&", "/", "\\", "-", "–", "..", "to", "—"],
        NO_VALUE,
    ),
    "a quotation that another quote ends": ('{"t": "the "x¤ y", "d": 2}', ["”", "'", "’", ""], TWO_READINGS),
    "a mark of lists on each line": ('¤ {\n¤   "a": 1,\n¤   "b": 2\n¤ }', "*•·", NO_OBJECT),
    "a sign behind the last text": ('{"a": "x"¤\n}', ["、", ".", ". "], TWO_READINGS),
    "an escape beside a pattern": (r'{"a": "\d\¤"}', ["\\", "u0041"], TWO_ESCAPE_READINGS),
    "numbers or thousands": ('{"a": ¤, "b": 1}', ["1,234,567", "1,23", "12,5"], TWO_NUMBERS),
    "a sign in no name": ("{a¤b: 1}", "/'\"", NO_OBJECT),
    "a word for a colon": ('{"a" ¤ "b", "c": 1}', ["is", "<-", "~", "–"], TWO_READINGS),
    "elements in the brackets of an object": ('{"a": {1, 2¤}, "b": 3}', ["", ","], PYTHON_SET),
    "texts in the brackets of an object": ("{'a'¤}", ["", ", 'b'"], PYTHON_SET),
    "a sign between two numbers": ('{"a": [1¤ 2]}', ["｜", "|", "。", ""], NUMBER_OR_TEXT),
    "a word behind a number": ('{"a": 1¤ "b": 2}', ["/", "&", " and"], NO_VALUE),
    "a number with a sign of another language": (
        '{"a": ¤, "b": 1}',
        ["0o7", "0b1", "07", "00", "0_1", "1L", "1n", "1f", "1d", "1u", "1K"],
        NUMBER_OR_TEXT,
    ),
    "what is put behind a text": ('{"a": "x" + ¤, "b": 1}', ["'y'", "y + z"], TWO_READINGS),
    "what ends no text": ('{"a": "x’}¤', ["", "\n```", ".", " ]"], TRUNCATED),
    "a text without its last quote that is a number to some": (
        '{"a": "5¤, "b": 1}',
        [*"a.。．｡/／¦│❘‖·•､﹐،؛'’", "", " (x)", "（x）", " 000", "'000", "’000", "e5", "e 5"],
        TWO_READINGS,
    ),
    "a sign for the comma between two numbers": (
        '{"a": [1¤2, 3]}',
        [f"{sign}{other}" for sign in "／│·•،" for other in ("", "+", "-")],
        NO_VALUE,
    ),
    "what is no decade": ("{'t': 'in the '¤ it'}", ["90sx", "95s", "90", "tis"], TWO_READINGS),
    "three brackets in a row": (
        '¤"a": 1}}}',
        ["{{{", "{ { {", "{｛{", "{{ {", "｛{{", "{{｛"],
        PART_OF_MORE,
    ),
    "feet and inches, or a quotation": (
        '{"t": "about ¤" wide, and more"}',
        ["5'", "5’", "5′", "x5"],
        TWO_READINGS,
    ),
    "a number too long for inches, or behind a quote": (
        '{"a": "the ¤" pipe", "b": 1}',
        ["'5", "’5", "′5", "x5", "5 ", "5.125"],
        TWO_READINGS,
    ),
}
"""What is refused, whatever sign or word stands there, and why."""


def each(table: Mapping[str, tuple[str, Sequence[str], object]]) -> list[Any]:
    """Each sign of each row."""
    return [
        pytest.param(text, sign, outcome, id=f"{name}: {sign}")
        for name, (text, signs, outcome) in table.items()
        for sign in signs
    ]


@pytest.mark.parametrize(
    ("raw", "sign", "value"),
    [
        pytest.param(*(raw, sign, value), id=f"{name}: {sign}")
        for name, (raw, signs, value) in READ.items()
        for sign in signs
    ],
)
def test_text_is_read_with_each_sign_that_may_stand_there(raw: str, sign: str, value: object) -> None:
    said = json.loads(json.dumps(value).replace(r"\u00a4", json.dumps(sign)[1:-1]))
    assert value_of(raw.replace("¤", sign)) == said


@pytest.mark.parametrize(
    ("raw", "sign", "reason"),
    [
        pytest.param(*(raw, sign, why), id=f"{name}: {sign}")
        for name, (raw, signs, why) in REFUSED.items()
        for sign in signs
    ],
)
def test_text_is_refused_with_each_sign_that_may_stand_there(raw: str, sign: str, reason: Reason) -> None:
    assert why_and_where(refusal_of(raw.replace("¤", sign)))[0] == reason.en
