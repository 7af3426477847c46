"""The data of an answer that is still written, as far as they are settled: plain dicts and lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from src.shared.domain.edits import EditedText
from src.shared.domain.engine.fed import Item
from src.shared.domain.engine.growing import GrowingString, looks_like_key
from src.shared.domain.engine.signs import STRING
from src.shared.domain.expression import expression
from src.shared.domain.latex import commands
from src.shared.domain.reading.escapes import StringParts, string_edits
from src.shared.domain.reading.reading import UnreadableError
from src.shared.domain.strict_json import decode_at
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.paths import Place

MAX_DEPTH = 100
"""Containers inside each other that are shown; a deeper text is left to its end."""
_TEXT = STRING.replace('"', "", 1)[:-1]
_TOKEN = expression(
    rf"""
    (?:[ \t\n\r]*+ ,)?+ ([ \t\n\r]*+)
    (?: "({_TEXT})" [ \t\n\r]*+ : [ \t\n\r]*+ )?                 # a key
    (?: "({_TEXT})" | ([{{}}\[\]]) | ([^\s,:"{{}}\[\]]++) )?+       # a string, a bracket, a number or a literal
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING = expression(STRING, re.DOTALL)
_HALF = expression(r"[\ud800-\udfff]")
"""Half of a pair of escapes that stand for one character."""
_read_value: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(strict=False).scan_once
_NO_NUMBERS = frozenset("NI")
"""How the names begin that Python's decoder takes for numbers."""


class Frame:
    """A container that is open.

    Attributes:
        container: the dict or list itself, which is in the one around it once something of it is certain.
        place: where it stands.
        expected: what the type says of it.
        is_object: which of both it is.
        is_placed: whether it is in the one around it.
        step: the key or index of the member that is read, or was last.
        keys: all of its keys so far.
        indent: how far its first member is indented, if that begins a line; -1 otherwise.
    """

    __slots__ = ("container", "expected", "indent", "is_object", "is_placed", "keys", "place", "step")

    def __init__(self, container: Any, place: Place, expected: Expected) -> None:  # noqa: ANN401 - a dict or a list
        self.container, self.place, self.expected = container, place, expected
        self.is_object = isinstance(container, dict)
        self.is_placed = False
        self.step: Any = None
        self.keys: set[str] = set()
        self.indent = -1

    def expected_member(self) -> Expected:
        """What the type says of the member that is read."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)


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

    def __init__(self, expected: Expected = ANYTHING, *, as_written: bool = False) -> None:
        """Begin before the value.

        Args:
            expected: what the type says of it.
            as_written: whether numbers keep their digits.
        """
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: list[Place] = []
        self.touched: list[Place] = []
        self.has_grown = self.is_unsure = False
        self.first_keys: set[str] = set()
        self._expected, self._as_written = expected, as_written
        self._string: GrowingString | None = None
        self._is_named = self._has_closed = False
        self._ended: list[tuple[Place, bool]] = []
        self._number: Any = None
        self._has_number = False
        self._closed: list[tuple[Expected, set[str]]] = []

    def take(self, text: str, quote_at: Callable[[int], str]) -> None:
        """Take up more of the value, as JSON whose tokens are whole; `quote_at` tells how a quote was written."""
        try:
            self._take(text, quote_at)
        except _DoubtError:
            self.is_unsure = True

    def look(self, item: Item, text: str) -> None:
        """Take up what is certain of an item that is still written."""
        frame, string = self.frames[-1], self._string
        if string is not None and string.opened == item.opened:
            if string.look(text):
                self._place()
                self._touch((frame.place, frame.step))
            return
        try:
            if frame.is_object and not self._is_named:
                if item.key[0] != '"' and "\\" in item.key:
                    return  # its value tells how it is read
                self._name(_key_of(item.key), item.indent)
                self._is_named = True
        except _DoubtError:
            self.is_unsure = True
            return
        if item.opened < 0:
            return
        self._grow(text, item.opened)

    def _grow(self, text: str, opened: int) -> None:
        """Show what is certain of a string."""
        frame = self.frames[-1]
        if self._string is None:
            if not frame.is_object:
                frame.step = len(frame.container)
                self._confirm(by_key=False)
            if frame.is_object or not frame.expected.objects:
                self._place()  # another list may turn out to be an object, with this string as its first key
            self._string = GrowingString(text, opened, _may_be_key(frame))
        if self._string.look(text):
            self._place()
            self._touch((frame.place, frame.step))

    def grow(self, piece: str) -> bool | None:
        """Take up text in which no token ends or begins; whether more is shown then, None if it may be more than that."""
        if self._string is None:
            return False
        is_more = self._string.grow(piece)
        if is_more:
            frame = self.frames[-1]
            if not frame.is_placed:
                self._place()
            self._touch((frame.place, frame.step))
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

    # --- tokens ---

    def _take(self, text: str, quote_at: Callable[[int], str]) -> None:
        at, size = 0, len(text)
        while at < size:
            token = _TOKEN.match(text, at)
            blanks, key, string, bracket, word = token.groups()  # type: ignore[union-attr]  # it matches the empty text, too
            if token.end() == at:  # type: ignore[union-attr]  # as above
                raise _DoubtError  # a backslash hides the end of a string
            at = token.end()  # type: ignore[union-attr]  # as above
            if key is not None:
                self._take_key(key, len(blanks) - blanks.rindex("\n") - 1 if "\n" in blanks else -1)
            elif bracket == "}" or bracket == "]":
                self._close(is_on_line="\n" not in blanks)
                continue
            elif self.frames and (bracket or word or string is not None):
                self._take_element(self.frames[-1])
            if bracket:
                self._open(is_object=bracket == "{")
            elif string is not None:
                if "\\" in string:
                    start = token.start(3) - 1  # type: ignore[union-attr]  # as above
                    string = self._string_value(text, start, is_json=quote_at(start) == '"')
                frame = self.frames[-1]
                self._string = None
                self._put(frame, string)
                self._ended.append(((frame.place, frame.step), frame.is_object))
            elif word:
                self._take_number(self._number_value(word))

    def _take_key(self, key: str, indent: int) -> None:
        if self._is_named:
            self._is_named = False
        else:
            self._name(_value_of(f'"{key}"') if "\\" in key else key, indent)

    def _take_element(self, frame: Frame) -> None:
        if frame.is_object:
            raise _DoubtError  # a backslash hides the end of a key
        frame.step = len(frame.container)
        if self._ended:
            self._confirm(by_key=False)

    def _take_number(self, value: Any) -> None:  # noqa: ANN401 - a number or a literal
        frame = self.frames[-1]
        if frame.is_object:
            self._number, self._has_number = value, True
        else:
            self._put(frame, value)
        self._ended.append(((frame.place, frame.step), False))

    def _string_value(self, text: str, start: int, *, is_json: bool) -> str:
        """A string value with backslashes; where they have two readings, what is certain is shown."""
        found = _STRING.match(text, start)
        try:
            return _value_of(found.group(), is_json=is_json)  # type: ignore[union-attr]  # it is there
        except _DoubtError:
            self._string = None
            self._grow(text, start)
            raise

    def _number_value(self, word: str) -> Any:  # noqa: ANN401 - a number or a literal
        """A number or a literal, if it is one of JSON."""
        try:
            value, end, *_ = decode_at(word, 0, as_written=True) if self._as_written else _read_value(word, 0)
        except (ValueError, StopIteration):
            raise _DoubtError from None
        if end < len(word) or word.lstrip("-")[0] in _NO_NUMBERS:
            raise _DoubtError
        return value

    # --- what the tokens do ---

    def _name(self, key: str, indent: int) -> None:
        """A key, and its colon: what was before it is whole."""
        frame = self.frames[-1]
        if key in frame.keys or self._is_misplaced(frame, indent) or self._may_be_of_another(frame, key):
            raise _DoubtError
        if not frame.keys:
            frame.indent = indent
        if self._ended:
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
        place = (around.place, around.step) if around else None
        self.frames.append(Frame({} if is_object else [], place, expected))
        self._closed.clear()

    def _close(self, *, is_on_line: bool) -> None:
        """The innermost container is whole, if its last member is."""
        frame = self.frames[-1]
        if len(self.frames) == 1 and frame.indent >= 0 and is_on_line:
            raise _DoubtError  # the root's bracket on the line of a member: it may go on
        self._settle_number()
        self._place()
        self.frames.pop()
        self._closed.append((frame.expected, frame.keys))
        self._has_closed = True
        if self.frames:
            self._ended.append((frame.place, False))
        else:
            self._confirm()

    def _confirm(self, *, by_key: bool = True) -> None:
        """What has come to its end is whole: a member follows. A string in an object may go on, up to the next key."""
        if not by_key and any(is_doubtful for _, is_doubtful in self._ended):
            return
        self._settle_number()
        for place, _ in self._ended:
            self.complete.append(place)
            self.touched.append(place)
        self._ended.clear()

    def _settle_number(self) -> None:
        """A number in an object may be the first of a list, up to what follows it."""
        if self._has_number:
            self._has_number = False
            self._put(self.frames[-1], self._number)

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


def _value_of(string: str, *, is_json: bool = True) -> str:
    """What a string says, if its backslashes have one reading; others than JSON's in a string of JSON."""
    if next(commands(string, 0, len(string), short=True), None):
        raise _DoubtError
    try:
        if is_json:
            edits = string_edits(string, 0, len(string) - 1, StringParts([], []), latex=True)
            string = EditedText(string, 0, len(string), edits).text
        value = str(json.loads(string, strict=False))
    except (UnreadableError, ValueError):
        raise _DoubtError from None
    if _HALF.search(value):
        raise _DoubtError
    return value


def _key_of(written: str) -> str:
    """The text of a key as it is written, in quotes or without any."""
    if "\\" in written:
        return _value_of(written)
    return written[1:-1] if written[0] in "\"'“" else written


def _may_be_key(frame: Frame) -> Callable[[str], bool]:
    """Tells of a text that begins as a member whether it may be a key, behind a bracket that is missing or wrong."""
    member = frame.expected_member()
    if not frame.is_object:
        is_certain = not (frame.container or member.objects or frame.expected.objects)
        return (lambda _: False) if is_certain else looks_like_key
    key = str(frame.step)
    return lambda text: key.startswith(text) or (looks_like_key(text) and member.objects)
