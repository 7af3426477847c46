"""What the five experts are asked about: the sections of a dossier, one each, and all of them together.

What is not given is None, and is never taken for 0.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from src.modules.research.domain.exceptions import MissingDataError
from src.shared.domain.fields import FiniteNumber

Price: TypeAlias = Annotated[FiniteNumber, Field(gt=0)]
"""A price, or an average of prices, in the currency of the stock."""

Points: TypeAlias = Annotated[FiniteNumber, Field(ge=0, le=100)]
"""An indicator or percentile that runs from 0 to 100, both included."""

NotNegative: TypeAlias = Annotated[FiniteNumber, Field(ge=0)]
"""An amount of which there cannot be less than none."""

ShortText: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
LongText: TypeAlias = Annotated[str, Field(min_length=1, max_length=8000)]

MOST_ITEMS = 60
"""Most items of one list."""


def optional(description: str) -> Any:  # noqa: ANN401 - what Pydantic's own Field returns
    """A field that may be missing; the description is what a model is told the value means, unit included."""
    return Field(default=None, description=description)


def optional_list(description: str) -> Any:  # noqa: ANN401 - as above
    """A list that may be missing, which is not the same as empty."""
    return Field(default=None, max_length=MOST_ITEMS, description=description)


class DossierPart(BaseModel):
    """A part of a dossier. Unknown keys are refused: a misspelt name would be data lost without a word."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Section(DossierPart):
    """One dimension's data; every field may be missing."""

    def is_empty(self) -> bool:
        """Whether nothing at all is given, or nothing but empty lists."""
        return all(getattr(self, name) in (None, []) for name in type(self).model_fields)


class SourcedText(DossierPart):
    """What somebody published, in their words: data, whatever it says."""

    text: LongText = Field(description="原文或摘录")
    source: ShortText = Field(description="来源：媒体、机构或公告名称")
    published: date | None = optional("发布日期")
    url: ShortText | None = optional("链接")


class Stock(DossierPart):
    """The stock a dossier is about."""

    symbol: ShortText = Field(description="证券代码，如 600519.SH")
    name: ShortText = Field(description="证券简称")
    as_of: date = Field(description="资料截止日期；此日之后的信息不存在")
    currency: ShortText = Field(default="CNY", description="报价币种")
    exchange: ShortText | None = optional("上市交易所")
    industry: ShortText | None = optional("所属行业")
    main_business: ShortText | None = optional("主营业务")


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


Quarter = Annotated[str, Field(pattern=r"^\d{4}Q[1-4]$")]


class QuarterFigures(DossierPart):
    """One quarter on its own, not the year up to it."""

    quarter: Quarter = Field(description="报告期，如 2025Q3，单季")
    revenue: FiniteNumber | None = optional("营业收入，单位：亿元")
    net_profit: FiniteNumber | None = optional("归母净利润，单位：亿元")
    deducted_net_profit: FiniteNumber | None = optional("扣非归母净利润，单位：亿元")
    operating_cash_flow: FiniteNumber | None = optional("经营活动现金流净额，单位：亿元")
    gross_margin: FiniteNumber | None = optional("毛利率，单位：%")
    roe: FiniteNumber | None = optional("净资产收益率，单季，单位：%")


class FinancialSnapshot(Section):
    """The statements, as of the last report before the dossier's date."""

    report_period: Quarter | None = optional("最近报告期，如 2025Q3")
    revenue_ttm: FiniteNumber | None = optional("营业收入，最近四个季度，单位：亿元")
    net_profit_ttm: FiniteNumber | None = optional("归母净利润，最近四个季度，单位：亿元")
    revenue_growth: FiniteNumber | None = optional("营业收入同比增长，单位：%")
    net_profit_growth: FiniteNumber | None = optional("归母净利润同比增长，单位：%")
    gross_margin: FiniteNumber | None = optional("毛利率，单位：%")
    operating_margin: FiniteNumber | None = optional("营业利润率，单位：%")
    net_margin: FiniteNumber | None = optional("净利率，单位：%")
    roe: FiniteNumber | None = optional("净资产收益率，年化，单位：%")
    roa: FiniteNumber | None = optional("总资产收益率，年化，单位：%")
    roic: FiniteNumber | None = optional("投入资本回报率，年化，单位：%")
    eps_ttm: FiniteNumber | None = optional("每股收益，最近四个季度，单位：元/股")
    book_value_per_share: FiniteNumber | None = optional("每股净资产，单位：元/股")
    cash_flow_per_share: FiniteNumber | None = optional("每股经营现金流，最近四个季度，单位：元/股")
    dividend_per_share: NotNegative | None = optional("每股现金分红，最近一个年度，单位：元/股")
    debt_to_assets: NotNegative | None = optional("资产负债率，单位：%")
    interest_bearing_debt_ratio: NotNegative | None = optional("有息负债率，有息负债/总资产，单位：%")
    current_ratio: NotNegative | None = optional("流动比率，单位：倍")
    quick_ratio: NotNegative | None = optional("速动比率，单位：倍")
    interest_coverage: FiniteNumber | None = optional("利息保障倍数，单位：倍")
    cash_to_profit: FiniteNumber | None = optional("净现比，经营现金流/归母净利润，单位：倍")
    receivable_days: NotNegative | None = optional("应收账款周转天数，单位：天")
    inventory_days: NotNegative | None = optional("存货周转天数，单位：天")
    asset_turnover: NotNegative | None = optional("总资产周转率，年化，单位：次")
    goodwill_to_equity: NotNegative | None = optional("商誉/净资产，单位：%")
    audit_opinion: ShortText | None = optional("最近年度审计意见")
    quarters: list[QuarterFigures] | None = optional_list("按季度的序列，由近及远")


class ValuationSnapshot(Section):
    """Multiples and what they are compared with, as of the dossier's date."""

    price: Price | None = optional("现价，单位：元")
    market_cap: NotNegative | None = optional("总市值，单位：亿元")
    shares: NotNegative | None = optional("总股本，单位：亿股")
    pe_ttm: FiniteNumber | None = optional("市盈率 PE(TTM)，亏损时为负，单位：倍")
    pe_forward: FiniteNumber | None = optional("预测市盈率，下一年度一致预期，单位：倍")
    pb: FiniteNumber | None = optional("市净率 PB，单位：倍")
    ps_ttm: NotNegative | None = optional("市销率 PS(TTM)，单位：倍")
    ev_ebitda: FiniteNumber | None = optional("EV/EBITDA，单位：倍")
    dividend_yield: NotNegative | None = optional("股息率，单位：%")
    pe_percentile_5y: Points | None = optional("PE 近五年分位，0（最低）至 100（最高）")
    pb_percentile_5y: Points | None = optional("PB 近五年分位，0（最低）至 100（最高）")
    ps_percentile_5y: Points | None = optional("PS 近五年分位，0（最低）至 100（最高）")
    industry_pe_median: FiniteNumber | None = optional("同行业 PE(TTM) 中位数，单位：倍")
    industry_pb_median: FiniteNumber | None = optional("同行业 PB 中位数，单位：倍")
    expected_growth: FiniteNumber | None = optional("未来两年净利润复合增速，一致预期，单位：%")
    peg: FiniteNumber | None = optional("PEG，PE(TTM)/预期净利润增速，单位：倍")
    graham_value: FiniteNumber | None = optional("格雷厄姆价值，√(22.5×每股收益×每股净资产)，单位：元/股")
    eps_forecasts: list[FiniteNumber] | None = optional_list("每股收益一致预期，自本年度起逐年，单位：元/股")
    risk_free_rate: FiniteNumber | None = optional("无风险利率，十年期国债收益率，单位：%")
    cost_of_capital: NotNegative | None = optional("加权平均资本成本 WACC，单位：%")


class MacroContext(Section):
    """What was published about the wider economy, by dimension."""

    policy: list[SourcedText] | None = optional_list("政策与监管")
    economy: list[SourcedText] | None = optional_list("经济周期")
    liquidity: list[SourcedText] | None = optional_list("利率与流动性")
    industry: list[SourcedText] | None = optional_list("行业景气")


class CatalystContext(Section):
    """What was published about the company, by dimension."""

    company_events: list[SourcedText] | None = optional_list("公司经营事件：订单、产能、产品、并购")
    earnings: list[SourcedText] | None = optional_list("业绩与预期：预告、快报、一致预期调整")
    capital_actions: list[SourcedText] | None = optional_list("资本动作：增减持、回购、解禁、再融资、分红")
    industry_events: list[SourcedText] | None = optional_list("行业与政策事件")
    market_sentiment: list[SourcedText] | None = optional_list("资金与情绪：北向、两融、机构调研、舆情")


TaskT = TypeVar("TaskT", bound=BaseModel)


class ResearchInput(DossierPart):
    """A stock and what is known about it; a section may be missing, and then its expert is not asked."""

    stock: Stock = Field(description="标的")
    technical: TechnicalSnapshot | None = optional("技术面：价格与指标")
    financial: FinancialSnapshot | None = optional("财务面：报表与比率")
    valuation: ValuationSnapshot | None = optional("估值面：倍数与分位")
    macro: MacroContext | None = optional("宏观面：按维度的文字资料及来源")
    catalyst: CatalystContext | None = optional("催化剂：按维度的文字资料及来源")

    def task(self, task_type: type[TaskT]) -> TaskT:
        """The part of it that one expert is asked about.

        Args:
            task_type: a model whose fields are some of this one's.

        Raises:
            MissingDataError: a section that the expert needs is not given, or says nothing.
        """
        parts = {name: getattr(self, name) for name in task_type.model_fields}
        missing = [name for name, part in parts.items() if _says_nothing(part)]
        if missing:
            raise MissingDataError.of(missing)
        return task_type.model_validate(parts)


def _says_nothing(part: object) -> bool:
    return part is None or (isinstance(part, Section) and part.is_empty())
