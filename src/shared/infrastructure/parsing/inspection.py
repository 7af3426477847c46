"""The order of the stages, and what each found, dropped and chosen in a text: for `--explain` and for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from src.shared.domain.edits import LineIndex
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import ACCEPT, TIMEOUT
from src.shared.domain.read_as import AS_JSON, ReadAs
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
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, Stage, Target, run_stage
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


@dataclass(frozen=True)
class Reading(ParseState):
    """A reading, or how far it came: the last state.

    Attributes:
        error: why the text was refused; None if it was read.
    """

    error: LLMJsonParseError | None = None

    @classmethod
    def of_state(cls, state: ParseState, error: LLMJsonParseError | None) -> Reading:
        """The inspection that ended with a state."""
        found = object.__new__(cls)
        found.__dict__.update(state.__dict__, error=error)
        return found

    @property
    def reasoning(self) -> tuple[Span, ...]:
        """Where what was dropped stands in the model's text, in order; none of the spans reaches into another."""
        found: list[Span] = []
        for span in sorted(note.span for note in self.notes if note.action == "dropped"):
            if found and span.start < found[-1].end:
                found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
            else:
                found.append(span)
        return tuple(found)

    def end_of_value(self, start: int, place: int) -> int | None:
        """The end of the first JSON value between two offsets that reaches beyond the second one, if there is one."""
        return self.scanner.covering(start, place)

    def cut_values(self, start: int, end: int) -> Iterator[int]:
        """Where the JSON values between two offsets open that are cut off."""
        values = self.scanner.values(start, end)
        return (value.start for value in values if value.problem and value.problem.truncated)

    def readable(self, start: int, end: int) -> Iterator[Span]:
        """The outermost JSON values between two offsets that can be read; they may reach beyond the second one."""
        values = self.scanner.values(start, end)
        return (Span(value.start, value.end) for value in values if value.problem is None)


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
    wanted = target_type(dto_type, coerce=coerce) if dto_type is not None else None
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
            for state in steps(text, target):  # noqa: B007 - the last one counts, also where a stage fails
                pass
    except LLMJsonParseError as error:
        if error.details["stage"] in _DROPPING:
            state = _without_reasoning(state, error.details["stage"])
        return Reading.of_state(state, error)
    return Reading.of_state(state, None)


def _without_reasoning(state: ParseState, refusing: str) -> ParseState:
    """The state without reasoning of a text that a stage refused; without any text if not sure.

    What the stage has looked at is known, and with what work is left.
    """
    rest = fence(without_reasoning(state)[0] if refusing == think.__name__ else state)
    return rest.without([Span(0, len(rest.text))], think.__name__) if rest.scanner.work.refused else rest


def read_object(text: str, *, finished: bool | None = None) -> dict[str, Any]:
    """Read the object of a text as `decode_llm_json` with `root="object"` does, without a line in the log.

    Raises:
        LLMJsonParseError: the text is refused.
    """
    inspection = inspect(text, finished=finished, root="object")
    if inspection.error:
        raise inspection.error
    data: dict[str, Any] = inspection.data
    return data


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
