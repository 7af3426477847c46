"""The types that rows of the tables name."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter


class Score(BaseModel):
    """One number, and words that need not be there."""

    score: int
    note: str = ""


class Task(BaseModel):
    """Its fields are called as the parts of a JSON Schema are."""

    title: str
    done: bool = False


class Parcel(BaseModel):
    """Its fields are called as the parts of a JSON Schema are, too."""

    description: str
    type: str = "box"
    weight: float = 0.0


class Query(BaseModel):
    """What the arguments of a call may look like."""

    q: str


class Mood(StrEnum):
    """A choice."""

    CALM = "calm"
    NONE = "NONE"


class Sign(BaseModel):
    """A choice and a reason."""

    mood: Mood
    why: str = ""


class Switch(BaseModel):
    """One of three words."""

    state: Literal["NONE", "HALF", "FULL"]


class Schema(BaseModel):
    """It asks for what a model may also hand back."""

    properties: dict[str, Any]
    type: str


class Column(BaseModel):
    """What a schema says of a value, too."""

    name: str
    type: str


class Bill(BaseModel):
    """An amount."""

    total: float


class Leg(BaseModel):
    """An element of a list."""

    n: int


TYPES: dict[str, Any] = {
    "Score": Score,
    "Task": Task,
    "Parcel": Parcel,
    "Query": Query,
    "Sign": Sign,
    "Switch": Switch,
    "Schema": Schema,
    "Column": Column,
    "Bill": Bill,
    "list[Leg]": list[Leg],
}


def as_data(value: Any, of: str | None) -> object:  # noqa: ANN401 - of any type of the table
    """A value as JSON's data, for comparing."""
    return TypeAdapter(TYPES[of]).dump_python(value, mode="json") if of else value
