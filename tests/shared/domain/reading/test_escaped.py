"""An object written as the inside of a string: decoded by JSON's rules, whole or not at all."""

import json

import pytest

from src.shared.domain.parse_reasons import (
    ESCAPED_UNREADABLE,
)
from src.shared.domain.reading.layers import MARGIN_LIMIT, MAX_LEVELS
from tests.shared.reading import refusal_of, value_of

EVERYTHING = {
    "a": '"\\/\b\f\n\r\t\x00 中 🚀 \ud83d x',
    "b": [1, {"c": None}],
    "d": r"\d C:\dir",
    "e": "{x} <think> ```",
}


def encoded(data: object, levels: int, *, ascii_only: bool = True) -> str:
    """JSON of JSON, so often as `levels` says."""
    for _ in range(levels + 1):
        data = json.dumps(data, ensure_ascii=ascii_only)
    assert isinstance(data, str)
    return data


@pytest.mark.parametrize("ascii_only", [True, False], ids=["ASCII", "any character"])
@pytest.mark.parametrize("levels", range(1, MAX_LEVELS + 1))
def test_object_encoded_again_is_the_same_object(levels: int, ascii_only: bool) -> None:  # noqa: FBT001 - a case
    raw = encoded(EVERYTHING, levels, ascii_only=ascii_only)
    assert value_of(raw) == EVERYTHING
    assert value_of(raw[levels:-levels].strip('\\"')) == EVERYTHING, "without the outer quotes"


@pytest.mark.parametrize("blanks", [MARGIN_LIMIT - 1, MARGIN_LIMIT])
def test_quote_before_many_blanks_is_looked_for_in_the_margin(blanks: int) -> None:
    raw = '"' + " " * blanks + r"{\"a\": 1}" + '"'
    if blanks < MARGIN_LIMIT:
        assert value_of(raw) == {"a": 1}
    else:
        assert refusal_of(raw).details["json_error"] == ESCAPED_UNREADABLE.en
