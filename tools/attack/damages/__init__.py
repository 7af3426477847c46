"""Every kind of damage, a row each in the tables of these files."""

from __future__ import annotations

from tools.attack.damages import brackets, encodings, escapes, literals, markup, punctuation, quotes, remarks
from tools.attack.damages.places import Damage

KINDS: tuple[Damage, ...] = (
    *quotes.DAMAGES,
    *punctuation.DAMAGES,
    *brackets.DAMAGES,
    *escapes.DAMAGES,
    *literals.DAMAGES,
    *remarks.DAMAGES,
    *markup.DAMAGES,
    *encodings.DAMAGES,
)

BY_NAME = {damage.kind: damage for damage in KINDS}
