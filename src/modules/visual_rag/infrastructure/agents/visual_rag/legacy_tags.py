"""The legacy form: `<search>`, `<answer>`, `<tools_call>` and `<bbox>`, outside the reasoning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json

from src.modules.visual_rag.domain.actions import ON_IMAGE, ActionType
from src.modules.visual_rag.domain.parsed_action import (
    ParsedAction,
    action_named,
    check_action,
    cut_off,
    no_image_shown,
    several_tags,
    unknown_tool,
    unreadable,
)
from src.modules.visual_rag.infrastructure.agents.visual_rag.elements import (
    ANSWER,
    BBOX,
    SEARCH,
    TOOLS_CALL,
    Element,
    TagError,
    elements,
)
from src.shared.infrastructure.parsing.inspection import Inspection, Span, inspect


class ToolsCall(BaseModel):
    """What `<tools_call>` encloses; arguments that are missing are wrong arguments of the tool that is named."""

    name: Any
    arguments: Any = None


@dataclass(frozen=True, slots=True)
class LegacyAction:
    """The element that is the action.

    Attributes:
        raw: the model's text.
        element: where the action stands in it.
        thoughts: where the reasoning stands in it.
        finished: whether the model is known to have ended on its own; see `parse_action`.
        superseded: how many elements the model had gone on from.
    """

    raw: str
    element: Element
    thoughts: tuple[Span, ...]
    finished: bool
    superseded: int = 0

    @property
    def tags(self) -> str:
        """The reasoning and the action, their texts unchanged, a line each."""
        element = Span(self.element.start, self.element.end)
        outside = [span for span in self.thoughts if not element.start <= span.start < element.end]
        return "\n".join(self.raw[start:end].strip() for start, end in sorted([*outside, element]))

    def action(self, last_image: str | None) -> ParsedAction:
        """The action and its arguments; see `parse_action`."""
        name, text = self.element.name, self._text()
        is_whole = self.finished or self.element.is_closed
        if name == TOOLS_CALL:
            parsed = self._call(text, is_whole=is_whole)
        elif name == BBOX:
            parsed = self._box(text, last_image, is_whole=is_whole)
        elif not is_whole:
            parsed = ParsedAction.invalid(cut_off(name, self.element.start))
        elif name == SEARCH:
            parsed = check_action(ActionType.SEARCH, {"query": text})
        else:
            parsed = check_action(ActionType.ANSWER, None, text)
        return replace(parsed, superseded=self.superseded)

    def _text(self) -> str:
        """What the element encloses, without the reasoning in it; `&` and `<` stand for themselves."""
        at, parts = self.element.inner, []
        for start, end in self.thoughts:
            if self.element.inner <= start < self.element.inner_end:
                parts.append(self.raw[at:start])
                at = end
        return "".join([*parts, self.raw[at : self.element.inner_end]]).strip()

    def _call(self, text: str, *, is_whole: bool) -> ParsedAction:
        reading = inspect(text, ToolsCall, finished=is_whole or None)
        if reading.error:
            return ParsedAction.invalid(unreadable(reading.error))
        tool = action_named(reading.data["name"])
        if tool not in ON_IMAGE:
            return ParsedAction.invalid(unknown_tool())
        return replace(check_action(tool, reading.data.get("arguments")), repairs=reading.repairs)

    def _box(self, text: str, last_image: str | None, *, is_whole: bool) -> ParsedAction:
        """A crop of the last image shown. A list that is closed is whole without the tag's end."""
        if not is_whole and not text.endswith("]"):
            return ParsedAction.invalid(cut_off(BBOX, self.element.start, ActionType.CROP))
        if last_image is None:
            return ParsedAction.invalid(no_image_shown())
        try:
            region = from_json(text)
        except ValueError:
            region = None
        return check_action(ActionType.CROP, {"image_id": last_image, "region": region})


def find_tags(reading: Inspection) -> LegacyAction | None:
    """Find the element that is the action; None if what is left of the text without its reasoning has no such tag.

    Raises:
        TagError: the tags do not pair up, or several different ones could be the action.
    """
    thoughts = reading.reasoning
    found = list(_without_repetitions(reading, list(elements(reading))))
    if not found:
        return None
    if (cut := _cut_object(reading, found[-1].end)) is not None:
        raise TagError(cut_off("JSON", cut))
    if len(found) > 1 and not _is_last_word(found, thoughts, reading.raw):
        raise TagError(several_tags(found[0].start))
    return LegacyAction(reading.raw, found[-1], thoughts, bool(reading.finished), superseded=len(found) - 1)


def _cut_object(reading: Inspection, start: int) -> int | None:
    """Where an object begins that the text breaks off in: what it would have been is not the tag's to replace."""
    return next(reading.cut_values(start, len(reading.text)), None)


def _without_repetitions(reading: Inspection, found: list[Element]) -> Iterator[Element]:
    """Of equal elements the last one, in the order of the text."""
    last = {(one.name, *reading.text[one.inner : one.inner_end].split()): one.start for one in found}
    places = set(last.values())
    return (one for one in found if one.start in places)


def _is_last_word(found: list[Element], thoughts: tuple[Span, ...], text: str) -> bool:
    """Whether the last element is what the model came to, and those before it lie behind.

    So it is in a recorded trajectory: after a search the model reasoned on, and the text ends with the last action.
    An answer ends a run; nothing can follow it.
    """
    earlier, last = found[-2], found[-1]
    reasoned_on = any(earlier.end <= start and end <= last.start for start, end in thoughts)
    return reasoned_on and last.end == len(text) and all(one.name != ANSWER for one in found[:-1])
