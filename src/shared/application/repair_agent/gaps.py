"""What may stand between two tokens of a damaged text and say nothing: comments, separators, surplus punctuation.

Each mark names where it is surplus. Inside strings nothing is: what comes after an opening quote is never looked at.
Every expression is linear: unbounded repetitions are possessive or atomic.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.application.repair_agent import marks
from src.shared.application.repair_agent.steps import Step, StepKind
from src.shared.domain.possessive import repeated
from src.shared.domain.reading.lexicon import CLOSERS, COLONS, COMMAS, OPENERS, QUOTES

_BRACKET = "[" + re.escape("".join((*OPENERS, *CLOSERS))) + "]"
_STRING = "(?:[" + re.escape("".join(QUOTES)) + "«]|&quot;|&#34;)"
_COMMENT_OF_HTML = re.compile(r"<!--(?>(?:[^-]|-(?!->))*)-->")
_BLANK = re.compile(rf"<br[ \t]*+/?+>|&nbsp;|\x1b|\\[nrt](?=\W|\d)|\\(?={_BRACKET})")
"""Blanks of another format, and a backslash before a bracket."""
_RULE = re.compile(r"-{3,}+[ \t]*+\r?\n")
_BULLET = re.compile(rf"[-*•·●▪|](?=[ \t]*+(?:\*\*)?{_STRING})")
_BOLD = re.compile(r"\*\*?|_")
_BEFORE_QUOTE = re.compile(rf"(?:\*\*?|_)(?=(?:[-*•] )?{_STRING})")
_FOR_COMMA = re.compile(rf"[|.。](?=[ \t\r\n]*+(?:\*\*)?{_STRING})")
_COLON = re.compile(r"(?:[:：]" + repeated(r"[ \t]*+[:：]") + r"=?|=>?|->|\|)(?:[ \t]*+[-=]>)?")
_WRAPPERS = (("&quot;", "&quot;"), ("&#34;", "&#34;"), ("«", "»"))
_NAME_WRAPPERS = (*_WRAPPERS, ("**", "**"))
_ENTITY_OR_BREAK = re.compile(r"&#?+\w++;|<br")
_NEEDS_ESCAPE = re.compile(rf"[\"\\\n<«»*]|{_ENTITY_OR_BREAK.pattern}")
_ENDS_STRING = frozenset({*QUOTES, ";", "»"})
OTHER_NOTATIONS = {"\\": re.compile(r"\\\\"), "&": _ENTITY_OR_BREAK, "<": _ENTITY_OR_BREAK}
"""What, outside the strings, says that the text was written for something else → what then has two readings in them."""


class Mark(NamedTuple):
    """Something between two tokens.

    Attributes:
        end: where it ends.
        written: what the reader gets in its place, as long as it is; None where the reader knows it.
        separates: whether it stands for a comma.
        is_comment: whether there may be strings in it.
    """

    end: int
    written: str | None = None
    separates: bool = False
    is_comment: bool = False


class Edit(NamedTuple):
    """What the reader gets in place of a part of the text."""

    start: int
    end: int
    written: str


class Gap(NamedTuple):
    """Where between two tokens a mark stands.

    Attributes:
        after: the token before it; None before the object.
        start: where that token ends.
        before: the token after it; None for a name's colon.
        separated: whether a comma has been passed since.
        on_new_line: whether a line has ended since.
    """

    after: StepKind | None
    start: int
    before: Step | None
    separated: bool
    on_new_line: bool

    @property
    def starts_item(self) -> bool:
        """Whether the next token begins a member or an item."""
        return self.before is not None and (self.before.kind is StepKind.NAME or self.before.in_list)

    @property
    def _closes(self) -> bool:
        return self.before is not None and self.before.kind is StepKind.CLOSE

    @property
    def _is_line_start(self) -> bool:
        return self.after is StepKind.OPEN or self.separated or self.on_new_line

    def mark_at(self, text: str, at: int) -> Mark | None:
        """The mark that stands there; None where the next token does, or something that counts."""
        comment_end = marks.skippable_comment(text, at)
        if comment_end >= 0:
            return Mark(comment_end, is_comment=True)
        html = _COMMENT_OF_HTML.match(text, at)
        if html:
            return Mark(html.end(), is_comment=True)
        if (self.starts_item or self._closes) and text[at : at + 1] in tuple(marks.SEPARATORS):
            return Mark(at + 1, self._comma(text[at]), separates=True)
        return self._surplus(text, at) or self._for_comma(text, at)

    def _comma(self, char: str) -> str | None:
        if char in COMMAS:
            return None
        return " " if self.separated or self._closes else ","

    def _surplus(self, text: str, at: int) -> Mark | None:
        follows_quote = at == self.start and text[at - 1 : at] in _ENDS_STRING
        found = _BLANK.match(text, at) or (follows_quote and _BOLD.match(text, at))
        if not found and self.before and self.before.kind in {StepKind.NAME, StepKind.STRING}:
            found = _BEFORE_QUOTE.match(text, at) or (
                self.starts_item and self._is_line_start and _BULLET.match(text, at)
            )
        if not found and self.starts_item and self.on_new_line:
            found = _RULE.match(text, at)
        if not found and (self.starts_item or self._closes) and self.after is StepKind.OPEN:
            found = _STRAY_COLON.match(text, at)
        if not found and self._closes:
            found = _BAR.match(text, at)
        return Mark(found.end(), " " * len(found.group())) if found else None

    def _for_comma(self, text: str, at: int) -> Mark | None:
        """A bar or a full stop that separates two members; between items a bar may say that one of them is meant.

        After a number or a word a stop may belong to it.
        """
        if self.separated or not (self.before and self.before.kind is StepKind.NAME and self.before.follows):
            return None
        found = _FOR_COMMA.match(text, at)
        last = text[self.start - 1 : self.start]
        if found is None or (found.group() != "|" and last not in QUOTES and last not in CLOSERS):
            return None
        return Mark(found.end(), ",", separates=True)


_STRAY_COLON = re.compile("[:：]")
_BAR = re.compile(r"\|")


def colon_at(text: str, at: int) -> Mark | None:
    """What stands there for the colon after a name: arrows, colons in a row, a bar, an equals sign."""
    found = _COLON.match(text, at)
    if found is None:
        return None
    written = None if found.group() in tuple(COLONS) else ":".ljust(len(found.group()))
    return Mark(found.end(), written)


def wrapped_at(text: str, at: int, content: str, *, is_name: bool) -> list[Edit]:
    """The marks that stand for quotes around a string there, each with the quote it is; none where there are none.

    Those are entities of HTML and angle quotes, and around a name also the signs of bold.
    """
    if _NEEDS_ESCAPE.search(content):
        return []
    for opening, closing in _NAME_WRAPPERS if is_name else _WRAPPERS:
        if text.startswith(opening + content + closing, at):
            first, last = at + len(opening), at + len(opening) + len(content)
            end = last + len(closing)
            return [Edit(at, first, '"'.rjust(first - at)), Edit(last, end, '"'.ljust(end - last))]
    return []
