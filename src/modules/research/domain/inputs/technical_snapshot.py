"""What the technical analyst is asked about."""

from __future__ import annotations

from src.modules.research.domain.inputs.section import (
    NotNegative,
    Points,
    Price,
    Section,
    ShortText,
    optional,
    optional_list,
)
from src.shared.domain.fields import FiniteNumber


class TechnicalSnapshot(Section):
    """Prices and indicators on daily bars, as of the dossier's date."""

    close: Price | None = optional("收盘价，单位：元")
    open: Price | None = optional("开盘价，单位：元")
    high: Price | None = optional("最高价，单位：元")
    low: Price | None = optional("最低价，单位：元")
    change_1d: FiniteNumber | None = optional("当日涨跌幅，单位：%")
    change_20d: FiniteNumber | None = optional("20 个交易日涨跌幅，单位：%")
    change_60d: FiniteNumber | None = optional("60 个交易日涨跌幅，单位：%")
    high_52w: Price | None = optional("52 周最高价，单位：元")
    low_52w: Price | None = optional("52 周最低价，单位：元")
    volume: NotNegative | None = optional("成交量，单位：万股")
    turnover_rate: NotNegative | None = optional("换手率，单位：%")
    volume_ratio: NotNegative | None = optional("量比，单位：倍")
    ma5: Price | None = optional("5 日均线，单位：元")
    ma10: Price | None = optional("10 日均线，单位：元")
    ma20: Price | None = optional("20 日均线，单位：元")
    ma60: Price | None = optional("60 日均线，单位：元")
    ma120: Price | None = optional("120 日均线，单位：元")
    ma250: Price | None = optional("250 日均线，单位：元")
    rsi6: Points | None = optional("RSI(6)，0 至 100")
    rsi14: Points | None = optional("RSI(14)，0 至 100")
    macd_dif: FiniteNumber | None = optional("MACD(12,26,9) 的 DIF，单位：元")
    macd_dea: FiniteNumber | None = optional("MACD(12,26,9) 的 DEA，单位：元")
    macd_histogram: FiniteNumber | None = optional("MACD 柱，2×(DIF−DEA)，单位：元")
    kdj_k: FiniteNumber | None = optional("KDJ(9,3,3) 的 K 值")
    kdj_d: FiniteNumber | None = optional("KDJ(9,3,3) 的 D 值")
    kdj_j: FiniteNumber | None = optional("KDJ(9,3,3) 的 J 值，可小于 0 或大于 100")
    adx14: Points | None = optional("ADX(14)，趋势强度，0 至 100")
    plus_di14: Points | None = optional("+DI(14)，0 至 100")
    minus_di14: Points | None = optional("−DI(14)，0 至 100")
    atr14: NotNegative | None = optional("ATR(14)，平均真实波幅，单位：元")
    bollinger_upper: Price | None = optional("布林带(20,2) 上轨，单位：元")
    bollinger_middle: Price | None = optional("布林带(20,2) 中轨，单位：元")
    bollinger_lower: FiniteNumber | None = optional("布林带(20,2) 下轨，单位：元")
    support_levels: list[Price] | None = optional_list("支撑位，由近及远，单位：元")
    resistance_levels: list[Price] | None = optional_list("压力位，由近及远，单位：元")
    patterns: list[ShortText] | None = optional_list("识别出的 K 线与图形形态")
