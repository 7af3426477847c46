"""The parser behind its port: a live turn ends at its first action, since no tool has given what follows its result.

A stored trajectory may hold several actions, and keeps the parser's own rule for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from src.modules.visual_rag.domain.parsed_action import ParsedAction, action_named
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import LABEL, parse_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.reply import (
    NAMES,
    TagError,
    elements,
    find_observation,
    find_reply,
    strip_end_marks,
)
from src.shared.infrastructure.parsing.inspection import Reading, Span

STOP = tuple(f"</{name}>\n" for name in NAMES)
"""Texts at which a live turn is over. A line's end never stands in a JSON string, so that none is cut by them."""

CANDIDATES_LIMIT = 100
"""Most JSON values of a turn that are looked at, one after the other."""

_MARKUP = re.compile(r"</?[\w:\-]++>|\W")


def _live_turn(text: str) -> tuple[str, int]:
    """A turn up to the end of its first action: a JSON one, failing that a tag; all of it where none is whole.

    And how many characters stand behind it; 0 where they say nothing, as a fence does.
    """
    turn = strip_end_marks(text)
    reply = find_reply(turn, finished=None)
    action = next(_objects(reply.reading), None)
    if action is None and reply.reading.error:
        with suppress(TagError):
            first = next(elements(reply.reading), None)
            action = Span(0, first.end) if first and first.is_closed else None  # with the reasoning before it
    if action is None:
        return text, 0
    rest = turn[action.end :]
    return turn[action.start : action.end], len(rest) if _MARKUP.sub("", rest) else 0


def _objects(reading: Reading) -> Iterator[Span]:
    """The replies outside the reasoning that name an action there is, before an invented observation."""
    before = find_observation(reading)
    values = reading.readable(0, len(reading.text) if before is None else before)
    named = (value for value in values if "action" in reading.text[value.start : value.end])
    for value in islice(named, CANDIDATES_LIMIT):
        reply = find_reply(reading.text[value.start : value.end], finished=True)
        if reply.reading.error is None and action_named(reply.reading.data["action"]):
            yield value


class VisualRagActionParser:
    """JSON first, then the legacy tags, up to the first action of a turn; implements `ActionParserPort`."""

    label = LABEL
    stop = STOP

    def parse(self, text: str, *, finished: bool | None, last_image: str | None) -> ParsedAction:
        """The first action in a turn, or why there is none."""
        turn, dropped = _live_turn(text)
        return replace(parse_action(turn, finished=finished, last_image=last_image), dropped=dropped)
