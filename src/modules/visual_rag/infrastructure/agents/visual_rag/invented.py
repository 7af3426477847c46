"""Where a model stops writing its turn and invents what comes next: an observation, or somebody else's turn.

Nothing from there on is the model's action: whatever it answers there rests on what no tool has said.
"""

from __future__ import annotations

import re

from src.modules.visual_rag.infrastructure.agents.visual_rag.elements import (
    ATTRIBUTES,
    NAMES,
    closing_of,
    may_be_in_a_cut_string,
)
from src.shared.infrastructure.parsing.inspection import Inspection

_BLOCK = "information|observations?|(?:tool|function)_(?:response|result)s?|search_results?"
_ROLE = "user|system|tool|ipython|function|observation|environment"
_OBSERVATION = rf"""
    <(?i:{_BLOCK}){ATTRIBUTES}/?>                          # a block in which a tool's result stands
  | <\|(?:im_start|start_header_id)\|>\s*+(?i:{_ROLE})\b  # a turn in the chat templates of Qwen and of Llama
  | <start_of_turn>\s*+(?i:{_ROLE})\b                     # of Gemma
  | <\|(?:{_ROLE})\|>                                     # of Phi and of GLM
"""
_MARK = re.compile(_OBSERVATION, re.VERBOSE)
_ACTION = rf"<(?i:(?P<action>{'|'.join(NAMES)})){ATTRIBUTES}(?P<void>/?)>"
_OPENING = re.compile(f"{_ACTION} | {_OBSERVATION}", re.VERBOSE)
_ANOTHER = re.compile(rf"{_OBSERVATION} | </(?i:{_BLOCK})\s*+>", re.VERBOSE)
"""Another observation, or the end of one."""


def start_of_observation(reading: Inspection) -> int | None:
    """Where the first invented observation begins, in a text whose reasoning is dropped; None where there is none.

    A mark in a JSON string is data, and one inside an action's element is that action's text.
    """
    if _MARK.search(reading.text) is None:
        return None
    at = 0
    never_closed: set[str] = set()
    while mark := _OPENING.search(reading.text, at):
        covered_to = reading.end_of_value(at, mark.start()) or _end_of_reply(reading, mark.start())
        if covered_to:
            at = covered_to
        elif may_be_in_a_cut_string(reading, at, mark.start()):
            return None
        elif not mark["action"]:
            return mark.start()
        else:
            at = _end_of_element(reading, mark, never_closed)
    return None


def is_mention(text: str, at: int) -> bool:
    """Whether the mark at a place is the only one from there on, and encloses nothing: `the <information> says 42`."""
    return _ANOTHER.search(text, at + 1) is None


def _end_of_reply(reading: Inspection, place: int) -> int | None:
    """The end of the object that was read as the reply, if a place is in it: JSON in a string has no value there."""
    chosen = reading.chosen
    return chosen.end if chosen and chosen.start <= place < chosen.end else None


def _end_of_element(reading: Inspection, opening: re.Match[str], never_closed: set[str]) -> int:
    """Where the element ends; if it is never closed, where its tag ends. Names known to stay open are remembered."""
    name = opening["action"].lower()
    closing = None if opening["void"] or name in never_closed else closing_of(reading, opening.end(), name)
    if closing is None and not opening["void"]:
        never_closed.add(name)
    return closing.end() if closing else opening.end()
