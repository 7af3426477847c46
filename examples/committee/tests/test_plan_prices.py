"""The prices that the texts of a plan name."""

import time

import pytest

from examples.committee.domain.plan_prices import PlanPrices, plan_prices, prices_in
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from tests.modules.judge.contracts.verdict import CONTRACT


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("收盘跌破 34.5 元清仓；收盘跌破 36.9 元且量比大于 1.5 先减半", (34.5, 36.9)),
        ("回踩1650元附近分三批买入。", (1650.0,)),
        ("1,650 元", (1650.0,)),
        ("36.5-37 元", (36.5, 37.0)),
        ("36.5 至 37.0 元之间", (36.5, 37.0)),
        ("36.5、37 或 38 元", (36.5, 37.0, 38.0)),
        ("¥34.5 止损", (34.5,)),
        ("￥ 34.5", (34.5,)),
        ("34.5", (34.5,)),
        ("３４．５元", (34.5,)),
        ("每股 1.91 元/股", (1.91,)),
        ("跌破 8%", ()),
        ("四季度经营现金流不低于 0.92 亿元", ()),
        ("回购 500 万元", ()),
        ("12 月 15 日解禁之后，20 日均线之上", ()),
        ("20 日内跌破 34.5 元", (34.5,)),
        ("12 月，34.5 元", (34.5,)),
        ("跌破支撑位", ()),
        ("", ()),
        ("123456789012345678 元", ()),
    ],
)
def test_price_is_a_number_with_its_unit_or_the_whole_text(text: str, prices: tuple[float, ...]) -> None:
    assert prices_in(text) == prices


def test_plan_has_the_prices_of_its_three_texts() -> None:
    assert plan_prices(VerdictResult(**CONTRACT.answer)) == PlanPrices((1650.0,), (1580.0,), (1900.0,))


@pytest.mark.parametrize(("price", "entry"), [(8250.0, (1650.0,)), (8251.0, ()), (330.0, (1650.0,)), (329.9, ())])
def test_amount_far_from_the_last_price_is_no_price_of_the_stock(price: float, entry: tuple[float, ...]) -> None:
    assert plan_prices(VerdictResult(**CONTRACT.answer), price).entry == entry


def test_long_text_is_read_in_time_that_grows_with_its_length() -> None:
    def seconds(text: str) -> float:
        began = time.perf_counter()
        prices_in(text)
        return time.perf_counter() - began

    for part in ("1-", "1,", "1 ", "9", "1.1.", " ", "1、"):
        assert seconds(part * 40_000) < 4.0, part
