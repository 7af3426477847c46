"""Brackets that are missing, surplus, of the wrong kind or in the wrong order: each move is tried on a copy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from src.shared.domain.expression import expression
from src.shared.domain.reading.dialect import wide
from src.shared.domain.reading.gaps import skip_space
from src.shared.domain.reading.machine import Brackets, Doubt, Frame, Machine, Place, Refusal, Step
from src.shared.domain.reading.quotes import QUOTED_KEY
from src.shared.domain.reading.reading import NO_KEY
from src.shared.domain.reading.signs import (
    BRACKETS, CLOSE, CLOSERS, CLOSER_OF, COLONS, COMMAS, GAPS, MARGIN, NAME_SIGN, OPENERS, QUOTED, SCALARS,
    SEPARATORS,
)  # fmt: skip
from src.shared.domain.repair import RepairKind as K

TUPLE = "("
"""The kind of a list that is written as a tuple, where it matters."""
_LOOK_BACK = 40
"""Characters before a bracket among which the last token stands."""
_GOES_ON = expression(rf"""
      \s*+ [{COMMAS}]? {GAPS} (?:{QUOTED}) \s*+ [{COLONS}]
    | \s*+ [{COMMAS}] \s*+ (?:
          {NAME_SIGN}{{1,60}}+ \s*+ [{COLONS}]
        | (?: \"[^\"\n]{{0,200}}+\" | {SCALARS} ) \s*+ [{COMMAS}\]}}]
        | [\[{{] \s*+ [\"'\d\[{{]
      )
    """, re.VERBOSE)  # fmt: skip
"""Behind the bracket of the outermost container: more of the same."""
_OPENS_OBJECT, _OPENS_LIST, _CLOSES_LIST = ("{", "｛"), ("[", "［"), ("]", "］")
_BEHIND_OTHER = expression(rf"[^\]］\s{COMMAS}]\s*+[{COMMAS}]\s*+\Z")
"""The end of an element that is no list, and a comma."""
SWALLOWED = expression(rf"(?P<closer>{CLOSE})[\s{COMMAS}]*+[\"'”]\Z")
"""A bracket at the end of the last string."""
_PAST_STRING = COMMAS + " \t\n" + "".join(CLOSERS)
_RUN = expression(rf"{CLOSE}{{4}}|{CLOSE}{{3}}\Z")
"""Closing brackets in a row, of which the third does not fit: the one that is missing belongs among them."""
_KEY_WITH_BRACKET = expression(rf"[{{\[][^{BRACKETS}\"'“”:\n]{{0,60}}+[\"'”]\s*+[{COLONS}]")
"""A key that has an opening bracket in it."""
_KEY_BEFORE = expression(rf"(?:{QUOTED})\s*+[{COLONS}]\s*+\Z")
_KEY_LOOK_BACK = 200
"""Characters before a bracket in which a key would stand."""
_DROPPED_COMMAS = frozenset(COMMAS + SEPARATORS)
_FEW = 4
"""Edits among which the one of the last comma is."""


def _next_sign(text: str, at: int) -> str:
    """What stands behind the white space at a place; empty at the end."""
    behind = skip_space(text, at)
    return text[behind : behind + 1]


def kind_of(m: Machine) -> str:
    """The kind of the innermost container: `{`, `[`, or `(` for a tuple."""
    frame = m.stack[-1]
    return TUPLE if m.text[frame.opened] == TUPLE else frame.kind


def close(m: Machine, at: int) -> Place:
    """A closing bracket behind an item."""
    if CLOSERS[m.text[at]] != CLOSER_OF[m.stack[-1].kind] or kind_of(m) == TUPLE:
        return _close_other(m, at)
    wide(m, at)
    return leave(m, at + 1)


def leave(m: Machine, end: int) -> Place:
    """The innermost container is closed, its bracket before `end`."""
    if end - 1 in m.known.dropped:
        return _drop(m, end - 1)
    frame = m.stack[-1]
    if frame.is_doubled:
        end = _drop_second(m, end)
    m.stack.pop()
    if m.stack:
        parent = m.stack[-1]
        m.closed.append((frame, parent))
        m.left.append((frame, parent, end))
        return m.go(end, Place.AFTER)
    m.at = end
    if _GOES_ON.match(m.text, end):
        m.stack.append(frame)
        return _close_surplus(m, end - 1)
    m.end = end
    if frame.kind == "{" and _next_sign(m.text, end) in CLOSERS:
        m.doubts = 1
        _check_surplus(m, skip_space(m.text, end))
    return Place.OVER


def _drop_second(m: Machine, end: int) -> int:
    """The place behind the second closing bracket of a container whose first one stands twice; refuse another one."""
    at = skip_space(m.text, end)
    second = CLOSERS.get(m.text[at : at + 1])
    if second is None or (len(m.stack) > 1 and skip_space(m.text, at + 1) == len(m.text)):
        return end
    if second != CLOSER_OF[m.stack[-1].kind]:
        raise Refusal(m.stack[-1].opened, other=at)  # the first of the two may be of the wrong kind
    m.edit(at, 1, "", K.SURPLUS_BRACKET)
    return at + 1


def _check_surplus(m: Machine, at: int) -> None:
    """Doubt a closing brace too many: it may be any before which a member may as well stand."""
    text, others = m.text, list[int]()
    is_apart = "\n" in text[m.end : at] and "\n" not in text[m.start : at].strip()
    if m.is_trial or m.known.is_sure or CLOSERS[text[at]] != "}" or is_apart:
        return
    for frame, parent, end in m.left:
        comma = skip_space(text, end)
        if frame.kind != "{" or frame.end < 0 or parent.kind != "{" or not text.startswith(",", comma):
            continue
        column, own = _column(text, skip_space(text, comma + 1)), _item_column(text, frame)
        if column >= 0 and column == own != _item_column(text, parent):
            raise Doubt(end - 1, at, [Brackets(frozenset({end - 1}), is_sure=True)])
        if column < 0 or own == _item_column(text, parent):
            others.append(end - 1)
    if others:
        raise Doubt(others[0], at, [Brackets(frozenset({one}), is_sure=True) for one in (*others, at)])


def _close_surplus(m: Machine, at: int) -> Place:
    """The outermost container is closed here, but goes on; a tuple does not, and on the next line others begin."""
    behind = skip_space(m.text, at + 1)
    if m.text[at] not in CLOSERS or (m.text[behind] not in COMMAS and "\n" in m.text[at:behind]):
        raise Refusal(at, other=behind)
    m.end = at + 1
    _check_surplus(m, at)
    m.end = -1
    return m.choose(at, [lambda trial: _drop(trial, at)], most=2)


# --- where an item is expected ---


def close_for_item(m: Machine, at: int) -> Place:
    """A closing bracket where an item is expected: an empty container, or a comma too many."""
    frame, char = m.stack[-1], m.text[at]
    is_pending = frame.comma >= 0
    if char == ")":
        if kind_of(m) != TUPLE:
            return Place.PASS
        if is_pending:
            m.edit(frame.comma, 1, "", K.TRAILING_COMMA)
        m.edit(at, 1, "]", None)
        return leave(m, at + 1)
    if kind_of(m) == TUPLE:
        raise Refusal(at, other=frame.opened)
    own = CLOSERS[char] == CLOSER_OF[frame.kind]
    if is_pending:
        m.edits[-_FEW:] = [one for one in m.edits[-_FEW:] if one.offset != frame.comma or one.put != ","]
        if m.text[frame.comma] in _DROPPED_COMMAS:  # pragma: no branch - a guard: no text is known to come here
            m.edit(frame.comma, 1, "", K.TRAILING_COMMA)
        frame.comma = -2
    elif not own:
        kind = CLOSERS[char]
        if not any(CLOSER_OF[one.kind] == kind for one in m.stack[:-1]):
            raise Refusal(at)
        return m.choose(at, [lambda trial: _close_to(trial, at, kind), lambda trial: _other_pair(trial, at)])
    if own:
        wide(m, at)
        return leave(m, at + 1)
    return _close_other(m, at, is_pending=True)


def drop_comma_for_item(m: Machine, at: int) -> Place:
    """A comma where an item is expected: one too many, or the end of an empty container was forgotten before it."""
    frame = m.stack[-1]
    if frame.comma < 0 and len(m.stack) > 1 and _next_sign(m.text, at + 1) not in CLOSERS:
        behind = skip_space(m.text, at + 1)
        moves: list[Step] = [lambda trial: close_before(trial, at, behind, put_comma=False)]
        column, outer = _column(m.text, behind), m.stack[-2]
        last = skip_space(m.text, max(outer.comma, outer.opened) + 1)
        if column > 0 and column == _column(m.text, last):
            return m.choose(at, moves, most=2)
        if not (frame.kind == "[" and QUOTED_KEY.match(m.text, behind)):
            moves.append(lambda trial: _drop_comma(trial, at))
        return m.choose(at, moves)
    return _drop_comma(m, at)


def _drop_comma(m: Machine, at: int) -> Place:
    is_last = _next_sign(m.text, at + 1) in CLOSERS
    m.edit(at, 1, "", K.TRAILING_COMMA if is_last and m.stack[-1].comma < 0 else K.DOUBLED_COMMA)
    return m.go(at + 1, Place.INSIDE)


def close_before_opener(m: Machine, at: int) -> Place:
    """An opening bracket for a key: the object before the comma was to be closed, or the brace stands twice."""
    frame = m.stack[-1]
    if OPENERS[m.text[at]] != "{":
        raise Refusal(at, NO_KEY) if frame.comma < 0 else Refusal(at, other=frame.opened)
    if frame.comma < 0 and not frame.is_doubled:
        m.edit(at, 1, "", K.SURPLUS_BRACKET)
        frame.is_doubled = True
        return m.go(at + 1, Place.INSIDE)
    if frame.comma < 0 or len(m.stack) == 1 or m.stack[-2].kind != "[":
        raise Refusal(at, other=frame.opened)
    _check_string(m, at)
    return m.choose(at, [lambda trial: close_before(trial, frame.comma, at, put_comma=False)])


def open_list(m: Machine, start: int, at: int) -> Place:
    """The opening bracket of a list was forgotten before the value that was read last."""
    m.edit(start, 0, "[", K.MISSING_BRACKET)
    frame = m.stack[-1]
    m.push("[", start)
    m.stack[-1].comma, frame.comma = frame.comma, -1
    return m.go(at, Place.INSIDE)


def open_object(m: Machine, at: int) -> Place:
    """The opening brace was forgotten."""
    m.edit(at, 0, "{", K.MISSING_BRACKET)
    m.push("{", at)
    return m.go(at, Place.INSIDE)


def close_before_key(m: Machine, at: int, comma: int = -1) -> Place:
    """A key in a list: the list was to be closed before it, or a brace is missing, or one closed too early."""
    frame = m.stack[-1]
    if kind_of(m) == TUPLE:
        raise Refusal(at, other=frame.opened)
    end = comma if comma >= 0 else frame.comma
    _check_string(m, at)
    moves: list[Step] = []
    if len(m.stack) > 1 and m.stack[-2].kind == "{" and end >= 0:
        moves.append(lambda trial: close_before(trial, end, at, put_comma=comma >= 0))
    is_like_rows = frame.comma < 0 and len(m.stack) > 1 and _next_sign(m.text, m.stack[-2].opened + 1) in _OPENS_OBJECT
    if comma < 0 and not is_like_rows:
        moves.append(lambda trial: open_object(trial, at))
    if frame.comma < 0 and comma < 0:
        moves.append(_other_kind)
    row, key = closed_last(m, "{") if comma < 0 else None, QUOTED_KEY.match(m.text, at)
    name = key.group().rstrip(COLONS + " \t\n") if key else ""
    if row is not None and (not name or m.text.find(name, row.opened, at) < 0):
        column = _column(m.text, at)
        if column < 0 or column != _column(m.text, row.opened):
            moves.append(lambda trial: reopen(trial, at))
    return m.choose(at, moves)


def _other_kind(m: Machine) -> Place:
    """The opening bracket is of the wrong kind."""
    frame = m.stack.pop()
    if m.edits and m.edits[-1].offset == frame.opened:
        m.edits.pop()
    m.edit(frame.opened, 1, "{", K.SURPLUS_BRACKET)
    m.stack.append(Frame("{", frame.opened))
    return Place.INSIDE


def reopen(m: Machine, at: int) -> Place:
    """The container that was closed last, before the comma, was closed too early."""
    row, _, end = m.left.pop()
    _check_matrix(m, end - 1, row.opened, at)
    m.edit(end - 1, 1, "", K.SURPLUS_BRACKET)
    m.stack.append(Frame(row.kind, row.opened, m.stack[-1].comma, row.items + 1))
    return m.go(at, Place.INSIDE)


def closed_last(m: Machine, kind: str) -> Frame | None:
    """The container of a kind that was closed right before the last comma, if there is one."""
    if not m.left or m.left[-1][0].kind != kind or m.text[m.left[-1][0].opened] not in OPENERS:
        return None
    return m.left[-1][0] if skip_space(m.text, m.left[-1][2]) == m.stack[-1].comma else None


def close_before(m: Machine, end: int, at: int, *, put_comma: bool) -> Place:
    """The closing bracket was forgotten before what stands at `end`, most often a comma."""
    check_list(m, m.stack[-1], end)
    m.edit(end, 0, CLOSER_OF[m.stack.pop().kind], K.MISSING_BRACKET)
    if put_comma:
        m.edit(end, 0, ",", K.MISSING_COMMA)
    m.stack[-1].comma = m.stack[-1].end = end
    return m.go(at, Place.INSIDE)


# --- where the bracket is of another container ---


def _close_other(m: Machine, at: int, *, is_pending: bool = False) -> Place:
    """A closing bracket of another kind than the innermost container."""
    if kind_of(m) == TUPLE:
        raise Refusal(at, other=m.stack[-1].opened)
    _check_string(m, at)
    kind, own = CLOSERS[m.text[at]], CLOSER_OF[m.stack[-1].kind]
    if _is_in_column(m, at, kind):
        return _close_to(m, at, kind)
    moves: list[Step] = []
    if kind == "]" and m.left and m.left[-1][0].kind == "{" and skip_space(m.text, m.left[-1][2]) == at:
        opened = m.left[-1][0].opened
        if _column(m.text, at) == _item_column(m.text, m.stack[-1]) < _column(m.text, opened):
            return _open_list_of_one(m, opened, at)
        if all(frame.kind == "{" for frame in m.stack) or _is_list_elsewhere(m, opened):
            moves.append(lambda trial: _open_list_of_one(trial, opened, at))
    if any(CLOSER_OF[frame.kind] == kind for frame in m.stack[:-1]):
        moves.append(lambda trial: _close_to(trial, at, kind))
    moves.append(lambda trial: _replace(trial, at))
    behind = _next_sign(m.text, at + 1)
    if not is_pending or behind not in {*COMMAS}:  # else an item may be missing
        moves.append(lambda trial: _drop(trial, at))
    if len(m.stack) > 1 and CLOSER_OF[m.stack[-2].kind] == kind and behind == own:
        moves.append(lambda trial: _swap(trial, at, skip_space(trial.text, at + 1)))
    return m.choose(at, moves)


def _open_list_of_one(m: Machine, opened: int, at: int) -> Place:
    """The bracket of a list was forgotten before the object that is all of it."""
    m.edit(opened, 0, "[", K.MISSING_BRACKET)
    return m.go(at + 1, Place.AFTER)


def _is_list_elsewhere(m: Machine, opened: int) -> bool:
    """Whether the key of an object has a list before, in another row."""
    key = _KEY_BEFORE.search(m.text, max(m.start, opened - _KEY_LOOK_BACK), opened)
    return key is not None and m.text.find(f"{key.group()}[", m.start, opened) >= 0


def close_tuple(m: Machine, at: int) -> Place:
    """The end of a tuple behind a value, of which there have to be two."""
    if kind_of(m) != TUPLE:
        return Place.PASS
    if not m.stack[-1].items:
        raise Refusal(at, other=m.stack[-1].opened)
    m.edit(at, 1, "]", None)
    return leave(m, at + 1)


def _close_to(m: Machine, at: int, kind: str) -> Place:
    """Closing brackets were forgotten before one of an outer container."""
    while CLOSER_OF[m.stack[-1].kind] != kind:
        check_list(m, m.stack[-1], at)
        if not _RUN.match(m.text, at - 2):
            check_closed(m, at, (pair for pair in m.closed if pair[1].opened == m.stack[-1].opened))
        m.edit(at, 0, CLOSER_OF[m.stack.pop().kind], K.MISSING_BRACKET)
    return leave(m, at + 1)


def check_list(m: Machine, frame: Frame, end: int) -> None:
    """A list of one container that is not closed may not have been opened, nor may a list in it behind another element.

    Raises:
        Refusal: it is a tuple.
        Doubt: it is such a list.
    """
    _check_string(m, end)
    if m.text[frame.opened] == TUPLE:
        raise Refusal(frame.opened, other=end)
    last = m.text[max(0, end - _LOOK_BACK) : end].rstrip()[-1:]
    is_one = frame.items - (frame.comma == end) == 0
    if frame.kind != "[" or last not in CLOSERS or m.known.is_sure:
        return
    inner, after = (m.left[-1][0].opened, m.left[-1][2]) if m.left else (frame.opened, end + 1)
    _check_matrix(m, after - 1, inner)
    if is_one or (m.text[inner] == "[" and _BEHIND_OTHER.search(m.text, max(0, inner - _LOOK_BACK), inner)):
        put = Brackets(put=frozenset({end}), is_sure=True)
        raise Doubt(frame.opened, end, [put, Brackets(frozenset({frame.opened if is_one else inner}), is_sure=True)])


def _check_string(m: Machine, end: int) -> None:
    """A closing bracket that is missing may not stand in the last string, before its quote.

    Raises:
        Refusal: it may.
    """
    text, opener, start = m.text, m.stack[-1].kind, max(m.last, end - 2 * MARGIN, 0)
    end = start + len(text[start:end].rstrip(_PAST_STRING))
    last = SWALLOWED.search(text, start, end)
    is_own = last is not None and CLOSERS[last["closer"]] == CLOSER_OF[opener]
    if is_own and text.count(opener, m.last, end) < text.count(CLOSER_OF[opener], m.last, end):
        raise Refusal(end, other=m.stack[-1].opened)


def _replace(m: Machine, at: int) -> Place:
    """The bracket was meant to close the innermost container, a list without a comma that may as well be a colon."""
    opened = m.stack[-1].opened if m.stack[-1].kind == "[" else at
    if any(edit.put == "," and not edit.length and edit.offset > opened for edit in m.edits[-_FEW:]):
        raise Refusal(at, other=opened)
    m.edit(at, 1, CLOSER_OF[m.stack[-1].kind], K.SURPLUS_BRACKET)
    return leave(m, at + 1)


def _other_pair(m: Machine, at: int) -> Place:
    """Of the two brackets of an empty container one is wrong, and either may be."""
    m.edit(m.stack[-1].opened, 1, "{" if CLOSERS[m.text[at]] == "}" else "[", K.SURPLUS_BRACKET)
    m.doubts += 1
    return leave(m, at + 1)


def _drop(m: Machine, at: int) -> Place:
    """The bracket closes nothing."""
    before = m.text[max(0, at - _LOOK_BACK) : at].rstrip(" \t\n" + COMMAS)[-1:]
    is_in_key = _KEY_WITH_BRACKET.search(m.text, max(m.start, at - _KEY_LOOK_BACK), at)
    if is_in_key or (CLOSERS[m.text[at]] == "]" and m.stack[-1].kind == "{" and before not in CLOSERS):
        raise Refusal(at, other=m.stack[-1].opened)
    comma = skip_space(m.text, at + 1)
    if m.left and skip_space(m.text, m.left[-1][2]) == at:
        _check_matrix(m, m.left[-1][2] - 1, m.left[-1][0].opened)
    elif m.text.startswith(tuple(COMMAS), comma):
        _check_matrix(m, at, m.stack[-1].opened, skip_space(m.text, comma + 1))
    m.edit(at, 1, "", K.SURPLUS_BRACKET)
    return m.go(at + 1, Place.AFTER)


def _check_matrix(m: Machine, at: int, opened: int, behind: int = -1) -> None:
    """Refuse a list of lists and other elements, up to its last or the one `behind` it: one of them lacks a bracket."""
    text = m.text
    is_first = text.startswith(_OPENS_LIST, skip_space(text, opened + 1))
    is_last = text[max(opened, at - _LOOK_BACK) : at].rstrip().endswith(_CLOSES_LIST)
    is_next = is_first if behind < 0 else text.startswith(_OPENS_LIST, behind)
    if text[opened] in _OPENS_LIST and not is_first == is_last == is_next:
        raise Refusal(at, other=opened)


def _swap(m: Machine, at: int, second: int) -> Place:
    """Two closing brackets in the wrong order."""
    m.edit(at, 1, CLOSERS[m.text[second]], K.SURPLUS_BRACKET)
    m.edit(second, 1, CLOSERS[m.text[at]], None)
    m.stack.pop()
    if len(m.stack) > 2 and _next_sign(m.text, second + 1) in {*COMMAS}:  # noqa: PLR2004 - around both is another
        raise Refusal(at, other=second)
    return leave(m, second + 1)


# --- witnesses ---


def _column(text: str, at: int) -> int:
    """How far a place is indented; -1 where it does not begin its line."""
    line = text.rfind("\n", 0, at) + 1
    return at - line if line and not text[line:at].strip() else -1


def _item_column(text: str, frame: Frame) -> int:
    """How far the first item of a container is indented."""
    return _column(text, skip_space(text, frame.opened + 1))


def _indent(text: str, frame: Frame) -> int:
    """How far the line is indented on which a container opens."""
    line = text.rfind("\n", 0, frame.opened) + 1
    return len(text[line : frame.opened]) - len(text[line : frame.opened].lstrip(" \t"))


def comma_by_column(text: str, opened: int, commas: Sequence[int]) -> int:
    """Before which of its commas a container was to be closed, as the indentation of its items says; -1 without."""
    frame = Frame("", opened)
    own, around = _item_column(text, frame), _indent(text, frame)
    columns = [_column(text, skip_space(text, comma + 1)) for comma in commas]
    inside = next((number for number, column in enumerate(columns) if column != own), len(columns))
    if own <= around or inside == len(columns) or any(column != around for column in columns[inside:]):
        return -1
    return commas[inside]


def _is_in_column(m: Machine, at: int, kind: str) -> bool:
    """Whether a closing bracket begins its line as far in as that of the container that it closes, and no other."""
    text, column = m.text, _column(m.text, at)
    if column < 0:
        return False
    frame = next((frame for frame in reversed(m.stack) if CLOSER_OF[frame.kind] == kind), None)
    inner = m.stack[m.stack.index(frame) + 1 :] if frame else []
    if frame is None or _indent(text, frame) != column or not inner:
        return False
    if not all(_indent(text, one) > column and _item_column(text, one) > _indent(text, one) for one in inner):
        return False
    child, parent, end = m.left[-1] if m.left else (frame, frame, 0)
    if parent.opened == inner[-1].opened and _column(text, end - 1) not in (-1, _indent(text, child)):
        raise Refusal(end - 1, other=at)  # the bracket before it is that of another container, too
    return True


def is_in_outer_column(m: Machine, at: int) -> bool:
    """Whether a key begins its line where those of the object around do, and not those of its own."""
    if len(m.stack) == 1 or m.stack[-2].kind != "{":
        return False
    column = _column(m.text, at)
    return column >= 0 and column == _item_column(m.text, m.stack[-2]) != _item_column(m.text, m.stack[-1])


def is_deeper(m: Machine, at: int) -> bool:
    """Whether a key begins its line further in than the first one of its object."""
    return 0 <= _item_column(m.text, m.stack[-1]) < _column(m.text, at)


def is_alone(m: Machine, comma: int) -> bool:
    """Whether a comma stands alone on its line, where the closing bracket of the container would."""
    text, frame = m.text, m.stack[-1]
    is_last = text[comma + 1 : comma + 2] == "\n"
    return is_last and _column(text, comma) == _indent(text, frame) < _item_column(text, frame)


def check_closed(m: Machine, end: int, pairs: Iterable[tuple[Frame, Frame]]) -> None:
    """Of these containers, each with the one around it, none is to be closed before one of its commas.

    Args:
        m: the machine.
        end: where a closing bracket is missing.
        pairs: the containers.

    Raises:
        Doubt: one may be.
    """
    for inner, parent in pairs:
        if inner.comma < 0 or inner.kind != parent.kind or m.known.is_sure:
            continue
        first, last = _item_column(m.text, inner), _column(m.text, skip_space(m.text, inner.comma + 1))
        if first < 0 or first != last or first == _item_column(m.text, parent):
            raise Doubt(inner.comma, end, container=inner.opened)
