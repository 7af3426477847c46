"""Takes up what is settled of an answer that is still written, and tells of it what no later character takes back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from src.shared.domain.exceptions import Place
from src.shared.domain.reading.fed import Item, Token
from src.shared.domain.reading.growing import GrowingString, looks_like_key
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected

MAX_DEPTH = 100
"""Containers inside each other that are shown; a deeper text is left to its end."""


class _DoubtError(Exception):
    """The text may be read in another way."""


class Frame:
    """A container that is open, its place, and what the type says of it.

    Attributes:
        is_placed: whether it is in the one around it: something in it is certain.
        step: the key or index of the member that is read, or was last; `member` is its place.
        keys: all of its keys so far.
        indent: how far its first member is indented, if that begins a line; -1 otherwise.
    """

    __slots__ = ("container", "expected", "indent", "is_object", "is_placed", "keys", "member", "place", "step")

    def __init__(self, place: Place, expected: Expected, *, is_object: bool) -> None:
        self.container: Any = {} if is_object else []
        self.place, self.expected, self.is_object = place, expected, is_object
        self.step: Any = None
        self.member: Place = None
        self.is_placed, self.indent = False, -1
        self.keys: set[str] = set()

    def expected_member(self) -> Expected:
        """What the type says of the member that is read."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)

    def may_be_key(self, text: str) -> bool:
        """Whether a text that begins as that member may be a key, behind a bracket that is missing or wrong."""
        objects = self.expected_member().objects
        if self.is_object:
            return str(self.step).startswith(text) or (objects and looks_like_key(text))
        return bool(self.container or objects or self.expected.objects) and looks_like_key(text)


class Tree:
    """The data as far as they are certain: plain dicts and lists that grow.

    Attributes:
        root: the outermost container; None before something in it is certain.
        frames: the containers that are open, the outermost first.
        complete: the places of the values that are whole, in the order in which they became so.
        touched: the places of those that appeared, grew or became whole since this was emptied.
        has_grown: whether a snapshot is another one than at that time.
        first_keys: the keys of the root, or of the objects in a list; they tell which type it may be.
        is_unsure: whether it has stopped, since the text could be read in another way.
    """

    def __init__(self, expected: Expected = ANYTHING) -> None:
        """Begin before the value, of which the type says so much."""
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: list[Place] = []
        self.touched: list[Place] = []
        self.first_keys: set[str] = set()
        self.has_grown = self.is_unsure = self._is_named = self._is_doubtful = False
        self._expected = expected
        self._string: GrowingString | None = None
        self._ended: list[Place] = []
        self._number: list[Any] = []
        self._closed: list[Frame] = []

    def take(self, tokens: Iterable[Token], item: Item | None, text: str) -> None:
        """Take up tokens that are settled, and what is certain of the item that is still written in the text."""
        try:
            for indent, key, sign, value in tokens:
                if key is not None:
                    self._name(key, indent)
                    self._is_named = False
                elif sign in ("}", "]"):
                    self._close(indent)
                    continue
                elif self.frames:
                    self._begin_element(indent if sign == '"' else -1)
                if sign in ("{", "["):
                    self._open(is_object=sign == "{")
                else:
                    self._take_scalar(sign, value)
            if item is not None:
                self._look(item, text)
        except _DoubtError:
            self.is_unsure = True

    def grow(self, piece: str) -> bool | None:
        """Take up text in which no token ends or begins; whether more is shown then, None if it is not all text."""
        is_more = self._string.grow(piece) if self._string else False
        if is_more:
            self._touch()
        return is_more

    def snapshot(self) -> Any:  # noqa: ANN401 - decoded JSON
        """A copy, once something is certain; all copies share what is whole."""
        root = copied = self.root.copy()
        for frame, inner in pairwise(self.frames):
            if not inner.is_placed:
                return root
            copied[frame.step] = copied = inner.container.copy()
        if self._string and (text := self._string.shown):
            if isinstance(copied, dict):
                copied[self.frames[-1].step] = text
            else:
                copied.append(text)
        return root

    def _take_scalar(self, sign: str, value: Any) -> None:  # noqa: ANN401 - decoded JSON
        frame = self.frames[-1]
        if not sign:
            if value is not None:
                self._string = None
                self._show_string(f'"{value}"', 0)
            raise _DoubtError
        self._string = None
        if frame.is_object and sign == "0":  # it may be the first of a list: what follows tells
            self._number.append(value)
        else:
            self._put(frame, value)
            self._is_doubtful = self._is_doubtful or frame.is_object  # a string may go on, up to the next key
        self._ended.append(frame.member)

    def _look(self, item: Item, text: str) -> None:
        frame = self.frames[-1]
        if frame.is_object:
            self._name(item.key, item.indent)
            self._is_named = True
        elif item.opened >= 0 and not self._string:
            self._begin_element(item.indent)
        if item.opened >= 0:
            self._show_string(text, item.opened)

    def _show_string(self, text: str, opened: int) -> None:
        """Show what is certain of a string; a list may turn out to be an object, with the string as its first key."""
        frame = self.frames[-1]
        if not self._string:
            if frame.is_object or not frame.expected.objects:
                self._place()
            self._string = GrowingString(text, opened, frame.may_be_key)
        if self._string.look(text):
            self._touch()

    def _begin_element(self, indent: int) -> None:
        """An element, which may be a key if it is a string, and indented as the members of the object before it."""
        frame = self.frames[-1]
        if frame.is_object or (indent > 0 and self._closed and self._closed[-1].indent == indent):
            raise _DoubtError  # in an object a backslash hides the end of a key
        frame.step = len(frame.container)
        frame.member = (frame.place, frame.step)
        if not self._is_doubtful:
            self._confirm()

    def _name(self, key: str, indent: int) -> None:
        """A key, and its colon: what was before it is whole."""
        if self._is_named:
            return
        frame = self.frames[-1]
        if (
            key in frame.keys
            or (indent != frame.indent and self._is_misplaced(frame, indent))
            or (key not in frame.expected.required and self._may_be_of_another(frame, key))
        ):
            raise _DoubtError
        if not frame.keys:
            frame.indent = indent
        self._confirm()
        frame.step = key
        frame.member = (frame.place, key)
        frame.keys.add(key)
        if frame is self.frames[0] or (frame is self.frames[1] and not self.frames[0].is_object):
            self.first_keys.add(key)
        self._closed.clear()

    def _is_misplaced(self, frame: Frame, indent: int) -> bool:
        """Whether a key is indented as if a bracket before it was missing, or stood in the wrong place."""
        own = frame.indent
        if indent == -1 or (own == -1 and indent == 0):
            return False
        return (bool(self._closed) and own >= 0) or any(indent == around.indent for around in self.frames)

    def _may_be_of_another(self, frame: Frame, key: str) -> bool:
        """Whether the type has the key in an object around this one, or before it; and here not, or not as surely."""
        if self._expected is ANYTHING:
            return False
        is_known = key in frame.expected.names
        others = [other.expected for other in (*self.frames[:-1], *self._closed) if key not in other.keys]
        return any(key in (other.required if is_known else other.names) for other in others)

    def _open(self, *, is_object: bool) -> None:
        around = self.frames[-1] if self.frames else None
        expected = around.expected_member() if around else self._expected
        may_be, may_be_other = (expected.objects, expected.arrays)[:: 1 if is_object else -1]
        is_first = around is not None and around.step == 0  # of a list, whose bracket may be surplus
        if len(self.frames) == MAX_DEPTH or ((may_be_other or is_first) and not may_be):
            raise _DoubtError
        self.frames.append(Frame(around.member if around else None, expected, is_object=is_object))
        self._closed.clear()

    def _close(self, indent: int) -> None:
        """The innermost container is whole, if its last member is."""
        frame = self.frames[-1]
        if len(self.frames) == 1 and frame.indent >= 0 > indent:
            raise _DoubtError  # the root's bracket on the line of a member: it may go on
        self._settle()
        self._place()
        self.frames.pop()
        self._closed.append(frame)
        if self.frames:
            self._ended.append(frame.place)
        else:
            self._confirm()

    def _settle(self) -> None:
        """A number is what it is: no list begins with it."""
        if self._number:
            self._put(self.frames[-1], self._number.pop())

    def _confirm(self) -> None:
        """What has come to its end is whole: the next item begins."""
        if self._ended:
            self._settle()
            self.complete += self._ended
            self.touched += self._ended
            self._ended, self._is_doubtful = [], False

    # --- what is shown ---

    def _put(self, frame: Frame, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """The member that is read is there, and so are the containers around it."""
        if not frame.is_placed:
            self._place()
        if frame.is_object:
            frame.container[frame.step] = value
        else:
            frame.container.append(value)
        self.touched.append(frame.member)
        self.has_grown = True

    def _touch(self) -> None:
        """The text of the member that is read grew."""
        self._place()
        self.touched.append(self.frames[-1].member)
        self.has_grown = True

    def _place(self) -> None:
        """Put the open containers into those around them: something in them is certain."""
        if self.frames[-1].is_placed:
            return
        around: Frame | None = None
        for frame in self.frames:
            if not frame.is_placed:
                frame.is_placed = True
                if around:
                    self._put(around, frame.container)
                else:
                    self.root = frame.container
                    self.touched.append(None)
                    self.has_grown = True
            around = frame
