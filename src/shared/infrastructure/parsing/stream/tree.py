"""What is certain of an answer that is still written: plain data, with keys, numbers and strings as they come."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from itertools import pairwise
from typing import Any

from src.shared.domain.exceptions import json_path
from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated
from src.shared.infrastructure.parsing.stream.expected import Expected

TOKEN_LIMIT = 300
"""Most characters of a key or a number that is read as it comes."""
_IN_KEY = repeated(r'[^"\\\x00-\x1f] | \\["\\/bfnrt] | \\u[0-9a-fA-F]{4}', f"{{0,{TOKEN_LIMIT}}}")
KEY = expression(
    rf"""
      " (?P<plain> {_IN_KEY} ) "
    | ' (?P<single> [^'"\\\x00-\x1f]{{0,{TOKEN_LIMIT}}}+ ) '
    | “ (?P<curly> [^“”"\\\x00-\x1f]{{0,{TOKEN_LIMIT}}}+ ) ”
    | (?P<bare> [A-Za-z_$][\w$]{{0,{TOKEN_LIMIT}}}+ ) (?= [^\w$] )
    """,
    re.VERBOSE,
)
KEY_BEGINS = expression(r"[\"'“A-Za-z_$]")
WORD = expression(rf"[\w.+\-]{{1,{TOKEN_LIMIT}}}+")
_NUMBER = expression(r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,2})?")
_LITERALS = {"true": True, "false": False, "null": None}
_SPELLINGS = {"True": "true", "False": "false", "None": "null"}
NOTHING = object()
"""What a word is that is neither a number nor a literal."""


def key_text(key: re.Match[str]) -> str:
    """The key that was found."""
    plain = key["plain"]
    if plain is not None:
        return str(json.loads(f'"{plain}"')) if "\\" in plain else plain
    return next(text for text in (key["single"], key["curly"], key["bare"]) if text is not None)


def decoded(word: str, parse_float: Callable[[str], float] | None) -> Any:  # noqa: ANN401 - any value without parts
    """The value of a word, or `NOTHING`."""
    word = _SPELLINGS.get(word, word)
    if word in _LITERALS:
        return _LITERALS[word]
    return json.loads(word, parse_float=parse_float) if _NUMBER.fullmatch(word) else NOTHING


_NO_KEY = expression(r"[\n\t,，。;；!！?？…]")
"""What is in sentences and hardly in keys."""


def looks_like_key(text: str) -> bool:
    """Whether a text may be a key, or its beginning."""
    return text.count(" ") <= 1 and _NO_KEY.search(text) is None


KEY_LIMIT = 64
"""Most characters of a text that may be a key whose bracket or value was forgotten."""
_WORDS = ("true", "false", "null", "-")
_WORD = expression(r" ?(?:-?\d[\d.]{0,20}|true|false|null)\s{0,40}(?P<sign>[,}\]])?")
"""A number or a literal, and what follows it in an object: the quote before it may be a slip."""
_STRUCTURE = " \t\n\r,:;，：；{[}]｛［｝］\"'“”‘’`´＂~"
"""What a string may have taken up from behind it, if its closing quote was forgotten: shown once more text follows."""
_END = expression(r"\s{0,40}[}\]｝］][\s}\]｝］]{0,40}(?:```|~~~)")
"""Closing brackets before a fence: the end of the object, if its closing quote was forgotten."""
_END_LENGTH = 84


class OpenString:
    """A string value that is still written.

    Attributes:
        path: its path.
        may_be_key: tells of a text whether a key may begin so: then nothing is shown of it, since it may be one.
        shown: how many of its characters are certain.
        is_held: whether no more of it is, until its end.
        ending: its last two characters.
        last_sign: its last character that is no blank.
        raw: it as it is written.
        is_damaged: whether a backslash in it is before no escape of JSON.
        is_unclear: whether an escape in it may be a command of LaTeX.
    """

    __slots__ = (
        "_certain",
        "_is_text",
        "_joined",
        "_more",
        "_plain",
        "ending",
        "is_damaged",
        "is_held",
        "is_unclear",
        "last_sign",
        "length",
        "may_be_key",
        "path",
        "raw",
        "shown",
    )

    def __init__(self, path: str, may_be_key: Callable[[str], bool]) -> None:
        self.path = path
        self.may_be_key = may_be_key
        self._joined = ""
        self._more = StringIO(newline="")  # many parts are short: as strings they would take ten times the text
        self.raw = StringIO(newline="")
        self.ending = self.last_sign = self._plain = ""
        self.length = self.shown = self._certain = 0
        self.is_held = self.is_damaged = self.is_unclear = self._is_text = False

    def add(self, text: str, written: str | None = None) -> None:
        """Take up more of it, `written` so if that is something else."""
        self.raw.write(text if written is None else written)
        self._more.write(text)
        self.length += len(text)
        self.ending = (self.ending + text)[-2:]
        self.last_sign = text.rstrip(" \t\r")[-1:] or self.last_sign
        end = self._may_be_over(text, written)
        certain = len(text[:end].rstrip(_STRUCTURE))
        if certain and not self.is_held:
            self._certain = self.length - len(text) + certain
        if not self.is_held and not self._may_be_none():
            self.shown = self._certain
        self.is_held |= end is not None

    def _may_be_over(self, text: str, written: str | None) -> int | None:
        """How much of what is added comes before the end of the object, if its closing quote was forgotten."""
        plain = self._plain + text if written is None else ""
        self._plain = plain[-_END_LENGTH:]
        found = _END.search(plain) if "```" in plain or "~~~" in plain else None
        return max(0, found.start() - (len(plain) - len(text))) if found else None

    def _may_be_none(self) -> bool:
        """Whether it may be a key, a number or a literal; once none begins so, none does with more behind it."""
        if self._is_text:
            return False
        head = self.text[: KEY_LIMIT + 1]
        word = _WORD.match(head)
        if word and word["sign"]:
            self.is_held = True
            return True
        begins_one = any(one.startswith(head.removeprefix(" ")) for one in _WORDS)
        if not (begins_one or (word and word.end() == len(head))):
            self._is_text = len(head) > KEY_LIMIT or not self.may_be_key(head)
        return not self._is_text

    @property
    def text(self) -> str:
        """All of it."""
        if self._more.tell():
            self._joined += self._more.getvalue()
            self._more = StringIO(newline="")
        return self._joined


class Frame:
    """A container that is open.

    Attributes:
        container: the dict or list itself, which is in the one around it once something of it is certain.
        path: its path.
        is_object: which of both it is.
        step: the key or index of the member that is read, or was last.
        is_placed: whether it is in the one around it.
        expected: what the type says of it.
    """

    __slots__ = ("container", "expected", "is_object", "is_placed", "path", "step")

    def __init__(self, container: Any, path: str, expected: Expected) -> None:  # noqa: ANN401 - a dict or a list
        self.expected = expected
        self.container = container
        self.path = path
        self.is_object = isinstance(container, dict)
        self.step: Any = None if self.is_object else 0
        self.is_placed = False

    @property
    def member(self) -> str:
        """The path of the member that is read."""
        return self.path + json_path((self.step,))[1:]

    def expected_member(self) -> Expected:
        """What the type says of the member that is read."""
        return self.expected.member(self.step) if self.is_object else self.expected.element(self.step)


class Tree:
    """The data of an answer, as far as it is certain.

    Attributes:
        root: the outermost value; None while nothing is certain.
        complete: the paths of the values that are whole, in the order in which they became so.
        touched: the paths that appeared, grew or became whole since this was emptied.
        string: the string that is written.
    """

    def __init__(self) -> None:
        self.root: Any = None
        self.frames: list[Frame] = []
        self.complete: dict[str, int] = {}
        self.touched: list[str] = []
        self.string: OpenString | None = None
        self._ended: list[tuple[str, bool]] = []
        self._ready: tuple[Frame, Any] | None = None

    def open(self, container: dict[str, Any] | list[Any], expected: Expected) -> None:
        """A container begins as the next member; its key is set."""
        self.frames.append(Frame(container, self._due().member if self.frames else "$", expected))

    def expected(self) -> Expected:
        """What the type says of the next member."""
        return self._due().expected_member()

    def open_string(self) -> OpenString:
        """A string begins as the next member."""
        frame = self._due()
        if frame.is_object or not frame.expected.objects:
            self._place()  # another list may turn out to be an object, with this string as its first key
        self.string = OpenString(frame.member, _may_be_key(frame))
        return self.string

    def place_string(self) -> None:
        """What is shown of the string stands in its container."""
        if self.string and self.string.shown:
            self._place()

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
            frame.step = len(frame.container)
        return frame

    def _put(self, frame: Frame, value: Any) -> None:  # noqa: ANN401 - any JSON value
        if frame.is_object:
            frame.container[frame.step] = value
        else:
            frame.container.append(value)
        self.touched.append(frame.member)

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
                else:
                    self._put(around, frame.container)
                frame.is_placed = True
            around = frame


def _may_be_key(frame: Frame) -> Callable[[str], bool]:
    """Tells of a text that begins as a member whether it may be a key, behind a bracket that is missing or wrong."""
    if not frame.is_object:
        return looks_like_key
    key, is_free = str(frame.step), frame.expected_member().objects
    return lambda text: key.startswith(text) or (is_free and looks_like_key(text))
