"""What is certain of an answer that is still written: plain data, with keys, numbers and strings as they come."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from src.shared.domain.exceptions import json_path
from src.shared.infrastructure.parsing.expected import Expected
from src.shared.infrastructure.parsing.stream.string_reader import StringReader, looks_like_key


class Frame:
    """A container that is open.

    Attributes:
        container: the dict or list itself, which is in the one around it once something of it is certain.
        path: its path.
        is_object: which of both it is.
        step: the key or index of the member that is read, or was last.
        member: the path of that member.
        is_placed: whether it is in the one around it.
        expected: what the type says of it.
    """

    __slots__ = ("container", "expected", "is_object", "is_placed", "member", "path", "step")

    def __init__(self, container: Any, path: str, expected: Expected) -> None:  # noqa: ANN401 - a dict or a list
        self.expected = expected
        self.container = container
        self.path = path
        self.is_object = isinstance(container, dict)
        self.step: Any = None if self.is_object else 0
        self.member = path
        self.is_placed = False

    def go_to(self, step: str | int) -> None:
        """The next member begins."""
        self.step = step
        self.member = self.path + (json_path((step,))[1:] if self.is_object else f"[{step}]")

    def expected_member(self) -> Expected:
        """What the type says of the member that is read."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)


class Tree:
    """The data of an answer, as far as it is certain.

    Attributes:
        root: the outermost value; None while nothing is certain.
        complete: the paths of the values that are whole, in the order in which they became so.
        touched: the paths that appeared, grew or became whole since this was emptied.
        has_grown: whether `snapshot` gives something else than at that time.
        string: the string that is written.
    """

    def __init__(self) -> None:
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: dict[str, int] = {}
        self.touched: list[str] = []
        self.has_grown = False
        self.string: StringReader | None = None
        self._ended: list[tuple[str, bool]] = []
        self._ready: tuple[Frame, Any] | None = None

    def open(self, container: dict[str, Any] | list[Any], expected: Expected) -> None:
        """A container begins as the next member; its key is set."""
        self.frames.append(Frame(container, self._due().member if self.frames else "$", expected))

    def expected(self) -> Expected:
        """What the type says of the next member."""
        return self._due().expected_member()

    def open_string(self, quote: str) -> StringReader:
        """A string begins as the next member."""
        frame = self._due()
        if frame.is_object or not frame.expected.objects:
            self._place()  # another list may turn out to be an object, with this string as its first key
        self.string = StringReader(quote, frame.member, _may_be_key(frame))
        return self.string

    def show_string(self) -> None:
        """What is certain of the string stands in its container."""
        string = self.string
        if string and string.shown > string.seen:
            self._place()
            string.seen = string.shown
            self.touched.append(string.path)
            self.has_grown = True

    def close_string(self, value: str) -> None:
        """The string is whole, if what follows says so."""
        self.string = None
        frame = self.frames[-1]
        self._place()
        self._put(frame, value)
        self.end(frame.member, is_doubtful=frame.is_object)

    def put(self, value: Any) -> None:  # noqa: ANN401 - a number, a literal
        """The next member is a value without parts; it is there once more text confirms that."""
        frame = self._due()
        self._ready = frame, value
        self.end(frame.member, is_doubtful=False)

    def close(self) -> None:
        """The innermost container is whole, if its last member is."""
        self._settle()
        self._place()
        path = self.frames.pop().path
        if self.frames:
            self.end(path, is_doubtful=False)

    def end(self, path: str, *, is_doubtful: bool) -> None:
        """A value has come to its end. It is whole once more text confirms that; a key has to, if it is doubtful."""
        self._ended.append((path, is_doubtful))

    def confirm(self, *, by_key: bool = True) -> None:
        """What has come to its end is whole: a member follows, or a key and a colon."""
        if not self._ended or not (by_key or not any(is_doubtful for _, is_doubtful in self._ended)):
            return
        self._settle()
        for path, _ in self._ended:
            self.complete[path] = len(self.complete)
            self.touched.append(path)
        self._ended.clear()

    def snapshot(self) -> Any:  # noqa: ANN401 - decoded JSON
        """The data, once something is certain. What is whole is shared with the next ones, what is open is copied."""
        root = copied = self.root.copy()
        for frame, inner in pairwise(self.frames):
            if not inner.is_placed:
                return root
            copied[frame.step] = copied = inner.container.copy()
        if self.string and self.string.shown:
            text = self.string.text[: self.string.shown]
            if isinstance(copied, dict):
                copied[self.frames[-1].step] = text
            else:
                copied.append(text)
        return root

    def _settle(self) -> None:
        if self._ready:
            (frame, value), self._ready = self._ready, None
            self._place()
            self._put(frame, value)

    def _due(self) -> Frame:
        """The container of the next member; the one before it is there."""
        self._settle()
        frame = self.frames[-1]
        if not frame.is_object:
            frame.go_to(len(frame.container))
        return frame

    def _put(self, frame: Frame, value: Any) -> None:  # noqa: ANN401 - any JSON value
        if frame.is_object:
            frame.container[frame.step] = value
        else:
            frame.container.append(value)
        self.touched.append(frame.member)
        self.has_grown = True

    def _place(self) -> None:
        """Put the open containers into those around them: something in them is certain."""
        if self.frames[-1].is_placed:
            return
        around: Frame | None = None
        for frame in self.frames:
            if not frame.is_placed:
                if around is None:
                    self.root = frame.container
                    self.touched.append("$")
                    self.has_grown = True
                else:
                    self._put(around, frame.container)
                frame.is_placed = True
            around = frame


def _may_be_key(frame: Frame) -> Callable[[str], bool]:
    """Tells of a text that begins as a member whether it may be a key, behind a bracket that is missing or wrong."""
    if not frame.is_object:
        return looks_like_key
    key = str(frame.step)
    return lambda text: key.startswith(text) or (looks_like_key(text) and frame.expected_member().objects)
