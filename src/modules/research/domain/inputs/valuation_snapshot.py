"""What the valuation modeler is asked about."""

from __future__ import annotations

from src.modules.research.domain.inputs.section import NotNegative, Points, Price, Section, optional, optional_list
from src.shared.domain.fields import FiniteNumber


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
