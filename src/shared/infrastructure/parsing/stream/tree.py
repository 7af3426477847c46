r"""What is certain of an answer that is still written: plain data, with keys, numbers and strings as they come.

Escapes of JSON are read as they come. Where a backslash begins none, nothing more is shown of the string, and its end
decides how all of its backslashes are read, by the rules of every damaged string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from itertools import pairwise
from typing import Any

from src.shared.domain.edits import EditedText
from src.shared.domain.exceptions import json_path
from src.shared.domain.latex import ANY_COMMAND
from src.shared.domain.reading.escapes import (
    BEGUN_ESCAPE,
    NEVER_IN_TEXT,
    WHOLE_ESCAPE,
    StringParts,
    may_be_foreign,
    string_edits,
)
from src.shared.domain.reading.lexicon import FENCES, MARGIN, QUOTES, STRUCTURE
from src.shared.domain.reading.reading import UnreadableError
from src.shared.domain.reading.tokens import (
    BEGUN_LITERALS,
    BEGUN_SCALAR,
    CLOSING_RUN_AND_FENCE,
    ENDS_LINE,
    IN_STRING,
    LAST_OF_END,
    OTHER_END,
    SENTENCE_SIGN,
)
from src.shared.infrastructure.parsing.expected import Expected

MORE = -1
"""What a move returns where the next characters have to be seen first."""
KEY_LIMIT = 64
"""Most characters of a text that may be a key whose bracket or value was forgotten."""
_PAIR_LIMIT = 64
"""Characters before another sign than the string's own quote among which it may have its partner: then it is text."""
_END_LENGTH = 2 * MARGIN + 3  # of another sign, a comma and a quote
_TAIL = _PAIR_LIMIT + _END_LENGTH
_LINE_CHARACTERS = "\n\r\t"


def looks_like_key(text: str) -> bool:
    """Whether a text may be a key, or its beginning."""
    return text.count(" ") <= 1 and SENTENCE_SIGN.search(text) is None


class StringReader:
    """Reads one string value behind its opening quote.

    Attributes:
        path: its path.
        shown: how many of its characters are certain.
        seen: how many of them were there when a snapshot was made.
        is_over: whether its closing quote was read.
        is_unsure: whether its text could be read in another way.
    """

    def __init__(self, quote: str, path: str, may_be_key: Callable[[str], bool] = looks_like_key) -> None:
        """Begin behind the quote.

        Args:
            quote: the opening one.
            path: that of the value.
            may_be_key: tells of a text whether a key may begin so: then nothing is shown of it, since it may be one.
        """
        self.path = path
        self.shown = self.seen = 0
        self.is_over = self.is_unsure = False
        self._quote, self._closing, self._run = quote, QUOTES[quote][0], IN_STRING[quote]
        self._may_be_key = may_be_key
        self._joined = ""
        self._more = StringIO(newline="")  # many parts are short: as strings they would take ten times the text
        self._raw: StringIO | None = None  # as it is written, from the first backslash on
        self._tail = ""  # the last of it, signs from escapes apart: they end nothing
        self._length = self._certain = 0
        self._is_text = self._is_held = self._is_damaged = self._is_unclear = False

    @property
    def text(self) -> str:
        """All of it."""
        if self._more.tell():
            self._joined += self._more.getvalue()
            self._more = StringIO(newline="")
        return self._joined

    def read(self, text: str, at: int) -> int:
        """Read on; the offset that was reached, or `MORE`."""
        run = self._run.match(text, at)
        if run:
            self._add(run.group())
            return run.end()
        char = text[at]
        if char == "\\":
            return self._escape(text, at)
        if char == self._closing:
            return self._quote_mark(text, at)
        is_quote = char == '"' and self._quote == "'"
        if not is_quote and char not in _LINE_CHARACTERS:
            return self._stop(at)
        if is_quote or ENDS_LINE.search(self._tail):
            self._is_held = True
        self._add(char)
        return at + 1

    def value(self) -> str | None:
        """The string, if its backslashes have one reading."""
        if not self._is_damaged or self._raw is None:
            return None if self._is_unclear else self.text
        raw = f'"{self._raw.getvalue()}"'
        try:
            edits = string_edits(raw, 0, len(raw) - 1, StringParts([], []), latex=True)
            return str(json.loads(EditedText(raw, 0, len(raw), edits).text, strict=False))
        except (UnreadableError, ValueError):
            return None

    def ends_with_a_line(self) -> bool:
        """Whether it ends with a line that may be one of JSON: then its quote opens the next key."""
        stripped = self.text.rstrip()
        return "\n" in self.text[len(stripped) :] and ENDS_LINE.search(stripped, len(stripped) - 1) is not None

    def _add(self, text: str, written: str | None = None) -> None:
        """Take up more of it, `written` so if that is something else; nothing is shown behind what may be its end."""
        if written is not None and self._raw is None:
            self._raw = StringIO(self.text, newline="")
            self._raw.seek(0, 2)
        if self._raw is not None:
            self._raw.write(text if written is None else written)
        plain = text if written is None or text.isalnum() or text == '"' else "\0"
        self._more.write(text)
        self._length += len(text)
        if not self._is_held:
            end = self._may_end(plain) if LAST_OF_END.search(plain) else None
            certain = len(text[:end].rstrip(STRUCTURE))
            before = self._length - len(text)
            if certain:
                self._certain = before + certain
            if self._is_text or not self._may_be_none(self._length if end is None else before + end):
                self.shown = self._certain
            self._is_held |= end is not None
        self._tail = (self._tail + plain)[-_TAIL:]

    def _may_end(self, text: str) -> int | None:
        """How much of what is added comes before what may be the end, if its quote is missing or another."""
        known, window = len(self._tail), self._tail + text
        ends = []
        if self._quote == '"':
            others = OTHER_END.finditer(window, max(0, known - _END_LENGTH))
            ends += [other.start() for other in others if other.end() > known and _has_no_partner(other)][:1]
        if any(fence in window for fence in FENCES) and (run := CLOSING_RUN_AND_FENCE.search(window)):
            ends.append(run.start())
        return max(0, min(ends) - known) if ends else None

    def _may_be_none(self, length: int) -> bool:
        """Whether it may be a key, a number or a literal; once none begins so, none does with more behind it."""
        head = self.text[: min(length, KEY_LIMIT + 1)]
        scalar = BEGUN_SCALAR.match(head)
        if scalar and scalar["sign"]:
            self._is_held = True
            return True
        is_begun = any(word.startswith(head.removeprefix(" ")) for word in BEGUN_LITERALS)
        if not (is_begun or (scalar and scalar.end() == len(head))):
            self._is_text = len(head) > KEY_LIMIT or not self._may_be_key(head)
        return not self._is_text

    def _quote_mark(self, text: str, at: int) -> int:
        if self._quote == "'":
            if at + 1 == len(text):
                return MORE
            if text[at + 1].isalnum() and self._tail[-1:].isalnum():  # it's
                self._add("'")
                return at + 1
        self.is_over = True
        return at + 1

    def _escape(self, text: str, at: int) -> int:
        found = WHOLE_ESCAPE.match(text, at)
        if found is None:
            return self._no_escape(text, at)
        escape = found.group()
        if ANY_COMMAND.match(text, at):
            self._is_held = self._is_unclear = True
        before = self._tail[-2:]
        is_in_path = escape == r"\\" or (before[-1:] == ":" and before[:1].isalpha())
        if is_in_path or escape[1] in NEVER_IN_TEXT:  # where a path goes on, or beside damage, they are backslashes
            self._is_held = True
        self._add(str(json.loads(f'"{escape}"')), escape)
        return found.end()

    def _no_escape(self, text: str, at: int) -> int:
        """A backslash that begins no escape of JSON: what the others are is told by the whole string."""
        if self._quote == "'" and text.startswith("\\'", at):
            self._add("'", "\\'")
            return at + 2
        if BEGUN_ESCAPE.match(text, at):
            return MORE
        if self._quote != '"' or may_be_foreign(text, at):
            return self._stop(at)
        self._is_held = self._is_damaged = True
        self._add(text[at : at + 2], text[at : at + 2])
        return at + 2

    def _stop(self, at: int) -> int:
        self.is_unsure = True
        return at


def _has_no_partner(found: re.Match[str]) -> bool:
    sign, before = found["sign"], found.string[max(0, found.start() - _PAIR_LIMIT) : found.start()]
    return before.count(sign) % 2 == 0 if sign in "'`" else not any(mark in before for mark in "“‘„")


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
