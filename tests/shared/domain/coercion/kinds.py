"""The types that the headings of `pairs.txt` and `traps.txt` name, and the lines below them."""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, create_model

from src.shared.domain.coercion.lenient import Amount, Lenient, Percent, PercentPoints
from src.shared.domain.coercion.numbers import NumberMeaning

_FOLDER = Path(__file__).parent


class Rating(Enum):
    STRONG_BUY = "强烈买入"
    HOLD = "持有"


class Valuation(Enum):
    FAIR = "Fair"
    OVERVALUED = "Overvalued"


class Twins(Enum):
    ONE = "A"
    A = "one"


class Step(IntEnum):
    DOWN = -1
    FLAT = 0
    UP = 1


KINDS: dict[str, Any] = {
    "number": float,
    "ratio_by_bounds": Annotated[float, Field(ge=0, le=1)],
    "percent_by_bounds": Annotated[float, Field(ge=0, le=100)],
    "between_minus_one_and_one": Annotated[float, Field(gt=-1, lt=1)],
    "from_minus_hundred": Annotated[float, Field(ge=-100, le=0)],
    "at_most_nothing": Annotated[float, Field(le=0)],
    "far_below_one": Annotated[float, Field(ge=-100, le=1)],
    "whole": int,
    "whole_percent": Annotated[int, Field(ge=0, le=100)],
    "digits": Decimal,
    "percent": Percent,
    "points": PercentPoints,
    "amount": Amount,
    "percent_or_ratio": Annotated[float, Lenient(NumberMeaning.PERCENT_OR_RATIO)],
    "day": date,
    "moment": datetime,
    "truth": bool,
    "truth_or_null": bool | None,
    "rating": Rating,
    "valuation": Valuation,
    "choice": Literal["BUY", "SELL", "NOT_RATED"],
    "chinese": Literal["买入", "持有", "卖出", "中性"],
    "twins": Twins,
    "step": Step,
    "texts": list[str],
    "wholes": list[int],
    "number_or_null": float | None,
    "digits_or_float": Decimal | float,
    "whole_or_float": int | float,
    "text_or_none": Annotated[str | None, Lenient(absent=True)],
}


class Line(NamedTuple):
    kind: str
    text: str
    value: Any = None


@cache
def model_of(kind: str) -> type[BaseModel]:
    model: type[BaseModel] = create_model(kind, value=(KINDS[kind], ...))
    return model


@cache
def adapter_of(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind])


def lines(file: str) -> Iterator[Line]:
    """The lines of a file; where a value stands behind two spaces, that value as its kind."""
    kind = ""
    for line in (_FOLDER / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line and not line.startswith("# "):
            text, found, value = line.rpartition("  ")
            yield Line(kind, text, adapter_of(kind).validate_json(value)) if found else Line(kind, line)
