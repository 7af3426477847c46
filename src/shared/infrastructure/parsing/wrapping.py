"""Removes the usual wrapping of an answer without a search: reasoning, prose, a fence.

It is removed only if it cannot be anything else: one reasoning block at the start, one fence, prose without brackets.
Every other text is left to the stages `think`, `fence` and `extract`, which would have the same result here.
"""

from __future__ import annotations

from typing import NamedTuple

from src.shared.domain.expression import expression
from src.shared.domain.reading.lexicon import MARGIN
from src.shared.infrastructure.parsing.rivals import Stretch, first_rival, heading_of
from src.shared.infrastructure.parsing.state import Note, Span

_REASONING, _REASONED = "<think>", "</think>"
_FENCE = "```"
_FENCE_START = expression(r"```(?:json|JSON)?[ \t]*+\r?\n\s*+(?=[{｛])")
_NOT_PROSE = expression(r"[{}\[\]｛｝［］`~｜＜◁◀【〈《«‹⟨〔]|[(（]/|&lt;|:::|<\|(?:channel|message)")
"""A bracket, a fence, or what a mark around reasoning may begin with, apart from tags."""
_TAG = expression(r"[<>|]|\bto=")
_KEY = expression(rf"[\"'”’]\s{{0,{MARGIN}}}[:：]\Z")
_ANNOUNCES = expression(rf"(?:\A|[:：\n>])[ \t]{{0,{MARGIN}}}\Z")
_QUOTE = expression("[\"'“”‘’]")
_OBJECT = ("{}", "｛}", "{｝", "｛｝")
_WHOLE = frozenset((*_OBJECT, "[]"))
_WHITE_SPACE = " \t\n\r"
"""What JSON calls white space."""
EDGE = 100
"""Characters in which the first one that is not white space must come, and the last, for the short way."""


class Wrapped(NamedTuple):
    """Where the only object of a text is, as far as its brackets tell, and the text around it.

    Attributes:
        start: offset of its opening bracket.
        end: offset after its closing bracket.
        reasoning: the block that was left out in front of it.
        fenced: the content of its fence.
        in_prose: whether other text stands beside it, and no fence between them.
    """

    start: int
    end: int
    reasoning: Span | None = None
    fenced: Span | None = None
    in_prose: bool = False

    def without_reasoning(self, raw: str) -> str:
        """The text as the stage `think` leaves it: blanks in place of the reasoning."""
        return " " * self.reasoning.end + raw[self.reasoning.end :] if self.reasoning else raw

    def notes(self, stage: str) -> tuple[Note, ...]:
        """What the stages would note up to the one that decodes the object."""
        span = Span(self.start, self.end)
        dropped = (Note("think", "dropped", self.reasoning),) if self.reasoning else ()
        fence = (Note("fence", "recognised", self.fenced),) if self.fenced else ()
        if self.in_prose:
            return (*dropped, Note("extract", "recognised", span), Note("extract", "chosen", span))
        return (*dropped, *fence, Note(stage, "chosen", span))


class _Around(NamedTuple):
    """The text before an object and after it, fences apart."""

    before: Span
    after: Span


def unwrapped(raw: str, fields: frozenset[str], *, lists: bool = False) -> Wrapped | None:
    """The only object of a text; None if it takes a search to find it.

    `fields` are the names the type knows at its root: lines that begin with them are no prose. Where `lists` count,
    too, prose may hold some: then only a text is seen that is an object or a list unchanged.
    """
    if raw[:1] + raw[-1:] in _WHOLE:
        return Wrapped(0, len(raw))
    start, end = _edges(raw, 0)
    pair = raw[start : start + 1] + raw[end - 1 : end]
    if pair in _WHOLE:
        return Wrapped(start, end)
    if lists:
        return None
    if not raw.startswith(_REASONING, start):
        return _in_fence_or_prose(raw, Wrapped(0, end), fields)
    reasoning = _reasoning(raw, start)
    if reasoning is None:
        return None
    start, _ = _edges(raw, reasoning.end)
    alone = raw[start : start + 1] + raw[end - 1 : end] in _OBJECT
    found = Wrapped(start if alone else reasoning.end, end, reasoning)
    return found if alone else _in_fence_or_prose(raw, found, fields)


def _edges(raw: str, at: int) -> tuple[int, int]:
    """Where white space ends from a place on, and where it begins at the end; of either, less than `EDGE` is seen."""
    lead, rest = raw[at : at + EDGE - 1], raw[1 - EDGE :]
    return at + len(lead) - len(lead.lstrip(_WHITE_SPACE)), len(raw) - len(rest) + len(rest.rstrip(_WHITE_SPACE))


def _reasoning(raw: str, start: int) -> Span | None:
    """The block of reasoning that opens the text, if it holds no other mark around reasoning."""
    end = raw.find(_REASONED, start) + len(_REASONED)
    if end < len(_REASONED):
        return None
    return Span(start, end) if _marks(raw[start:end]) == 2 else None  # noqa: PLR2004 - the two tags


def _marks(text: str) -> int:
    """How many marks around reasoning there are in a part of the text."""
    from src.shared.domain.reasoning import reasoning_marks  # noqa: PLC0415 - only a text with tags needs it

    return sum(1 for _ in reasoning_marks(text))


def _may_be_call(around: list[str], inside: str) -> bool:
    """Whether what stands around an object may make the call of a tool of it."""
    from src.shared.infrastructure.parsing.leaked_calls import may_be_call  # noqa: PLC0415 - as above

    return may_be_call(around, inside)


def _in_fence_or_prose(raw: str, rest: Wrapped, fields: frozenset[str]) -> Wrapped | None:
    """The object in what is left of the text."""
    brace = raw.find("{", rest.start)
    if brace < 0:
        return None
    fence = raw.find(_FENCE, rest.start, brace)
    return _between_prose(raw, rest, brace, fields) if fence < 0 else _fenced(raw, rest, fence, fields)


def _fenced(raw: str, rest: Wrapped, fence: int, fields: frozenset[str]) -> Wrapped | None:
    """What is in the only fence, if it is an object and there is prose around it, or nothing."""
    opening = _FENCE_START.match(raw, fence)
    close = raw.rfind(_FENCE)
    if opening is None or not opening.end() < close:
        return None
    start = opening.end()
    end = start + len(raw[start:close].rstrip(_WHITE_SPACE))
    on_its_line = raw[close:].partition("\n")[0]
    around = _Around(Span(rest.start, fence), Span(close + len(_FENCE), len(raw)))
    if raw[end - 1] not in "}｝" or '"' in on_its_line or not _is_prose(raw, around, Span(start, close), fields):
        return None
    return Wrapped(start, end, rest.reasoning, Span(start, close))


def _between_prose(raw: str, rest: Wrapped, start: int, fields: frozenset[str]) -> Wrapped | None:
    """What is between the first brace and the last, if prose announces it and prose follows, or nothing."""
    end = raw.rfind("}") + 1
    lead = raw[max(rest.start, start - EDGE) : start]
    if end <= start or not _ANNOUNCES.search(lead) or _KEY.search(lead.rstrip()) or _QUOTE.search(raw, end):
        return None
    beside = raw[rest.start : start], raw[end:]
    goes_on = beside[1].lstrip()[:1]
    around = _Around(Span(rest.start, start), Span(end, len(raw)))
    has_edge = "".join(beside).strip(_WHITE_SPACE) and (not lead.isspace() or start - EDGE <= rest.start)
    is_apart = not goes_on or goes_on.isalpha() or goes_on == "<"
    if not has_edge or not is_apart or not _is_prose(raw, around, Span(start, end), fields):
        return None
    return Wrapped(start, end, rest.reasoning, in_prose=True)


def _is_prose(raw: str, around: _Around, inside: Span, fields: frozenset[str]) -> bool:
    """Whether the text around an object is prose, and does not say that the object is not the answer."""
    parts = [part for part in (raw[slice(*around.before)], raw[slice(*around.after)]) if part and not part.isspace()]
    if any(_NOT_PROSE.search(part) or (_TAG.search(part) and _marks(part)) for part in parts):
        return False
    if not parts:
        return True
    if any(map(_TAG.search, parts)) and _may_be_call(parts, raw[inside.start : inside.end]):
        return False
    start = around.before.start
    lead = raw[start : inside.start]
    left = [Stretch(start, inside.start), Stretch(inside.end, len(raw))]
    return first_rival(raw, left, fields) is None and heading_of(lead, len(lead)) is None
