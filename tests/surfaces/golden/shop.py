"""The sample types of the transcripts: small, and between them with every way to be wrong."""

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field, field_validator

from llm_output import Lenient


class Item(BaseModel):
    """What is bought, and how often."""

    name: str
    price: float
    count: Annotated[int, Field(ge=1)] = 1


class Order(BaseModel):
    """An order with its items."""

    id: int
    status: Literal["open", "paid"]
    items: list[Item] = []
    note: str | None = None


class Sales(BaseModel):
    """Numbers and a day, as people write them."""

    amount: float
    share: float = 0.0
    paid: bool = False
    day: date | None = None


class Marked(BaseModel):
    """One field that is read leniently without being asked for."""

    amount: Annotated[float, Lenient()]


class Touchy(BaseModel):
    """A validator that refuses, or crashes."""

    do: str

    @field_validator("do")
    @classmethod
    def _obey(cls, do: str) -> str:
        if do == "crash":
            message = "the validator broke"
            raise RuntimeError(message)
        if do == "refuse":
            message = "no such thing"
            raise ValueError(message)
        return do


class Path(BaseModel):
    """A text with backslashes."""

    where: str


Orders = list[Order]
Items = list[Item]


def old_parser(raw: str) -> object:
    """What `batch --against` compares with: takes the text between the outermost braces."""
    import json  # noqa: PLC0415 - as an old parser would

    return json.loads(raw[raw.index("{") : raw.rindex("}") + 1])
