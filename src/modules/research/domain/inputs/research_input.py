"""What the five experts are asked about together."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from src.modules.research.domain.exceptions import MissingDataError
from src.modules.research.domain.inputs.catalyst_context import CatalystContext
from src.modules.research.domain.inputs.financial_snapshot import FinancialSnapshot
from src.modules.research.domain.inputs.macro_context import MacroContext
from src.modules.research.domain.inputs.price_history import PriceHistory
from src.modules.research.domain.inputs.section import DossierPart, Section, optional
from src.modules.research.domain.inputs.stock import Stock
from src.modules.research.domain.inputs.technical_snapshot import TechnicalSnapshot
from src.modules.research.domain.inputs.valuation_snapshot import ValuationSnapshot

TaskT = TypeVar("TaskT", bound=BaseModel)


class ResearchInput(DossierPart):
    """A stock and what is known about it; a section may be missing, and then its expert is not asked."""

    stock: Stock = Field(description="标的")
    technical: TechnicalSnapshot | None = optional("技术面：价格与指标")
    price_history: PriceHistory | None = optional("日收盘价，由远及近，供报告画图，不会交给任何专家")
    financial: FinancialSnapshot | None = optional("财务面：报表与比率")
    valuation: ValuationSnapshot | None = optional("估值面：倍数与分位")
    macro: MacroContext | None = optional("宏观面：按维度的文字资料及来源")
    catalyst: CatalystContext | None = optional("催化剂：按维度的文字资料及来源")

    @field_validator("price_history")
    @classmethod
    def _not_after_the_dossier(cls, days: PriceHistory | None, info: ValidationInfo) -> PriceHistory | None:
        stock: Stock | None = info.data.get("stock")
        if days and stock and days[-1].date > stock.as_of:
            text, found = "{date} is later than the dossier's as_of", {"date": str(days[-1].date)}
            problem = PydanticCustomError("day_after_the_dossier", text, found)
            raise problem
        return days

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
