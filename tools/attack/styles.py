"""The fourteen styles of the cut test: whole answers as models write them, each of which can be read."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tools.attack import texts
from tools.attack.damages import BY_NAME
from tools.attack.damages.places import Change, together
from tools.attack.documents import Document, Sorts, any_document
from tools.attack.pieces import COMPACT, INDENTED, SPACED, Layout, join, write

_INNER_QUOTES = ('He said "hi" and left', 'the "core" of it', 'a "moat" like no other', 'the so-called "leader" lost')
_LINES = ("one\ntwo", "first\n\nsecond", "- a\n- b\n", "col1\tcol2\n1\t2", "第一行\n第二行")
_REQUIRED = "remark"
"""A key whose text has what a style is about; every other member of the document is as it comes."""


class Style(NamedTuple):
    """One way of writing a whole answer.

    Attributes:
        name: its name in the table.
        layout: how the document is written as strict JSON.
        change: what is done to it then, or None.
        sorts: the texts it can say without a second reading.
        wrap: what stands around it.
        required: texts of which the document has at least one.
    """

    name: str
    layout: Layout
    change: Change | None = None
    sorts: Sorts = texts.PLAIN
    wrap: Callable[[str], str] = str
    required: tuple[str, ...] = ()


def _around(before: str, after: str) -> Callable[[str], str]:
    return lambda text: before + text + after


def _changes(*kinds: str) -> Change:
    return together(*(BY_NAME[kind].change for kind in kinds))


STYLES = (
    Style("compact", COMPACT, sorts=texts.ALL),
    Style("spaced", SPACED, sorts=texts.ALL),
    Style("indented", INDENTED, sorts=texts.ALL),
    Style("single quotes", SPACED, _changes("single quotes everywhere"), (*texts.PLAIN, texts.APOSTROPHES)),
    Style("Python's repr", SPACED, _changes("Python's repr"), (*texts.PLAIN, texts.QUOTES, texts.PATHS, texts.CODE)),
    Style("full-width", SPACED, _changes("full-width punctuation")),
    Style("smart quotes", INDENTED, _changes("smart quotes everywhere")),
    Style("inner quotes", INDENTED, _changes("inner quotes not escaped anywhere"), required=_INNER_QUOTES),
    Style("bare keys", INDENTED, _changes("keys without quotes")),
    Style(
        "fenced in prose",
        INDENTED,
        sorts=texts.ALL,
        wrap=_around(
            "Here is the analysis you asked for.\n\n```json\n", "\n```\n\nLet me know if anything is missing."
        ),
    ),
    Style("fenced without a tag", SPACED, sorts=texts.ALL, wrap=_around("```\n", "\n```")),
    Style(
        "prose around",
        INDENTED,
        sorts=texts.ALL,
        wrap=_around("This is the analysis you asked for:\n\n", "\n\nTell me what else you need."),
    ),
    Style("raw line ends", INDENTED, _changes("raw control characters everywhere"), required=_LINES),
    Style("trailing commas", INDENTED, _changes("trailing commas everywhere")),
)


def styled_document(rng: Random, style: Style) -> Document:
    """Make a document that a style can say without a second reading."""
    document = any_document(rng, style.sorts)
    if style.required:
        document[_REQUIRED] = rng.choice(style.required)
    return document


def in_style(rng: Random, style: Style, document: Document) -> str:
    """Write a document in a style."""
    pieces = write(document, style.layout)
    changed = style.change(rng, pieces) if style.change else None
    return style.wrap(join(changed or pieces))
