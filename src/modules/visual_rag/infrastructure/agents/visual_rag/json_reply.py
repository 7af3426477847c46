"""The JSON form: an object with the four required fields, found and read by the unified reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from src.modules.visual_rag.domain.parsed_action import ParsedAction, check_action, unreadable
from src.modules.visual_rag.infrastructure.agents.visual_rag.legacy_tags import TagError, elements
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.infrastructure.parsing.inspection import Reading, Span, inspect

WRAPPERS_LIMIT = 3
"""Most lists and objects, one in the other, that an action may be wrapped in."""
_WRAPPER = re.compile(r"""(?: \{ \s*+ "[^"\\]{1,64}+" \s*+ : | \[ ) \s*+ (?=[\[{])""", re.VERBOSE)
"""Matches `{"response": ` and `[` before an object or a list; not `{"think": "t"`."""
_CLOSES = {"{": "}", "[": "]"}


class ActionReply(BaseModel):
    """The four required fields; what may stand in them depends on the action, and is checked with it."""

    think: Any
    action: Any
    arguments: Any
    answer: Any


@dataclass(frozen=True, slots=True)
class Reply:
    """The object with the four fields, or why there is none.

    Attributes:
        reading: how the text was read; where there is no object, how far it came, and its text is without reasoning.
        error: why there is none: the reader's own account of it; None where there is one.
        is_ambiguous: whether there are several, and nothing says which one is meant.
    """

    reading: Reading
    error: LLMJsonParseError | None = None
    is_ambiguous: bool = False

    @property
    def is_final(self) -> bool:
        """Whether tags cannot be the action either: the text ends in reasoning, or several replies are there."""
        return self.error is None or self.is_ambiguous or self.error.details["stage"] == "think"

    def action(self) -> ParsedAction:
        """The action that the object describes; failing that why there is none."""
        if self.error:
            return unreadable(self.error, is_ambiguous=self.is_ambiguous)
        data, (start, end) = self.reading.data, self.reading.chosen or (0, len(self.reading.raw))
        parsed = check_action(data["action"], data["arguments"], data["answer"])
        stages = tuple(dict.fromkeys(note.stage for note in self.reading.notes)) if parsed.action else ()
        own = self.reading.raw[start:end]
        return replace(parsed, raw_json=own, repairs=self.reading.repairs, stages=stages, kept=own)


def find_reply(text: str, *, finished: bool | None, after: Reading | None = None) -> Reply:
    """Find the object with the four fields; whatever tags stand beside it, they do not compete with it.

    Where the text has no such object, one inside a list or another object's only member is taken. `after` is an earlier
    reading of a text of which this is a part.
    """
    reading = inspect(text, ActionReply, finished=finished, after=after)
    first = Reply(reading, reading.error)
    if first.is_final:
        return first
    beside = _without(reading, _tags(reading))
    inside = beside if beside.error is None else _without(beside, _wrappers(beside))
    if inside.error is None:
        return Reply(inside)
    return replace(first, is_ambiguous=_names_several(reading) and _names_several(beside))


def _without(before: Reading, spans: Iterable[Span]) -> Reading:
    """The reading of the text with blanks in place of some of it; the same one where that is nothing."""
    raw, at = before.raw, 0
    parts: list[str] = []
    for start, end in spans:
        parts += [raw[at:start], " " * (end - start)]
        at = end
    text = "".join([*parts, raw[at:]])
    return before if text == raw else inspect(text, ActionReply, finished=before.target.finished, after=before)


def _names_several(reading: Reading) -> bool:
    return reading.error is not None and reading.error.details.get("json_error") == SEVERAL_OBJECTS.en


def _tags(reading: Reading) -> Iterator[Span]:
    """The elements that a tag may be an action by."""
    with suppress(TagError):
        for element in elements(reading):
            yield Span(element.start, element.end)


def _wrappers(reading: Reading) -> Iterator[Span]:
    """The brackets around what a list or an object's only member holds."""
    raw = reading.raw
    for start, end in reading.readable(0, len(raw)):
        inner, inner_end = start, end
        for _ in range(WRAPPERS_LIMIT):
            opening = _WRAPPER.match(raw, inner, inner_end)
            if opening is None or raw[inner_end - 1] != _CLOSES[raw[inner]]:
                break
            inner, inner_end = opening.end(), len(raw[: inner_end - 1].rstrip())
        yield Span(start, inner)
        yield Span(inner_end, end)
