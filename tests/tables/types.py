"""The types that rows of the tables name: those of `types.toml`, and a few whose classes hold code."""

from __future__ import annotations

import ast
import tomllib
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter, create_model, field_validator

from src.shared.domain.coercion.lenient import Amount


class Author(BaseModel):
    """Who signs."""

    name: str
    mail: str | None = None


class Mood(StrEnum):
    """A choice."""

    CALM = "calm"
    NONE = "NONE"


class Shouted(BaseModel):
    """Its field is read by its alias."""

    score: int = Field(alias="SCORE")


class Sized(BaseModel):
    """One of its defaults is read by its alias."""

    size: int = 1
    note: str = Field("", alias="Note")


class Verdict(BaseModel):
    """Its field has a Chinese name."""

    conclusion: str = Field(alias="结论")


class Signs(BaseModel):
    """Its field is called by a sign."""

    dollar: int = Field(alias="$")


class Named(BaseModel):
    """A row whose field has two names."""

    model_config = ConfigDict(populate_by_name=True)
    name: str = Field(alias="n")
    v: int


class Inverse(BaseModel):
    """Its own code fails for zero."""

    n: int

    def model_post_init(self, _context: object) -> None:
        """Divide."""
        1 // self.n


class Failing(BaseModel):
    """Its own code always fails."""

    title: str

    @field_validator("title")
    @classmethod
    def fails(cls, _: str) -> str:
        """Fail."""
        raise KeyError


class Signed(BaseModel):
    """A review that takes other members, too."""

    model_config = ConfigDict(extra="allow")

    author: Author
    authors: list[Author] = []
    by_name: dict[str, Author] = {}
    pair: tuple[int, Author] | None = None
    kind: Literal["a", "b"] = "a"
    tags: list[str] = []
    other: Signed | None = None
    title: str = ""


_WITH_CODE = (Author, Signed, Mood, Shouted, Sized, Verdict, Signs, Named, Inverse, Failing)
NAMES: dict[str, Any] = {one.__name__: one for one in (*_WITH_CODE, BaseModel, RootModel, Decimal, Field, Amount)}
NAMES |= {"Annotated": Annotated, "Any": Any, "Literal": Literal, "date": date, "datetime": datetime}
"""What the types of rows and fields may name."""


def _field(written: str) -> tuple[str, Any]:
    kind, _, default = written.partition(" = ")
    return kind, ast.literal_eval(default) if default else ...


def _read_types() -> list[str]:
    table = tomllib.loads(Path(__file__).with_name("types.toml").read_text(encoding="utf-8"))
    for name, fields in table.items():
        members: dict[str, Any] = {field: _field(written) for field, written in fields.items()}
        NAMES[name] = create_model(name, __module__=__name__, **members)
    for name in table:
        NAMES[name].model_rebuild(_types_namespace=NAMES)
    return list(table)


_WRITTEN = _read_types()


@cache
def type_of(written: str) -> Any:  # noqa: ANN401 - any type
    """The type that a row names, such as `list[Leg]`."""
    return get_type_hints(type("Row", (), {"__annotations__": {"type": written}}), NAMES, include_extras=True)["type"]


TYPES: dict[str, Any] = {written: type_of(written) for written in (*_WRITTEN, "list[Leg]")}
"""Those of `types.toml`, and a list."""


def as_data(value: Any, written: str | None) -> object:  # noqa: ANN401 - of any type of the tables
    """A value as JSON's data, for comparing."""
    return TypeAdapter(type_of(written)).dump_python(value, mode="json") if written else value
