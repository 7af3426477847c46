"""The JSON form: an object with the four required fields, found and read by the unified reader."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from src.modules.visual_rag.domain.parsed_action import ParsedAction, check_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.legacy_tags import TagError, elements
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.infrastructure.parsing.inspection import Inspection, inspect

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
class FoundReply:
    """An object with the four fields; `reading` is how the whole text was read."""

    reading: Inspection

    @property
    def text(self) -> str:
        """Its own text, unchanged."""
        start, end = self.reading.chosen or (0, len(self.reading.raw))
        return self.reading.raw[start:end]

    @property
    def is_json(self) -> bool:
        """Whether its own text is JSON as any decoder reads it."""
        try:
            return isinstance(json.loads(self.text), dict)
        except ValueError:
            return False

    def action(self) -> ParsedAction:
        """The action it describes."""
        data = self.reading.data
        parsed = check_action(data["action"], data["arguments"], data["answer"])
        stages = tuple(dict.fromkeys(note.stage for note in self.reading.notes)) if parsed.action else ()
        return replace(parsed, raw_json=self.text, repairs=self.reading.repairs, stages=stages)


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is no such object.

    Attributes:
        error: the reader's own account of it.
        reading: how far it came; its text is without reasoning.
        is_ambiguous: whether there are several, and nothing says which one is meant.
    """

    error: LLMJsonParseError
    reading: Inspection
    is_ambiguous: bool

    @property
    def is_final(self) -> bool:
        """Whether tags cannot be the action either: the text ends in reasoning, or several replies are there."""
        return self.is_ambiguous or _ends_in_reasoning(self.error)


def find_reply(text: str, *, finished: bool | None, after: Inspection | None = None) -> FoundReply | NoReply:
    """Find the object with the four fields; whatever tags stand beside it, they do not compete with it.

    Where the text has no such object, one inside a list or another object's only member is taken. `after` is an earlier
    reading of a text of which this is a part.
    """
    reading = inspect(text, ActionReply, finished=finished, after=after)
    if reading.error is None:
        return FoundReply(reading)
    if _ends_in_reasoning(reading.error):
        return NoReply(reading.error, reading, is_ambiguous=False)
    beside = _again(_without_tags(reading), reading)
    if beside.error is None:
        return FoundReply(beside)
    inside = _again(_without_wrappers(beside), beside)
    if inside.error is None:
        return FoundReply(inside)
    is_ambiguous = _names_several(reading.error) and _names_several(beside.error)
    return NoReply(reading.error, reading, is_ambiguous=is_ambiguous)


def _again(text: str, before: Inspection) -> Inspection:
    """The reading of a text in which something was blanked after another reading; that one where nothing was."""
    return before if text == before.raw else inspect(text, ActionReply, finished=before.target.finished, after=before)


def _ends_in_reasoning(error: LLMJsonParseError) -> bool:
    return bool(error.details["stage"] == "think")


def _names_several(error: LLMJsonParseError) -> bool:
    return error.details.get("json_error") == SEVERAL_OBJECTS.en


def _without_tags(reading: Inspection) -> str:
    """The model's text with blanks in place of the elements that a tag may be an action by."""
    raw, at = reading.raw, 0
    parts: list[str] = []
    with suppress(TagError):
        for element in elements(reading):
            parts += [raw[at : element.start], " " * (element.end - element.start)]
            at = element.end
    return "".join([*parts, raw[at:]])


def _without_wrappers(reading: Inspection) -> str:
    """The text with blanks in place of the brackets around what a list or an object's only member holds."""
    raw, at = reading.raw, 0
    parts: list[str] = []
    for start, end in reading.readable(0, len(raw)):
        inner, inner_end = start, end
        for _ in range(WRAPPERS_LIMIT):
            opening = _WRAPPER.match(raw, inner, inner_end)
            if opening is None or raw[inner_end - 1] != _CLOSES[raw[inner]]:
                break
            inner, inner_end = opening.end(), len(raw[: inner_end - 1].rstrip())
        parts += [raw[at:start], " " * (inner - start), raw[inner:inner_end], " " * (end - inner_end)]
        at = end
    return "".join([*parts, raw[at:]])
