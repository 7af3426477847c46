"""The four actions, each with the arguments it takes: a discriminated union."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter
from pydantic_core import PydanticCustomError

from src.shared.domain.fields import FiniteNumber, QuantityText
from src.shared.domain.language import Language, Message, Phrase


class ActionType(StrEnum):
    """What the agent can do in one turn."""

    SEARCH = "search"
    CROP = "crop"
    OCR = "ocr"
    ANSWER = "answer"


ON_IMAGE = frozenset({ActionType.CROP, ActionType.OCR})
"""The actions that take an image and a region."""

Coordinate: TypeAlias = Annotated[FiniteNumber, Field(ge=0)]
Region: TypeAlias = tuple[Coordinate, Coordinate, Coordinate, Coordinate]
"""A rectangle of an image: `x1, y1, x2, y2`, finite, not negative, `x1 < x2`, `y1 < y2`; the unit is the image's."""


def _refuse(kind: str, message: Message) -> None:
    problem = PydanticCustomError(kind, "{words}", {"words": message.text(Language.BOTH), "message": message})
    raise problem


def _not_blank(text: str) -> str:
    if not text.strip():
        _refuse("blank", Phrase("must not be blank"))
    return text


def _with_an_area(region: Region) -> Region:
    x1, y1, x2, y2 = region
    if not (x1 < x2 and y1 < y2):
        _refuse("empty_region", Phrase("must have x1 < x2 and y1 < y2"))
    return region


class SearchAction(BaseModel, frozen=True):
    """Look for images and texts.

    Attributes:
        query: what to look for; never blank.
    """

    type: Literal["search"] = "search"
    query: Annotated[str, AfterValidator(_not_blank)]


class LookAction(BaseModel, frozen=True):
    """Look at part of an image more closely (`crop`), or read the text in it (`ocr`).

    Attributes:
        image_id: which image, such as `image_01`.
        region: which part of it.
    """

    type: Literal["crop", "ocr"]
    image_id: Annotated[str, AfterValidator(_not_blank)]
    region: Annotated[Region, AfterValidator(_with_an_area)]


class AnswerAction(BaseModel, frozen=True):
    """Answer the question, which ends the run.

    Attributes:
        answer: the answer; never blank. One that is a bare number is taken as its text.
    """

    type: Literal["answer"] = "answer"
    answer: Annotated[QuantityText, AfterValidator(_not_blank)]


Action: TypeAlias = Annotated[SearchAction | LookAction | AnswerAction, Field(discriminator="type")]
"""One action; its `type` says which."""

ACTION: TypeAdapter[Action] = TypeAdapter(Action)

ARGUMENTS = {ActionType.SEARCH: ("query",), **dict.fromkeys(ON_IMAGE, ("image_id", "region"))}
"""The arguments of the actions that take some."""
