"""A dossier: everything a committee is told about one stock, as one JSON document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from examples.committee.domain.price_history import PriceHistory
from src.modules.research.domain.inputs import ResearchInput, Stock, optional


class Dossier(ResearchInput):
    """One stock and what is known about it. Whatever is optional and not given is told to the agents as missing."""

    version: Literal[1] = Field(description="档案格式的版本")
    price_history: PriceHistory | None = optional("日收盘价，由远及近，供报告画图，不会交给任何专家")
    note: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        default=None, description="给人看的说明，不会交给任何专家"
    )

    @field_validator("price_history")
    @classmethod
    def _not_after_the_dossier(cls, days: PriceHistory | None, info: ValidationInfo) -> PriceHistory | None:
        stock: Stock | None = info.data.get("stock")
        if days and stock and days[-1].date > stock.as_of:
            text, found = "{date} is later than the dossier's as_of", {"date": str(days[-1].date)}
            problem = PydanticCustomError("day_after_the_dossier", text, found)
            raise problem
        return days


def dossier_schema() -> dict[str, Any]:
    """The JSON Schema of a dossier; its descriptions say what each value means, in which unit."""
    return Dossier.model_json_schema()
