"""Answers of a type, answers that fail it, and the other objects that may stand beside an answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field

from tools.attack import texts
from tools.attack.documents import Document, Sorts

Share = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[int, Field(ge=0, le=100)]
Action = Literal["BUY", "SELL", "HOLD"]
Level = Literal["low", "medium", "high"]


class Review(BaseModel):
    """The smallest answer."""

    title: str
    score: Score


class Trade(BaseModel):
    """An answer with a choice and a few numbers; nothing else may stand in it."""

    model_config = ConfigDict(extra="forbid")
    action: Action
    size: Annotated[float, Field(gt=0, le=10_000)]
    confidence: Share
    reason: str
    is_final: bool


class Risk(BaseModel):
    """A row of `Report`."""

    name: str
    level: Level


class Report(BaseModel):
    """An answer with lists and objects in it."""

    summary: str
    tags: list[str]
    risks: Annotated[list[Risk], Field(min_length=1)]
    target_price: float | None


class Verdict(BaseModel):
    """An answer with Chinese names."""

    conclusion: str = Field(alias="结论")
    confidence: Share = Field(alias="置信度")
    grounds: list[str] = Field(alias="依据")


class Make(Protocol):
    """Makes an answer; its texts are of these sorts."""

    def __call__(self, rng: Random, sorts: Sorts = texts.ALL) -> Document:
        """Make one."""


class Shape(NamedTuple):
    """A type, a maker of its answers, and members with values that fail it."""

    dto_type: type[BaseModel]
    make: Make
    failing: tuple[tuple[str, Any], ...]


def _share(rng: Random) -> float:
    return rng.choice((0.0, 0.15, 0.5, 0.85, 0.9, 1.0))


def _texts(rng: Random, sorts: Sorts) -> list[str]:
    return [texts.any_text(rng, sorts) for _ in range(rng.randint(0, 3))]


def _review(rng: Random, sorts: Sorts = texts.ALL) -> Document:
    return {"title": texts.any_text(rng, sorts), "score": rng.randint(0, 100)}


def _trade(rng: Random, sorts: Sorts = texts.ALL) -> Document:
    size = rng.choice((0.5, 1, 12.5, 100, 850, 1000))
    action, is_final = rng.choice(get_args(Action)), rng.choice((True, False))
    reason = texts.any_text(rng, sorts)
    return {"action": action, "size": size, "confidence": _share(rng), "reason": reason, "is_final": is_final}


def _report(rng: Random, sorts: Sorts = texts.ALL) -> Document:
    risks = [
        {"name": texts.any_text(rng, sorts), "level": rng.choice(get_args(Level))} for _ in range(rng.randint(1, 3))
    ]
    price = rng.choice((86.5, 1234.5, 12.0, None))
    return {"summary": texts.any_text(rng, sorts), "tags": _texts(rng, sorts), "risks": risks, "target_price": price}


def _verdict(rng: Random, sorts: Sorts = texts.ALL) -> Document:
    return {"结论": texts.any_text(rng, sorts), "置信度": _share(rng), "依据": _texts(rng, sorts)}


SHAPES = (
    Shape(Review, _review, (("score", 850), ("score", "85/100"), ("score", -1), ("title", None))),
    Shape(Trade, _trade, (("action", "buy more"), ("size", 0), ("confidence", "high"), ("thought", "x"))),
    Shape(Report, _report, (("risks", []), ("risks", "none"), ("target_price", "N/A"), ("tags", "a, b"))),
    Shape(Verdict, _verdict, (("置信度", 85), ("置信度", "较高"), ("依据", "见上文"), ("结论", ["看多"]))),
)


def failing(rng: Random, shape: Shape, answer: Document) -> Document:
    """The answer with a value its type refuses, or without one of its members."""
    if rng.random() < 0.2:  # noqa: PLR2004 - a share
        left_out = rng.choice(list(answer))
        return {key: value for key, value in answer.items() if key != left_out}
    key, value = rng.choice(shape.failing)
    return {**answer, key: value}


class Other(NamedTuple):
    """A sort of object that may stand beside an answer."""

    name: str
    make: Callable[[Random, Shape, Document], Document]


def _template(_: Random, __: Shape, answer: Document) -> Document:
    """The format, filled with what stands for a value of each sort; it satisfies the type."""
    return {key: _placeholder(key, value) for key, value in answer.items()}


_PLACEHOLDERS = {"action": "HOLD", "size": 1, "risks": [{"name": "string", "level": "low"}]}
"""Where `string`, 0 and a list of `string` would fail the type."""


def _placeholder(key: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if key in _PLACEHOLDERS:
        return _PLACEHOLDERS[key]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return "string"
    return ["string"] if isinstance(value, list) else 0


def _earlier(rng: Random, shape: Shape, answer: Document) -> Document:
    """The answer with one member as it may have been before."""
    key, value = rng.choice(list(shape.make(rng).items()))
    return {**answer, key: value}


def _schema(_: Random, shape: Shape, __: Document) -> Document:
    return shape.dto_type.model_json_schema()


def _input(rng: Random, _: Shape, __: Document) -> Document:
    return {"id": rng.randint(1, 999), "question": texts.any_text(rng), "history": []}


OTHERS = (
    Other("template", _template),
    Other("draft", lambda rng, shape, _: shape.make(rng)),
    Other("example", lambda rng, shape, _: shape.make(rng)),
    Other("earlier version", _earlier),
    Other("schema", _schema),
    Other("quoted input", _input),
)
