"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

from src.shared.domain.reading.fed import Fed
from src.shared.domain.reading.signs import CLOSERS, OPENERS
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.facts import CompletePaths, Facts, FoundPaths, StreamState
from src.shared.infrastructure.parsing.paths import places_in
from src.shared.infrastructure.parsing.prelude import Prelude
from src.shared.infrastructure.parsing.stream.tree import Tree

FINE = 512
"""Characters of a value of which every one is shown as it comes. Of a longer one what is new is shown after at most a
`PARTS`th of it: each time costs a look and a copy of what is open, and all of them together are to cost little."""
PARTS = 64
_SHIFT = PARTS.bit_length()


_OF_A_SCHEMA = "properties"
"""The key that shows that a schema was handed back, where the type has no such field."""


def _count_closers(text: str) -> int:
    return sum(map(text.count, CLOSERS))


class AnswerReader:
    """Reads one answer. What it tells depends on the text so far alone, not on its pieces."""

    def __init__(
        self,
        roots: frozenset[Root],
        fields: frozenset[str],
        expected: Expected = ANYTHING,
        *,
        as_written: bool = False,
        reads_escapes: bool = False,
    ) -> None:
        """Begin at the beginning.

        Args:
            roots: what the type is read from.
            fields: the names the type knows at its root; an object without any of them is another one's.
            expected: what the type says of the value.
            as_written: whether numbers keep their digits.
            reads_escapes: whether a backslash may be read otherwise than JSON says, once the whole text is there.
        """
        self._reads_escapes = reads_escapes
        self._openers = {bracket for bracket, root in (("{", "object"), ("[", "array")) if root in roots}
        self._fields = fields
        self._prelude: Prelude | None = Prelude(fields)
        self._fed = Fed(as_written=as_written)
        self._tree = Tree(expected)
        self._paths = FoundPaths(self._tree.complete)
        self._is_ours = not fields
        self._is_over = False
        self._length = self._begins = self._due = self._closers = 0
        self._unread: list[str] = []
        self._passed: list[str] = []
        self._taken = 0
        self._facts = Facts(None, CompletePaths(self._paths, 0), StreamState.WAITING, None)

    def feed(self, chunk: str) -> Facts:
        """Read more of the text; what is certain of it."""
        self._length += len(chunk)
        if self._facts.touched:
            self._facts = self._facts.unchanged()
        if self._is_over:
            return self._facts
        has_escape = self._reads_escapes and "\\" in chunk
        if self._length < self._due and not has_escape:
            self._unread.append(chunk)
            if not ("}" in chunk or "]" in chunk or "｝" in chunk or "］" in chunk):
                return self._facts
            self._closers -= _count_closers(chunk)
            if self._closers > 0:
                return self._facts
            chunk = ""
        text = chunk
        if self._unread:
            text = "".join((*self._unread, chunk))
            self._unread.clear()
        if has_escape:
            self._length -= len(text)
            text = text[: text.index("\\")]
            self._length += len(text)
        self._read(text)
        if has_escape and not self._is_over:
            self._stop()
        return self._facts

    def _stop(self) -> None:
        """Nothing more is read, whatever comes."""
        facts = self._facts
        self._is_over = True
        self._facts = Facts(facts.data, facts.complete, StreamState.UNSURE, facts.end, facts.touched)

    def _of_value(self, text: str) -> str:
        """What of the text belongs to the value."""
        prelude = self._prelude
        found = prelude.feed(text) if prelude else None
        if found is None or OPENERS[found[0]] not in self._openers:
            if found or (prelude and prelude.is_unsure):
                self._stop()
            return ""
        self._prelude = None
        self._begins = self._length - len(found)
        return found

    def _read(self, text: str) -> None:
        """Read more, and show what is certain of the value where that is due."""
        if self._prelude:
            text = self._of_value(text)
            if not text:
                return
        length, taken = self._length - self._begins, self._taken
        last = length
        if length < FINE:
            self._due = self._length + 1
        else:
            step = 1 << (length.bit_length() - _SHIFT)
            last &= -step
            self._due = self._begins + last + step
        if last > taken:
            new = last - taken
            if self._take(text if last == length else text[:new]):
                self._show()
            if self._is_over or last == length:
                return
            text = text[new:]
        self._closers -= _count_closers(text)
        if self._closers > 0:
            self._unread.append(text)
        elif text:
            self._take(text)
            if self._fed.end >= 0:
                self._show()

    def _take(self, text: str) -> bool:
        """Take up more of the value; whether something of it is new."""
        fed, tree = self._fed, self._tree
        self._taken += len(text)
        if fed.awaited is not None and not fed.awaited.search(text):
            is_more = tree.grow(text)
            if is_more is not None:
                self._passed.append(text)
                return is_more or bool(tree.touched)
        if self._passed:
            text = "".join((*self._passed, text))
            self._passed.clear()
        tokens = fed.feed(text)
        tree.take(tokens, fed.item, fed.text)
        self._closers = len(tree.frames)
        return True

    def _show(self) -> None:
        """Show what became certain since the last time."""
        tree, fed, facts = self._tree, self._fed, self._facts
        if self._fields and _OF_A_SCHEMA in tree.first_keys and _OF_A_SCHEMA not in self._fields:
            self._stop()
            return
        if not self._is_ours:
            self._find_ours(tree)
        self._is_over = tree.is_unsure or fed.end >= 0
        state = StreamState.UNSURE if tree.is_unsure or fed.is_waiting else StreamState.READING
        if not self._is_ours:
            state = StreamState.UNSURE if self._is_over else StreamState.WAITING
        elif fed.end >= 0 and not tree.is_unsure:
            state = StreamState.DONE
        touched = tree.touched
        if not touched and state is facts.state:
            return
        data = tree.snapshot() if touched and tree.has_grown else facts.data
        tree.touched, tree.has_grown = [], tree.has_grown and not touched
        count = len(tree.complete)
        complete = facts.complete if len(facts.complete) == count or not touched else CompletePaths(self._paths, count)
        self._facts = Facts(data, complete, state, self._begins + fed.end if fed.end >= 0 else None, touched)

    def _find_ours(self, tree: Tree) -> None:
        """Nothing is shown before one of the type's fields is there, and then all that was read."""
        tree.touched.clear()
        if not self._fields.isdisjoint(tree.first_keys):
            self._is_ours = True
            tree.touched += () if tree.root is None else places_in(tree.snapshot())
