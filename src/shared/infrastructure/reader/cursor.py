"""The reader's place in the text, what it has noted so far, and how it gives up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from src.shared.domain.parse_reasons import TOO_DAMAGED, TRUNCATED, Reason
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.reader.budget import STEP, Work
from src.shared.infrastructure.reader.edits import Edit

EDITS_FLOOR = 20_000
CHARACTERS_PER_EDIT = 32
"""Most edits of one reading: the floor, and one more for so many characters of text. They bound its memory."""
EDIT_COST = STEP


class Problem(NamedTuple):
    """Why the reader gave up, and where; `other` is the second place where two readings compete."""

    offset: int
    reason: Reason
    other: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether the text simply ends too early."""
        return self.reason is TRUNCATED


class UnreadableError(Exception):
    """The text cannot be read as JSON without a guess."""

    def __init__(self, offset: int, reason: Reason, other: int | None = None) -> None:
        super().__init__(reason.en)
        self.problem = Problem(offset, reason, other)


@dataclass(slots=True)
class Frame:
    """An open container.

    Attributes:
        kind: "{" or "[".
        opened: offset of its opening bracket.
        complete_to: end of its last complete member, or -1 while it has none.
        before: the same for the member before that one.
        comma: offset of the comma that was read last and after which nothing has come yet, or -1.
        last: start of the value that was read last if it is a string in double quotes, or -1.
        nested: start and end of the last container that was closed inside it, or -1.
        surplus: doubled opening braces (`{{`) dropped at its start, to be matched at its end.
        key: start and end of the key whose value is being read.
    """

    kind: str
    opened: int
    complete_to: int = -1
    before: int = -1
    comma: int = -1
    last: int = -1
    nested: tuple[int, int] = (-1, -1)
    surplus: int = 0
    key: tuple[int, int] = (0, 0)


class Cursor:
    """Where the reader stands: a position, the open containers, the edits noted so far.

    `python` says that a string in `'` or in triple quotes has been met: the escapes of strings may be Python's.
    `elided` says that contents were left out, which only salvage forgives.
    """

    __slots__ = (
        *("edits", "elided", "finished", "frames", "keys", "latex", "most_edits"),
        *("pos", "python", "salvage", "text", "work"),
    )

    def __init__(
        self,
        text: str,
        start: int,
        work: Work,
        keys: frozenset[str],
        *,
        latex: bool,
        finished: bool = False,
        salvage: bool = False,
    ) -> None:
        self.text = text
        self.work = work
        self.most_edits = EDITS_FLOOR + len(text) // CHARACTERS_PER_EDIT
        self.pos = start
        self.keys = keys
        self.latex = latex
        self.python = False
        self.finished = finished
        self.salvage = salvage
        self.elided = False
        self.edits: list[Edit] = []
        self.frames: list[Frame] = []

    def char(self) -> str:
        """The character at the position, or "" at the end."""
        return self.text[self.pos : self.pos + 1]

    def edit(self, offset: int, length: int, put: str, kind: RepairKind | None) -> None:
        """Note an edit."""
        self.room_for(1)
        self.edits.append(Edit(offset, length, put, kind))

    def room_for(self, count: int) -> None:
        """Charge for so many edits more; give up where they would be too many to keep."""
        self.spend(EDIT_COST * count)
        if len(self.edits) + count > self.most_edits:
            raise self.fail(TOO_DAMAGED)

    def spend(self, units: int) -> None:
        """Charge for work; give up where there is none left."""
        if not self.work.spend(units):
            raise self.fail(TOO_DAMAGED)

    def fail(self, reason: Reason, *, at: int | None = None, other: int | None = None) -> UnreadableError:
        """The error to raise for the present place."""
        return UnreadableError(self.pos if at is None else at, reason, other)
