"""The port that takes note of the repair agent: one event for every repair it was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from src.shared.domain.difference import Difference
from src.shared.domain.ports.llm import TokenUsage


@dataclass(frozen=True, slots=True)
class RepairAttempted:
    """The repair agent was asked for a repair, and its answer was accepted or refused.

    Attributes:
        accepted: whether the answer was taken.
        before_chars: characters of the damaged text.
        after_chars: characters of the answer; 0 where there was none.
        damage: what was wrong with the text, as far as the parser could tell: its reason, and the kinds of repair it
            had found.
        code: the refusal's or the provider's error code, such as `REPAIR_VALUE_CHANGED`; empty if accepted.
        difference: the first place where the answer says something else; None if accepted or not compared.
        model: the model's name; empty where it was not asked or did not answer.
        usage: tokens of the call.
        latency: seconds of the call.
    """

    accepted: bool
    before_chars: int
    after_chars: int = 0
    damage: tuple[str, ...] = ()
    code: str = ""
    difference: Difference | None = None
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency: float = 0.0


class RepairObserver(Protocol):
    """Learns about repairs. An adapter never raises."""

    def repair_attempted(self, event: RepairAttempted) -> None:
        """Take note of one repair."""
        ...
