"""Reads an answer from the first character of a model's text on: what is in front of it, and then its value."""

from __future__ import annotations

from src.shared.domain.reading.fed import Fed
from src.shared.domain.reading.signs import OPENERS
from src.shared.domain.type_shapes import Root
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.facts import CompletePaths, Facts, PathIndex, StreamState
from src.shared.infrastructure.parsing.paths import places_in
from src.shared.infrastructure.parsing.prelude import Prelude
from src.shared.infrastructure.parsing.steps import Steps
from src.shared.infrastructure.parsing.stream.tree import Tree

_OF_A_SCHEMA = "properties"
"""The key that shows that a schema was handed back, where the type has no such field."""


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
        self._openers = {bracket for bracket, root in (("{", "object"), ("[", "array")) if root in roots}
        self._fields, self._reads_escapes = fields, reads_escapes
        self._prelude: Prelude | None = Prelude(fields)
        self._begins = 0
        self._steps, self._fed, self._tree = Steps(), Fed(as_written=as_written), Tree(expected)
        self._paths = PathIndex(self._tree.data.complete)
        self._facts = Facts(None, CompletePaths(self._paths, 0), StreamState.WAITING, None)
        self._is_ours, self._is_over = not fields, False

    def feed(self, chunk: str) -> Facts:
        """Read more of the text; what is certain of it."""
        self._facts = self._facts.unchanged()
        if self._is_over:
            return self._facts
        backslash = ""
        if self._reads_escapes:
            chunk, backslash, _ = chunk.partition("\\")
        if self._prelude:
            chunk = self._of_value(self._prelude, chunk)
        if chunk and not self._steps.waits(chunk):
            for part, is_step in self._steps.parts():
                is_new = self._take(part)
                if ((is_new and is_step) or self._fed.end >= 0) and self._show():
                    break
        if backslash and not self._is_over:
            self._stop()
        return self._facts

    def _stop(self) -> None:
        """Nothing more is read, whatever comes."""
        facts = self._facts
        self._is_over = True
        self._facts = Facts(facts.data, facts.complete, StreamState.UNSURE, facts.end, facts.touched)

    def _of_value(self, prelude: Prelude, chunk: str) -> str:
        """What of the next piece belongs to the value."""
        text = prelude.feed(chunk)
        self._begins += len(chunk) - len(text or "")
        if prelude.is_unsure or (text and OPENERS[text[0]] not in self._openers):
            self._stop()
        elif text:
            self._prelude = None
            return text
        return ""

    def _take(self, text: str) -> bool:
        """Take up more of the value; whether something of it may be new."""
        fed, tree = self._fed, self._tree
        tokens = fed.feed(text)
        if tokens is None and (is_more := tree.grow(text)) is not None:
            return is_more or bool(tree.data.touched)
        tree.take(tokens or (), fed.item, fed.text)
        self._steps.closers = len(tree.data.frames)
        return True

    def _show(self) -> bool:
        """Show what became certain since the last time; whether nothing more is read."""
        tree, grown, fed, facts = self._tree, self._tree.data, self._fed, self._facts
        if self._fields and _OF_A_SCHEMA in tree.first_keys and _OF_A_SCHEMA not in self._fields:
            self._stop()
            return True
        if not self._is_ours:  # nothing is shown before one of the type's fields is there, and then all that was read
            grown.touched.clear()
            self._is_ours = not self._fields.isdisjoint(tree.first_keys)
            if self._is_ours and grown.root is not None:
                grown.touched += places_in(tree.snapshot())
        self._is_over = tree.is_unsure or fed.end >= 0
        state = StreamState.UNSURE if tree.is_unsure or fed.is_waiting else StreamState.READING
        if not self._is_ours:
            state = StreamState.UNSURE if self._is_over else StreamState.WAITING
        elif fed.end >= 0 and not tree.is_unsure:
            state = StreamState.DONE
        touched = grown.touched
        if not touched and state is facts.state:
            return self._is_over
        data = tree.snapshot() if touched and grown.has_grown else facts.data
        grown.touched, grown.has_grown = [], grown.has_grown and not touched
        complete = CompletePaths(self._paths, len(grown.complete)) if touched else facts.complete
        end = self._begins + fed.end if fed.end >= 0 else None
        self._facts = Facts(data, complete, state, end, [*facts.touched, *touched])
        return self._is_over
