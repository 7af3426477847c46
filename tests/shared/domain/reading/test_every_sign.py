"""Where an expression names a set of signs, each of them counts."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import (
    COMMENT_OR_ELEMENT,
    NO_OBJECT,
    NUMBER_OR_TEXT,
    PART_OF_MORE,
    TRUNCATED,
    TWO_ESCAPE_READINGS,
    TWO_READINGS,
    Reason,
)
from src.shared.domain.reading.reading import ELISION, NO_COMMA, NO_KEY, NO_VALUE
from src.shared.domain.reading.signs import QUOTES
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import reading_of, refusal_of, value_of, why_and_where

SEEN = [reason.en for reason in (TWO_READINGS, PART_OF_MORE, NO_VALUE, NO_KEY, NO_COMMA)]
"""Reasons for which a text may be refused that has a quote too few, or in which another sign stands for a comma."""


def data_or_reason(raw: str) -> object:
    """What a text is read as, or the reason for which it is refused."""
    try:
        return decode_llm_json(raw, finished=True).data
    except LLMJsonParseError as error:
        return error.details["json_error"]


@pytest.mark.parametrize("sign", [*".。!！?？、)）", " is", "了", ""])
def test_quotation_before_it_is_text(sign: str) -> None:
    assert value_of('{"a": "the "moat"' + sign + '", "b": ["the "moat"' + sign + '"]}') == {
        "a": f'the "moat"{sign}',
        "b": [f'the "moat"{sign}'],
    }


@pytest.mark.parametrize("sign", "”“＂")
@pytest.mark.parametrize("raw", ['{"a": "x| , "b": 1}', '{"a": "x|，"b": 1}', '{"a": ["x|], "b": 1}'])
def test_text_may_end_with_a_double_quote_of_another_kind(raw: str, sign: str) -> None:
    assert value_of(raw.replace("|", sign)) in ({"a": "x", "b": 1}, {"a": ["x"], "b": 1})


@pytest.mark.parametrize("sign", "’'‘`´")
def test_text_that_may_end_with_a_single_quote_is_never_cut_there_in_silence(sign: str) -> None:
    assert why_and_where(refusal_of(f'{{"a": "x{sign}, "b": 1}}')) == (TWO_READINGS.en, 8)


@pytest.mark.parametrize("sign", "”’“‘＂")
@pytest.mark.parametrize("colon", ":：")
def test_key_may_end_with_it_instead_of_its_own_quote(sign: str, colon: str) -> None:
    assert value_of(f'{{"a{sign}{colon} 1, "b": 2}}') == {"a": 1, "b": 2}


@pytest.mark.parametrize("sign", [*"<>=;)|&*!?", "，"])
def test_no_text_without_quotes_begins_with_it(sign: str) -> None:
    assert why_and_where(refusal_of(f'{{"a": {sign}x y, "b": 1}}')) == (NO_VALUE.en, 6)


def test_backslash_before_a_text_without_quotes_is_refused() -> None:
    assert why_and_where(refusal_of(r'{"a": \x y, "b": 1}')) == (NO_VALUE.en, 6)


def test_round_bracket_before_a_text_that_nothing_closes_is_no_list() -> None:
    assert why_and_where(refusal_of('{"a": (x y, "b": 1}')) == (TWO_READINGS.en, 12)


@pytest.mark.parametrize(
    "comment",
    [
        *("// more rows", "// some more items", "// many more", "// several more rows", "// 12 more", "# the rest"),
        *("// and others", "// remaining entries", "// additional fields", "/* further results */", "// etc"),
        *("// and so on", "// …", "# ...", "// omitted", "// rest", "// cut for brevity", "<!-- more -->"),
        *("// 省略", "# 以此类推", "// 等等", "// 其余从略"),
    ],
)
def test_comment_that_stands_for_what_was_left_out_is_a_loss(comment: str) -> None:
    assert why_and_where(refusal_of(f'{{"a": [1, {comment}\n2]}}')) == (ELISION.en, 10)


@pytest.mark.parametrize("comment", ["// one", "# 1", "/* more or less */", "// the restaurant", "// others say so"])
def test_comment_that_only_sounds_like_it_is_dropped(comment: str) -> None:
    assert value_of(f'{{"a": [1, {comment}\n2]}}') == {"a": [1, 2]}


@pytest.mark.parametrize("sign", ["=>", "->", ":=", "：=", "::", "：：", ": :", "=", "："])
def test_sign_between_a_key_and_its_value_is_a_colon(sign: str) -> None:
    assert value_of(f'{{"a" {sign} 1, "b" {sign} "x"}}') == {"a": 1, "b": "x"}


@pytest.mark.parametrize("sign", [*";；、。", "，"])
def test_sign_between_two_members_or_elements_is_a_comma(sign: str) -> None:
    assert value_of(f'{{"a": ["x"{sign} "y"]{sign} "b": 1}}') == {"a": ["x", "y"], "b": 1}


@pytest.mark.parametrize("quotes", ["''", "``", "“”", "„“", "‘’", "＂＂", "「」", "『』"])
def test_pair_of_quotes_delimits_keys_and_texts(quotes: str) -> None:
    opening, closing = quotes[0], quotes[1]
    data, kinds = reading_of(f'{{{opening}a{closing}: {opening}x y{closing}, "b": [{opening}z{closing}]}}')
    assert data == {"a": "x y", "b": ["z"]} and len(kinds) == 1  # noqa: PT018 - one kind for all of them


@pytest.mark.parametrize("opening", QUOTES)
@pytest.mark.parametrize(
    ("raw", "document"),
    [
        ("<a>:{<b>:2},<c>:3}", {"a": {"b": 2}, "c": 3}),
        ("Here:\n<a>: {<b>: 2},\n<c>: 3\n}", {"a": {"b": 2}, "c": 3}),
        ('{<a>: <x>, <b>: "<y>, <c>: <z>}', {"a": "x", "b": "y", "c": "z"}),
        ("{<a>: <x>, <b>: y>, <c>: <z>}", {"a": "x", "b": "y", "c": "z"}),
        ("{<a>: <x, <b>: 2, <c>: <z>}", {"a": "x", "b": 2, "c": "z"}),
        ("{<a: 1, <b>: <x>}", {"a": 1, "b": "x"}),
        ('{<a>: 1, "<b>: <x>}', {"a": 1, "b": "x"}),
        ("{<a>: <x>.<b>: <y>}", {"a": "x", "b": "y"}),
        ("{<a>: [<x>｜ <y>]}", {"a": ["x", "y"]}),
        ("{<a>: [<x>;\n<y>;\n<z>]}", {"a": ["x", "y", "z"]}),
        ("{<a>: [<x,\n<y>,\n<z>]}", {"a": ["x", "y", "z"]}),
        ("{<a>: [x>, <y>]}", {"a": ["x", "y"]}),
        ("{<a>: _<x>_, <b>: 1}", {"a": "x", "b": 1}),
    ],
)
def test_no_text_swallows_what_stands_beside_it_whatever_its_quotes_are(
    raw: str, document: dict[str, object], opening: str
) -> None:
    raw = raw.replace("<", opening).replace(">", QUOTES[opening][0])
    assert data_or_reason(raw) in (document, *SEEN)


@pytest.mark.parametrize(("opening", "closing"), [(one, other) for one, ends in QUOTES.items() for other in ends])
def test_every_quote_of_the_lexicon_may_stand_around_a_key_and_a_value(opening: str, closing: str) -> None:
    assert value_of(f"{{{opening}k{closing}: {opening}v{closing}, {opening}n{closing}: 1}}") == {"k": "v", "n": 1}


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
    "a comment and what is in it": ('{"a": 1, # x¤\n"b": 2}', ["#", " # y", "{}", "//", ""], {"a": 1, "b": 2}),
    "a comment": (
        '{"a": 1,¤"b": 2}',
        ["#\n", "//\n", "/**/", "/***/", "/* * */", "<!---->", "<!-- - -->", "<!-- -- -->", "// /\n", "# #\n"],
        {"a": 1, "b": 2},
    ),
    "a comment that names no things": ("[{}, // ¤\n{}]", ["2 more things", "others say", "etcetera"], [{}, {}]),
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
