"""The edits that backslashes need, beside those that made the text JSON: their places, and one way for each string."""

import json
from collections.abc import Sequence
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS
from src.shared.domain.reading.escapes import escape_edits
from src.shared.domain.reading.machine import Refusal
from src.shared.domain.repair import RepairKind as K
from tests.thorough import at_length


def escaped(raw: str, *edits: Edit) -> object:
    """Decode a text to which these edits, and those of its backslashes, are made."""
    further = escape_edits(raw, 0, len(raw), edits)
    assert further == sorted(further, key=itemgetter(0))
    merged = sorted([*edits, *further], key=itemgetter(0))
    return json.loads(EditedText(raw, 0, len(raw), merged).text, strict=False)


def escaped_or_refused(raw: str) -> object:
    """Decode a text with the edits of its backslashes, or say why there are none."""
    try:
        return escaped(raw)
    except Refusal as refusal:
        return refusal


def places(raw: str, *edits: Edit) -> list[int]:
    """Say where the edits of backslashes are made in a text."""
    return [edit.offset for edit in escape_edits(raw, 0, len(raw), edits)]


def refused(raw: str, *edits: Edit) -> tuple[int, int | None]:
    """Say at which places the backslashes of a text contradict each other."""
    with pytest.raises(Refusal) as caught:
        escape_edits(raw, 0, len(raw), edits)
    assert caught.value.reason is TWO_ESCAPE_READINGS
    return caught.value.at, caught.value.other


def quoted(raw: str, kind: K, length: int = 1) -> list[Edit]:
    """Put double quotes for the first quote and for the last one of a text, each so many characters long."""
    quote = raw[1]
    return [Edit(1, length, '"', kind), Edit(raw.rindex(quote) + 1 - length, length, '"')]


# --- beside other edits ------------------------------------------------------------------------------------------


def test_places_are_those_of_the_raw_text_behind_and_between_other_edits() -> None:
    raw = r'{a:"say "\alpha" or \(x\)","b":"\_ y",}'
    edits = [
        Edit(1, 1, '"a"', K.UNQUOTED_KEY),
        *(Edit(at, 0, "\\", K.UNESCAPED_QUOTE) for at in (8, 15)),
        Edit(len(raw) - 2, 1, "", K.TRAILING_COMMA),
    ]
    assert places(raw, *edits) == [9, 20, 23, 32]
    assert escaped(raw, *edits) == {"a": r'say "\alpha" or \(x\)', "b": r"\_ y"}


def test_refusal_names_places_of_the_raw_text() -> None:
    raw = r'{a:"say \d\nor"}'
    assert refused(raw, Edit(1, 1, '"a"', K.UNQUOTED_KEY)) == (8, 10)
    assert refused(raw.replace("d", "x41"), Edit(1, 1, '"a"', K.UNQUOTED_KEY)) == (8, None)


def test_only_the_container_is_looked_at() -> None:
    raw = r'"\d" ["\(x\)"] "\d"'
    assert [edit.offset for edit in escape_edits(raw, 5, 14, [])] == [7, 10]


def test_joined_strings_are_one_string() -> None:
    raw = r'["\(x\)" + "\nd\)"]'
    joint = Edit(7, 5, "", K.STRING_CONCATENATION)
    assert escaped(raw, joint) == ["\\(x\\)\nd\\)"]


def test_quote_that_is_put_comes_before_the_backslash_behind_it() -> None:
    raw = r'[\(x\)"]'
    assert escaped(raw, Edit(1, 0, '"', K.MISSING_QUOTE)) == [r"\(x\)"]


@pytest.mark.parametrize("put", [r'"a\times"', r'"a\u0041\b\frac"', r'"say \"x\""'])
def test_what_an_edit_puts_is_json(put: str) -> None:
    raw = r'[x, "\(y\)"]'
    assert places(raw, Edit(1, 1, put, K.UNQUOTED_VALUE)) == [5, 8]


# --- whose escapes they are --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "quote"), [(K.SINGLE_QUOTE, "'"), (K.PYTHON_LITERAL, '"""'), (K.PYTHON_LITERAL, "'''")]
)
def test_strings_that_only_python_writes_so_have_its_escapes(kind: K, quote: str) -> None:
    raw = rf"[{quote}\xe9\033{quote}]"
    assert escaped(raw, *quoted(raw, kind, len(quote))) == ["é\033"]


@pytest.mark.parametrize(("kind", "quotes"), [(K.SINGLE_QUOTE, "``"), (K.SMART_QUOTE, "“”")])
def test_other_quotes_are_not_pythons(kind: K, quotes: str) -> None:
    raw = rf"[{quotes[0]}\xe9{quotes[1]}]"
    assert refused(raw, Edit(1, 1, '"', kind), Edit(6, 1, '"')) == (2, None)


def test_one_string_of_pythons_makes_all_of_them_its_own() -> None:
    raw = r"""['x', "it's\xe9"]"""
    assert escaped(raw, Edit(1, 3, '"x"', K.SINGLE_QUOTE)) == ["x", "it'sé"]
    assert refused(r"""["x", "it's\xe9"]""") == (11, None)


def test_prefix_or_literal_of_pythons_is_no_string_of_its_own() -> None:
    raw = r'[True, u"\xe9"]'
    edits = [Edit(1, 4, "true", K.PYTHON_LITERAL), Edit(7, 1, "", K.PYTHON_LITERAL)]
    assert refused(raw, *edits) == (9, None)


@pytest.mark.parametrize(("raw", "value"), [(r"['it\'s']", "it's"), (r"[`\``]", "`"), (r"['\'\d']", r"'\d")])
def test_quote_that_is_escaped_in_its_own_string_is_a_quote(raw: str, value: str) -> None:
    edits = quoted(raw, K.SINGLE_QUOTE)
    assert escaped(raw, *edits) == [value]
    assert escape_edits(raw, 0, len(raw), edits)[0].kind is None


def test_edit_that_was_made_of_such_a_quote_is_left_alone() -> None:
    raw = r"['it\'s \(x\)']"
    assert places(raw, Edit(1, 1, '"'), Edit(4, 1, ""), Edit(13, 1, '"')) == [8, 11]


# --- any of them -------------------------------------------------------------------------------------------------

_PIECES = (
    *(r"\n", r"\t", r"\b", r"\\", r"\"", r"\u00e9", r"\u1", r"\x41", r"\1", r"\033", r"\a", r"\.", r"\(", r"\_", r"\'"),
    *(r"\alpha", r"\frac", r"\times", r"\nu", r"\d", r"\foo", "C:", r"\work", "x", " ", "$", "中", "{", "\\\n", "\t"),
)
_STRINGS = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)


@settings(max_examples=at_length(150, 2_000), deadline=None)
@given(st.lists(_STRINGS, max_size=3))
def test_any_strings_are_json_behind_the_edits_or_refused(strings: Sequence[str]) -> None:
    raw = '["' + '", "'.join(strings) + '"]'
    found = escaped_or_refused(raw)
    if isinstance(found, Refusal):
        assert found.reason is TWO_ESCAPE_READINGS
        assert raw[found.at] in "\\C"
        assert found.other is None or raw[found.other] == "\\"
    else:
        assert isinstance(found, list)
        assert len(found) == max(1, len(strings))
