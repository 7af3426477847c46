"""How a text was read, as data: for the command line, the service, its page and the batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic.errors import PydanticUserError

from src.shared.domain.answer_type import AnswerType, adapter_of, json_schema_of, per_type
from src.shared.domain.partial import PartProblem
from src.shared.domain.repair import Repair
from src.shared.infrastructure.parsing.decoded import DecodedJson, ParsedOutput
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, stage_names
from src.shared.infrastructure.parsing.state import ParseState

CHECKS = ("empty", "root", "normalize", "validate")
"""The stages that look at every text they get, whether or not they note anything."""
_CHOSEN = "chosen"


class StageState(StrEnum):
    """What became of a stage."""

    ACTED = "acted"
    """It recognised, dropped or chose something."""
    NOTHING_TO_DO = "nothing_to_do"
    NOT_NEEDED = "not_needed"
    """The answer was already found."""
    REFUSED = "refused"
    """It refused the text."""
    NOT_REACHED = "not_reached"


_QUIET = frozenset({StageState.NOTHING_TO_DO, StageState.NOT_NEEDED})
"""What is said otherwise of a stage that only checks: it has `passed` the text."""


@dataclass(frozen=True, slots=True)
class StageReport:
    """One stage.

    Attributes:
        name: of the stage.
        state: what became of it.
        notes: what it recognised, dropped and chose.
        is_deciding: whether the answer was found here, or the text refused.
    """

    name: str
    state: StageState
    notes: tuple[Note, ...]
    is_deciding: bool


def stages_of(notes: Iterable[Note], refusing: str | None = None) -> Iterator[StageReport]:
    """Every stage.

    Args:
        notes: what was noted of the reading.
        refusing: the stage that refused the text; None where it was read.
    """
    noted, names = tuple(notes), stage_names(refusing)
    deciding = next((note.stage for note in noted if note.action == _CHOSEN), refusing or names[-1])
    has_decided = has_refused = False
    for name in names:
        own = () if has_refused else tuple(note for note in noted if note.stage == name)
        has_decided |= name == deciding
        if has_refused:
            state = StageState.NOT_REACHED
        elif name == refusing:
            state = StageState.REFUSED
        elif own:
            state = StageState.ACTED
        else:
            state = StageState.NOT_NEEDED if has_decided else StageState.NOTHING_TO_DO
        yield StageReport(name, state, own, name == deciding)
        has_refused |= name == refusing


def _note(note: Note, lines: LineIndex) -> dict[str, Any]:
    """What a stage recognised, dropped or chose, and where: in the text, and if it is about a string, in the answer."""
    places = (("start", note.span.start), ("end", note.span.end))
    path = {"path": note.path} if note.path else {}
    return {"stage": note.stage, "action": note.action, **path} | {at: lines.position(offset) for at, offset in places}


def _repair(repair: Repair) -> dict[str, Any]:
    """A departure from strict JSON, and where."""
    return asdict(repair) | {"kind": repair.kind.value}


def _left_out(part: PartProblem) -> dict[str, Any]:
    """A part of an answer that is left out."""
    return {
        "path": part.path,
        "position": part.place and dict(part.place),
        "text": part.text,
        "message": part.error.message,
        "problems": part.error.details.get("validation_errors", []),
    }


def view(parsed: ParsedOutput[Any]) -> dict[str, Any]:
    """How a text was read, as JSON types: `repairs`, `coercions`, `grade`, `truncated` and what is `left_out`."""
    decoded = parsed.decoded
    return {
        "repairs": [_repair(repair) for repair in decoded.repairs],
        "coercions": [asdict(change) for change in decoded.coercions],
        "grade": decoded.grade.value,
        "truncated": decoded.truncated,
        "left_out": [_left_out(problem) for problem in parsed.kept.problems],
    }


def view_steps(reading: DecodedJson[Any] | ParseState, text: str) -> dict[str, Any]:
    """What was done with a text on the way, as JSON types; of one that was refused, how far it was read.

    Returns:
        `notes`: each thing that was recognised, dropped or chosen; `stages`: every stage in its order, what became of
        it, and its notes; `repairs`: as `view` has them.
    """
    lines = LineIndex(text)
    refusing = reading.error.details["stage"] if isinstance(reading, ParseState) and reading.error else None
    return {
        "notes": [_note(note, lines) for note in reading.notes],
        "repairs": [_repair(repair) for repair in reading.repairs],
        "stages": [
            {
                "stage": one.name,
                "state": "passed" if one.state in _QUIET and one.name in CHECKS else one.state.value,
                "notes": [_note(note, lines) for note in one.notes],
            }
            for one in stages_of(reading.notes, refusing)
        ],
    }


def json_value(value: object, answer_type: AnswerType[Any]) -> Any:  # noqa: ANN401 - any JSON type
    """A value of a type as JSON types; the members of a set stand in the same order in every process.

    Raises:
        PydanticSerializationError, ValueError, RecursionError: it cannot be written so.
    """
    adapter = adapter_of(answer_type)
    data = adapter.dump_python(value, mode="json", by_alias=True)
    if has_sets(answer_type):
        with suppress(TypeError):  # a set of models is no set of dictionaries: it stays as it is
            _order_sets(data, adapter.dump_python(value, by_alias=True))
    return data


@per_type
def has_sets(answer_type: AnswerType[Any]) -> bool:
    """Whether a value of a type may hold a set; it may where the type has no schema."""
    try:
        return "uniqueItems" in json.dumps(json_schema_of(answer_type))
    except (PydanticUserError, ValueError, RecursionError):
        return True


def _order_sets(data: object, value: object) -> None:
    """Sort each list of `data`, JSON types, that is a set in `value`, the same data in Python's types."""
    pairs = [(data, value)]
    while pairs:
        shown, meant = pairs.pop()
        if isinstance(shown, dict) and isinstance(meant, dict):
            pairs += zip(shown.values(), meant.values(), strict=False)
        elif isinstance(shown, list) and isinstance(meant, set | frozenset):
            shown.sort(key=json.dumps)
        elif isinstance(shown, list) and isinstance(meant, list | tuple):
            pairs += zip(shown, meant, strict=False)
