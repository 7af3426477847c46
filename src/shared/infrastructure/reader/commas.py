"""After a value: the comma, or the sign that it was forgotten."""

from __future__ import annotations

from src.shared.domain.notation import CLOSERS, COMMAS, OPENERS, QUOTES
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.cursor import Cursor
from src.shared.infrastructure.reader.gaps import at_end, skip_gap
from src.shared.infrastructure.reader.patterns import BARE_KEY_AT, FIRST_KEY, KEY_AT, VALUE_AT

NO_COMMA = Reason("此处应为逗号或右括号", "a comma or a closing bracket is expected here")


def read_comma(c: Cursor, end: int) -> None:
    """A value ends at `end`: read the comma after it, or note that it is missing."""
    frame = c.frames[-1]
    frame.before, frame.complete_to, frame.comma = frame.complete_to, end, -1
    char = skip_gap(c)
    if char in COMMAS and char:
        if char != ",":
            c.edit(c.pos, 1, ",", RepairKind.FULL_WIDTH_PUNCTUATION)
        frame.comma = c.pos
        c.pos += 1
    elif char not in CLOSERS and not at_end(c):
        if not _next_is_due(c, char, on_new_line="\n" in c.text[end : c.pos]):
            raise c.fail(NO_COMMA)
        c.edit(end, 0, ",", RepairKind.MISSING_COMMA)
        frame.comma = end


def _next_is_due(c: Cursor, char: str, *, on_new_line: bool) -> bool:
    """Whether a member or element starts here although no comma came before it."""
    if c.frames[-1].kind == "{":
        bare = on_new_line and not FIRST_KEY.match(c.text, c.frames[-1].opened)
        return bool(KEY_AT.match(c.text, c.pos) or (bare and BARE_KEY_AT.match(c.text, c.pos)))
    return char in QUOTES or char in OPENERS or (on_new_line and VALUE_AT.match(c.text, c.pos) is not None)
