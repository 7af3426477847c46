"""The order of the stages, stated once, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TOO_DAMAGED
from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.parsing.candidates.choice import cut_off
from src.shared.infrastructure.parsing.fast.plain import plain
from src.shared.infrastructure.parsing.finishing import FINISHING, run_stage
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.stages.control_chars import control_chars
from src.shared.infrastructure.parsing.stages.empty import empty
from src.shared.infrastructure.parsing.stages.extract import extract
from src.shared.infrastructure.parsing.stages.fence import fence
from src.shared.infrastructure.parsing.stages.repair import repair
from src.shared.infrastructure.parsing.stages.strict import strict
from src.shared.infrastructure.parsing.stages.think import think
from src.shared.infrastructure.parsing.state import ParseState, Stage, Target
from src.shared.infrastructure.tool_call_forms.leaked_calls import refuse_call, refuse_list

SEARCHING: tuple[Stage, ...] = (think, fence, control_chars, strict, extract, repair)
"""The stages that look for the object; once it is decoded the rest of them have nothing to do."""
BEFORE_TOOL_CALL = fence
"""Behind this stage a text that holds the call of a tool is refused, as stage `tool_call`."""
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


def search(state: ParseState, *, in_call: bool = False) -> ParseState:
    """The state in which the object of a text is decoded that the plain way did not read."""
    *_, last = searching(state, in_call=in_call)
    return last


def without_reasoning(raw: str) -> ParseState:
    """The state in which a text is JSON as it stands, or reasoning is dropped and fenced blocks are known.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = strict(ParseState.of(raw, Target(decoded_roots=ROOTS["any"])))
    return state if state.decoded else fence(think(state))


def searching(state: ParseState, *, in_call: bool = False) -> Iterator[ParseState]:
    """Run the stages that look for the object, one by one, until it is decoded.

    A text that is known to be cut off is refused before any of them looks at it. Once reasoning is dropped, one that
    holds the call of a tool is, too, unless it is itself a part of one (`in_call`).

    `strict` gets a first try on the whole text: valid JSON needs no other stage, and that is what makes a tag, a
    fence or a brace inside its strings safe.

    Raises:
        LLMJsonParseError: from the stage that could not go on; the last one chooses an object or fails.
    """
    empty(state)
    if state.target.is_cut_off:
        raise cut_off(state)
    state = strict(state)
    yield state
    for stage in SEARCHING:
        if state.decoded:
            return
        try:
            state = run_stage(stage, state)
        except LLMJsonParseError:
            if not in_call:
                refuse_list(state)
            raise
        if state.scanner.work.refused:  # it has not looked at everything
            raise not_json(TOO_DAMAGED, stage.__name__, state.raw)
        if not in_call:
            _refuse_calls(state, stage)
        yield state


def _refuse_calls(state: ParseState, stage: Stage) -> None:
    if state.decoded:
        refuse_list(state)
    elif stage is BEFORE_TOOL_CALL:
        refuse_call(state)
