"""The order in which a committee asks, and which failures are settled: a later agent was told of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

T = TypeVar("T")

_AFTER_THE_EXPERTS: Final = {"bull_advocate": 1, "bear_advocate": 1, "resolution": 2, "verdict": 3}
STEPS: Final = 4
"""How many agents are asked one after another: an expert, an advocate, whoever settles the debate, the judge."""


def step_of(agent: str) -> int:
    """When an agent is asked: 0 (all experts) to 3 (the judge)."""
    return _AFTER_THE_EXPERTS.get(agent, 0)


def settled(asked: Iterable[str], failed: Mapping[str, T]) -> dict[str, T]:
    """The failures of a run that stopped which the next one takes as they are.

    The question of a later agent names them: asking the failed agent again would be to ask all later ones again.

    Args:
        asked: the names of all agents that were asked.
        failed: agent → why it has no answer.
    """
    last = max(map(step_of, asked), default=0)
    return {agent: error for agent, error in failed.items() if step_of(agent) < last}
