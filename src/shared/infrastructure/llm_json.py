"""The unified parser: from a model's raw text to a typed object.

`parse_llm_json_output` gives the object, `parse_llm_json_output_with_trace` the object and the evidence,
`decode_llm_json` the decoded data where there is no type yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import Repair
from src.shared.infrastructure.direct import validate_directly
from src.shared.infrastructure.parse_log import log_failure, log_repairs
from src.shared.infrastructure.pipeline import run
from src.shared.infrastructure.reader.edits import counted
from src.shared.infrastructure.state import Note, ParseState, Several, Target

T = TypeVar("T", bound=BaseModel)
T_co = TypeVar("T_co", bound=BaseModel, covariant=True)

__all__ = [
    "DecodedJson",
    "ParsedOutput",
    "decode_llm_json",
    "parse_llm_json_output",
    "parse_llm_json_output_with_trace",
]


@dataclass(frozen=True, slots=True)
class DecodedJson:
    r"""A decoded object and how it was read.

    Attributes:
        data: the object.
        repairs: every departure from strict JSON, in the order of the text; empty for clean JSON.
        truncated: whether the text was cut off and only the members that were complete are in `data` (salvage).
        notes: what the stages recognised, dropped and chose, as spans of the raw text; also where a clean text has
            an escape that looks like LaTeX (`\\times` without its second backslash, which JSON reads as a tab).
    """

    data: dict[str, Any]
    repairs: tuple[Repair, ...] = ()
    truncated: bool = False
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedOutput(Generic[T_co]):
    """A typed object and the evidence.

    Attributes:
        value: the validated object.
        decoded: what it was made from: the object as the normalizers left it, the repairs, the notes.
    """

    value: T_co
    decoded: DecodedJson


def parse_llm_json_output(
    raw: str | None,
    dto_type: type[T],
    *,
    normalizers: Sequence[Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
) -> T:
    """Turn a model's raw text into a validated object.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        dto_type: a Pydantic model.
        normalizers: hooks run in order on the decoded object before it is validated; each returns the object to
            go on with.
        context_label: who is asking, such as an agent's title; goes to the log.
        finished: what is known of the end: True, the model stopped by itself; False, it was cut off, so that the text
            is refused as truncated whatever it looks like; None, nobody knows, and the text alone has to show it.
        several: where several different objects could be the answer, refuse the text, or take the last one. Never
            revives an object in front of a last one that cannot be read.

    Raises:
        LLMJsonParseError: the text holds no object, or not one that can be read without a guess, or it does not
            satisfy `dto_type`; and nothing else for any text.
        TypeError: `raw` is neither a string nor None.

    Source: specification "unified-llm-output-parser".
    """
    if isinstance(raw, str) and not normalizers and finished is not False:
        direct = validate_directly(raw, dto_type)
        if direct is not None:
            if direct.kinds:
                log_repairs(direct.kinds, raw, context_label)
            return direct.value
    target = Target(dto_type, tuple(normalizers or ()), finished=finished, several=several)
    return _result(_run(raw, target, context_label), dto_type)


def parse_llm_json_output_with_trace(
    raw: str | None,
    dto_type: type[T],
    *,
    normalizers: Sequence[Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
    context_label: str = "",
    finished: bool | None = None,
    several: Several = "refuse",
) -> ParsedOutput[T]:
    """`parse_llm_json_output` with the evidence: the decoded object, the repairs, what each stage did."""
    target = Target(dto_type, tuple(normalizers or ()), finished=finished, several=several)
    state = _run(raw, target, context_label)
    return ParsedOutput(_result(state, dto_type), _decoded(state))


def decode_llm_json(
    raw: str | None, *, finished: bool | None = None, several: Several = "refuse", salvage: bool = False
) -> DecodedJson:
    """Decode the object in a model's raw text, without a type to satisfy.

    Args:
        raw: the text as the model gave it; `None` counts as empty.
        finished: as for `parse_llm_json_output`.
        several: as for `parse_llm_json_output`.
        salvage: where the text was cut off, keep the members that were complete instead of refusing it;
            `truncated` and the trace then say so.

    Raises:
        LLMJsonParseError: no object, or several, or none that can be read without a guess.
        TypeError: `raw` is neither a string nor None.
    """
    return _decoded(_run(raw, Target(finished=finished, several=several, salvage=salvage), ""))


def _run(raw: str | None, target: Target, context_label: str) -> ParseState:
    text = _text(raw)
    try:
        state = run(text, target)
    except LLMJsonParseError as error:
        log_failure(error, text, context_label)
        raise
    if state.edits:
        log_repairs(counted(state.edits), text, context_label)
    return state


def _text(raw: object) -> str:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    message = f"raw must be str or None, not {type(raw).__name__}; decode bytes first, e.g. raw.decode('utf-8')"
    raise TypeError(message)


def _result(state: ParseState, dto_type: type[T]) -> T:
    assert isinstance(state.result, dto_type)  # noqa: S101 - the last stage has just made it
    return state.result


def _decoded(state: ParseState) -> DecodedJson:
    notes = (*state.notes, *state.latex_notes())
    return DecodedJson(state.data, state.repairs, state.truncated, notes)
