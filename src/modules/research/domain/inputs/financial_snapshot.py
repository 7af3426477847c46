"""What the financial auditor is asked about."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from src.modules.research.domain.inputs.section import (
    DossierPart,
    NotNegative,
    Section,
    ShortText,
    optional,
    optional_list,
)
from src.shared.domain.fields import FiniteNumber

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
