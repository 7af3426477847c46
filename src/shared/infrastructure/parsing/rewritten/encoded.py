"""Decodes an object written for another format: HTML, a CSV cell, a Markdown quotation or list, a diff.

The additions of that format are removed everywhere in the object, and the rest is read like any other text. If a line
of the object lacks the mark that the others have, the object is not decoded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from src.shared.domain.latex import COMMAND_REST
from src.shared.domain.possessive import repeated
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.parsing.reader.edits import Edit, named
from src.shared.infrastructure.parsing.reader.patterns import ESCAPED_LINES, KEY_LIMIT, LINE_LIMIT
from src.shared.infrastructure.parsing.reader.places import Places
from src.shared.infrastructure.parsing.values import Value

if TYPE_CHECKING:
    from src.shared.infrastructure.parsing.scanner import ValueScanner

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_OTHER_ENTITY = re.compile(r"&(?!quot;|apos;|#34;|#39;|#[xX]2[27];)(?:#[\dxX]|[A-Za-z]{2,8};)")
_RAW_TAG = re.compile(r"[<>]")
"""With this in it only the quotes were encoded, and another entity is one of the text's own."""
_OPENED = repeated(r"\[\s*+", "?") + r"\{\s*+"


@dataclass(frozen=True, slots=True)
class Encoding:
    """What another format makes of an object.

    Attributes:
        kind: what a trace calls it.
        opens: what the object begins with.
        added: what the format added to the text.
        put: what stood there before.
        is_whole: whether nothing in the object is evidence against it.
        before: what the line has before the object, if the format marks that line too.
    """

    kind: RepairKind
    opens: re.Pattern[str]
    added: re.Pattern[str]
    put: Callable[[re.Match[str]], str]
    is_whole: Callable[[str], bool]
    before: re.Pattern[str] | None = None

    def matches(self, text: str, start: int) -> bool:
        """Whether an object of this format may open there."""
        if not self.opens.match(text, start):
            return False
        return self.before is None or self.before.match(_line_before(text, start)) is not None


def _line_before(text: str, start: int) -> str:
    return text[text.rfind("\n", max(0, start - LINE_LIMIT), start) + 1 : start]


def _count(expression: re.Pattern[str], raw: str) -> int:
    """How often it matches; a list of what it matches would take many times the text."""
    return sum(1 for _ in expression.finditer(raw))


def _marked(mark: str) -> Encoding:
    """A quotation, a diff, comments: a mark before every line of the object, the first one included.

    A blank after it belongs to the mark if it is on every line that is not empty.
    """
    sign = re.escape(mark.rstrip()) + (r"(?: |(?=\n))" if mark.endswith(" ") else "")
    added = re.compile(rf"\n[ \t]*+{sign}")
    return Encoding(
        RepairKind.MARKUP,
        re.compile(rf"[{{\[][ \t]*+\n[ \t]*+{sign}"),
        added,
        lambda _: "\n",
        lambda raw: raw.count("\n") == _count(added, raw),
        re.compile(rf"[ \t]*+{sign}"),
    )


def _bullets(mark: str) -> Encoding:
    """A bullet before every member or element; before a number `-` may be its sign."""
    sign = re.escape(mark)
    item = r"(?=[\"'“{\[])" if mark == "-" else r"(?=[\"'“{\[\d\-tfn])"
    added = re.compile(rf"\n[ \t]*+{sign}[ \t]++{item}")
    closers = re.compile(r"\n[ \t]*+(?=[}\]])")
    return Encoding(
        RepairKind.MARKUP,
        re.compile(rf"[{{\[][ \t]*+\n[ \t]*+{sign}[ \t]++{item}"),
        added,
        lambda _: "\n",
        lambda raw: raw.count("\n") == _count(added, raw) + _count(closers, raw),
    )


_HTML = Encoding(
    RepairKind.ESCAPED_JSON,
    re.compile(r"(?<!\")" + _OPENED + r"&(?:quot|#34|#[xX]22);"),
    _ENTITY,
    lambda entity: html.unescape(entity.group()),
    lambda raw: '"' not in raw and not (_RAW_TAG.search(raw) and _OTHER_ENTITY.search(raw)),
)
_BETWEEN_PARTS = re.compile(r"(?<=[{\[},\]])\s*+<br\s?/?>|<br\s?/?>(?=\s*+[}\]])")
_BREAK = re.compile(r"<br\s?/?>")
_LINES_OF_HTML = Encoding(
    RepairKind.MARKUP,
    re.compile(r"[{\[]\s*+<br\s?/?>"),
    _BREAK,
    lambda _: "\n",
    lambda raw: _count(_BREAK, raw) == _count(_BETWEEN_PARTS, raw),
)
_ESCAPE = re.compile(r"\\[\\'nrt]")
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}


def _unescaped(escape: re.Match[str]) -> str:
    """What an escape of `repr` stands for."""
    return _CONTROL.get(escape.group()[1], escape.group()[1])


_AS_IN_JSON = re.compile(r'(?<!\\)\\["u/bf]')
_ESCAPED_LINE_ENDS = Encoding(
    RepairKind.ESCAPED_JSON,
    re.compile(rf"(?<!')[{{\[]{ESCAPED_LINES}[\"'“{{\[]"),
    re.compile(rf"(?<=[{{\[,:])[ \t]*+{ESCAPED_LINES}(?=[\"'“{{\[\d\-]|true|false|null)|{ESCAPED_LINES}(?=[}}\]])"),
    lambda found: _ESCAPE.sub(_unescaped, found.group()),
    lambda raw: "\\\\" not in raw or _AS_IN_JSON.search(raw) is not None,
)
"""Only the line ends between the parts were escaped; in a string it comes to the same. A pair may say that more was."""
_CSV = Encoding(
    RepairKind.ESCAPED_JSON,
    re.compile(_OPENED + rf'""[^"\n]{{1,{KEY_LIMIT}}}+""\s*+[:=]'),
    re.compile('""'),
    lambda _: '"',
    lambda raw: '"' not in raw.replace('""', ""),
)
_PAIRS = re.compile(repeated(r"[^\\]++|\\[\\']"))
_REPR = re.compile(repeated(r"[^\\]++|\\[\\'nrt]"))
_SURELY_REPR = re.compile(r"""\\(?:'|\\(?:"|u[0-9a-fA-F]{4}))|\A[{\[][ ]*+\\n""")
_MEANS_OTHER = re.compile(rf"\\\\(?!{COMMAND_REST})[bfnrtu/\\]")
_OF_REPR = Encoding(
    RepairKind.ESCAPED_JSON,
    re.compile(r"(?<=')[{\[]"),
    _ESCAPE,
    _unescaped,
    lambda raw: _REPR.fullmatch(raw) is not None and _SURELY_REPR.search(raw) is not None,
)
"""What `repr` makes of a text, where something in it says so: JSON in quotes has no such escapes."""
_MARKS = ("> ", ">", "+ ", "+", "| ", "|", "- ", "# ", "// ", ">>> ")
ENCODINGS = (_HTML, _CSV, _LINES_OF_HTML, _OF_REPR, _ESCAPED_LINE_ENDS, *map(_marked, _MARKS), *map(_bullets, "-*•·"))
"""The formats that are known."""


def may_be_repr(text: str, start: int, end: int) -> bool:
    """Whether an object in single quotes may be what `repr` makes of a text, and means something else as it stands."""
    is_quoted = text[start - 1 : start] == text[end : end + 1] == "'" and text.find("\\", start, end) >= 0
    return is_quoted and bool(_PAIRS.fullmatch(text, start, end) and _MEANS_OTHER.search(text, start, end))


class EncodedText:
    """A text from where an object of another format opens, without what that format added to it.

    Attributes:
        start: offset of the bracket.
    """

    def __init__(self, text: str, start: int, encoding: Encoding, scanner_of: Callable[[str], ValueScanner]) -> None:
        self.start = start
        self._text = text
        self._encoding = encoding
        self._places = Places(start)
        self._plain = self._without_added()
        self._scanner = scanner_of(self._plain)

    def value_at(self, start: int) -> Value | None:
        """The object whose bracket is at `start`; None if there is none that can be read."""
        value = self._scanner.value_at(self._places.inside(start))
        value = self._scanner.decoded(value) if value else None
        if value is None or value.problem or value.cut:
            return None
        end = self._places.outside(value.end)
        if not self._encoding.is_whole(self._text[start:end]):
            return None
        whole = Edit(start, end - start, self._plain[value.start : value.end], self._encoding.kind)
        moved = (edit._replace(offset=self._places.outside(edit.offset)) for edit in named(value.edits))
        return Value(start, end, value.data, (whole, *moved), damaged=True)

    def _without_added(self) -> str:
        pieces, at = [], self.start
        for found in self._encoding.added.finditer(self._text, self.start):
            put = self._encoding.put(found)
            pieces += [self._text[at : found.start()], put]
            at = found.end()
            self._places.replaced(found.start(), at, len(put))
        return "".join([*pieces, self._text[at:]])


class EncodedTexts:
    """What finds the objects of other formats in a text; each format is looked at once."""

    def __init__(self, text: str, scanner_of: Callable[[str], ValueScanner]) -> None:
        self._text = text
        self._scanner_of = scanner_of
        self._known: dict[Encoding, EncodedText] = {}

    def value_at(self, start: int) -> Value | None:
        """The object of another format that opens at `start`; None if there is none that can be read."""
        for encoding in ENCODINGS:
            if encoding.matches(self._text, start):
                known = self._known.get(encoding)
                if known is None or start < known.start:
                    known = self._known[encoding] = EncodedText(self._text, start, encoding, self._scanner_of)
                value = known.value_at(start)
                if value is not None:
                    return value
        return None
