"""What the dossier and the experts say about the price, in one place for whoever decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel

from src.modules.research.domain.dtos.expert_result import ResearchReport
from src.modules.research.domain.dtos.technical_analysis_dtos import KeyTechnicalLevelsDTO, TechnicalAnalysisResultDTO
from src.modules.research.domain.dtos.valuation_dtos import IntrinsicValueRangeDTO, ValuationResultDTO
from src.modules.research.domain.inputs import ResearchInput

_TECHNICAL: Final = (
    *("open", "high", "low", "high_52w", "low_52w", "ma5", "ma10", "ma20", "ma60", "ma120", "ma250", "atr14"),
    *("bollinger_upper", "bollinger_middle", "bollinger_lower"),
)
_FINANCIAL: Final = ("eps_ttm", "book_value_per_share", "cash_flow_per_share", "dividend_per_share")
_VALUATION: Final = ("price", "graham_value", "eps_forecasts")


@dataclass(frozen=True, slots=True)
class PriceView:
    """Prices per share, in the currency of the stock; what nobody says is None or empty.

    Attributes:
        price: the last close, else the price that the valuation names.
        support: levels below, the dossier's and then the technical analyst's, each once.
        resistance: levels above, as above.
        value_low: the lower bound of the intrinsic value and how it was derived.
        value_high: its upper bound.
        other: what it is → amount per share: the dossier's averages, highs and lows, earnings, book value.
    """

    price: float | None = None
    support: tuple[float, ...] = ()
    resistance: tuple[float, ...] = ()
    value_low: str | None = None
    value_high: str | None = None
    other: Mapping[str, float] = field(default_factory=dict)


def price_view(research_input: ResearchInput, report: ResearchReport) -> PriceView:
    """Collect it; nothing is judged anew."""
    levels = [found.key_technical_levels for found in _results(report) if isinstance(found, TechnicalAnalysisResultDTO)]
    ranges = [
        found.estimated_intrinsic_value_range for found in _results(report) if isinstance(found, ValuationResultDTO)
    ]
    return price_view_of(research_input, levels, ranges)


def price_view_of(
    research_input: ResearchInput | None,
    levels: Sequence[KeyTechnicalLevelsDTO],
    ranges: Sequence[IntrinsicValueRangeDTO],
) -> PriceView:
    """The same of experts' results that are known in part.

    Args:
        research_input: what the experts were told; None where that is not known.
        levels: the technical analyst's, if it gave any.
        ranges: the valuation modeler's, if it gave one.
    """
    technical, financial, valuation = (
        (research_input.technical, research_input.financial, research_input.valuation)
        if research_input
        else (None, None, None)
    )
    given_support, given_resistance = (
        (technical.support_levels or [], technical.resistance_levels or []) if technical else ([], [])
    )
    return PriceView(
        price=(technical and technical.close) or (valuation and valuation.price) or None,
        support=_once(*given_support, *(level.support for level in levels)),
        resistance=_once(*given_resistance, *(level.resistance for level in levels)),
        value_low=ranges[0].lower_bound if ranges else None,
        value_high=ranges[0].upper_bound if ranges else None,
        other=dict(
            (
                *_named(technical, _TECHNICAL),
                *_named(financial, _FINANCIAL),
                *_named(valuation, _VALUATION),
            )
        ),
    )


def _results(report: ResearchReport) -> tuple[object, ...]:
    return tuple(report.results.values())


def _once(*prices: float) -> tuple[float, ...]:
    return tuple(dict.fromkeys(prices))


def _named(section: BaseModel | None, names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
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
