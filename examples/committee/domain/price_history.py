"""The closes of the days before a decision, for whoever reads the report; no expert is shown them."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from src.modules.research.domain.inputs import DossierPart, Price

MOST_DAYS = 1_250
"""Most days of one history: five years."""


class DailyClose(DossierPart):
    """One trading day."""

    date: dt.date = Field(description="交易日")
    close: Price = Field(description="收盘价，前复权，与技术面的价格同一口径，单位：元")


def _in_order(days: list[DailyClose]) -> list[DailyClose]:
    for earlier, later in pairwise(days):
        if later.date <= earlier.date:
            text, wrong = "{date} is not later than the day before it in the list", {"date": str(later.date)}
            problem = PydanticCustomError("days_not_in_order", text, wrong)
            raise problem
    return days


PriceHistory: TypeAlias = Annotated[list[DailyClose], Field(max_length=MOST_DAYS), AfterValidator(_in_order)]
"""Trading days, the earliest first, each once; days without trade are not in it."""
