"""The documents that are damaged and cut: objects of the kind models are asked for."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tools.attack import texts

Document = dict[str, Any]
Sorts = tuple[tuple[str, ...], ...]

KEYS = (
    *("title", "score", "name", "id", "reason", "items", "tags", "summary", "price", "confidence", "action", "note"),
    *("is_final", "target_price", "stopLoss", "risk-level", "user.name", "key points", "Date", "2024", "a", "b", "x1"),
    *("结论", "目标价", "风险提示", "置信度", "来源（链接）", "type", "level", "value", "error", "url", "code", "null"),
    *("$ref", "@id", "what's new", "n/a", "thought", "answer", "result", "data", "q&a"),
)
INTEGERS = (0, 1, 2, 5, 7, 42, 85, 100, 850, 1000, 12345, 1234567, 2024, 688123456789, 12345678901234567890)
FLOATS = (0.0, 0.5, 0.25, 1.0, 12.5, 86.5, 3.14159, 41.2, 0.001, 1e-07, 1.5e20, 1234.5, 100.0)
WORDS = (True, False, None)
_DEEPEST = 3


def any_document(rng: Random, sorts: Sorts = texts.ALL) -> Document:
    """Make a document of one to six members; its strings are of these sorts."""
    return _object(rng, sorts, 0, rng.choice((1, 2, 2, 3, 3, 3, 4, 4, 5, 6)))


def _object(rng: Random, sorts: Sorts, depth: int, size: int) -> Document:
    return {key: _value(rng, sorts, depth) for key in rng.sample(KEYS, size)}


def _list(rng: Random, sorts: Sorts, depth: int, size: int) -> list[Any]:
    sort = rng.choice((_text, _number, _row, _value))
    return [sort(rng, sorts, depth) for _ in range(size)]


def _row(rng: Random, sorts: Sorts, depth: int) -> Document:
    return _object(rng, sorts, depth, rng.choice((1, 2, 2, 3)))


def _text(rng: Random, sorts: Sorts, _: int) -> str:
    return texts.any_text(rng, sorts)


def _number(rng: Random, _: Sorts, __: int) -> float:
    number = rng.choice(rng.choice((INTEGERS, FLOATS)))
    return -number if number and rng.random() < 0.2 else number  # noqa: PLR2004 - a share


def _word(rng: Random, _: Sorts, __: int) -> bool | None:
    return rng.choice(WORDS)


_LEAVES: tuple[Callable[[Random, Sorts, int], Any], ...] = (_text, _text, _text, _number, _number, _word)


def _value(rng: Random, sorts: Sorts, depth: int) -> Any:  # noqa: ANN401 - any JSON value
    if depth < _DEEPEST and rng.random() < 0.3:  # noqa: PLR2004 - a share
        size = rng.choice((0, 1, 2, 2, 3, 4))
        build = rng.choice((_object, _list))
        return build(rng, sorts, depth + 1, min(size, 3))
    return rng.choice(_LEAVES)(rng, sorts, depth)
