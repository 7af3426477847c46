"""What the judge is told beside the debate: the price and its levels, from the dossier and the experts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, TypeVar

from pydantic import BaseModel, Field

from examples.committee.dossier import Dossier
from src.modules.judge.domain.dtos.judge_input import JudgeInput
from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.modules.research.domain.dtos.technical_analysis_dtos import TechnicalAnalysisResultDTO
from src.modules.research.domain.dtos.valuation_dtos import ValuationResultDTO
from src.modules.research.domain.inputs import Section

ResultT = TypeVar("ResultT")

_OTHER_PRICES: Final = {
    "technical": "open high low high_52w low_52w ma5 ma10 ma20 ma60 ma120 ma250 atr14 "
    "bollinger_upper bollinger_middle bollinger_lower",
    "financial": "eps_ttm book_value_per_share cash_flow_per_share dividend_per_share",
    "valuation": "price graham_value eps_forecasts",
}
"""Amounts per share, by the section of the dossier that has them."""
_BOARDS: Final = (
    (re.compile(r"(?:60[0135]\d{3}\.SH|00[0-3]\d{3}\.SZ)"), Decimal("0.10")),
    (re.compile(r"(?:68[89]\d{3}\.SH|30[012]\d{3}\.SZ)"), Decimal("0.20")),
    (re.compile(r"(?:43|83|87|88|92)\d{4}\.BJ"), Decimal("0.30")),
)
"""Symbols of a board, and how far its shares may move in a day."""
_OTHER_RULES: Final = re.compile(r"^[NC][\u4e00-\u9fff]|退|ST", re.IGNORECASE)
"""Names of shares that other limits hold for: new ones, those about to be delisted, those with a risk warning."""


class MarketFacts(BaseModel):
    """The prices that a verdict can rest on; what is not known is None or empty."""

    currency: str = Field(description="报价币种")
    price: float | None = Field(default=None, description="最近收盘价，单位：元")
    lower_limit: float | None = Field(default=None, description="下一交易日跌停价，由收盘价按板块规则推算，单位：元")
    upper_limit: float | None = Field(default=None, description="下一交易日涨停价，由收盘价按板块规则推算，单位：元")
    support: list[float] = Field(default_factory=list, description="支撑位，来自资料和技术分析师，单位：元")
    resistance: list[float] = Field(default_factory=list, description="压力位，来自资料和技术分析师，单位：元")
    value_low: str | None = Field(default=None, description="每股内在价值下限及推导，来自估值建模师")
    value_high: str | None = Field(default=None, description="每股内在价值上限及推导，来自估值建模师")
    other_prices: dict[str, float] = Field(default_factory=dict, description="资料中的其他价位，单位：元")


class PricedJudgeInput(JudgeInput):
    """A debate's outcome and the prices that a verdict can rest on."""

    market: MarketFacts = Field(description="价格与价位")


def market_facts(dossier: Dossier, report: ResearchReport) -> MarketFacts:
    """Collect what the dossier and the experts say of the price; nothing is judged anew."""
    stock, technical, valuation = dossier.stock, dossier.technical, dossier.valuation
    analysed, valued = _result(report, TechnicalAnalysisResultDTO), _result(report, ValuationResultDTO)
    support, resistance = (technical.support_levels or [], technical.resistance_levels or []) if technical else ([], [])
    if analysed:
        levels = analysed.key_technical_levels
        support, resistance = [*support, levels.support], [*resistance, levels.resistance]
    price = (technical and technical.close) or (valuation and valuation.price) or None
    lower, upper = daily_limits(stock.symbol, stock.name, price) if price else (None, None)
    return MarketFacts(
        currency=stock.currency,
        price=price,
        lower_limit=lower,
        upper_limit=upper,
        support=list(dict.fromkeys(support)),
        resistance=list(dict.fromkeys(resistance)),
        value_low=valued and valued.estimated_intrinsic_value_range.lower_bound,
        value_high=valued and valued.estimated_intrinsic_value_range.upper_bound,
        other_prices={
            meaning: amount
            for section, names in _OTHER_PRICES.items()
            for meaning, amount in _named(getattr(dossier, section), names.split())
        },
    )


def daily_limits(symbol: str, name: str, close: float) -> tuple[float, float] | tuple[None, None]:
    """The limits (涨跌停) of the trading day after a close; None where they are not known.

    Source: the trading rules of the Shanghai, Shenzhen and Beijing exchanges; rounded to 0.01.
    """
    share = next((share for board, share in _BOARDS if board.fullmatch(symbol.upper())), None)
    if share is None or _OTHER_RULES.search(name):
        return None, None
    price = Decimal(repr(close))
    lower, upper = ((price * part).quantize(Decimal("0.01"), ROUND_HALF_UP) for part in (1 - share, 1 + share))
    return float(lower), float(upper)


def _result(report: ResearchReport, kind: type[ResultT]) -> ResultT | None:
    return next((result for result in report.results.values() if isinstance(result, kind)), None)


def _named(section: Section | None, names: list[str]) -> Iterator[tuple[str, float]]:
    """What each of these fields means, and its value, where it is given."""
    if section is None:
        return
    for name in names:
        value = getattr(section, name)
        meaning = str(type(section).model_fields[name].description).partition("，")[0]
        if isinstance(value, list):
            yield from ((f"{meaning} {number}", item) for number, item in enumerate(value, 1))
        elif value is not None:
            yield meaning, value
