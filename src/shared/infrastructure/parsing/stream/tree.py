"""The data of an answer that is still written, as far as they are settled: plain dicts and lists."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from src.shared.domain.reading.fed import Item, Token
from src.shared.domain.reading.growing import GrowingString, looks_like_key
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.paths import Place

MAX_DEPTH = 100
"""Containers inside each other that are shown; a deeper text is left to its end."""
_LATER = object()
"""The value of a member that is there already."""


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
        self.is_placed, self.step, self.indent = False, None, -1
        self.keys: set[str] = set()

    def expected_member(self) -> Expected:
        """What the type says of the member that is read."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)

    def may_be_key(self, text: str) -> bool:
        """Whether a text that begins as a member may be a key, behind a bracket that is missing or wrong."""
        objects = self.expected_member().objects
        if self.is_object:
            return str(self.step).startswith(text) or (objects and looks_like_key(text))
        return bool(self.container or objects or self.expected.objects) and looks_like_key(text)


class _DoubtError(Exception):
    """From here on the text may be read in another way."""


class Tree:
    """Takes up what is settled.

    Attributes:
        root: the outermost value; None while nothing is certain.
        frames: the containers that are open.
        complete: the places of the values that are whole, in the order in which they became so.
        touched: the places of those that appeared, grew or became whole since this was emptied.
        has_grown: whether `snapshot` gives something else than at that time.
        first_keys: the keys of the root, or of the objects in a list; they tell which type it may be.
        is_unsure: whether it has stopped, since the text could be read in another way.
    """

    def __init__(self, expected: Expected = ANYTHING) -> None:
        """Begin before the value, of which the type says so much."""
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: list[Place] = []
        self.touched: list[Place] = []
        self.has_grown = self.is_unsure = self._is_named = self._has_closed = False
        self.first_keys: set[str] = set()
        self._expected = expected
        self._string: GrowingString | None = None
        self._ended: list[tuple[Frame, Any, bool, Any]] = []
        self._closed: list[tuple[Expected, set[str]]] = []

    def take(self, tokens: Iterable[Token], item: Item | None, text: str) -> None:
        """Take up tokens that are settled, and what is certain of the item that is still written in the text."""
        try:
            for token in tokens:
                self._take(token)
            if item is not None:
                self._look(item, text)
        except _DoubtError:
            self.is_unsure = True

    def grow(self, piece: str) -> bool | None:
        """Take up text in which no token ends or begins; whether more is shown then, None if it may be more than that."""
        is_more = self._string.grow(piece) if self._string else False
        if is_more:
            self._touch_string()
        return is_more

    def snapshot(self) -> Any:  # noqa: ANN401 - decoded JSON
        """The data, once something is certain. What is whole is shared with the next ones, what is open is copied."""
        root = copied = self.root.copy()
        for frame, inner in pairwise(self.frames):
            if not inner.is_placed:
                return root
            copied[frame.step] = copied = inner.container.copy()
        if self._string and self._string.shown:
            if isinstance(copied, dict):
                copied[self.frames[-1].step] = self._string.shown
            else:
                copied.append(self._string.shown)
        return root

    def _take(self, token: Token) -> None:
        indent, key, sign, value = token
        if sign in ("}", "]"):
            self._close(indent)
            return
        if key is not None:
            self._name(key, indent)
            self._is_named = False
        elif self.frames:
            self._begin_element()
        if sign in ("{", "["):
            self._open(is_object=sign == "{")
        elif sign:
            frame, self._string = self.frames[-1], None
            is_number = sign == "0" and frame.is_object  # it may be the first of a list: what follows tells
            if not is_number:
                self._put(frame, value)
            is_doubtful = frame.is_object and not is_number  # a string may go on, up to the next key
            self._ended.append((frame, frame.step, is_doubtful, value if is_number else _LATER))
        else:
            if value is not None:
                self._show_string(f'"{value}"', 0, is_new=True)
            raise _DoubtError

    def _look(self, item: Item, text: str) -> None:
        frame = self.frames[-1]
        if frame.is_object:
            self._name(item.key, item.indent)
            self._is_named = True
        elif item.opened >= 0 and not self._string:
            self._begin_element()
        if item.opened >= 0:
            self._show_string(text, item.opened, is_new=not self._string)

    def _show_string(self, text: str, opened: int, *, is_new: bool) -> None:
        """Show what is certain of a string; a list may turn out to be an object, with the string as its first key."""
        frame = self.frames[-1]
        if is_new:
            if frame.is_object or not frame.expected.objects:
                self._place()
            self._string = GrowingString(text, opened, frame.may_be_key)
        if self._string and self._string.look(text):
            self._touch_string()

    def _touch_string(self) -> None:
        self._place()
        self._touch((self.frames[-1].place, self.frames[-1].step))

    def _begin_element(self) -> None:
        frame = self.frames[-1]
        if frame.is_object:
            raise _DoubtError  # a backslash hides the end of a key
        frame.step = len(frame.container)
        self._confirm(by_key=False)

    def _name(self, key: str, indent: int) -> None:
        """A key, and its colon: what was before it is whole."""
        if self._is_named:
            return
        frame = self.frames[-1]
        if key in frame.keys or self._is_misplaced(frame, indent) or self._may_be_of_another(frame, key):
            raise _DoubtError
        frame.indent = frame.indent if frame.keys else indent
        self._confirm()
        frame.step = key
        frame.keys.add(key)
        if len(self.frames) == 1 or (len(self.frames) == 2 and not self.frames[0].is_object):  # noqa: PLR2004 - the objects of a list
            self.first_keys.add(key)
        self._closed.clear()
        self._has_closed = False

    def _is_misplaced(self, frame: Frame, indent: int) -> bool:
        """Whether a key is indented as if a bracket before it was missing, or stood in the wrong place."""
        own = frame.indent
        if indent in (-1, own) or (own == -1 and indent == 0):
            return False
        return (self._has_closed and own >= 0) or any(indent == around.indent for around in self.frames)

    def _may_be_of_another(self, frame: Frame, key: str) -> bool:
        """Whether the key may have been meant for an object around this one, or before it, where the type has it.

        It is, where this one does not have it, or may lack it and the other may not.
        """
        own = frame.expected
        if self._expected is ANYTHING or key in own.required:
            return False
        around = ((other.expected, other.keys) for other in self.frames[:-1])
        others = [other for other, keys in (*around, *self._closed) if key not in keys]
        return any(key in (other.required if key in own.names else other.names) for other in others)

    def _open(self, *, is_object: bool) -> None:
        around = self.frames[-1] if self.frames else None
        expected = around.expected_member() if around else self._expected
        may_be, may_be_other = (expected.objects, expected.arrays)[:: 1 if is_object else -1]
        is_first = around is not None and around.step == 0  # of a list, whose bracket may be surplus
        if len(self.frames) == MAX_DEPTH or ((may_be_other or is_first) and not may_be):
            raise _DoubtError
        self.frames.append(Frame((around.place, around.step) if around else None, expected, is_object=is_object))
        self._closed.clear()

    def _close(self, indent: int) -> None:
        """The innermost container is whole, if its last member is."""
        frame = self.frames[-1]
        if len(self.frames) == 1 and frame.indent >= 0 > indent:
            raise _DoubtError  # the root's bracket on the line of a member: it may go on
        self._settle()
        self._place()
        self.frames.pop()
        self._closed.append((frame.expected, frame.keys))
        self._has_closed = True
        if self.frames:
            self._ended.append((self.frames[-1], self.frames[-1].step, False, _LATER))
        else:
            self._confirm()

    def _settle(self) -> None:
        if self._ended and self._ended[-1][3] is not _LATER:
            frame, step, is_doubtful, value = self._ended[-1]
            self._ended[-1] = (frame, step, is_doubtful, _LATER)
            self._put(frame, value)

    def _confirm(self, *, by_key: bool = True) -> None:
        """What has come to its end is whole: the next item begins."""
        if not by_key and any(is_doubtful for _, _, is_doubtful, _ in self._ended):
            return
        self._settle()
        places = [(frame.place, step) for frame, step, _, _ in self._ended]
        self.complete += places
        self.touched += places
        self._ended.clear()

    def _put(self, frame: Frame, value: Any) -> None:  # noqa: ANN401 - any JSON value
        if not frame.is_placed:
            self._place()
        if frame.is_object:
            frame.container[frame.step] = value
        else:
            frame.container.append(value)
        self._touch((frame.place, frame.step))

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
                    self._touch(None)
            around = frame

    def _touch(self, place: Place) -> None:
        self.touched.append(place)
        self.has_grown = True
