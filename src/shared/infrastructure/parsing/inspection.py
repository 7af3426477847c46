"""The order of the stages, and what each found, dropped and chosen in a text: for `--explain` and for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import ACCEPT, TIMEOUT
from src.shared.domain.read_as import AS_JSON, ReadAs, told_scalar
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_shapes import ROOTS, Roots
from src.shared.domain.work import one_text
from src.shared.infrastructure.parsing.finishing import FINISHING
from src.shared.infrastructure.parsing.plain import plain
from src.shared.infrastructure.parsing.stages import (
    BEFORE_TOOL_CALL,
    SEARCHING,
    empty,
    fence,
    searching,
    think,
    without_reasoning,
)
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, Stage, Target, changed, run_stage
from src.shared.infrastructure.parsing.target_type import target_type

__all__ = ["STAGE_NAMES", "LineIndex", "Note", "Reading", "Span", "inspect", "read_object", "stage_names"]

STAGES: tuple[Stage, ...] = (empty, *SEARCHING, *FINISHING)
"""The order of the stages, stated once."""
STAGE_NAMES = tuple(stage.__name__ for stage in STAGES)
"""The same by the names that notes and errors have."""

_AFTER_ALL = frozenset({ACCEPT, TIMEOUT})
"""The checks that come behind all stages, as far as an explanation shows them; that of tool calls stands among them."""
_DROPPING = frozenset({think.__name__, fence.__name__, "tool_call"})
"""The stages that drop reasoning, and that behind them."""


def stage_names(refusing: str | None = None) -> tuple[str, ...]:
    """The stages; with the check that refused the text in its place, if that is none of them."""
    if refusing in (None, *STAGE_NAMES):
        return STAGE_NAMES
    at = len(STAGE_NAMES) if refusing in _AFTER_ALL else STAGE_NAMES.index(BEFORE_TOOL_CALL.__name__) + 1
    return (*STAGE_NAMES[:at], str(refusing), *STAGE_NAMES[at:])


Reading = ParseState
"""A reading, or how far it came: the last state, with the error that ended it."""


def inspect(  # noqa: PLR0913 - what one call may ask for, by keyword
    text: str,
    dto_type: Any = None,  # noqa: ANN401 - any type that Pydantic reads
    *,
    normalizers: Sequence[Normalizer] = (),
    finished: bool | None = None,
    coerce: bool = False,
    root: Roots | None = None,
    read_as: ReadAs = AS_JSON,
    after: Reading | None = None,
) -> Reading:
    """Read a text as `parse_llm_json_output` does, and keep what was found on the way, even if it is refused.

    `root` is what is looked for where there is no type, as for `decode_llm_json`.
    `after` is another reading of the text, or of a part of it: both together may cost what one may.
    """
    work = after.scanner.work if after else None
    if work:
        work.begin_again()
    given = told_scalar(dto_type, read_as.arguments)
    wanted = target_type(given, coerce=coerce) if dto_type is not None else None
    target = Target(
        wanted,
        normalizers,
        finished=finished,
        decoded_roots=ROOTS[root] if root else None,
        work=work,
        read_as=wanted.read_as.also(**read_as.arguments) if wanted else AS_JSON,
    )
    state = ParseState.of(text, target)
    try:
        with one_text():
            first = state = plain(state)
            for state in () if first.decoded else searching(first):  # noqa: B007 - the last one counts, also of a failure
                pass
            for stage in FINISHING:
                state = run_stage(stage, state)
    except LLMJsonParseError as error:
        refusing = error.details["stage"]
        if refusing in _DROPPING:  # what the stage has looked at is known, and with what work is left
            state = fence(without_reasoning(state)[0] if refusing == think.__name__ else state)
            if state.scanner.work.refused:  # then it is not sure what is reasoning
                state = state.without([Span(0, len(state.text))], think.__name__)
        return changed(state, error=error)
    return state


def read_object(text: str, *, finished: bool | None = None) -> dict[str, Any]:
    """Read the object of a text as `decode_llm_json` with `root="object"` does, without a line in the log.

    Raises:
        LLMJsonParseError: the text is refused.
    """
    reading = inspect(text, finished=finished, root="object")
    if reading.error:
        raise reading.error
    data: dict[str, Any] = reading.data
    return data
