"""What asking again only for the parts that failed saves: `python -m tools.benchmarks.parts`.

A model that breaks k of n elements of its first answer is asked once for all again and once for the parts. Tokens are
those of the requests after the first, by the estimate that budgets are held with.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from src.shared.application.question import Outcome, Question
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from tools.benchmarks.report import table

SIZES = ((5, 1), (20, 1), (20, 3), (20, 10), (100, 1), (100, 10))
COLUMNS = ("elements", "broken", "requests", "tokens: all again", "tokens: the parts", "saved")
_QUESTION = "List every finding of the report, each with its evidence and how sure you are."


class Finding(BaseModel):
    """What is asked for."""

    title: str
    evidence: str
    sure: float = Field(ge=0, le=1)


class Breaking:
    """Breaks some elements of its first answer, and does as it is told afterwards. Implements `LLMPort`."""

    def __init__(self, size: int, broken: int) -> None:
        self._broken, self._asked = broken, 0
        self._rows = [
            {"title": f"Finding number {at}", "evidence": f"Section {at} says so in its second table.", "sure": 0.8}
            for at in range(size)
        ]

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer."""
        self._asked += 1
        answer: Any = self._rows
        if self._asked == 1:
            answer = [{**row, "sure": "rather"} if at < self._broken else row for at, row in enumerate(self._rows)]
        elif "part_1" in request.prompt:
            answer = {f"part_{at + 1}": self._rows[at] for at in range(self._broken)}
        return LLMReply(json.dumps(answer), FinishReason.STOP, "breaking")


class Saved(NamedTuple):
    """Requests in all, and the tokens of those after the first: asking for all again, and for the parts."""

    requests: int
    whole: int
    parts: int


def saved(size: int, broken: int) -> Saved:
    """Ask in both ways."""
    output = plain_output(list[Finding])
    whole, parts = (asyncio.run(_outcome(each, size, broken)) for each in (output, output.mending()))
    return Saved(len(parts.attempts), _again(whole), _again(parts))


async def _outcome(output: Any, size: int, broken: int) -> Outcome[Any]:  # noqa: ANN401 - either contract
    llm = TypedLLM(Breaking(size, broken), output_of=plain_output, events=FanOut(), budget=Budget(max_retries=2))
    outcome: Outcome[Any] = await llm.generate_and_parse(Question.of(_QUESTION), output)
    outcome.result()
    return outcome


def _again(outcome: Outcome[Any]) -> int:
    return sum(attempt.usage.total_tokens for attempt in outcome.attempts[1:])


def main() -> None:
    """Ask, and print the table."""
    rows = []
    for size, broken in SIZES:
        requests, whole, parts = saved(size, broken)
        rows.append((*map(str, (size, broken, requests, f"{whole:,}", f"{parts:,}")), f"{1 - parts / whole:.0%}"))
    print("\n".join(table(COLUMNS, rows)))


if __name__ == "__main__":
    logging.disable()
    main()
