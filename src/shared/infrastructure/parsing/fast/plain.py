"""The plain way: reads a text that is one undamaged JSON value, with the usual wrapping or none.

The stages would read the same value and leave the same notes. The plain way needs neither the stages nor the reader of
damaged text; they are imported with the first text that needs them.
"""

from __future__ import annotations

from src.shared.domain.reading.strict_json import decode_at, is_damage
from src.shared.domain.type_shapes import ROOTS
from src.shared.infrastructure.parsing.candidates.wrapping import Wrapped, unwrapped
from src.shared.infrastructure.parsing.state import ParseState, Target, changed


def wrapped_for(raw: str, target: Target) -> Wrapped | None:
    """The value that may be the answer, if it can be seen without a search."""
    return unwrapped(raw, target.own_keys(), lists=target.roots != ROOTS["object"])


def plain(state: ParseState) -> ParseState:
    """Decode the value, if it is JSON except raw control characters in its strings; else the state as it was."""
    target = state.target
    wrapped = None if target.is_cut_off else wrapped_for(state.raw, target)
    if wrapped is None:
        return state
    try:
        data, end, edits = decode_at(state.raw, wrapped.start, as_written=target.reads_decimals)
    except (ValueError, RecursionError):
        return state
    has_control_characters = is_damage(edits)
    if end != wrapped.end or (has_control_characters and _has_latex(state.raw, wrapped)):
        return state
    notes = wrapped.notes("control_chars" if has_control_characters else "strict")
    return changed(state, text=wrapped.without_reasoning(state.raw), data=data, edits=edits, notes=notes)


def decoded(raw: str, target: Target) -> ParseState:
    """The state with the decoded object: read the plain way if possible, otherwise by the stages.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = plain(ParseState.of(raw, target))
    if state.decoded:
        return state
    from src.shared.infrastructure.parsing.pipeline import search  # noqa: PLC0415 - loaded with the first text that is not plain

    return search(state)


def _has_latex(raw: str, wrapped: Wrapped) -> bool:
    """Whether the reader has to tell the commands of LaTeX from escapes."""
    from src.shared.domain.latex import ANY_COMMAND  # noqa: PLC0415 - hardly a text needs it

    return ANY_COMMAND.search(raw, wrapped.start, wrapped.end) is not None
