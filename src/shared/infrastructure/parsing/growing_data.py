"""Plain dicts and lists that grow, and copies of them at any time that share what is whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from src.shared.domain.reading.growing import looks_like_key
from src.shared.infrastructure.parsing.expected import Expected
from src.shared.infrastructure.parsing.paths import Place

MAX_DEPTH = 100
"""Containers inside each other that are shown; a deeper text is left to its end."""


class Frame:
    """A container that is open, its place, and what the type says of it.

    Attributes:
        is_placed: whether it is in the one around it: something in it is certain.
        step: the key or index of the member that is read, or was last.
        keys: all of its keys so far.
        indent: how far its first member is indented, if that begins a line; -1 otherwise.
    """

    __slots__ = ("container", "expected", "indent", "is_object", "is_placed", "keys", "place", "step")

    def __init__(self, place: Place, expected: Expected, *, is_object: bool) -> None:
        self.container: Any = {} if is_object else []
        self.place, self.expected, self.is_object = place, expected, is_object
        self.step: Any = None
        self.is_placed, self.indent = False, -1
        self.keys: set[str] = set()

    @property
    def member(self) -> Place:
        """The place of the member that is read."""
        return (self.place, self.step)

    def expected_member(self) -> Expected:
        """What the type says of it."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)

    def may_be_key(self, text: str) -> bool:
        """Whether a text that begins as that member may be a key, behind a bracket that is missing or wrong."""
        objects = self.expected_member().objects
        if self.is_object:
            return str(self.step).startswith(text) or (objects and looks_like_key(text))
        return bool(self.container or objects or self.expected.objects) and looks_like_key(text)


class GrowingData:
    """The open containers of a value, and what is whole in them.

    Attributes:
        root: the outermost one; None before something in it is certain.
        frames: the containers that are open, the outermost first.
        complete: the places of the values that are whole, in the order in which they became so.
        touched: the places of those that appeared, grew or became whole since this was emptied.
        has_grown: whether a copy is another one than at that time.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: list[Place] = []
        self.touched: list[Place] = []
        self.has_grown = False

    def put(self, frame: Frame, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """The member that is read is there, and so are the containers around it."""
        if not frame.is_placed:
            self.place()
        if frame.is_object:
            frame.container[frame.step] = value
        else:
            frame.container.append(value)
        self.touch(frame.member)

    def place(self) -> None:
        """Put the open containers into those around them: something in them is certain."""
        if self.frames[-1].is_placed:
            return
        around: Frame | None = None
        for frame in self.frames:
            if not frame.is_placed:
                frame.is_placed = True
                if around:
                    self.put(around, frame.container)
                else:
                    self.root = frame.container
                    self.touch(None)
            around = frame

    def touch(self, place: Place) -> None:
        """A value appeared or grew."""
        self.touched.append(place)
        self.has_grown = True

    def touch_member(self) -> None:
        """The text of the member that is read grew."""
        self.place()
        self.touch(self.frames[-1].member)

    def finish(self, places: list[Place]) -> None:
        """The values at these places are whole."""
        self.complete += places
        self.touched += places

    def copied(self, text: str) -> Any:  # noqa: ANN401 - decoded JSON
        """A copy, with the text of the member that is read, if there is any; all copies share what is whole."""
        root = copied = self.root.copy()
        for frame, inner in pairwise(self.frames):
            if not inner.is_placed:
                return root
            copied[frame.step] = copied = inner.container.copy()
        if text and isinstance(copied, dict):
            copied[self.frames[-1].step] = text
        elif text:
            copied.append(text)
        return root
