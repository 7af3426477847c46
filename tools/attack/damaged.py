"""Make damaged texts: a document, one or two kinds of damage, a wrapper, and what the text says as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tools.attack.damages import KINDS
from tools.attack.damages.places import Damage
from tools.attack.documents import Document, any_document
from tools.attack.outcome import strict_values
from tools.attack.pieces import Pieces, any_layout, join, write
from tools.attack.wrappers import Wrapper, any_wrapper

_TRIES = 100
"""Documents tried for a damage before it is given up: some need an apostrophe, or an empty list."""


@dataclass(frozen=True, slots=True)
class Damaged:
    """A damaged text and what it was made from.

    Attributes:
        document: the document it was made from, which is what has to come back.
        kinds: the damages done, in their order.
        inside: the damaged text.
        text: the same with the wrapper around it.
        plain: values the damage has made of the document without leaving strict JSON.
    """

    document: Document
    kinds: tuple[str, ...]
    inside: str
    text: str
    plain: tuple[Any, ...]


def damaged_document(number: int, rng: Random) -> Damaged | None:
    """Make the damaged text of a turn: every kind of damage in turn, alone and with another."""
    kind = KINDS[number % len(KINDS)]
    alone = number // len(KINDS) % 2 == 0
    return damaged_text(rng, *((kind,) if alone else two_kinds(rng, kind)))


def damaged_text(rng: Random, *damages: Damage) -> Damaged | None:
    """Do one or two damages to a document that has a place for them; None where none was found."""
    for _ in range(_TRIES):
        document = any_document(rng)
        steps = damaged_pieces(rng, write(document, any_layout(rng)), damages)
        if steps is not None:
            return _wrapped(document, steps, any_wrapper(rng))
    return None


def damaged_pieces(rng: Random, pieces: Pieces, damages: tuple[Damage, ...]) -> list[tuple[str, Pieces]] | None:
    """Do the damages one after another; give the kind and the pieces after each, or None where one has no place.

    One that leaves strict JSON goes first, so that what it makes of the document is known, and one that leaves nothing
    of the structure goes last.
    """
    first = [(damage, changed) for damage in damages if (changed := damage.change(rng, pieces)) is not None]
    if len(first) < len(damages):
        return None
    first.sort(key=lambda step: (len(step[1]) == 1, not strict_values([join(step[1])])))
    (damage, changed), *rest = first
    steps = [(damage.kind, changed)]
    for following, _ in rest:
        again = following.change(rng, steps[-1][1])
        if again is None:
            return None
        steps.append((following.kind, again))
    return steps


def two_kinds(rng: Random, first: Damage) -> tuple[Damage, Damage]:
    """Pick another kind to go with one."""
    return first, rng.choice([each for each in KINDS if each is not first])


def _wrapped(document: Document, steps: list[tuple[str, Pieces]], wrapper: Wrapper) -> Damaged:
    inside = join(steps[-1][1])
    text = wrapper.wrap(inside)
    plain = strict_values([text, *(join(pieces) for _, pieces in steps)])
    return Damaged(document, tuple(kind for kind, _ in steps), inside, text, tuple(plain))
