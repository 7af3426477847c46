"""The order of the stages, stated once, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.parse_reasons import TOO_DAMAGED
from src.shared.infrastructure.choice import cut_off
from src.shared.infrastructure.errors import not_json, validator_failed
from src.shared.infrastructure.stages.control_chars import control_chars
from src.shared.infrastructure.stages.empty import empty
from src.shared.infrastructure.stages.extract import extract
from src.shared.infrastructure.stages.fence import fence
from src.shared.infrastructure.stages.normalize import normalize
from src.shared.infrastructure.stages.repair import repair
from src.shared.infrastructure.stages.root import root
from src.shared.infrastructure.stages.strict import strict
from src.shared.infrastructure.stages.think import think
from src.shared.infrastructure.stages.validate import validate
from src.shared.infrastructure.state import ParseState, Stage, Target
from src.shared.infrastructure.target_type import ValidatorCrashError

STAGES: tuple[Stage, ...] = (
    empty,
    think,
    fence,
    control_chars,
    strict,
    extract,
    repair,
    root,
    normalize,
    validate,
)
"""The stages in their order."""

_SEARCHING = frozenset({think, fence, control_chars, strict, extract, repair})
"""The stages that look for the object; once it is decoded they have nothing to do."""


def run(raw: str, target: Target) -> ParseState:
    """Run every stage on a text and return the last state.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    *_, last = steps(raw, target)
    return last


def steps(raw: str, target: Target) -> Iterator[ParseState]:
    """Run the stages one by one: the state at the start, then after each stage.

    A text that is known to be cut off is refused before any of them looks at it.

    `strict` gets a first try on the whole text: valid JSON needs no other stage, and that is what makes a tag, a
    fence or a brace inside its strings safe.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = ParseState.of(raw, target)
    if target.finished is False and not target.salvage:
        empty(state)
        raise cut_off(state)
    state = strict(state)
    yield state
    for stage in STAGES:
        if not (state.decoded and stage in _SEARCHING):
            state = _run(stage, state)
            if state.scanner.work.refused and stage in _SEARCHING:  # it has not looked at everything
                raise not_json(TOO_DAMAGED, stage.__name__, state.raw)
        yield state


def _run(stage: Stage, state: ParseState) -> ParseState:
    """The next state; code of the type's own that fails is told wherever the type was asked."""
    try:
        return stage(state)
    except ValidatorCrashError as crash:
        name = state.target.dto_type.name if state.target.dto_type else ""
        raise validator_failed(crash.error, name, crash.data, state.raw, state.repair_kinds) from crash.error
