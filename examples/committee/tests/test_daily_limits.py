"""The price limits of a trading day, by board."""

import pytest

from examples.committee.domain.daily_limits import DailyLimits, daily_limits


@pytest.mark.parametrize(
    ("symbol", "close", "lower", "upper"),
    [
        ("600519.SH", 1500.0, 1350.0, 1650.0),
        ("605001.SH", 10.05, 9.05, 11.06),
        ("000001.SZ", 11.11, 10.0, 12.22),
        ("688999.SH", 38.62, 30.9, 46.34),
        ("300750.SZ", 250.05, 200.04, 300.06),
        ("830799.BJ", 10.0, 7.0, 13.0),
        ("920001.bj", 10.0, 7.0, 13.0),
    ],
)
def test_limits_are_the_boards_share_of_the_close_rounded_to_a_cent(
    symbol: str, close: float, lower: float, upper: float
) -> None:
    assert daily_limits(symbol, "临溪传感", close) == DailyLimits(lower, upper)


@pytest.mark.parametrize("symbol", ["510300.SH", "0700.HK", "AAPL", "600519", "900901.SH", "6005190.SH", "688999.SZ"])
def test_no_limits_are_known_for_what_is_no_share_of_these_boards(symbol: str) -> None:
    assert daily_limits(symbol, "临溪传感", 10.0) is None


@pytest.mark.parametrize("name", ["N临溪", "C临溪", "ST临溪", "*ST临溪", "临溪退"])
def test_no_limits_are_worked_out_where_other_rules_may_hold(name: str) -> None:
    assert daily_limits("600519.SH", name, 10.0) is None


def test_risk_warning_does_not_change_the_share_of_the_growth_boards() -> None:
    assert daily_limits("300001.SZ", "ST临溪", 10.0) == DailyLimits(8.0, 12.0)


def test_name_that_only_begins_with_the_letter_of_a_new_share_is_none() -> None:
    assert daily_limits("600519.SH", "NEW临溪", 10.0) == DailyLimits(9.0, 11.0)
