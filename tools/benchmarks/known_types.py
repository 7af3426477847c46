"""What the types of the agents cost a call beside the model: the first time, and once they are known.

`python -m tools.benchmarks.known_types` works out for each agent's type what a call needs: the parser's knowledge, the
description in the prompt, the schema of the request, and the strict schema. The median of several turns is printed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from src.entrypoints.agents import AGENTS
from src.shared.application.typed_llm import output_schema
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.prompt import with_json_requirement
from src.shared.infrastructure.parsing.target_type import target_type

TURNS = 30
_PROMPT = "?"


def main() -> None:
    """Measure and print."""
    print(f"{'agent':22}{'first call':>14}{'known':>10}   ms")
    for name, agent in AGENTS.items():
        given = agent.output.dto_type
        first = _milliseconds(partial(_first_call, given))
        known = _milliseconds(partial(_call, given))
        print(f"{name:22}{first:14.3f}{known:10.4f}")


def _call(dto_type: AnswerType[Any]) -> None:
    """What one call needs of its type."""
    target_type(dto_type)
    with_json_requirement(_PROMPT, dto_type)
    _ = output_schema(dto_type).strict


def _first_call(dto_type: Any) -> None:  # noqa: ANN401 - an adapter takes any type
    """An adapter made anew is a type that was never seen."""
    _call(TypeAdapter(dto_type))


def _milliseconds(work: Callable[[], None]) -> float:
    times = []
    for _ in range(TURNS):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
