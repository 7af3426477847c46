"""Comments, remarks and elisions, and members that are written twice."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tools.attack.damages.places import (
    COMMAS,
    KEYS,
    NUMBERS,
    OPENS,
    SCALARS,
    TEXTS,
    Change,
    Damage,
    between,
    containers,
    every,
    one,
)
from tools.attack.pieces import Piece, Pieces, Role

_FEWEST_ELIDED = 2


def elided(*signs: str) -> Change:
    """Leave out the items of a container but its first and last, with a sign for them."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        found = [each for each in containers(pieces) if len(each.items) >= _FEWEST_ELIDED]
        if not found:
            return None
        items = rng.choice(found).items
        start = items[1][0]
        end = items[-2][1] if len(items) > _FEWEST_ELIDED else items[-1][1]
        return (*pieces[:start], Piece(Role.ADDED, rng.choice(signs)), *pieces[end:])

    return change


def member_again(value: Callable[[str], str]) -> Change:
    """Write a member with a scalar a second time right after itself, with this value."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        members = _members(pieces)
        if not members:
            return None
        start, end = rng.choice(members)
        again = (*pieces[start : end - 1], Piece(Role.ADDED, value(pieces[end - 1].text)))
        return (*pieces[:end], Piece(Role.COMMA, ","), Piece(Role.SPACE, " "), *again, *pieces[end:])

    return change


def _key_again(rng: Random, pieces: Pieces) -> Pieces | None:
    """Write a key and its colon a second time before the value."""
    members = _members(pieces)
    if not members:
        return None
    start, end = rng.choice(members)
    return (*pieces[: end - 1], *pieces[start : end - 1], *pieces[end - 1 :])


def _members(pieces: Pieces) -> list[tuple[int, int]]:
    """Find the members whose value is a scalar: (the key's place, the place after the value)."""
    items = [item for container in containers(pieces) for item in container.items]
    return [(start, end) for start, end in items if pieces[start].role is Role.KEY and pieces[end - 1].role in SCALARS]


DAMAGES = (
    Damage("comment to the end of the line", one(COMMAS, between("", " // in USD\n"), between("", " // 见表3\n"))),
    Damage("comments on every line", every(COMMAS, between("", ' // note: "x"\n'))),
    Damage("comment between stars", one(COMMAS | OPENS, between("", " /* see {1} */ "))),
    Damage(
        "comment right behind a text",
        one(TEXTS, between("", "/* https://x.y */"), between("", "// see b\n"), between("", "# 说明\n")),
    ),
    Damage("comment after a hash", one(COMMAS | OPENS, between("", " # it's the first\n"), between("", " # 说明\n"))),
    Damage("comment of HTML", one(COMMAS | OPENS, between("", "<!-- note -->"))),
    Damage("comment after two hyphens", one(COMMAS, between("", " -- note\n"))),
    Damage("comment never closed", one(COMMAS, between("", " /* note "))),
    Damage("remark in brackets", one(TEXTS | NUMBERS, between("", " (estimate)"), between("", "（估计）"))),
    Damage("remark after an arrow", one(TEXTS | NUMBERS, between("", " <- check this"))),
    Damage("line of prose between members", one(COMMAS, between("", "\nNote: this is important.\n"))),
    Damage("remark behind a comma", one(COMMAS, between("", " as follows:\n"), between("", " 如下：\n"))),
    Damage("items elided by dots", elided("...", "…", '"..."', "[...]")),
    Damage("items elided by a remark", elided("// 8 more rows\n", "/* … */", "# ...\n", "etc.", "<omitted>")),
    Damage("key twice before its value", _key_again),
    Damage("member twice, the same", member_again(lambda text: text)),
    Damage("member twice, another value", member_again(lambda text: "1" if text != "1" else "2")),
    Damage("key with a number", one(KEYS, between("1. ", ""), between("(a) ", ""))),
)
