"""A cell of a vendor's table is a number, a date, a text, or nothing."""

from datetime import date, datetime

import pandas as pd  # type: ignore[import-untyped]
import pytest

from examples.committee.domain.exceptions import DataNotOfferedError
from examples.committee.infrastructure.market_data.cells import day, number, rows_of, text

NUMBERS = {1: 1.0, "1.5": 1.5, float("nan"): None, float("inf"): None, None: None, "-": None, "": None, "1,000": None}
MIDNIGHT = datetime(2025, 11, 21, 0)  # noqa: DTZ001 - as a table has it
DATES = (
    "20251121",
    "2025-11-21",
    "2025-11-21 00:00:00",
    MIDNIGHT.date(),
    MIDNIGHT,
    20251121,
    pd.Timestamp("2025-11-21"),
)


@pytest.mark.parametrize(("cell", "read"), NUMBERS.items())
def test_number(cell: object, read: float | None) -> None:
    assert number(cell) == read


def test_true_is_no_number() -> None:
    assert number(True) is None  # noqa: FBT003 - a cell


@pytest.mark.parametrize("cell", DATES)
def test_date(cell: object) -> None:
    assert day(cell) == date(2025, 11, 21)


@pytest.mark.parametrize("cell", [None, "", "-", float("nan"), pd.NaT, "2025-13-01", "0"])
def test_no_date(cell: object) -> None:
    assert day(cell) is None


@pytest.mark.parametrize(("cell", "read"), [(" a ", "a"), ("  ", None), (None, None), (float("nan"), None), (1, None)])
def test_text(cell: object, read: str | None) -> None:
    assert text(cell) == read


def test_table_without_a_column_names_it() -> None:
    with pytest.raises(DataNotOfferedError, match="（b）"):
        rows_of(pd.DataFrame({"a": [1]}), ("a", "b"), "library function")


def test_what_is_no_table_lacks_its_columns() -> None:
    with pytest.raises(DataNotOfferedError, match="（a）"):
        rows_of(None, ("a",), "library function")
