"""Brackets that are missing, surplus, of the wrong kind, early or late."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tools.attack.damages.places import (
    CLOSES,
    OPENS,
    Change,
    Container,
    Damage,
    between,
    containers,
    every,
    one,
    with_text,
)
from tools.attack.pieces import Pieces, Role

_SWAPPED = str.maketrans("{}[]", "[]{}")
_ROUND = str.maketrans("{}[]", "{}()")
_ANGLES = str.maketrans("{}[]", "{}<>")


def _ends(pieces: Pieces, role: Role) -> list[int]:
    return [at for at, piece in enumerate(pieces) if piece.role is role and piece.text]


def dropped(role: Role, among: Callable[[list[int]], list[int]], count: int = 1) -> Change:
    """Drop brackets of a role: so many, picked among those `among` leaves of them all."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        places = among(_ends(pieces, role))
        chosen = rng.sample(places, min(count, len(places)))
        return with_text(pieces, dict.fromkeys(chosen, "")) if chosen else None

    return change


def all_at_the_end(_: Random, pieces: Pieces) -> Pieces | None:
    """Drop every bracket at the end."""
    ends = []
    for at in reversed(range(len(pieces))):
        if pieces[at].role not in {Role.CLOSE, Role.SPACE}:
            break
        ends.append(at)
    return with_text(pieces, dict.fromkeys(ends, "")) if ends else None


def _early(rng: Random, pieces: Pieces) -> Pieces | None:
    """Close a container before its last item."""
    found = [each for each in containers(pieces) if len(each.items) > 1 and pieces[each.close].text]
    if not found:
        return None
    container = rng.choice(found)
    return _moved(pieces, container.close, container.items[-2][1])


def _late(rng: Random, pieces: Pieces) -> Pieces | None:
    """Close a container after the item that follows it."""
    found = [
        (inner.close, after[1])
        for outer in containers(pieces)
        for before, after in zip(outer.items, outer.items[1:], strict=False)
        for inner in _ending_at(pieces, before[1])
    ]
    return _moved(pieces, *rng.choice(found)) if found else None


def _ending_at(pieces: Pieces, end: int) -> list[Container]:
    return [each for each in containers(pieces) if each.close == end - 1 and pieces[each.close].text]


def _moved(pieces: Pieces, start: int, to: int) -> Pieces:
    rest = [*pieces[:start], *pieces[start + 1 :]]
    rest.insert(to - (to > start), pieces[start])
    return tuple(rest)


def _empty_one_open(rng: Random, pieces: Pieces) -> Pieces | None:
    """Leave out the end of a container with nothing in it."""
    found = [each.close for each in containers(pieces) if not each.items and pieces[each.close].text]
    return with_text(pieces, {rng.choice(found): ""}) if found else None


def _list_without_brackets(rng: Random, pieces: Pieces) -> Pieces | None:
    """Leave out both brackets of a list of scalars inside; of containers, another may have been closed too late."""
    lists = [each for each in containers(pieces)[:-1] if pieces[each.open].text == "[" and len(each.items) > 1]
    flat = [each for each in lists if not any(piece.role is Role.OPEN for piece in pieces[each.open + 1 : each.close])]
    if not flat:
        return None
    chosen = rng.choice(flat)
    return with_text(pieces, {chosen.open: "", chosen.close: ""})


def _one_too_many(at_end: bool) -> Change:  # noqa: FBT001 - which of the two rows of the table
    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        ends = _ends(pieces, Role.CLOSE)
        places = ends[-1:] if at_end else ends[:-1]
        if not places:
            return None
        at = rng.choice(places)
        return with_text(pieces, {at: pieces[at].text + rng.choice("}]")})

    return change


DAMAGES = (
    Damage("last bracket missing", dropped(Role.CLOSE, lambda places: places[-1:])),
    Damage("brackets at the end missing", all_at_the_end),
    Damage("closing bracket missing", dropped(Role.CLOSE, lambda places: places[:-1])),
    Damage("two closing brackets missing", dropped(Role.CLOSE, lambda places: places[:-1], 2)),
    Damage("end of an empty one missing", _empty_one_open),
    Damage("first bracket missing", dropped(Role.OPEN, lambda places: places[:1])),
    Damage("opening bracket missing", dropped(Role.OPEN, lambda places: places[1:])),
    Damage("brackets of a list missing", _list_without_brackets),
    Damage("closing bracket surplus at the end", _one_too_many(at_end=True)),
    Damage("closing bracket surplus", _one_too_many(at_end=False)),
    Damage("opening bracket surplus", one(OPENS, lambda text: text * 2, between("[", ""), between("{", ""))),
    Damage("closing bracket of the wrong kind", one(CLOSES, lambda text: text.translate(_SWAPPED))),
    Damage("opening bracket of the wrong kind", one(OPENS, lambda text: text.translate(_SWAPPED))),
    Damage("closing bracket opens", one(CLOSES, lambda text: {"}": "{", "]": "["}.get(text, text))),
    Damage("closed too early", _early),
    Damage("closed too late", _late),
    Damage("round brackets for lists", every(OPENS | CLOSES, lambda text: text.translate(_ROUND))),
    Damage("angle brackets for lists", every(OPENS | CLOSES, lambda text: text.translate(_ANGLES))),
    Damage("curly brackets doubled", every(OPENS | CLOSES, lambda text: {"{": "{{", "}": "}}"}.get(text, text))),
    Damage("brackets escaped", every(OPENS | CLOSES, between("\\", ""))),
)
