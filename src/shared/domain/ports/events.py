"""The port that takes what happened: one event for every parse of a model's text."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.repair import RepairKind


class ParseOutcome(StrEnum):
    """How a parse ended."""

    CLEAN = "clean"
    REPAIRED = "repaired"
    MODEL_REPAIRED = "model_repaired"
    """The deterministic reader gave up; the repair agent's answer was accepted."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class OutputParsed:
    """One text of a model was parsed, or refused.

    Attributes:
        context_label: who asked, such as an agent's title.
        outcome: how it ended.
        model: the model's name; empty where the text came from elsewhere.
        prompt_id: identifies the prompt to readers of the event; empty if none was given.
        attempt: 1 for the first answer, 2 for the one after the first re-ask, and so on.
        stages: names of the parser's stages that had something to do; for a refusal the one that refused comes last.
        repair_kinds: one entry a repair, in the order of the text; for a refusal the kinds noted before it, each once.
        raw_length: characters of the text.
        usage: tokens of the call.
        latency: seconds of the call; 0 where no model was asked.
    """

    context_label: str
    outcome: ParseOutcome
    model: str = ""
    prompt_id: str = ""
    attempt: int = 1
    stages: tuple[str, ...] = ()
    repair_kinds: tuple[RepairKind, ...] = ()
    raw_length: int = 0
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0


class EventPort(Protocol):
    """Receives the published events. An adapter never raises."""

    def publish(self, event: OutputParsed) -> None:
        """Take note of one parse."""
        ...
