"""What is noted of a text besides the outputs, for those who count the texts of all applications."""

from __future__ import annotations

import time
from typing import NamedTuple

from src.modules.reparsing.domain.outcome import INPUT_STAGE, Answer, Refused


class TextNote(NamedTuple):
    """A text of a model, and what came of it.

    Attributes:
        at: when it was read, in microseconds since 1970, UTC.
        agent: as its row has it, or None.
        model: the model's name, or None.
        stage: the stage that refused it; empty where it was read.
        kinds: a kind for each repair.
        length: its characters.
        text: its beginning, where texts are noted.
    """

    at: int
    agent: str | None
    model: str | None
    stage: str
    kinds: tuple[str, ...]
    length: int
    text: str | None

    @classmethod
    def of(cls, answer: Answer, characters: int) -> TextNote | None:
        """The note of a text; None for a row that never reached the parser.

        Args:
            answer: the row and what came of it.
            characters: how much of the text is noted.
        """
        record, outcome, _ = answer
        stage, kinds = (outcome.stage, ()) if isinstance(outcome, Refused) else ("", _kinds(answer))
        if stage == INPUT_STAGE:
            return None
        text = record.text or ""
        noted = text[:characters] if characters else None
        return cls(time.time_ns() // 1_000, record.agent, record.model, stage, kinds, len(text), noted)


def _kinds(answer: Answer) -> tuple[str, ...]:
    return () if isinstance(answer.outcome, Refused) else tuple(mark.kind for mark in answer.outcome.repairs)
