"""Prices of before a dividend are comparable with the last day's, and know nothing of later ones."""

from datetime import date

import pytest

from examples.committee.domain.ports.market_data import DailyBar, Dividend
from examples.committee.domain.price_series import adjusted, reference_price


def bar(day: int, close: float, reference: float | None = None) -> DailyBar:
    return DailyBar(date(2025, 6, day), close, close, close, close, reference, volume=1000.0)


def test_prices_without_a_dividend_stay_as_they_were_traded() -> None:
    days = [bar(1, 10), bar(2, 11, 10), bar(3, 12, 11)]
    assert [one.bar for one in adjusted(days)] == days
    assert [one.factor for one in adjusted(days)] == [1, 1, 1]


def test_days_before_a_split_are_divided_by_it() -> None:
    found = adjusted([bar(1, 20), bar(2, 24, 20), bar(3, 12.5, 12)])
    assert [one.bar.close for one in found] == [10, 12, 12.5]
    assert [one.bar.volume for one in found] == [1000, 1000, 1000]


def test_several_dividends_are_multiplied() -> None:
    found = adjusted([bar(1, 100), bar(2, 50, 50), bar(3, 40, 40)])
    assert [one.bar.close for one in found] == [pytest.approx(40), pytest.approx(40), 40]


def test_days_before_one_that_cannot_be_compared_are_left_out() -> None:
    found = adjusted([bar(1, 10), bar(2, 11, 10), bar(3, 5), bar(4, 6, 5)])
    assert [one.bar.day.day for one in found] == [3, 4]


def test_reference_of_nothing_is_none() -> None:
    assert len(adjusted([bar(1, 10), bar(2, 11, 0.0)])) == 1


def test_no_days_are_none() -> None:
    assert adjusted([]) == []


def test_reference_is_the_close_less_cash_and_new_shares_in_whole_cents() -> None:
    gone = Dividend(date(2024, 12, 31), date(2025, 6, 2), cash=0.5, new_shares=0.3)
    assert reference_price(10.0, [gone]) == pytest.approx(7.31)
    assert reference_price(10.0, []) == pytest.approx(10.0)
