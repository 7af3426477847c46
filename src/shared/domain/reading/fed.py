"""The reader of a text that comes in pieces: the same machine, paused where it has to see more.

What is undamaged is passed over as it comes. The steps at a damage are made on a copy of the machine, which is kept if
undamaged text follows: at once for damage that is told by what it is, for any other when enough text stands behind it.
Else they are made again when more has come. So what is settled depends on the text alone, and stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.expression import expression, repeated
from src.shared.domain.latex import commands
from src.shared.domain.reading.brackets import TUPLE, is_alone, kind_of
from src.shared.domain.reading.dialect import first_dialect
from src.shared.domain.reading.escapes import escape_edits
from src.shared.domain.reading.machine import Machine, Place, Refusal, in_order
from src.shared.domain.reading.reader import GRAMMAR, begin
from src.shared.domain.reading.signs import (
    BARE_NAME, BRACKETS, CLOSERS, CLOSER_OF, COLONS, COMMAS, CURLY_STRING, JSON_BLANKS, ONE_LINE_STRING,
    SINGLE_STRING, STRING, W,
)  # fmt: skip
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.strict_json import MINUS_ZERO, decode_at

LOOK_AHEAD = 400
"""Characters behind a damage that is told by what follows it, before it is decided."""
EVERY = 64
"""Characters behind a damage at each of which it is looked at again; behind more, after an eighth of them."""
CROWD = 200
"""Quotes behind a damage after which it is looked at again when there is twice as much: each takes a decision."""
_LEAD = 60
"""Characters among which the first sign behind the bracket is awaited."""
_KEPT = 8
"""The last edits, and the last containers that were closed, stay for steps that look back."""
_TOLD = frozenset({
    None, K.PYTHON_LITERAL, K.UNQUOTED_KEY, K.FULL_WIDTH_PUNCTUATION, K.TRAILING_COMMA, K.MISSING_COMMA,
})  # fmt: skip
"""Damage that is told by what it is."""
_TOLD_BY_NEXT = _TOLD | {K.SINGLE_QUOTE, K.SMART_QUOTE}
"""The same, if an undamaged item follows and not just a bracket, which may be text of a string."""
_BRACKETS = frozenset({K.MISSING_BRACKET, K.SURPLUS_BRACKET})
"""Damage that is told by the end of the text."""
_KEY = rf"(?:{ONE_LINE_STRING}|{SINGLE_STRING}|{CURLY_STRING}|{BARE_NAME})"
_STRINGS = "|".join(
    opening + rf"[^{closing}\\]*+" + repeated(rf"\\.[^{closing}\\]*+") for opening, closing in ('""', "''", "“”")
)
_COLON = rf"(?:[{COLONS}](?![\w/]|\Z)|(?<![\w$])[{COLONS}])"
"""A colon, but for one in a key without quotes."""
_VALUE = rf"""
    (?: (?P<opened> {_STRINGS} ) (?: (?P<over> ["'”] ) {W} | \\?+ )
      | [+\-]? [\w.+\-]*+ {W}
    )"""
"""A string as far as it goes, a number or a literal, or nothing yet."""
_ITEMS = {
    "{": expression(
        rf"""
        (?P<gap> {W} )
        (?: (?P<key> {_KEY} ) {W} (?: (?P<colon> {_COLON} ) {W} {_VALUE} )?
          | ["'“] [^\n]*+                               # a key without its end
        )?
        (?P<all> \Z )?
        """,
        re.VERBOSE | re.DOTALL,
    ),
    "[": expression(rf"(?P<gap> {W} ) (?P<key>) (?P<colon>) {_VALUE} (?P<all> \Z )?", re.VERBOSE | re.DOTALL),
}
"""An item that is still written, by the kind of its container, as far as it is undamaged; `all` if that is all."""
_CLOSER = expression(rf"{W}(?P<sign>[{re.escape(''.join(CLOSERS))}])")
_CROWD = expression(rf"(?:[^\"'“”]*+[\"'“”]){{{CROWD}}}")
_LINE_END = expression(r"[ \t\r]*+\n")
_REST = expression(rf"{W}[{COMMAS}]?\Z")
_NOT_BLANK = expression(r"[^ \t\n\r]")
_ENDS_STRING = {'"': expression('"'), "'": expression("'"), "“": expression("”")}
_ENDS_KEY = expression(r"[\"'”\\\n]")
"""Without any of these blanks, a string that begins so, or a key go on."""


_STEPS = GRAMMAR.steps
_TEXT = STRING[1:-1]
_TOKEN = expression(
    rf"""
    {repeated(f"{W} ,", "?")} (?P<blanks> {W} )
    {repeated(f'"(?P<key> {_TEXT} )" {W} : {W}', "?")}
    (?: "(?P<string> {_TEXT} )" | (?P<bracket> [{BRACKETS}] ) | (?P<word> [^\s,:"{BRACKETS}]++ ) )
    """,
    re.VERBOSE | re.DOTALL,
)
"""What is settled, token by token: an item up to its value or its opening bracket, or a closing bracket."""
_HALF = expression(r"[\ud800-\udfff]")
"""Half of a pair of escapes that stand for one character."""
_LITERALS = {"true": True, "false": False, "null": None}
_NO_NUMBERS = frozenset("NI")
"""How the names begin that Python's decoder takes for numbers."""


class Item(NamedTuple):
    """The item that is still written.

    Attributes:
        indent: how far it is indented, if it begins a line; -1 otherwise.
        key: its key, if the colon is there; "" in a list.
        opened: the offset of the opening quote of its string; -1 where it is none.
    """

    indent: int
    key: str
    opened: int


Token: TypeAlias = tuple[int, str | None, str, Any]
"""An item up to its value or its opening bracket, or a closing bracket.

How far it is indented, if it begins a line, and -1 otherwise; its key, or None in a list and of a closing bracket; the
bracket, `"` for a string, `0` for a number or a literal, "" where it may be read in two ways; the string or the number,
what is written of a string that may be read in two ways, or None.
"""
_UNKNOWN: Token = (-1, None, "", None)


class TwoReadingsError(ValueError):
    """A string or a number may be read in two ways."""


class Fed:
    """Reads the container that begins with the first character it is fed.

    Attributes:
        text: what came so far.
        end: the offset behind the container; -1 before it is closed.
        item: the item that is still written, if anything of it is known.
        is_waiting: whether it stands at a damage that cannot be told yet.
        awaited: what must be in the next piece for anything to change; None for anything.
    """

    def __init__(self, *, as_written: bool = False) -> None:
        """Begin before the container; numbers keep their digits if they are read as they are written."""
        self._as_written = as_written
        self.text = ""
        self.end = -1
        self.item: Item | None = None
        self.is_waiting = False
        self.awaited: re.Pattern[str] | None = None
        self._machine: Machine | None = None
        self._from = self._emitted = self._known = 0
        self._settled: list[tuple[str, int, int, Callable[[int], int]]] = []
        self._tried = self._due = (-1, 0)
        self._is_refused = False

    @property
    def depth(self) -> int:
        """How many containers are open where it stands."""
        return len(self._machine.stack) if self._machine else 0

    def feed(self, piece: str) -> Iterator[Token] | None:
        """Take more of the text, and give what is settled by it; None where nothing ends or begins in it."""
        m = self._machine
        text, self.text = self.text, ""
        if m is not None:
            m.text = ""  # one reference is left, to a string that can grow where it is
        text += piece
        self.text = text
        if self.end >= 0 or self._is_refused or (self.awaited is not None and not self.awaited.search(piece)):
            return None
        if m is None:
            if len(text) < _LEAD and not text[1:].lstrip(JSON_BLANKS + "[{"):
                return iter(())
            m = self._machine = Machine(text, 0, first_dialect(text, 0), GRAMMAR)
            begin(m)
        m.text = text
        try:
            while self._pass(m) or self._decide(m):
                pass
        except Refusal:  # nested too deeply, which no further text mends
            self._is_refused = True
        self._settle(m)
        settled, self._settled = self._settled, []
        return self._tokens(settled)

    def _pass(self, m: Machine) -> bool:
        """Pass over what is undamaged; whether the machine stands at a closing bracket that it left."""
        text, place = m.text, m.place
        while True:
            if place is Place.INSIDE:
                place = _STEPS[place](m)
                if place is not Place.KEY and place is not Place.ELEMENT:
                    m.place = place
                    continue
                return self._is_at_own_closer(m) and self._close(m, place)
            found = m.dialect.after.match(text, m.at)
            if found is None:
                return False
            if found.lastgroup == "close":
                return self._is_at_own_closer(m) and self._close(m, place)
            end = found.end()
            if text[end - 2] in JSON_BLANKS and (end == len(text) or is_alone(m, end - 1)):
                return False
            place = m.place = _STEPS[place](m)

    def _is_at_own_closer(self, m: Machine) -> bool:
        found = _CLOSER.match(m.text, m.at)
        if found is None or (kind := kind_of(m)) == TUPLE:
            return False
        return CLOSERS[found["sign"]] == CLOSER_OF[kind]

    def _close(self, m: Machine, place: Place) -> bool:
        """Leave the innermost container; what stands behind the outermost one is not looked at."""
        text = m.text
        if len(m.stack) == 1:
            m.text = text[: _CLOSER.match(text, m.at).end()]  # type: ignore[union-attr]  # it stands there
        m.place = _STEPS[place](m)
        m.text = text
        self.end = m.end
        return self.end < 0

    def _decide(self, m: Machine) -> bool:
        """Make the steps at a damage, up to the next item; whether they are settled."""
        self._look(m)
        if not self.is_waiting:
            return False
        text, behind = m.text, len(m.text) - m.at
        due = (m.at, _rounded(behind, 3))
        if self._due == due:
            return False
        self._due = due
        crowd = _CROWD.match(text, m.at)
        behind = max(_rounded(behind, 0), _rounded(crowd.end() - m.at, 3)) if crowd else due[1]
        if self._tried == (m.at, behind):
            return False
        self._tried = (m.at, behind)
        self._settle(m)
        self._known = len(m.edits)
        trial = m.copied()
        trial.text = text[: m.at + behind]
        try:
            trial = self._until_next(trial)
            in_order(trial.edits[self._emitted :])
        except Refusal:
            return False
        if trial.edits[: self._emitted] != m.edits[: self._emitted]:  # pragma: no cover - a guard of what was shown
            return False
        trial.text = text
        m.__dict__.update(trial.__dict__)
        return True

    def _until_next(self, trial: Machine) -> Machine:
        """Go on over the damage; the state before the next item, which can be read, or behind it, if it is undamaged.

        Raises:
            Refusal: the damage cannot be told, or not yet.
        """
        if trial.place is Place.INSIDE:
            self._step(trial)
        while (place := trial.place) is not Place.INSIDE:
            if place is Place.AFTER and self._is_at_own_closer(trial) and self._is_told(trial, _TOLD):
                return trial
            self._step(trial)
        before, at = trial.copied(), trial.at
        is_told = self._is_told(trial, _TOLD_BY_NEXT)
        self._step(trial)
        if trial.at > at:
            before = trial
            before.place = Place.INSIDE if trial.place in (Place.KEY, Place.ELEMENT) else trial.place
        elif not self._is_long_string(trial, at):
            while trial.place not in (Place.AFTER, Place.INSIDE):
                self._step(trial)
            is_told = is_told and self._is_told(trial, _TOLD_BY_NEXT)
        if not is_told:
            raise Refusal(at)
        return before

    @staticmethod
    def _is_long_string(trial: Machine, at: int) -> bool:
        """Whether the next item is a string that is still written, and long already."""
        found = _ITEMS[trial.stack[-1].kind].match(trial.text, at)
        is_all = found is not None and found["all"] is not None and found["opened"] is not None
        return is_all and found.end() - found.start("opened") >= LOOK_AHEAD  # type: ignore[union-attr]  # as above

    @staticmethod
    def _step(trial: Machine) -> None:
        trial.place = _STEPS[trial.place](trial)
        if trial.trials or trial.place is Place.OVER:
            raise Refusal(trial.at)

    def _is_told(self, trial: Machine, kinds: frozenset[K | None]) -> bool:
        """Whether the new damage is of these kinds, or enough text stands behind it; not where a bracket is damaged."""
        new = trial.edits[self._known :]
        if trial.at + LOOK_AHEAD <= len(trial.text):
            return all(edit.kind not in _BRACKETS for edit in new)
        return all(_is_usual(edit, kinds, trial.text) for edit in new)

    def _look(self, m: Machine) -> None:
        """See what is there of the item that is still written, and whether it is undamaged so far."""
        self.item = self.awaited = None
        text = m.text
        if m.place is not Place.INSIDE:
            self.is_waiting = self.end < 0 and _REST.match(text, m.at) is None
            return
        found: re.Match[str] = _ITEMS[m.stack[-1].kind].match(text, m.at)  # type: ignore[assignment]  # it matches no text, too
        gap, key, colon, string, over, whole = found.groups()
        self.is_waiting = whole is None
        if colon is not None and "\\" not in key:  # else its value tells how it is read
            is_bare = key[:1] not in ("'", '"', "“", "")
            if not (is_bare and text.count('\\"', m.last, m.at) % 2):  # else the string before it may go on
                self.item = Item(_indent(gap), key if is_bare else key[1:-1], found.start("opened"))
        if string is not None:
            if over is None:
                self.awaited = _ENDS_STRING[string[0]]
                return
        elif whole is not None and colon is None and not key and found.end() > found.end("gap"):
            self.awaited = _ENDS_KEY
            return
        if whole is not None and text[-1] in JSON_BLANKS:
            self.awaited = _NOT_BLANK

    def _settle(self, m: Machine) -> None:
        """What is read since the last time is settled. A comma is left to what follows, since it may be dropped."""
        start, to = self._from, m.at
        if m.place is Place.INSIDE and m.stack[-1].comma >= start:
            to = m.stack[-1].comma
        if to <= start:
            return
        self._from = to
        if not m.edits:
            self._settled.append((m.text, start, to, int))
            return
        emitted, new = m.edits[: self._emitted], m.edits[self._emitted :]
        own: list[Edit] = []
        rest: list[Edit] = []
        for edit in new:
            is_own = edit.offset < to or (edit.offset == to and not edit.length and edit.put != ",")
            (own if is_own else rest).append(edit)
        kept = [*emitted, *own][-_KEPT:]
        self._emitted = len(kept)
        m.edits = kept + rest
        del m.left[:-_KEPT]
        m.decided.clear()
        edited = EditedText(m.text, start, to, in_order(own))
        self._settled.append((edited.text, 0, len(edited.text), edited.origin))

    def _tokens(self, settled: list[tuple[str, int, int, Callable[[int], int]]]) -> Iterator[Token]:
        """The tokens of stretches of JSON, each of which tells where its offsets are in the text."""
        for text, start, end, origin in settled:
            at = start
            for found in _TOKEN.finditer(text, start, end):
                if found.start() > at:  # pragma: no cover - a guard: a backslash that hides the end of a string
                    yield _UNKNOWN
                    return
                at = found.end()
                yield self._token(found, origin)

    def _token(self, found: re.Match[str], origin: Callable[[int], int]) -> Token:
        blanks, key, string, bracket, word = found.groups()
        indent = _indent(blanks)
        try:
            if key and "\\" in key:
                key = string_value(f'"{key}"')
        except TwoReadingsError:
            return _UNKNOWN
        if bracket:
            return indent, key, bracket, None
        try:
            if string is None:
                return indent, key, "0", self._number(word)
            if "\\" in string:
                opened = origin(found.start("string") - 1)
                string = string_value(f'"{string}"', is_json=self.text[opened] == '"')
        except TwoReadingsError:
            return indent, key, "", string
        return indent, key, '"', string

    def _number(self, word: str) -> Any:  # noqa: ANN401 - a number or a literal
        if word in _LITERALS:
            return _LITERALS[word]
        try:
            value, end, _ = decode_at(word, 0, as_written=self._as_written)
        except ValueError:
            raise TwoReadingsError from None
        if end < len(word) or word == MINUS_ZERO or word.lstrip("-")[0] in _NO_NUMBERS:
            raise TwoReadingsError
        return value


def _rounded(length: int, bits: int) -> int:
    """A length of which so many bits behind the first one count; a short one as it is."""
    return length & (-1 << (length.bit_length() - 1 - bits)) if length > EVERY else length


def _is_usual(edit: Edit, kinds: frozenset[K | None], text: str) -> bool:
    """Whether a damage is of these kinds; a comma is missing at a line's end, a quote is an apostrophe in a word."""
    at = edit.offset
    if edit.kind is K.MISSING_COMMA:
        return _LINE_END.match(text, at) is not None
    if edit.kind is K.UNESCAPED_QUOTE:
        return kinds is _TOLD_BY_NEXT and edit.put == "'" and text[at - 1].isalnum() and text[at + 1 : at + 2].isalnum()
    return edit.kind in kinds and (edit.kind is not K.SMART_QUOTE or text[at] == "“")


def _indent(blanks: str) -> int:
    return len(blanks) - blanks.rindex("\n") - 1 if "\n" in blanks else -1


def string_value(string: str, *, is_json: bool = True) -> str:
    """What a string with backslashes says; others than JSON's are read in a string of JSON alone.

    Raises:
        TwoReadingsError: its backslashes may be read in another way, or, beside damage, as commands of LaTeX.
    """
    try:
        value = str(json.loads(string, strict=False))
    except ValueError:
        value = _mended(string) if is_json else ""
    else:
        is_json = next(commands(string, 0, len(string), short=True), None) is None
    if not is_json or _HALF.search(value):
        raise TwoReadingsError
    return value


def _mended(string: str) -> str:
    try:
        edits = escape_edits(string, 0, len(string), ())
        return str(json.loads(EditedText(string, 0, len(string), edits).text, strict=False))
    except (Refusal, ValueError):
        raise TwoReadingsError from None
