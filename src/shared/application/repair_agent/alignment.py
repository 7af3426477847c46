"""An answer read along the damaged text: each step must stand there, in the same order, and nothing else may.

The answer says what each string is, so that no guess is needed where one ends: either the damaged text has these very
characters there, or the answer is refused. What may differ is syntax: quotes, commas, colons, escapes, brackets that
close, comments, white space, and the surplus punctuation of `gaps.py`. Every other departure ends the comparison. What
was surplus is noted as edits, so that the reader can be asked what it makes of the text without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from src.shared.application.repair_agent import marks
from src.shared.application.repair_agent.gaps import OTHER_NOTATIONS, Edit, Gap, Mark, colon_at, wrapped_at
from src.shared.application.repair_agent.steps import Step, StepKind
from src.shared.domain.difference import DifferenceKind as Kind
from src.shared.domain.latex import EVIDENCE
from src.shared.domain.reading.lexicon import CLOSERS, OPENERS, QUOTES, respell_number
from src.shared.domain.shown_end import shows_end


class DifferentError(Exception):
    """The answer says something else than the damaged text at this place."""

    def __init__(self, kind: Kind, at: int) -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.at = at


class Taken(NamedTuple):
    """A string of the answer, or a comment: where it stands in the damaged text, its quotes included."""

    start: int
    end: int
    may_hold_strings: bool


@dataclass
class Alignment:
    """How far the answer has been found in the damaged text.

    Attributes:
        text: the damaged text.
        pos: where the next step must stand.
        start: where the first one did: the object's opening bracket.
        finished: whether the text is known to be whole.
        strings: the strings found so far.
        comments: spans of comments passed over.
        unclosed: brackets the answer closes and the text does not; only what comes next can tell whether it may.
        unclosed_at: where the first of them would have to stand.
        separated: whether a comma has been passed since the last step.
        on_new_line: whether a line has ended since the last step.
        last: the last step's kind.
        edits: what the reader gets in place of surplus punctuation.
        quotes: the same for the quotes that bare names and texts lack.
        notations: signs of another notation outside the strings: a backslash, an entity, a tag.
    """

    text: str
    pos: int
    finished: bool = False
    start: int = field(init=False)
    strings: list[Taken] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)
    unclosed_at: int = -1
    separated: bool = False
    on_new_line: bool = False
    last: StepKind | None = None
    edits: list[Edit] = field(default_factory=list)
    quotes: list[Edit] = field(default_factory=list)
    notations: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Remember where the object opens."""
        self.start = self.pos

    def take(self, step: Step) -> None:
        """Find the next step.

        Raises:
            DifferentError: something else stands there.
        """
        starts_item = step.kind is StepKind.NAME or step.in_list
        self._skip_gap(step)
        if step.kind is StepKind.CLOSE:
            self._close(step.text)
            self.last = step.kind
            return
        if self.at_end or self.char in CLOSERS or self.char in marks.SEPARATORS:
            cut = self.at_end and (self.separated or not starts_item)
            raise DifferentError(Kind.CUT_OFF if cut else Kind.ADDED, self.pos)
        if starts_item:
            self._check_begins_here(step)
        _TAKERS[step.kind](self, step)
        self.separated = self.on_new_line = False
        self.last = step.kind

    @property
    def char(self) -> str:
        """The character at the position; empty at the end."""
        return self.text[self.pos : self.pos + 1]

    @property
    def at_end(self) -> bool:
        """Whether the object's text is over here: the end, a closing fence, a closing tag."""
        return shows_end(self.text, self.start, self.pos, finished=self.finished)

    def _skip_gap(self, before: Step | None) -> None:
        after, start = self.last if before else StepKind.NAME, self.pos
        while True:
            end = marks.BLANKS.match(self.text, self.pos).end()  # type: ignore[union-attr]  # it matches anything
            self.on_new_line = self.on_new_line or "\n" in self.text[self.pos : end]
            self.pos = end
            mark = Gap(after, start, before, self.separated, self.on_new_line).mark_at(self.text, end)
            if mark is None:
                return
            if mark.is_comment:
                self.comments.append((end, mark.end))
            self._pass(mark)

    def _pass(self, mark: Mark) -> None:
        if mark.written is not None:
            self.edits.append(Edit(self.pos, mark.end, mark.written))
            self.notations |= {self.char} & OTHER_NOTATIONS.keys()
        self.separated = self.separated or mark.separates
        self.pos = mark.end

    def _check_begins_here(self, step: Step) -> None:
        """A member or an item begins: what was left unclosed before it cannot hold it, and a comma only follows one."""
        may_hold = "{" if step.kind is StepKind.NAME else "["
        if may_hold in self.unclosed:
            raise DifferentError(Kind.LOST, self.unclosed_at)
        bounded = self.separated or self.on_new_line or self.char in QUOTES or self.char in OPENERS
        if not bounded if step.follows else self.separated:
            raise DifferentError(Kind.STRUCTURE_CHANGED, self.pos)

    def _close(self, bracket: str) -> None:
        closer = CLOSERS.get(self.char)
        if closer and closer == _CLOSER_OF[bracket]:
            self.pos += 1
            self.unclosed.clear()
        elif closer is None and self.at_end:
            self._check_not_cut()
        else:
            if not self.unclosed:
                self.unclosed_at = self.pos
            self.unclosed.append(bracket)
            return
        self.separated = self.on_new_line = False

    def _check_not_cut(self) -> None:
        """Brackets are missing at the end: something after the place has to show that the text was whole but for them.

        Where nothing comes after it, only the caller can know.
        """
        if self.separated or (self.pos >= len(self.text) and not self.finished):
            raise DifferentError(Kind.CUT_OFF, self.pos)

    def _open(self, step: Step) -> None:
        if OPENERS.get(self.char) != step.text:
            raise DifferentError(Kind.STRUCTURE_CHANGED, self.pos)
        self.unclosed.clear()
        self.pos += 1

    def _name(self, step: Step) -> None:
        quoted = self.char in QUOTES
        self._text(step)
        self.unclosed.clear()
        self._skip_gap(None)
        colon = colon_at(self.text, self.pos)
        if colon:
            self._pass(colon)
        elif not quoted:
            raise DifferentError(Kind.STRUCTURE_CHANGED, self.pos)

    def _text(self, step: Step) -> None:
        """A name or a string: between quotes, of which one may be missing, or bare."""
        start, content = self.pos, step.text
        is_json = False
        wrapping = wrapped_at(self.text, start, content, is_name=step.kind is StepKind.NAME)
        if wrapping:
            self.edits += wrapping
            self.notations |= {self.char} & OTHER_NOTATIONS.keys()
            end = wrapping[-1].end
        elif self.char in QUOTES:
            is_json = marks.is_json_text(content)
            end = self._quoted_end(step, skip_check=is_json)
        else:
            end = self._bare_end(step)
        self.strings.append(Taken(start, end, is_json))
        self.unclosed.clear()
        self.pos = end

    def _quoted_end(self, step: Step, *, skip_check: bool) -> int:
        closers = QUOTES[self.char]
        at = self._content_end(step, "" if skip_check else closers)
        quote = self.text[at : at + 1]
        if quote and quote in closers:
            return at + 1
        if quote and quote in QUOTES and marks.STRUCTURE_NEXT.match(self.text, at + 1):
            return at + 1
        if at >= len(self.text):
            raise DifferentError(Kind.CUT_OFF, self.pos)
        bare = marks.bare_text(self.text, self.pos + 1, name=step.kind is StepKind.NAME)
        if bare != step.text:
            raise DifferentError(Kind.VALUE_CHANGED, self.pos)
        return at

    def _content_end(self, step: Step, closers: str) -> int:
        """Where the text of the string that opens at the position is over."""
        latex = EVIDENCE.search(step.text) is not None
        at, inner, backslashes = self.pos + 1, [], set()
        for char in step.text:
            found, length = marks.unit_at(self.text, at, latex=latex)
            if found != char:
                raise DifferentError(Kind.VALUE_CHANGED if found else Kind.CUT_OFF, self.pos)
            if length == 1 and char in closers:
                inner.append(at)
            if char == "\\":
                backslashes.add(length)
            at += length
        self._check_inner(step, inner, at)
        if marks.has_cut_path(step.text) or len(backslashes) > 1:
            raise DifferentError(Kind.VALUE_CHANGED, self.pos)
        return at

    def _check_inner(self, step: Step, inner: list[int], end: int) -> None:
        """A quote inside a string must not look like its end, nor be a delimiter written twice."""
        ends = marks.ENDS_ITEM if step.in_list else marks.ENDS_MEMBER
        for at in inner:
            if step.kind is StepKind.NAME or ends.match(self.text, at + 1):
                raise DifferentError(Kind.STRUCTURE_CHANGED, at)
        if inner in ([self.pos + 1], [end - 1]):
            raise DifferentError(Kind.STRUCTURE_CHANGED, inner[0])

    def _bare_end(self, step: Step) -> int:
        is_name = step.kind is StepKind.NAME
        bare = marks.bare_text(self.text, self.pos, name=is_name)
        if not bare or bare != step.text or marks.is_marked_up(bare):
            raise DifferentError(Kind.VALUE_CHANGED, self.pos)
        if not is_name and (respell_number(bare) or not marks.is_plain_text(bare)):
            raise DifferentError(Kind.TYPE_CHANGED, self.pos)
        end = self.pos + len(bare)
        lone_quote = self.text[end : end + 1] in QUOTES and marks.STRUCTURE_NEXT.match(self.text, end + 1)
        if lone_quote:
            return end + 1
        self.quotes += [Edit(self.pos, self.pos, '"'), Edit(end, end, '"')]
        return end

    def _number(self, step: Step) -> None:
        word = marks.WORD.match(self.text, self.pos)
        if word is None or respell_number(word.group()) != respell_number(step.text):
            is_number = word is not None and respell_number(word.group())
            raise DifferentError(Kind.VALUE_CHANGED if is_number else Kind.TYPE_CHANGED, self.pos)
        self.pos = word.end()
        self.unclosed.clear()

    def _literal(self, step: Step) -> None:
        word = marks.WORD.match(self.text, self.pos)
        literal = marks.LITERALS.get(word.group()) if word else None
        if word is None or literal != step.text:
            same_type = literal and "null" not in {literal, step.text}
            raise DifferentError(Kind.VALUE_CHANGED if same_type else Kind.TYPE_CHANGED, self.pos)
        self.pos = word.end()
        self.unclosed.clear()


_CLOSER_OF = {"{": "}", "[": "]"}
_TAKERS = {
    StepKind.OPEN: Alignment._open,  # noqa: SLF001 - the class's own table
    StepKind.NAME: Alignment._name,  # noqa: SLF001 - as above
    StepKind.STRING: Alignment._text,  # noqa: SLF001 - as above
    StepKind.NUMBER: Alignment._number,  # noqa: SLF001 - as above
    StepKind.LITERAL: Alignment._literal,  # noqa: SLF001 - as above
}
