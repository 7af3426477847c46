"""Brackets: opening and closing containers, those that were forgotten, and the end of the text inside one."""

from __future__ import annotations

from itertools import takewhile

from src.shared.domain.notation import CLOSERS, OPENERS
from src.shared.domain.parse_reasons import TOO_DEEP, TRUNCATED, Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.reader.commas import read_comma
from src.shared.infrastructure.reader.cursor import Cursor, Frame
from src.shared.infrastructure.reader.gaps import skip_gap
from src.shared.infrastructure.reader.patterns import (
    CLOSER_OF,
    CLOSER_RUN,
    COMMA_NEXT,
    KEY_AT,
    LINE_WITH_KEY,
    MEMBER_AFTER_ROOT,
    OPENER_OF,
)
from src.shared.infrastructure.reader.strings import TWO_READINGS, swallowed_brackets

PLACEHOLDER = Reason("此处只有省略号，内容未给出", "only an ellipsis stands here in place of the contents")
FRAME_COST = STEP // 10
"""Units of work to look at an open container."""
MAX_DEPTH = 200
"""Deepest nesting the reader repairs; strict JSON may be as deep as the standard decoder goes."""


def open_container(c: Cursor, char: str) -> None:
    """An opening bracket: one container more."""
    if len(c.frames) >= MAX_DEPTH:
        raise c.fail(TOO_DEEP)
    kind = OPENERS[char]
    if char != kind:
        c.edit(c.pos, 1, kind, RepairKind.FULL_WIDTH_PUNCTUATION)
    c.frames.append(Frame(kind, opened=c.pos))
    c.pos += 1


def close_container(c: Cursor, char: str) -> None:
    """A closing bracket: close its container, and those inside that were forgotten."""
    kind = CLOSERS[char]
    frame = c.frames[-1]
    if CLOSER_OF[frame.kind] != kind:
        _close_mismatched(c, frame, kind)
        return
    if kind == "}" and len(c.frames) == 1 and MEMBER_AFTER_ROOT.match(c.text, c.pos + 1):
        _drop_bracket_before_members(c, frame)
        return
    if frame.complete_to < 0 and c.edits and c.edits[-1].kind is RepairKind.ELLIPSIS:
        raise c.fail(PLACEHOLDER, at=frame.opened)
    _drop_trailing_comma(c, frame)
    if char != kind:
        c.edit(c.pos, 1, kind, RepairKind.FULL_WIDTH_PUNCTUATION)
    c.pos += 1
    for _ in range(frame.surplus):
        if skip_gap(c) in CLOSERS:
            c.edit(c.pos, 1, "", RepairKind.SURPLUS_BRACKET)
            c.pos += 1
    _leave(c, c.pos)


def _close_mismatched(c: Cursor, frame: Frame, kind: str) -> None:
    """A bracket that closes an outer container closes this one too; one that closes none is surplus."""
    c.spend(FRAME_COST * len(c.frames))
    if any(CLOSER_OF[outer.kind] == kind for outer in c.frames):
        _check_indentation(c, frame.opened, c.pos)
        _drop_trailing_comma(c, frame)
        c.edit(c.pos, 0, CLOSER_OF[frame.kind], RepairKind.MISSING_BRACKET)
        _leave(c, c.pos)
        return
    _check_surplus(c, frame, kind)
    c.edit(c.pos, 1, "", RepairKind.SURPLUS_BRACKET)
    c.pos += 1
    if frame.complete_to >= 0 and frame.comma < 0:
        read_comma(c, frame.complete_to)


def _check_surplus(c: Cursor, frame: Frame, kind: str) -> None:
    """A bracket that closes nothing may stand for another, or be the one the string before it has open."""
    if frame.complete_to < 0 or COMMA_NEXT.match(c.text, c.pos + 1):
        raise c.fail(TWO_READINGS, other=frame.opened)
    value = c.text[frame.last : frame.complete_to] if frame.last >= 0 else ""
    opener = OPENER_OF[kind]
    if value.count(opener) > value.count(kind):
        raise c.fail(TWO_READINGS, other=frame.last + value.rfind(opener))


def _check_goes_on(c: Cursor, frame: Frame) -> None:
    """Members after the last bracket: it is surplus, unless nothing stands before it or an odd quote does.

    Nor where members follow a container that was closed inside: that one's bracket may be the surplus one.
    """
    if frame.complete_to < 0 or _has_odd_quote(c, frame) or 0 <= frame.nested[1] < frame.complete_to:
        raise c.fail(TWO_READINGS, at=max(frame.last, frame.opened), other=c.pos)


def _has_odd_quote(c: Cursor, frame: Frame) -> bool:
    """Whether the last value is a string with an odd number of quotes inside."""
    if frame.last < 0:
        return False
    recent = takewhile(lambda edit: edit.offset >= frame.last, reversed(c.edits))
    return sum(edit.kind is RepairKind.UNESCAPED_QUOTE for edit in recent) % 2 == 1


def _drop_bracket_before_members(c: Cursor, frame: Frame) -> None:
    _check_goes_on(c, frame)
    if frame.comma < 0 and not COMMA_NEXT.match(c.text, CLOSER_RUN.match(c.text, c.pos).end()):  # type: ignore[union-attr]  # a bracket stands there
        raise c.fail(TWO_READINGS, other=frame.opened)  # as likely, another object follows that lost its first brace
    if frame.comma >= 0 and COMMA_NEXT.match(c.text, c.pos + 1):
        _drop_comma(c, frame, RepairKind.DOUBLED_COMMA)
    c.edit(c.pos, 1, "", RepairKind.SURPLUS_BRACKET)
    c.pos += 1
    if frame.comma < 0:
        read_comma(c, frame.complete_to)


def _leave(c: Cursor, end: int) -> None:
    closed = c.frames.pop()
    if c.frames:
        c.frames[-1].nested = (closed.opened, end)
        read_comma(c, end)


def _drop_trailing_comma(c: Cursor, frame: Frame) -> None:
    if frame.comma >= 0:
        _drop_comma(c, frame, RepairKind.TRAILING_COMMA)


def _drop_comma(c: Cursor, frame: Frame, kind: RepairKind) -> None:
    """Take the comma that was read last out of the text; a full-width one need not be made plain before."""
    recent = takewhile(lambda at: c.edits[at].offset >= frame.comma, range(len(c.edits) - 1, -1, -1))
    made_plain = next((at for at in recent if c.edits[at].offset == frame.comma), None)
    if made_plain is not None:
        del c.edits[made_plain]
    c.edit(frame.comma, 1, "", kind)
    frame.comma = -1


def end_of_text(c: Cursor) -> None:
    """The text is over inside a container: close what was complete, or say that it was cut off.

    Where nothing comes after the place, only the caller can know that the model had come to its end.
    """
    frame = c.frames[-1]
    if frame.comma >= 0 or frame.complete_to < 0 or (c.pos >= len(c.text) and not c.finished):
        raise c.fail(TRUNCATED)
    if any(edit.kind is RepairKind.MISSING_QUOTE for edit in c.edits):
        raise c.fail(TRUNCATED)  # one end forgotten is a slip; a string's and the object's are a text in pieces
    end = frame.complete_to
    swallowed = next(swallowed_brackets(c.text, c.frames[0].opened, end), None)
    if swallowed is not None:
        raise c.fail(TWO_READINGS, at=end, other=swallowed)
    if len(c.frames) > 1:
        _check_indentation(c, frame.opened, end)
    if frame.nested[1] == end:
        _check_indentation(c, *frame.nested)
    closers = "".join(CLOSER_OF[open_.kind] for open_ in reversed(c.frames))
    c.edit(end, 0, closers, RepairKind.MISSING_BRACKET)
    c.pos = end
    c.frames.clear()


def _check_indentation(c: Cursor, opened: int, end: int) -> None:
    """Where a bracket is missing, no container may hold a line that stands as far out as its own first line."""
    line = c.text.rfind("\n", 0, opened) + 1
    c.spend(end - line)
    indent = len(c.text[line:opened]) - len(c.text[line:opened].lstrip(" \t"))
    for member in LINE_WITH_KEY.finditer(c.text, opened, end):
        if len(member["indent"]) <= indent:
            raise c.fail(TWO_READINGS, at=opened, other=member.start("key"))


def _may_be_half(c: Cursor, frame: Frame) -> bool:
    """Whether the last complete member may be half of one.

    A scalar that touches the end may, also one in quotes: the quote may be text. So may a string with quotes inside,
    of which only a key behind it would show that it is over.
    """
    end = frame.complete_to
    if end == len(c.text.rstrip()):
        return c.text[end - 1] not in CLOSERS
    quoted = (edit for edit in c.edits if edit.kind is RepairKind.UNESCAPED_QUOTE and frame.last <= edit.offset < end)
    return frame.last >= 0 and any(quoted) and KEY_AT.search(c.text, end) is None


def salvage_members(c: Cursor) -> bool:
    """After a cut: keep the complete members of every open container; False where there is none."""
    if _may_be_half(c, c.frames[-1]):
        c.frames[-1].complete_to = c.frames[-1].before
    while c.frames and c.frames[-1].complete_to < 0:
        c.frames.pop()
    if not c.frames:
        return False
    cut = c.frames[-1].complete_to
    c.edits = [edit for edit in c.edits if edit.offset < cut]
    closers = "".join(CLOSER_OF[frame.kind] for frame in reversed(c.frames))
    c.edit(cut, len(c.text) - cut, closers, RepairKind.TRUNCATED_MEMBER)
    return True
