"""Commas and colons that are missing, surplus, full-width, or other signs."""

from __future__ import annotations

from random import Random

from tools.attack.damages.places import (
    CLOSES,
    COLONS,
    COMMAS,
    MARKS,
    OPENS,
    SCALARS,
    Change,
    Damage,
    Rewrite,
    between,
    containers,
    every,
    one,
    put,
    with_text,
)
from tools.attack.pieces import Pieces

_FULL_WIDTH = str.maketrans({"{": "｛", "}": "｝", "[": "［", "]": "］", ",": "，", ":": "："})


def full_width(text: str) -> str:
    """The full-width form of a mark."""
    return text.translate(_FULL_WIDTH)


def trailing(*, everywhere: bool) -> Change:
    """A comma after the last item of a container, or of every one that has an item."""

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        lasts = [each.items[-1][1] - 1 for each in containers(pieces) if each.items]
        chosen = lasts if everywhere else lasts and [rng.choice(lasts)]
        return with_text(pieces, {at: pieces[at].text + "," for at in chosen}) if chosen else None

    return change


def _after(sign: str) -> Rewrite:
    return between("", sign)


DAMAGES = (
    Damage("comma missing", one(COMMAS, put(""))),
    Damage("commas missing everywhere", every(COMMAS, put(""))),
    Damage("comma doubled", one(COMMAS, put(",,"), put(", ,"))),
    Damage("commas doubled everywhere", every(COMMAS, put(",,"))),
    Damage("trailing comma", trailing(everywhere=False)),
    Damage("trailing commas everywhere", trailing(everywhere=True)),
    Damage("leading comma", one(OPENS, _after(","))),
    Damage("comma for a colon", one(COLONS, put(","))),
    Damage("colon for a comma", one(COMMAS, put(":"))),
    Damage("colon missing", one(COLONS, put(""))),
    Damage("colons missing everywhere", every(COLONS, put(" "))),
    Damage("colon doubled", one(COLONS, put("::"), put(": :"))),
    Damage("equals sign for a colon", one(COLONS, put("="))),
    Damage("equals signs for colons", every(COLONS, put(" ="), put("="))),
    Damage("arrow for a colon", every(COLONS, put(" =>"), put(" ->"))),
    Damage("walrus for a colon", one(COLONS, put(":="))),
    Damage("semicolon for a comma", one(COMMAS, put(";"))),
    Damage("semicolons for commas", every(COMMAS, put(";"))),
    Damage("semicolon after a value", one(SCALARS, _after(";"))),
    Damage("full-width semicolons for commas", every(COMMAS, put("；"))),
    Damage("、 for a comma", one(COMMAS, put("、"))),
    Damage("、 for commas", every(COMMAS, put("、"))),
    Damage("full stop for a comma", one(COMMAS, put("."), put("。"))),
    Damage("bar for a comma", one(COMMAS, put(" |"), put("/"))),
    Damage("full-width bar for a comma", one(COMMAS, put("｜"))),
    Damage("full-width bars for commas", every(COMMAS, put("｜"))),
    Damage("another sign for a comma", one(COMMAS, put("／"), put("·"), put("•"), put("│"), put("،"))),
    Damage("full-width comma", one(COMMAS, full_width)),
    Damage("full-width commas", every(COMMAS, full_width)),
    Damage("full-width colon", one(COLONS, full_width)),
    Damage("full-width colons", every(COLONS, full_width)),
    Damage("full-width bracket", one(OPENS | CLOSES, full_width)),
    Damage("full-width brackets", every(OPENS | CLOSES, full_width)),
    Damage("full-width punctuation", every(MARKS, full_width)),
    Damage("stray colon", one(OPENS, _after(":"))),
)
