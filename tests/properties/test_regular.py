"""What is mended over the whole text, quotes inside strings too, is what the grammar would have made of it."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from src.shared.infrastructure.parsing.reader.budget import Work
from src.shared.infrastructure.parsing.reader.edits import EditedText, Edits
from src.shared.infrastructure.parsing.regular.value import RegularReader
from src.shared.infrastructure.parsing.resolve.read import read
from src.shared.infrastructure.parsing.strict_json import decode_at
from tests.properties.damages import Style
from tests.properties.json_texts import objects

PIECES = (
    *(
        "moat",
        "the",
        "5",
        "10 inches",
        "护城河",
        "，走了",
        ", and",
        ", ",
        ". ",
        " ",
        "(x)",
        ": ",
        "k: 1",
        "a, b",
        "}",
        "{",
    ),
    *(
        "[1]",
        "]",
        "null",
        "true story",
        "it's",
        "...",
        "//",
        " # ",
        "-3",
        'x"',
        '"',
        "\n",
        '"key": ',
        "；1",
        "|",
        " + ",
    ),
)
"""Pieces of text that make one wonder whether the quote before them ended the string."""
WORDS = ('"moat"', '"the moat"', '"护城河"', '"x" ', '"5", ', '"a, b"，', '"true"')

prose = st.lists(st.sampled_from(["the ", "护城河", "is 5", ", and ", "，", ". ", "(x) "]), min_size=1, max_size=3).map(
    "".join
)
quoting_texts = st.one_of(
    st.builds("{}{}{}".format, prose, st.sampled_from(WORDS), prose | st.just("")),
    st.lists(st.sampled_from(PIECES + WORDS), max_size=6).map("".join),
)
styles = st.builds(
    lambda colon, comma: Style(text=lambda text: text, colon=colon, comma=comma),
    st.sampled_from([":", ": "]),
    st.sampled_from([",", ", ", ",\n  "]),
)
named = objects(quoting_texts, keys=st.sampled_from(["a", "b", "key", "name"]), least=1)


def decoded(raw: str, edits: Edits, end: int) -> Any:  # noqa: ANN401 - any JSON value
    return decode_at(EditedText(raw, 0, end, edits).text, 0).data


@given(named, styles)
@example({"a": 'the "moat", which is "wide"'}, Style(text=lambda text: text))
@example({"a": ['the "moat"', "b"]}, Style(text=lambda text: text))
def test_regular_reading_is_that_of_the_nearest_if_there_is_one(value: dict[str, Any], style: Style) -> None:
    raw = style.write(value)
    regular = RegularReader(raw, Work(len(raw))).value_at(0, 0)
    if regular is None or regular.end < len(raw):
        return  # something irregular: the grammar starts over

    reading = read(raw, 0, Work(len(raw)))

    if reading.problem:
        return  # quotes that could also end their string
    assert reading.end == len(raw)
    assert repr(decoded(raw, reading.edits, reading.end)) == repr(regular.data)
