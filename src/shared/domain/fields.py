"""Field types several contexts' DTOs share: each bound, and each thing refused, is said here once.

Numbers follow one rule. A number written as text (`"0.8"`) is taken, since its value is the same; what has to
be interpreted (`"80%"`, `"1,650"`), `true` and `false`, NaN and the infinities are refused.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError


def _refuse_bool(value: object) -> object:
    """Refuse what Pydantic would read as 1 or 0, though no number was written."""
    if isinstance(value, bool):
        problem = PydanticCustomError("bool_for_number", "Input should be a number, not true or false")
        raise problem
    return value


def _number_to_text(value: object) -> object:
    """Turn a number into its text; NaN and the infinities stay numbers, for validation to refuse."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(value) if float("-inf") < value < float("inf") else value


# Bounds stand before this in each type: in that order Pydantic writes them to the
# JSON schema as minimum and maximum.
_NO_BOOL = BeforeValidator(_refuse_bool)

FiniteNumber: TypeAlias = Annotated[float, Field(allow_inf_nan=False), _NO_BOOL]
"""A number; unit and meaning are the field's own."""

Fraction: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), _NO_BOOL]
"""A share of one: 0 to 1, both included."""

Confidence: TypeAlias = Annotated[
    Fraction, Field(description="How sure the agent is: 0 (not at all) to 1 (certain), both included.")
]

Score: TypeAlias = Annotated[int, Field(ge=0, le=100), _NO_BOOL]
"""Points, whole, from 0 (worst) to 100 (best), both included."""

QuantityText: TypeAlias = Annotated[str, BeforeValidator(_number_to_text)]
"""Text that names a quantity (a price, a probability, a duration), which models also write as a bare number:
`0.6` is kept as `"0.6"`."""

Direction: TypeAlias = Literal["BULLISH", "BEARISH", "NEUTRAL"]
"""Where the price is expected to go."""


class AgentResult(BaseModel):
    """Base of the agents' results. Keys a model writes beyond the fields are ignored."""

    narrative_report: str = Field(
        default="", description="The whole analysis as prose for a reader; empty when the agent wrote none."
    )
