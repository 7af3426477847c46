"""Indicators are those of the formulas; expected values are worked out here step by step, or are plain."""

import math
from datetime import date, timedelta
from itertools import pairwise

import pytest

from examples.committee.domain import indicators
from examples.committee.domain.ports.market_data import DailyBar

RISING = [10 + place / 10 for place in range(200)]
FLAT = [10.0] * 200


def bars(closes: list[float], spread: float = 0.5) -> list[DailyBar]:
    first = date(2025, 1, 1)
    return [
        DailyBar(first + timedelta(days=place), close, close + spread, close - spread, close)
        for place, close in enumerate(closes)
    ]


def wave(length: int = 200) -> list[float]:
    return [20 + 3 * math.sin(place / 5) + place / 100 for place in range(length)]


def test_moving_average_is_the_mean_of_the_last_days() -> None:
    assert indicators.moving_average([1, 2, 3, 4], 3) == 3
    assert indicators.moving_average([1, 2, 3, 4], 4) == 2.5
    assert indicators.moving_average([1, 2, 3, 4], 5) is None


def test_change_is_against_the_day_so_many_days_before() -> None:
    assert indicators.change([50, 80, 100], 2) == 100
    assert indicators.change([50, 80, 100], 3) is None


def test_bollinger_bands_lie_two_population_deviations_around_the_mean() -> None:
    closes = [1.0, 3.0] * 10
    assert indicators.bollinger(closes) == (4.0, 2.0, 0.0)
    assert indicators.bollinger(closes[1:]) is None


def test_rsi_is_100_where_every_day_rises_and_the_share_of_gains_elsewhere() -> None:
    assert indicators.rsi(RISING, 14) == 100
    assert indicators.rsi(RISING[::-1], 14) == 0
    assert indicators.rsi([10.0, 11.0] * 100, 14) == pytest.approx(50, abs=4)
    assert indicators.rsi(FLAT, 14) is None


def test_rsi_is_smoothed_as_wilder_does() -> None:
    closes = wave(122)
    steps = [after - before for before, after in pairwise(closes)]
    gain = sum(max(step, 0) for step in steps[:6]) / 6
    loss = sum(max(-step, 0) for step in steps[:6]) / 6
    for step in steps[6:]:
        gain, loss = (gain * 5 + max(step, 0)) / 6, (loss * 5 + max(-step, 0)) / 6
    assert indicators.rsi(closes, 6) == pytest.approx(100 - 100 / (1 + gain / loss))


def test_macd_of_a_steady_rise_is_the_lag_of_its_averages() -> None:
    found = indicators.macd(RISING)
    assert found is not None
    lag = (25 - 11) / 2 * 0.1  # an EMA of n days lags (n - 1) / 2 days behind
    assert found.dif == pytest.approx(lag, rel=1e-3)
    assert found.dea == pytest.approx(lag, rel=1e-2)
    assert found.histogram == pytest.approx(2 * (found.dif - found.dea))


def test_kdj_of_a_steady_rise_is_where_the_close_lies_in_its_range() -> None:
    found = indicators.kdj(bars(RISING))
    assert found is not None
    assert found.k == pytest.approx((0.8 + 0.5) / 1.8 * 100)
    assert found.j == pytest.approx(3 * found.k - 2 * found.d)


def test_kdj_stays_where_the_range_is_nothing() -> None:
    assert indicators.kdj(bars(FLAT, spread=0)) == (50, 50, 50)


def test_true_range_counts_the_gap_to_the_day_before() -> None:
    closes = [10.0, 20.0] * 100
    assert indicators.average_true_range(bars(closes)) == pytest.approx(10.5)
    assert indicators.average_true_range(bars(FLAT)) == pytest.approx(1.0)


def test_direction_of_a_steady_rise_is_up_alone() -> None:
    found = indicators.direction(bars(RISING))
    assert found is not None
    assert found.adx == pytest.approx(100)
    assert found.plus_di == pytest.approx(10, rel=1e-6)
    assert found.minus_di == 0


def test_direction_of_a_price_that_stands_still_is_none_or_nothing() -> None:
    assert indicators.direction(bars(FLAT, spread=0)) is None
    assert indicators.direction(bars(FLAT)) == (0, 0, 0)


@pytest.mark.parametrize("length", [1, 20, indicators.WARM_UP])
def test_indicators_with_a_memory_need_their_warm_up(length: int) -> None:
    closes, days = wave(length), bars(wave(length))
    found = [indicators.rsi(closes, 6), indicators.macd(closes), indicators.kdj(days), indicators.direction(days)]
    assert [*found, indicators.average_true_range(days)] == [None] * 5


def test_where_the_series_begins_no_longer_matters_after_the_warm_up() -> None:
    closes = wave(700)
    for ratio in (6, 14):
        longer, shorter = indicators.rsi(closes, ratio), indicators.rsi(closes[-400:], ratio)
        assert longer == pytest.approx(shorter, abs=0.01)


def test_swings_are_lows_and_highs_of_eleven_days() -> None:
    closes = [5, 6, 7, 8, 9, 10, 9, 8, 7, 6, 5, 4, 5, 6, 7, 8, 9.0]
    assert indicators.swings(bars([float(close) for close in closes])) == ([3.5], [10.5])
    assert indicators.swings(bars(RISING)[:5]) == ([], [])


def test_percentile_is_the_part_of_the_others_that_is_lower() -> None:
    assert indicators.percentile([1, 2, 3, 4, 5], 5) == 100
    assert indicators.percentile([1, 2, 3, 4, 5], 1) == 0
    assert indicators.percentile([1, 2, 3, 4, 5], 2) == 25
    assert indicators.percentile([1], 1) is None


def test_graham_value_is_the_root_of_earnings_and_book_value() -> None:
    assert indicators.graham_value(2, 5) == 15
    assert indicators.graham_value(-2, 5) is None
    assert indicators.graham_value(2, 0) is None
