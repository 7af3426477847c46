"""The order of the stages, stated once."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.infrastructure.parsing.finishing import FINISHING
from src.shared.infrastructure.parsing.plain import plain
from src.shared.infrastructure.parsing.searching import SEARCHING, empty, searching
from src.shared.infrastructure.parsing.state import ParseState, Stage, Target, run_stage

STAGES: tuple[Stage, ...] = (empty, *SEARCHING, *FINISHING)
"""The stages in their order."""


def steps(raw: str, target: Target) -> Iterator[ParseState]:
    """Run the stages one by one: the state at the start, then after each stage that had something to do.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = plain(ParseState.of(raw, target))
    yield state
    if not state.decoded:
        for searched in searching(state):
            yield searched
            state = searched
    for stage in FINISHING:
        state = run_stage(stage, state)
        yield state
