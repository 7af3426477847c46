"""What the templates show of an explained text: its stages, its repairs, and the text with their places marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from src.entrypoints.http.page.explaining import Explained
from src.entrypoints.reports.batch.words import grouped
from src.entrypoints.reports.stages import StageReport
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import Repair
from src.shared.infrastructure.parsing.inspection import LineIndex, Note

MOST_NOTES = 5
"""Notes of a stage that are listed."""
MOST_REPAIRS = 100
"""Repairs that are listed and marked."""
MOST_PLACES = 5
"""Places of a refusal, and fields that are wrong, that are shown."""
MOST_TEXT = 20_000
"""Characters of the text that are shown with their marks."""
_QUOTED = 80
_AROUND = 90
_REFUSED, _DROPPED, _PLAIN = -2, -1, 0


@dataclass(frozen=True, slots=True)
class NoteView:
    """What a stage did with a stretch of the text: `place` is `1:1-3:5`, `quoted` its beginning."""

    action: str
    place: str
    length: str
    quoted: str


@dataclass(frozen=True, slots=True)
class StageView:
    """One stage; `more` counts notes that are not listed."""

    number: int
    name: str
    state: str
    notes: tuple[NoteView, ...]
    more: int


@dataclass(frozen=True, slots=True)
class RepairView:
    """One repair."""

    number: int
    kind: str
    place: str
    found: str
    put: str
    count: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: `kind` is `plain`, `dropped`, `repaired` or `refused`; `number` is the repair's."""

    text: str
    kind: str = "plain"
    number: int = 0


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place of a refusal: what stands before it in its line, at it, and after it; `at` is empty at the end."""

    place: str
    before: str
    at: str
    after: str


@dataclass(frozen=True, slots=True)
class ExplainedView:
    """All of it.

    Attributes:
        found: how the text was read.
        length: characters of the text.
        stages: in their order.
        repairs: the first of them.
        more_repairs: repairs that are not listed.
        pieces: the beginning of the text.
        left_out: characters of it that are not shown; empty where all are.
        places: where it was refused.
    """

    found: Explained
    length: str
    stages: tuple[StageView, ...]
    repairs: tuple[RepairView, ...]
    more_repairs: int
    pieces: tuple[Piece, ...]
    left_out: str
    places: tuple[PlaceView, ...]


def explained_view(found: Explained) -> ExplainedView:
    """How a text was read, as the page shows it."""
    text, lines = found.pasted.text, LineIndex(found.pasted.text)
    offsets = found.problems.places[:MOST_PLACES] if found.problems else ()
    repairs = found.repairs[:MOST_REPAIRS]
    left_out = max(0, len(text) - MOST_TEXT)
    return ExplainedView(
        found,
        grouped(len(text)),
        tuple(_stage(number, stage, text, lines) for number, stage in enumerate(found.stages, 1)),
        tuple(_repair(number, repair) for number, repair in enumerate(repairs, 1)),
        sum(repair.count for repair in found.repairs[MOST_REPAIRS:]),
        tuple(pieces(text[:MOST_TEXT], _dropped(found.stages), repairs, offsets)),
        grouped(left_out) if left_out else "",
        tuple(_place(text, offset, lines) for offset in offsets),
    )


def pieces(text: str, dropped: Sequence[Note], repairs: Sequence[Repair], refused: Sequence[int]) -> Iterator[Piece]:
    """The text in stretches: what was dropped, the repairs by their numbers, and where it was refused.

    A repair that put something where nothing stood is an empty piece at its place.
    """
    paint = [_PLAIN] * len(text)
    missing: dict[int, list[int]] = {}
    for note in dropped:
        _fill(paint, note.span.start, note.span.end, _DROPPED)
    for number, repair in enumerate(repairs, 1):
        if repair.found:
            found = repair.found if text.startswith(repair.found, repair.offset) else repair.found.removesuffix("…")
            _fill(paint, repair.offset, repair.offset + len(found), number)
        else:
            missing.setdefault(repair.offset, []).append(number)
    for offset in refused:
        _fill(paint, offset, offset + 1, _REFUSED)
    at = 0
    for edge in sorted({*missing, len(text)}):
        yield from _runs(text, paint, at, min(edge, len(text)))
        yield from (Piece("", "repaired", number) for number in missing.get(edge, ()))
        at = edge


def _runs(text: str, paint: list[int], start: int, end: int) -> Iterator[Piece]:
    for colour, run in groupby(range(start, end), key=paint.__getitem__):
        places = [*run]
        kind = {_PLAIN: "plain", _DROPPED: "dropped", _REFUSED: "refused"}.get(colour, "repaired")
        yield Piece(text[places[0] : places[-1] + 1], kind, max(colour, 0))


def _fill(paint: list[int], start: int, end: int, colour: int) -> None:
    end = min(end, len(paint))
    if start < end:
        paint[start:end] = [colour] * (end - start)


def _dropped(stages: Sequence[StageReport]) -> list[Note]:
    return [note for stage in stages for note in stage.notes[:MOST_REPAIRS] if note.action == "dropped"]


def _stage(number: int, stage: StageReport, text: str, lines: LineIndex) -> StageView:
    notes = tuple(_note(note, text, lines) for note in stage.notes[:MOST_NOTES])
    return StageView(number, stage.name, stage.state.value, notes, max(0, len(stage.notes) - MOST_NOTES))


def _note(note: Note, text: str, lines: LineIndex) -> NoteView:
    start, end = note.span
    place = f"{_shown(lines, start)}–{_shown(lines, max(start, end - 1))}"
    return NoteView(note.action, place, grouped(end - start), one_line(text[start:end], _QUOTED))


def _repair(number: int, one: Repair) -> RepairView:
    return RepairView(number, one.kind.value, f"{one.line}:{one.column}", one.found, one.put.strip(" "), one.count)


def _place(text: str, offset: int, lines: LineIndex) -> PlaceView:
    start = max(text.rfind("\n", 0, offset) + 1, offset - _AROUND)
    at = text[offset : offset + 1].strip("\r\n")
    after = text[offset + 1 : offset + _AROUND].split("\n", 1)[0] if at else ""
    return PlaceView(_shown(lines, offset), text[start:offset], at, after)


def _shown(lines: LineIndex, offset: int) -> str:
    position = lines.position(offset)
    return f"{position['line']}:{position['column']}"
