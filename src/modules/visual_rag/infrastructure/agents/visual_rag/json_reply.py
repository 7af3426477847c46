"""The JSON form: an object with the four required fields, found and read by the unified reader."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.parsed_action import ParsedAction, check_action
from src.modules.visual_rag.domain.problems import cut_off
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.domain.repair import Repair, RepairKind
from src.shared.infrastructure.normalizers import Normalizer
from src.shared.infrastructure.pipeline import steps
from src.shared.infrastructure.state import ParseState, Target
from src.shared.infrastructure.target_type import target_type

_ON_IMAGE = frozenset({ActionType.CROP, ActionType.OCR})


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
        start: where it begins.
        data: what it says.
        repairs: what was repaired to read it.
    """

    text: str
    start: int
    data: dict[str, Any]
    repairs: tuple[Repair, ...]

    @property
    def is_json(self) -> bool:
        """Whether its own text is JSON as any decoder reads it."""
        try:
            return isinstance(json.loads(self.text), dict)
        except ValueError:
            return False

    def action(self, *, finished: bool) -> ParsedAction:
        """The action it describes; see `parse_action` for `finished`."""
        parsed = check_action(self.data["action"], self.data["arguments"], self.data["answer"])
        if parsed.action_type in _ON_IMAGE and not finished and self._ends_in_a_list():
            parsed = ParsedAction.invalid(cut_off(str(parsed.action_type), self.start))
        return replace(parsed, raw_json=self.text, repairs=self.repairs)

    def _ends_in_a_list(self) -> bool:
        """Whether the text ends in an open list, such as a region whose last number may lack digits."""
        return any(one.kind is RepairKind.MISSING_BRACKET and one.put.startswith("]") for one in self.repairs)


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is no such object.

    Attributes:
        error: the reader's own account of it.
        state: what was left of the text where the reader stopped; without reasoning, except where that is the error.
    """

    error: LLMJsonParseError
    state: ParseState

    @property
    def is_ambiguous(self) -> bool:
        """Whether there are several, and nothing says which one is meant."""
        return self.error.details.get("json_error") == SEVERAL_OBJECTS.en

    @property
    def is_final(self) -> bool:
        """Whether tags cannot be the action either: all of the text is reasoning, or several replies are there."""
        return self.is_ambiguous or self.error.details["stage"] == "think"


def find_reply(text: str) -> FoundReply | NoReply:
    """Find the object with the four fields; of several, the one that is an action with valid arguments."""
    state, error = _read(text)
    if error is None:
        return _found(state)
    no_reply = NoReply(error, state)
    if no_reply.is_ambiguous:
        state, still = _read(text, _valid_action)
        return no_reply if still else _found(state)
    return no_reply


def _read(text: str, *normalizers: Normalizer) -> tuple[ParseState, LLMJsonParseError | None]:
    """Run the stages; the last state they came to, and what stopped them."""
    target = Target(target_type(ActionReply), normalizers)
    state = ParseState.of(text, target)
    try:
        for state in steps(text, target):  # noqa: B007 - the last one counts, also where a stage fails
            pass
    except LLMJsonParseError as error:
        return state, error
    return state, None


def _valid_action(data: dict[str, Any]) -> dict[str, Any]:
    """Refuse, as a normalizer, what is no valid action, so that it does not compete with one that is."""
    parsed = check_action(data.get("action"), data.get("arguments"), data.get("answer"))
    if parsed.problem:
        raise ValueError(parsed.problem.message)
    return data


def _found(state: ParseState) -> FoundReply:
    start, end = next(note.span for note in reversed(state.notes) if note.action == "chosen")
    return FoundReply(state.raw[start:end], start, state.data, state.repairs)
