"""The edits of the strings of a reading: those that were read sign by sign, and those in its dialect."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.notation import FOREIGN_LITERALS
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edit
from src.shared.infrastructure.parsing.reader.patterns import CLEAN_STRING
from src.shared.infrastructure.parsing.reader.string_text import Marks, string_edits
from src.shared.infrastructure.parsing.resolve.states import Offsets, Step, Text


def edits_of_string(raw: str, step: Step, text: Text, *, latex: bool, python: bool) -> list[Edit]:
    """The edits of one string: its quotes, and what is inside. Undamaged, it has none, whatever its escapes say."""
    start = text.first - 1
    if (
        step.closing == 1
        and not (latex and "\\" in raw[start : step.end])
        and CLEAN_STRING.fullmatch(raw, start, step.end + 1)
    ):
        return []
    edits = string_edits(raw, start, step.end, _marks(text), latex=latex, python=python)
    edits = [_as_text(edit) if edit.kind is RepairKind.STRAY_QUOTE else edit for edit in edits]
    if step.closing < 0 or not text.quote:
        edits = [edit for edit in edits if edit.offset > start]
    if step.closing < 0:
        return [*edits, Edit(step.end, -step.closing, '"')]
    if text.quote in {"", '"'} or not step.closing:
        return edits
    body = raw[text.first : step.end]
    if len(edits) == 1 + body.count('"') and all(raw[edit.offset] == '"' for edit in edits[1:]):
        put = body.replace('"', '\\"')  # a double quote that another one delimits is no slip
        return [Edit(start, step.end + 1 - start, f'"{put}"', edits[0].kind)]
    return [*(edit._replace(kind=None) if raw[edit.offset] == '"' else edit for edit in edits), Edit(step.end, 1, '"')]


def _as_text(edit: Edit) -> Edit:
    """A doubled quote that is taken for text; whether it is stray is a reading of its own."""
    return Edit(edit.offset, 0, "\\", RepairKind.UNESCAPED_QUOTE)


def _marks(text: Text) -> Marks:
    inner: list[int] = []
    joints: list[tuple[int, int]] = []
    at, joint = text.inner, text.joints
    while at is not None:
        inner.append(at.at)
        at = at.before
    while joint is not None:
        joints.append((joint.start, joint.end))
        joint = joint.before
    return Marks(inner[::-1], joints[::-1])


def edits_in_dialect(raw: str, group: str, start: int, end: int) -> Iterator[Edit]:
    """The edits of a scalar in a reading's dialect; `group` is the one of the dialect's expression that matched it."""
    found = raw[start:end]
    if group == "literal":
        yield Edit(start, end - start, FOREIGN_LITERALS[found], RepairKind.PYTHON_LITERAL)
    elif "\\" in found:
        text = Text(start, found[0], *inner_quotes(raw, start, end - 1)) if group == "text" else Text(start, found[0])
        step = Step(None, text=text, end=end - 1, closing=1)
        yield from edits_of_string(raw, step, text, latex=False, python=group == "single")
    elif group == "text":
        at = raw.find('"', start + 1, end - 1)
        while at >= 0:
            yield Edit(at, 0, "\\", RepairKind.UNESCAPED_QUOTE)
            at = raw.find('"', at + 1, end - 1)
    else:
        put = found[1:-1].replace('"', '\\"')
        kind = RepairKind.SINGLE_QUOTE if group == "single" else RepairKind.SMART_QUOTE
        yield Edit(start, end - start, f'"{put}"', kind)


def inner_quotes(raw: str, start: int, end: int) -> tuple[Offsets | None, None, tuple[int, int]]:
    """The quotes inside a string that no backslash escapes, as a `Text` has them."""
    inner, count = None, 0
    at = raw.find('"', start + 1, end)
    while at >= 0:
        if raw[at - 1] != "\\":
            inner, count = Offsets(at, inner), count + 1
        at = raw.find('"', at + 1, end)
    return inner, None, (count, 0)
