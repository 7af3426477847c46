"""The last stages, which every text takes once its object is decoded."""

from __future__ import annotations

from src.shared.infrastructure.parsing.parse_errors import validator_failed
from src.shared.infrastructure.parsing.stages.normalize import normalize
from src.shared.infrastructure.parsing.stages.root import root
from src.shared.infrastructure.parsing.stages.validate import validate
from src.shared.infrastructure.parsing.state import ParseState, Stage
from src.shared.infrastructure.parsing.target_type import ValidatorCrashError

FINISHING: tuple[Stage, ...] = (root, normalize, validate)
"""In their order."""


def finish(state: ParseState) -> ParseState:
    """The state after these stages."""
    for stage in FINISHING:
        state = run_stage(stage, state)
    return state


def run_stage(stage: Stage, state: ParseState) -> ParseState:
    """The next state; a crash in the type's own code becomes an error, whichever stage used the type."""
    try:
        return stage(state)
    except ValidatorCrashError as crash:
        name = state.target.dto_type.name if state.target.dto_type else ""
        raise validator_failed(crash.error, name, crash.data, state.raw, state.repair_kinds) from crash.error
