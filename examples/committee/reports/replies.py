"""The replies as they came, with the places of their repairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.labels import agent_title
from src.entrypoints.reports.words import reason_of, repair_word
from src.shared.application.agent_runs import AgentAnswer
from src.shared.domain.repair import Repair, RepairKind, how_often

SHOWN = 60_000
"""Most characters of a reply that are shown; the recording has all of it."""
EXCERPT = 600
"""Most characters of a reply that are shown where it cannot be folded."""
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a reply.

    Attributes:
        text: as it came.
        note: number of the kind of repair that was made here; 0 where none was.
        put: what was read instead; empty where it was dropped, or no repair was made.
    """

    text: str
    note: int = 0
    put: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """One kind of repair in a reply: its number, what it is called, how often it was made."""

    number: int
    word: str
    count: int


@dataclass(frozen=True, slots=True)
class RawReply:
    """One reply.

    Attributes:
        number: of the try, from 1.
        by_repair_agent: whether the repair agent wrote it.
        refused: why it was not used; empty where it was.
        pieces: its text.
        notes: the repairs that were made in it.
        left_out: characters at its end that are not shown.
    """

    number: int
    by_repair_agent: bool
    refused: str
    pieces: tuple[Piece, ...]
    notes: tuple[Note, ...]
    left_out: int

    @property
    def excerpt(self) -> str:
        """The beginning of it."""
        return self._text[:EXCERPT]

    @property
    def behind_excerpt(self) -> int:
        """Characters behind the excerpt."""
        return max(len(self._text) - EXCERPT, 0) + self.left_out

    @property
    def _text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class AgentReplies:
    """All replies of one agent, in their order."""

    name: str
    label: str
    replies: tuple[RawReply, ...]


def replies_of(result: CommitteeResult) -> tuple[AgentReplies, ...]:
    """The replies of each agent that gave any."""
    found = (
        AgentReplies(answer.agent.name, agent_title(answer.agent.name, answer.agent.label), tuple(_replies(answer)))
        for answer in result.answers
    )
    return tuple(agent for agent in found if agent.replies)


def _replies(answer: AgentAnswer[BaseModel]) -> Iterator[RawReply]:
    parsed = answer.outcome.parsed
    for attempt in answer.outcome.attempts:
        if attempt.reply is None:
            continue
        repairs = parsed.repairs if parsed and attempt.error is None else ()
        numbers = {kind: number for number, kind in enumerate(how_often(repairs), 1)}
        text = attempt.reply.text
        yield RawReply(
            attempt.number,
            attempt.by_repair_agent,
            reason_of(attempt.error) if attempt.error else "",
            tuple(_pieces(text[:SHOWN], repairs, numbers)),
            tuple(Note(numbers[kind], repair_word(kind), count) for kind, count in how_often(repairs).items()),
            max(len(text) - SHOWN, 0),
        )


def _pieces(text: str, repairs: tuple[Repair, ...], numbers: dict[RepairKind, int]) -> Iterator[Piece]:
    """The text, cut where a repair begins and ends; a repair that is not where it says is only counted."""
    end = 0
    for repair in sorted(repairs, key=lambda one: one.offset):
        found = repair.found if text.startswith(repair.found, repair.offset) else repair.found.removesuffix(_CUT)
        if repair.offset < end or not text.startswith(found, repair.offset):
            continue
        if repair.offset > end:
            yield Piece(text[end : repair.offset])
        yield Piece(found, numbers[repair.kind], repair.put)
        end = repair.offset + len(found)
    if end < len(text):
        yield Piece(text[end:])
