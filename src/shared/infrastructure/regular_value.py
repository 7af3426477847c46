"""A value whose damage is regular, read by the lexer of regular damage and the strict decoder."""

from __future__ import annotations

from typing import Any, NamedTuple

from src.shared.infrastructure.following import goes_on
from src.shared.infrastructure.reader.budget import ATTEMPT, Work
from src.shared.infrastructure.reader.edits import Edit, EditedText, Edits, MergedEdits
from src.shared.infrastructure.reader.regular import RegularDamage
from src.shared.infrastructure.strict_json import Uncounted, decode_at

FIRST_WINDOW = 64
"""Characters read first, beyond twice what is undamaged at the start."""
WINDOW_GROWTH = 8
"""Regular damage is read in windows, each so many times as long: where the value ends, only the decoder knows."""


class RegularValue(NamedTuple):
    """A value, the offset after it in the original text, and what undoes its damage."""

    data: Any
    end: int
    edits: Edits


def regular_value(
    text: str, start: int, undamaged: int, work: Work, *, as_written: bool = False
) -> RegularValue | None:
    """The value that opens at `start` if all its damage is regular, or None.

    Args:
        text: the text it stands in.
        start: offset of its opening bracket.
        undamaged: how many characters from there are strict JSON.
        work: what reading it may cost.
        as_written: keep the digits of numbers that a float cannot hold.
    """
    damage = RegularDamage(text, start, work)
    window = FIRST_WINDOW + 2 * undamaged
    while True:
        damage.read_to(start + window)
        if not damage.edits:
            return None  # where strict JSON ends there is no damage of this kind
        edited = EditedText(text, start, damage.reached, damage.edits)
        work.spend(ATTEMPT + len(edited.text))
        try:
            data, end, found = decode_at(Uncounted(edited.text), 0, as_written=as_written)
        except (ValueError, RecursionError) as error:
            if damage.ended or getattr(error, "pos", -1) < len(edited.text):
                return None
            window = WINDOW_GROWTH * (damage.reached - start)  # no damage there, but not all of the value either
            continue
        raw_end = edited.origin(end)
        if goes_on(text, start, raw_end):
            return None
        return RegularValue(data, raw_end, with_found(damage.edits.kept(raw_end), found, edited))


def with_found(edits: Edits, found: list[Edit], edited: EditedText) -> Edits:
    """Edits, and what the decoder found in the edited text, at its place in the original."""
    moved = [Edit(edited.origin(edit[0]), *edit[1:]) for edit in found]
    return MergedEdits(edits, moved) if moved else edits
