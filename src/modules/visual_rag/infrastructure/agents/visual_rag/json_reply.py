"""The JSON form: an object with the four required fields, found and read by the unified reader."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from src.modules.visual_rag.domain.parsed_action import ParsedAction, check_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.elements import TagError, elements
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.domain.repair import Repair
from src.shared.infrastructure.parsing.pipeline import steps
from src.shared.infrastructure.parsing.state import ParseState, Target
from src.shared.infrastructure.parsing.target_type import target_type


class ActionReply(BaseModel):
    """The four required fields; what may stand in them depends on the action, and is checked with it."""

    think: Any
    action: Any
    arguments: Any
    answer: Any


@dataclass(frozen=True, slots=True)
class FoundReply:
    """An object with the four fields.

    Attributes:
        text: its own text, unchanged.
        data: what it says.
        repairs: what was repaired to read it.
        state: the reader's last one, with the whole text.
    """

    text: str
    data: dict[str, Any]
    repairs: tuple[Repair, ...]
    state: ParseState

    @property
    def is_json(self) -> bool:
        """Whether its own text is JSON as any decoder reads it."""
        try:
            return isinstance(json.loads(self.text), dict)
        except ValueError:
            return False

    def action(self) -> ParsedAction:
        """The action it describes."""
        parsed = check_action(self.data["action"], self.data["arguments"], self.data["answer"])
        return replace(parsed, raw_json=self.text, repairs=self.repairs)


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is no such object.

    Attributes:
        error: the reader's own account of it.
        state: what was left of the text where the reader stopped; without reasoning, except where that is the error.
        is_ambiguous: whether there are several, and nothing says which one is meant.
    """

    error: LLMJsonParseError
    state: ParseState
    is_ambiguous: bool

    @property
    def is_final(self) -> bool:
        """Whether tags cannot be the action either: all of the text is reasoning, or several replies are there."""
        return self.is_ambiguous or self.error.details["stage"] == "think"


def find_reply(text: str, *, finished: bool | None) -> FoundReply | NoReply:
    """Find the object with the four fields; whatever tags stand beside it, they do not compete with it."""
    target = Target(target_type(ActionReply), finished=finished)
    state, error = _read(text, target)
    if error is None:
        return _found(state)
    beside, still = _read(_without_tags(state), target)
    if still is None:
        return _found(beside)
    return NoReply(error, state, is_ambiguous=_names_several(error) and _names_several(still))


def _names_several(error: LLMJsonParseError) -> bool:
    return error.details.get("json_error") == SEVERAL_OBJECTS.en


def _read(text: str, target: Target) -> tuple[ParseState, LLMJsonParseError | None]:
    """Run the stages; the last state they came to, and what stopped them."""
    state = ParseState.of(text, target)
    try:
        for state in steps(text, target):  # noqa: B007 - the last one counts, also where a stage fails
            pass
    except LLMJsonParseError as error:
        return state, error
    return state, None


def _without_tags(state: ParseState) -> str:
    """The model's text with blanks in place of the elements that a tag may be an action by."""
    text = state.raw
    with suppress(TagError):
        for element in elements(state):
            text = text[: element.start] + " " * (element.end - element.start) + text[element.end :]
    return text


def _found(state: ParseState) -> FoundReply:
    start, end = next(note.span for note in reversed(state.notes) if note.action == "chosen")
    return FoundReply(state.raw[start:end], state.data, state.repairs, state)
