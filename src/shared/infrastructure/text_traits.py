"""What one stored output is like: what stands around its answer, how that is written, and which marks it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from src.shared.domain.expression import expression
from src.shared.domain.reasoning import reasoning_marks, says_reasoning
from src.shared.domain.repair import RepairKind, how_often
from src.shared.infrastructure.parsing.inspection import Inspection, inspect
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms.marks import (
    WITH_MARKS,
    any_of,
    head_of,
    inner,
    mark_at,
    marks_of,
    pattern_of,
)
from src.shared.infrastructure.tool_call_forms.notations import Grammar, Notation

MARK_NAME = 40
"""Most characters of the name of a mark that is looked at."""
STYLES = frozenset(
    {
        *(RepairKind.SINGLE_QUOTE, RepairKind.SMART_QUOTE, RepairKind.FULL_WIDTH_PUNCTUATION, RepairKind.UNQUOTED_KEY),
        *(RepairKind.PYTHON_LITERAL, RepairKind.TRAILING_COMMA, RepairKind.COMMENT, RepairKind.CONTROL_CHARACTER),
        *(RepairKind.UNESCAPED_QUOTE, RepairKind.BAD_ESCAPE, RepairKind.ESCAPED_JSON, RepairKind.NUMBER_SPELLING),
    }
)
"""Repairs that are a way of writing rather than a slip."""
_LIKE_A_MARK = expression(
    rf"""
      <\|(?P<token>[^|<>\s]{{1,{MARK_NAME}}}+)\|>               # <|foo|>
    | </?+(?P<tag>[A-Za-z_][\w.:-]{{1,{MARK_NAME}}}+)>          # <foo>, </foo>
    | \[/?+(?P<name>[A-Z][A-Z_]{{2,{MARK_NAME}}}+)\]            # [FOO]
    """,
    re.VERBOSE,
)
_OF_HTML = frozenset(
    """
    abbr blockquote body br button center cite code dd del details div dl dt em figure font footer form h1 h2 h3
    h4 h5 h6 head header hr html iframe img input kbd label li link main mark meta nav ol option pre script
    section select small span strong style sub summary sup svg table tbody td textarea tfoot th thead title tr ul
    var video
    """.split()
)
_FENCE = expression(r"(?:```|~~~)[ \t]*+(?P<language>[\w+.-]*+)")
_WORD = expression(r"\w")


@dataclass(frozen=True, slots=True)
class Traits:
    """What one text is like.

    Attributes:
        outcome: `clean`, `repaired`, or `refused:` with the stage.
        wrappings: what stands around the answer: `fence:json`, `prose`, `reasoning`; `none` where nothing does.
        dialect: the ways of writing in it.
        reasoning: the marks around reasoning, as they are written.
        calls: the notations of calls that its marks may belong to.
        repairs: how often which repair was made.
        unknown: marks that nothing here knows, as they are written: `<foo>`, or `<foo>…</foo>` where it is closed.
    """

    outcome: str
    wrappings: tuple[str, ...]
    dialect: tuple[str, ...]
    reasoning: tuple[str, ...]
    calls: tuple[str, ...]
    repairs: Mapping[str, int]
    unknown: tuple[str, ...]


def traits_of(text: str, *, finished: bool | None = None) -> Traits:
    """What a text is like; linear in its length."""
    reading = inspect(text, finished=finished)
    counted = how_often(reading.repairs)
    stage = reading.error.details["stage"] if reading.error else ""
    answer = reading.chosen or Span(0, 0)
    around = text[: answer.start] + "\n" + text[answer.end :] if reading.chosen else text
    return Traits(
        outcome=f"refused:{stage}" if stage else "repaired" if counted else "clean",
        wrappings=tuple(_wrappings(reading, around)),
        dialect=tuple(sorted(kind.value for kind in counted if kind in STYLES)),
        reasoning=_once(around[mark.start : mark.end] for mark in reasoning_marks(around) if not mark.closes),
        calls=tuple(_notations(text)),
        repairs={kind.value: times for kind, times in sorted(counted.items())},
        unknown=tuple(_paired(_once(_unknown(around)))),
    )


def _once(found: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def _wrappings(reading: Inspection, around: str) -> Iterator[str]:
    fences = [f"fence:{found['language'].lower()}".rstrip(":") for found in _FENCE.finditer(around)]
    opening = dict.fromkeys(fences[::2])
    yield from opening
    if reading.reasoning:
        yield "reasoning"
    outside = reading.text
    if reading.chosen:
        outside = outside[: reading.chosen.start] + outside[reading.chosen.end :]
    has_prose = _WORD.search(_LIKE_A_MARK.sub("", _FENCE.sub("", outside))) is not None
    if has_prose:
        yield "prose"
    if not (opening or reading.reasoning or has_prose):
        yield "none"


def _unknown(text: str) -> Iterator[str]:
    """What looks like a mark and is none that is known here, nor a tag of HTML."""
    for found in _LIKE_A_MARK.finditer(text):
        name = found["token"] or found["tag"] or found["name"]
        is_known = mark_at(text, found.start()) is not None or says_reasoning(name) or name.lower() in _OF_HTML
        if not is_known:
            yield found.group()


def _paired(marks: Sequence[str]) -> Iterator[str]:
    """The marks, each with the one that closes it."""
    closed, seen = set[str](), frozenset(marks)
    for mark in marks:
        begins = mark.replace("begin", "end").replace("start", "end")
        guesses = (f"{mark[0]}/{mark[1:]}", f"{mark[:2]}/{mark[2:]}", begins)
        closing = next((guess for guess in guesses if guess != mark and guess in seen), None)
        if closing:
            closed.add(closing)
            yield f"{mark}…{closing}"
        elif mark not in closed:
            yield mark


@lru_cache(maxsize=1)
def _marks_of_rows() -> list[tuple[Notation, tuple[re.Pattern[str], ...]]]:
    """Each notation with the marks that its calls have."""
    found = []
    for row in WITH_MARKS:
        marks = [opened for opened, _ in row.wraps[:1]]
        marks += [*(part for call in row.calls[:1] for part in inner(call)), head_of(row.parameter[0]), row.quotes]
        heads = any_of(map(pattern_of, filter(None, map(head_of, row.calls))))
        patterns = dict.fromkeys(filter(None, (heads, *map(pattern_of, filter(None, marks)))))
        found.append((row, tuple(map(expression, patterns))))
    return found


_OBJECT_NEXT = expression(r"\s*+[{\[]")


def _notations(text: str) -> Iterator[str]:
    """The notation whose marks the text has, and that has the fewest others; several with `or` where that is a tie."""
    ends = [found.end for found in marks_of(text) if found.mark.kind != "turn_end"]
    scores = {}
    for row, marks in _marks_of_rows():
        there = sum(mark.search(text) is not None for mark in marks)
        if there and (ends or not marks[0].pattern[0].isalpha()):  # a word alone is no mark
            scores[row] = (there, there - len(marks))
    likely = [row for row, score in scores.items() if score == max(scores.values())]
    of_objects = any(_OBJECT_NEXT.match(text, end) for end in ends)
    telling = [row for row in likely if (row.grammar is Grammar.CALL_OBJECTS) is of_objects]
    if likely:
        yield " or ".join(row.name for row in telling or likely)
