"""Takes up what is settled of an answer that is still written, and tells of it what no later character takes back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from src.shared.domain.reading.fed import Item, Token
from src.shared.domain.reading.growing import GrowingString
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.growing_data import MAX_DEPTH, Frame, GrowingData
from src.shared.infrastructure.parsing.paths import Place


class _DoubtError(Exception):
    """The text may be read in another way."""


class Tree:
    """The data as far as they are certain.

    Attributes:
        data: what of them is shown.
        first_keys: the keys of the root, or of the objects in a list; they tell which type it may be.
        is_unsure: whether it has stopped, since the text could be read in another way.
    """

    def __init__(self, expected: Expected = ANYTHING) -> None:
        """Begin before the value, of which the type says so much."""
        self.data = GrowingData()
        self.first_keys: set[str] = set()
        self.is_unsure = self._is_named = self._has_closed = False
        self._expected, self._frames = expected, self.data.frames
        self._string: GrowingString | None = None
        self._ended: list[tuple[Frame, Place, bool, list[Any]]] = []
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
        """Take up text in which no token ends or begins; whether more is shown then, None if it is not all text."""
        is_more = self._string.grow(piece) if self._string else False
        if is_more:
            self.data.touch_member()
        return is_more

    def snapshot(self) -> Any:  # noqa: ANN401 - decoded JSON
        """The data, once something is certain."""
        return self.data.copied(self._string.shown if self._string else "")

    def _take(self, token: Token) -> None:
        indent, key, sign, value = token
        if sign in ("}", "]"):
            self._close(indent)
            return
        if key is not None:
            self._name(key, indent)
            self._is_named = False
        elif self._frames:
            self._begin_element()
        if sign in ("{", "["):
            self._open(is_object=sign == "{")
        elif sign:
            frame, self._string = self._frames[-1], None
            is_number = sign == "0" and frame.is_object  # it may be the first of a list: what follows tells
            if not is_number:
                self.data.put(frame, value)
            is_doubtful = frame.is_object and not is_number  # a string may go on, up to the next key
            self._ended.append((frame, frame.member, is_doubtful, [value] if is_number else []))
        else:
            if value is not None:
                self._string = None
                self._show_string(f'"{value}"', 0)
            raise _DoubtError

    def _look(self, item: Item, text: str) -> None:
        frame = self._frames[-1]
        if frame.is_object:
            self._name(item.key, item.indent)
            self._is_named = True
        elif item.opened >= 0 and not self._string:
            self._begin_element()
        if item.opened >= 0:
            self._show_string(text, item.opened)

    def _show_string(self, text: str, opened: int) -> None:
        """Show what is certain of a string; a list may turn out to be an object, with the string as its first key."""
        frame = self._frames[-1]
        if not self._string:
            if frame.is_object or not frame.expected.objects:
                self.data.place()
            self._string = GrowingString(text, opened, frame.may_be_key)
        if self._string.look(text):
            self.data.touch_member()

    def _begin_element(self) -> None:
        frame = self._frames[-1]
        if frame.is_object:
            raise _DoubtError  # a backslash hides the end of a key
        frame.step = len(frame.container)
        self._confirm(by_key=False)

    def _name(self, key: str, indent: int) -> None:
        """A key, and its colon: what was before it is whole."""
        if self._is_named:
            return
        frame = self._frames[-1]
        if key in frame.keys or self._is_misplaced(frame, indent) or self._may_be_of_another(frame, key):
            raise _DoubtError
        frame.indent = frame.indent if frame.keys else indent
        self._confirm()
        frame.step = key
        frame.keys.add(key)
        if frame is self._frames[0] or (frame is self._frames[1] and not self._frames[0].is_object):
            self.first_keys.add(key)
        self._closed.clear()
        self._has_closed = False

    def _is_misplaced(self, frame: Frame, indent: int) -> bool:
        """Whether a key is indented as if a bracket before it was missing, or stood in the wrong place."""
        own = frame.indent
        if indent in (-1, own) or (own == -1 and indent == 0):
            return False
        return (self._has_closed and own >= 0) or any(indent == around.indent for around in self._frames)

    def _may_be_of_another(self, frame: Frame, key: str) -> bool:
        """Whether the type has the key in an object around this one, or before it; and here not, or not as surely."""
        own = frame.expected
        if self._expected is ANYTHING or key in own.required:
            return False
        around = ((other.expected, other.keys) for other in self._frames[:-1])
        others = [other for other, keys in (*around, *self._closed) if key not in keys]
        return any(key in (other.required if key in own.names else other.names) for other in others)

    def _open(self, *, is_object: bool) -> None:
        around = self._frames[-1] if self._frames else None
        expected = around.expected_member() if around else self._expected
        may_be, may_be_other = (expected.objects, expected.arrays)[:: 1 if is_object else -1]
        is_first = around is not None and around.step == 0  # of a list, whose bracket may be surplus
        if len(self._frames) == MAX_DEPTH or ((may_be_other or is_first) and not may_be):
            raise _DoubtError
        self._frames.append(Frame(around.member if around else None, expected, is_object=is_object))
        self._closed.clear()

    def _close(self, indent: int) -> None:
        """The innermost container is whole, if its last member is."""
        frame = self._frames[-1]
        if len(self._frames) == 1 and frame.indent >= 0 > indent:
            raise _DoubtError  # the root's bracket on the line of a member: it may go on
        self._settle()
        self.data.place()
        self._frames.pop()
        self._closed.append((frame.expected, frame.keys))
        self._has_closed = True
        if self._frames:
            self._ended.append((frame, frame.place, False, []))
        else:
            self._confirm()

    def _settle(self) -> None:
        """A number is what it is: no list begins with it."""
        for frame, _, _, numbers in self._ended[-1:]:
            while numbers:
                self.data.put(frame, numbers.pop())

    def _confirm(self, *, by_key: bool = True) -> None:
        """What has come to its end is whole: the next item begins."""
        if self._ended and (by_key or not any(is_doubtful for _, _, is_doubtful, _ in self._ended)):
            self._settle()
            self.data.finish([place for _, place, _, _ in self._ended])
            self._ended.clear()
