"""Where an expression names a set of signs, each of them counts."""

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import PART_OF_MORE, TWO_READINGS
from src.shared.domain.reading.reading import NO_COMMA, NO_KEY, NO_VALUE
from src.shared.domain.reading.signs import QUOTES
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import value_of

SEEN = [reason.en for reason in (TWO_READINGS, PART_OF_MORE, NO_VALUE, NO_KEY, NO_COMMA)]
"""Reasons for which a text may be refused that has a quote too few, or in which another sign stands for a comma."""


def data_or_reason(raw: str) -> object:
    """What a text is read as, or the reason for which it is refused."""
    try:
        return decode_llm_json(raw, finished=True).data
    except LLMJsonParseError as error:
        return error.details["json_error"]


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
