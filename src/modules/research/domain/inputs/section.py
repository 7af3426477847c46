"""What all sections of a dossier have in common: what is not given is None, and is never taken for 0."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

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
