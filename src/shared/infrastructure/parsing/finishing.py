"""The last stages, which every text takes once its object is decoded: `root`, `normalize`, `validate`."""

from __future__ import annotations

from contextlib import suppress

from pydantic import ValidationError

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.edits import kinds_of
from src.shared.domain.exceptions import LLMJsonParseError, json_path
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import TRUNCATED, WRAPPING_FITS
from src.shared.domain.repair import RepairKind
from src.shared.domain.type_shapes import accepts_root
from src.shared.infrastructure.parsing.parse_errors import normalizer_failed, wrong_root
from src.shared.infrastructure.parsing.paths import refusal, span_of
from src.shared.infrastructure.parsing.plain import decoded
from src.shared.infrastructure.parsing.state import (
    UNWRAPPED,
    NormalizerError,
    Note,
    ParseState,
    Span,
    Stage,
    changed,
    layers_of,
    run_stage,
)

_FENCE_LINE = expression(r"\s*+|\s*+(?:`{3,9}+|~{3,9}+)[ \t]*+\w{0,20}+\s*+")
"""A line of a fence, with its language, or an empty one."""


def root(state: ParseState) -> ParseState:
    """Take off a wrapping, tell rows apart that were run together, and refuse any other root than the type's."""
    if state.target.reads_escapes and "\\" in state.text:
        from src.shared.infrastructure.parsing.meant_escapes import with_meant_escapes  # noqa: PLC0415 - for who asks for it

        state = with_meant_escapes(state)
    roots = state.target.accepted_roots
    if state.target.read_as.unwrap:
        state, roots = _without_wrapping(state), state.target.roots
    if RepairKind.DUPLICATE_KEY in kinds_of(state.edits) and not state.target.keeps_repeating:
        from src.shared.infrastructure.parsing.rows import without_repeating  # noqa: PLC0415 - hardly a text needs it

        state = without_repeating(state)
    if not accepts_root(roots, state.data):
        if state.target.takes_scalars and _is_sole_scalar(state):
            return state
        dto_type = state.target.dto_type
        if dto_type and (handed_back := dto_type.handed_back(state.data)):
            raise refusal(handed_back, dto_type.name, state) from handed_back
        raise wrong_root(state.data, state.raw, state.repair_kinds, roots)
    return state


def _is_sole_scalar(state: ParseState) -> bool:
    """Whether the data is a plain value beside which nothing stands but reasoning and the lines of its fence.

    Raises:
        LLMJsonParseError: it is a number at the bare end of the text, where it may be half of one.
    """
    span = state.chosen or Span(0, 0)
    beside = f"{state.text[: span.start]}\n{state.text[span.end :]}"
    if not all(map(_FENCE_LINE.fullmatch, beside.splitlines())):
        return False
    is_number = isinstance(state.data, int | float) and not isinstance(state.data, bool)
    if is_number and state.target.finished is not True and not state.text[span.end :].strip():
        raise state.refused(TRUNCATED, "root", span.end, truncated=True)
    return True


def _without_wrapping(state: ParseState) -> ParseState:
    """The state with the one of its layers that satisfies the type; as it was where none does.

    Where none does, and only what is wrapped has the type's fields, the error is to be about that.

    Raises:
        LLMJsonParseError: the whole satisfies the type, and what it wraps does so, too.
    """
    roots = state.target.own_roots
    layers = [layer for layer in layers_of(state.data, roots) if accepts_root(roots, layer.data)]
    fitting = [layer for layer in layers if state.target.problem(layer.data) is None]
    if len(fitting) > 1:
        places = [span_of(state, layer.path).start for layer in fitting]
        raise state.refused(WRAPPING_FITS, "root", places[-1], among=places)
    chosen = fitting or [layer for layer in layers if state.target.known_keys(layer.data)]
    if not chosen or not chosen[0].path:
        return state
    layer = chosen[0]
    note = Note("root", UNWRAPPED, span_of(state, layer.path))
    taken = Coercion(CoercionKind.WRAPPER, json_path(layer.path), state.data, layer.data)
    coercions = (*state.coercions, taken)
    return changed(state, data=layer.data, notes=(*state.notes, note), inside=layer.path, coercions=coercions)


def normalize(state: ParseState) -> ParseState:
    """Run the hooks in order on the decoded data."""
    if not state.target.normalizers:
        return state
    try:
        return changed(state, data=state.target.normalized(state.data))
    except NormalizerError as error:
        data = state.data
        with suppress(LLMJsonParseError):  # the hooks do not do the same twice, and choose another object
            data = decoded(state.raw, state.target).data  # a copy from before the hooks would cost every text
        raise normalizer_failed(error.name, error.problem, data, state.raw) from error.__cause__


def validate(state: ParseState) -> ParseState:
    """Validate the data; a caller that named no type gets it as it is."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return state
    if state.target.keep:
        from src.shared.infrastructure.parsing.parts import drafted, good  # noqa: PLC0415 - for callers that ask for it

        return (good if state.target.keep == "good" else drafted)(state, dto_type)
    try:
        validated = dto_type.read(state.data, hooked=bool(state.target.normalizers))
    except ValidationError as error:
        raise refusal(error, dto_type.name, state) from error
    return changed(state, result=validated.value, coercions=(*state.coercions, *validated.coercions))


FINISHING: tuple[Stage, ...] = (root, normalize, validate)
"""In their order."""


def finish(state: ParseState) -> ParseState:
    """The state after these stages."""
    for stage in FINISHING:
        state = run_stage(stage, state)
    return state
