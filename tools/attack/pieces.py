"""A JSON document as the pieces it is written with, so that a damage can be done to one of them.

A piece keeps its role when its text is changed or emptied: a second damage still finds the structure of the document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum, auto
from random import Random
from typing import Any, NamedTuple


class Role(Enum):
    """What a piece was in the undamaged document."""

    OPEN = auto()
    CLOSE = auto()
    COMMA = auto()
    COLON = auto()
    KEY = auto()
    TEXT = auto()
    NUMBER = auto()
    WORD = auto()
    SPACE = auto()
    ADDED = auto()
    """Not part of the document: put there by a damage."""


class Piece(NamedTuple):
    """A stretch of the written document."""

    role: Role
    text: str


Pieces = tuple[Piece, ...]


class Layout(NamedTuple):
    """How a document is written, as strict JSON.

    Attributes:
        indent: spaces for each level, every member on a line of its own; None writes everything on one line.
        blank: what stands after a colon, and on one line after a comma.
        ascii_only: whether every other character is written as an escape.
    """

    indent: int | None = None
    blank: str = " "
    ascii_only: bool = False


COMPACT = Layout(blank="")
SPACED = Layout()
INDENTED = Layout(indent=2)
LAYOUTS = (COMPACT, SPACED, INDENTED, INDENTED, Layout(indent=4), Layout(indent=0), Layout(ascii_only=True))
"""What `any_layout` picks from; an indent of two is what models write most."""


def any_layout(rng: Random) -> Layout:
    """Pick a layout."""
    return rng.choice(LAYOUTS)


def write(document: Any, layout: Layout = SPACED) -> Pieces:  # noqa: ANN401 - any JSON value
    """Write a document; the texts of the pieces joined are strict JSON."""
    return tuple(piece for piece in _pieces(document, layout, 0) if piece.text)


def join(pieces: Pieces) -> str:
    """Give the text of the pieces."""
    return "".join(piece.text for piece in pieces)


def _pieces(value: Any, layout: Layout, depth: int) -> Iterator[Piece]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict | list):
        yield from _container(value, layout, depth)
    elif isinstance(value, str):
        yield Piece(Role.TEXT, json.dumps(value, ensure_ascii=layout.ascii_only))
    else:
        yield Piece(Role.WORD if value is None or isinstance(value, bool) else Role.NUMBER, json.dumps(value))


def _container(value: dict[str, Any] | list[Any], layout: Layout, depth: int) -> Iterator[Piece]:
    ends = "{}" if isinstance(value, dict) else "[]"
    yield Piece(Role.OPEN, ends[0])
    for number, item in enumerate(value):
        if number:
            yield Piece(Role.COMMA, ",")
        yield Piece(Role.SPACE, _gap(layout, depth + 1, layout.blank if number else ""))
        if isinstance(value, dict):
            yield Piece(Role.KEY, json.dumps(item, ensure_ascii=layout.ascii_only))
            yield Piece(Role.COLON, ":")
            yield Piece(Role.SPACE, layout.blank)
        yield from _pieces(value[item] if isinstance(value, dict) else item, layout, depth + 1)
    if value:
        yield Piece(Role.SPACE, _gap(layout, depth, ""))
    yield Piece(Role.CLOSE, ends[1])


def _gap(layout: Layout, depth: int, on_one_line: str) -> str:
    return on_one_line if layout.indent is None else "\n" + " " * (layout.indent * depth)
