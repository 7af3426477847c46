"""The words the tables of damages are written in: where a damage is done, and to how much of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from tools.attack.pieces import Piece, Pieces, Role

Rewrite = Callable[[str], str]
Change = Callable[[Random, Pieces], Pieces | None]
"""A damage: the changed pieces, or None where the document has no place for it."""
Roles = frozenset[Role]

KEYS = frozenset({Role.KEY})
TEXTS = frozenset({Role.TEXT})
STRINGS = KEYS | TEXTS
NUMBERS = frozenset({Role.NUMBER})
WORDS = frozenset({Role.WORD})
PLAIN = NUMBERS | WORDS
SCALARS = TEXTS | PLAIN
COMMAS = frozenset({Role.COMMA})
COLONS = frozenset({Role.COLON})
OPENS = frozenset({Role.OPEN})
CLOSES = frozenset({Role.CLOSE})
SPACES = frozenset({Role.SPACE})
MARKS = COMMAS | COLONS | OPENS | CLOSES


class Damage(NamedTuple):
    """One kind of damage: its name in the tables, and how it is done."""

    kind: str
    change: Change


def one(roles: Roles, *rewrites: Rewrite) -> Change:
    """Change one piece of these roles, in one of these ways."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        rewrite = rng.choice(rewrites)
        places = _changing(pieces, roles, rewrite)
        return with_text(pieces, {at: rewrite(pieces[at].text) for at in [rng.choice(places)]}) if places else None

    return change


def every(roles: Roles, *rewrites: Rewrite) -> Change:
    """Change every piece of these roles, all in one of these ways."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        rewrite = rng.choice(rewrites)
        places = _changing(pieces, roles, rewrite)
        return with_text(pieces, {at: rewrite(pieces[at].text) for at in places}) if places else None

    return change


def together(*changes: Change) -> Change:
    """Do several changes; those that find no place are left out, but not all of them."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        before = pieces
        for each in changes:
            pieces = each(rng, pieces) or pieces
        return pieces if pieces is not before else None

    return change


def whole(*rewrites: Rewrite) -> Change:
    """Change the text as a whole, in one of these ways; nothing of its structure is left to find."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        text = "".join(piece.text for piece in pieces)
        changed = rng.choice(rewrites)(text)
        return (Piece(Role.ADDED, changed),) if changed != text else None

    return change


def pick(*changes: Change) -> Change:
    """Do one of several changes."""
    return lambda rng, pieces: rng.choice(changes)(rng, pieces)


def put(text: str) -> Rewrite:
    """Write this instead."""
    return lambda _: text


def between(before: str, after: str) -> Rewrite:
    """Write this before and after what stands there."""
    return lambda text: before + text + after


def with_text(pieces: Pieces, texts: dict[int, str]) -> Pieces:
    """Give the pieces with the texts of some of them replaced."""
    return tuple(piece._replace(text=texts[at]) if at in texts else piece for at, piece in enumerate(pieces))


def _changing(pieces: Pieces, roles: Roles, rewrite: Rewrite) -> list[int]:
    return [
        at
        for at, piece in enumerate(pieces)
        if piece.role in roles and piece.text and rewrite(piece.text) != piece.text
    ]


class Container(NamedTuple):
    """An object or a list: the places of its brackets, and of each of its items as (first piece, piece after it)."""

    open: int
    close: int
    items: tuple[tuple[int, int], ...]


def containers(pieces: Pieces) -> list[Container]:
    """Find the objects and lists by the roles of the pieces, the inner ones first."""
    return list(_containers(pieces))


def _containers(pieces: Pieces) -> Iterator[Container]:
    starts: list[tuple[int, list[int]]] = []  # per open container: its bracket, and the edges of its items
    for at, piece in enumerate(pieces):
        if piece.role is Role.OPEN:
            starts.append((at, [at + 1]))
        elif piece.role is Role.COMMA and starts:
            starts[-1][1].extend((at, at + 1))
        elif piece.role is Role.CLOSE and starts:
            opened, edges = starts.pop()
            edges.append(at)
            items = [_trimmed(pieces, *span) for span in zip(edges[::2], edges[1::2], strict=True)]
            yield Container(opened, at, tuple(span for span in items if span[0] < span[1]))


def _trimmed(pieces: Pieces, start: int, end: int) -> tuple[int, int]:
    while start < end and pieces[start].role is Role.SPACE:
        start += 1
    while start < end and pieces[end - 1].role is Role.SPACE:
        end -= 1
    return start, end
