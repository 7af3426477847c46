"""Values without quotes: texts, literals of other languages, numbers in other spellings."""

import math

import pytest

from src.shared.domain.repair import RepairKind as K
from tests.shared.reading import reading_of


def test_nan_in_a_damaged_object_is_read() -> None:
    data, kinds = reading_of('{"a": [NaN],}')
    assert (math.isnan(data["a"][0]), kinds) == (True, {K.NON_FINITE_NUMBER, K.TRAILING_COMMA})


@pytest.mark.parametrize(
    ("spelling", "value"),
    [
        ("+1", 1),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("-1.", -1.0),
        ("1.e3", 1000.0),
        (".5e-1", 0.05),
        ("1_000", 1000),
        ("1_000_000.25", 1000000.25),
        ("+0", 0),
        ("１２３", 123),
        ("-１２．５", -12.5),
        ("٣", 3),
    ],
)
@pytest.mark.parametrize("raw", ['{{"a": {}}}', '{{"a": {}, "b": 0}}', '{{"b": 0, "a": {} }}'])
def test_number_in_another_spelling_is_the_number(raw: str, spelling: str, value: float) -> None:
    data, kinds = reading_of(raw.format(spelling))
    assert (type(data["a"]), data["a"], kinds) == (type(value), value, {K.NUMBER_SPELLING})


@pytest.mark.parametrize(
    "spelling", ["1__0", "_1", "1_", "1_000_", "+", "-", "--1", "01", "1,5", "1e", "e5", "+-1", ".", "００７"]
)
def test_spelling_that_is_no_number_is_never_read_as_one(spelling: str) -> None:
    try:
        value = reading_of(f'{{"a": {spelling}, "b": 0}}')[0]["a"]
    except AssertionError:
        raise
    except Exception:  # noqa: BLE001 - refused
        return
    assert value == spelling
