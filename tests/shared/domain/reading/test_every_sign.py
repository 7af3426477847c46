"""Where an expression names a set of signs, each of them counts."""

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import PART_OF_MORE, TWO_READINGS
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
