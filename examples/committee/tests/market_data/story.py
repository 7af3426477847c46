"""One fictional stock, told once: every source of the tests tells the same, in its own units and form."""

from __future__ import annotations

import math
from datetime import date, timedelta

from examples.committee.domain.ports.market_data import (
    Announcement,
    DailyBar,
    Dividend,
    Profile,
    Report,
    ValuationDay,
)
from examples.committee.domain.price_series import reference_price

CODE = "688999"
SYMBOL = "688999.SH"
AS_OF = date(2025, 11, 21)
PROFILE = Profile("临溪传感", "工业传感器")
SHARES = 221_000_000.0

DIVIDENDS = (
    Dividend(date(2023, 12, 31), date(2024, 6, 17), cash=0.2, new_shares=0.3),
    Dividend(date(2024, 12, 31), date(2025, 6, 16), cash=0.25, new_shares=0.0),
)
"""The first comes with new shares, so that prices fall by a quarter from one day to the next."""


def weekdays(first: date, last: date) -> list[date]:
    days = [first + timedelta(days=back) for back in range((last - first).days + 1)]
    return [one for one in days if one.weekday() < 5]


def bars(last: date = AS_OF, first: date = date(2023, 1, 2)) -> list[DailyBar]:
    """A bar for each weekday: a slow rise with waves, and a fall on each day the share goes ex."""
    found: list[DailyBar] = []
    adjustment = 1.0
    for place, day in enumerate(weekdays(date(2023, 1, 2), AS_OF + timedelta(days=40))):
        gone = [one for one in DIVIDENDS if one.ex_day == day]
        for one in gone:
            adjustment /= 1 + one.new_shares
        middle = (30 + place * 0.02 + 3 * math.sin(place / 11) + math.sin(place / 3)) * adjustment
        open_, close = round(middle + 0.1 * math.cos(place), 2), round(middle + 0.15 * math.sin(place * 1.7), 2)
        high, low = round(max(open_, close) + 0.2, 2), round(min(open_, close) - 0.2, 2)
        reference = reference_price(found[-1].close, gone) if found else close
        volume = 100.0 * (50_000 + place % 7 * 1_000)
        amount = round(volume * (high + low) / 2, -3)
        found.append(DailyBar(day, open_, high, low, close, reference, volume, amount, turnover_rate=1.25 + place % 5))
    return [bar for bar in found if first <= bar.day <= last]


def valuation(last: date = AS_OF) -> list[ValuationDay]:
    """A day for each weekday of more than five years."""
    days = weekdays(date(2020, 10, 1), last)
    return [
        ValuationDay(one, 8.5e9 + place * 1e6, SHARES, 30 + place % 200 / 10, 4 + place % 100 / 50, 5 + place % 50 / 25)
        for place, one in enumerate(days)
    ]


def reports() -> list[Report]:
    """Eleven quarters; each is announced a month after its end, the last of a year four months after it."""
    ends = [date(year, *day) for year in (2023, 2024, 2025) for day in ((3, 31), (6, 30), (9, 30), (12, 31))]
    found = []
    for place, end in enumerate(ends[:-1]):
        number = (end.month + 2) // 3
        known = end + timedelta(days=113 if number == 4 else 29)
        revenue = 1e8 * sum(3 + (place - back) * 0.1 for back in range(number))
        found.append(
            Report(
                end,
                known,
                revenue=round(revenue, 2),
                net_profit=round(revenue * 0.16, 2),
                deducted_net_profit=round(revenue * 0.15, 2),
                operating_cash_flow=round(revenue * 0.1, 2),
                revenue_growth=12.5 + place,
                net_profit_growth=14.5 + place,
                gross_margin=41.25,
                net_margin=16.1,
                roe=3.25 * number,
                book_value_per_share=8.0 + place / 10,
                debt_to_assets=34.6,
                current_ratio=2.3,
                quick_ratio=1.6,
                receivable_days=121.4,
                inventory_days=148.2,
            )
        )
    return found


ANNOUNCEMENTS = (
    Announcement(date(2025, 7, 1), "临溪传感:关于股东减持计划的公告", "公司公告（虚构）", "https://example.invalid/1"),
    Announcement(date(2025, 10, 30), "临溪传感:2025年第三季度报告", "公司公告（虚构）", "https://example.invalid/2"),
    Announcement(
        date(2025, 11, 10), "临溪传感:关于签订框架协议的公告", "公司公告（虚构）", "https://example.invalid/3"
    ),
)
