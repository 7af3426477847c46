"""Explaining a pasted text: what each stage of the parser did with it. Nothing of it is stored, logged or published."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from src.entrypoints.http.contracts import HttpContract, agent_contract
from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import schema_contract
from src.shared.domain.answer_type import AnswerType, adapter_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError, json_path, problems_of
from src.shared.domain.language import Language, Phrase, speaking
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import Repair
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys
from src.shared.domain.type_shapes import roots_of
from src.shared.infrastructure.parsing.inspection import LineIndex, Note, inspect
from src.shared.infrastructure.view import StageReport, stages_of

MOST_DATA = 20_000
"""Most characters of the data that are shown."""
MOST_NOTES = 5
"""Notes of a stage that are listed."""
MOST_REPAIRS = 100
"""Repairs that are listed and marked."""
MOST_PLACES = 5
"""Places of a refusal, and fields that are wrong, that are shown."""
MOST_TEXT = 20_000
"""Characters of the text that are shown with their marks."""
_AROUND = 90
_REFUSED, _DROPPED, _PLAIN = -2, -1, 0
_NAME = 80
_NO_OBJECT = Phrase("the JSON Schema has to be an object")


@dataclass(frozen=True, slots=True)
class Pasted:
    """What somebody asks to have explained.

    Attributes:
        text: what a model wrote.
        agent: the name of the agent whose type it is read into; empty for none.
        schema: a JSON Schema that it is read into, as JSON, if no agent is named; blank for plain data.
        finished: as for `parse_llm_json_output`.
        language: of the messages.
    """

    text: str
    agent: str = ""
    schema: str = ""
    finished: bool | None = None
    language: Language = Language.ZH


@dataclass(frozen=True, slots=True)
class Explained:
    """How a text was read.

    Attributes:
        pasted: what was asked.
        type_name: what it was read into; None for plain data.
        roots: what may stand at the root of that: `object`, `array`.
        hooks: the normalizers before it.
        stages: what each stage did.
        repairs: all of them.
        data: what was read, as JSON, its first `MOST_DATA` characters; None where the text was refused.
        left_out: characters of the data that are not in `data`.
        error: why it was refused; None where it was read.
    """

    pasted: Pasted
    type_name: str | None
    roots: tuple[str, ...]
    hooks: tuple[str, ...]
    stages: tuple[StageReport, ...]
    repairs: tuple[Repair, ...]
    data: str | None
    left_out: int
    error: LLMJsonParseError | None


@dataclass(frozen=True, slots=True)
class Unexplained:
    """The type that was asked for cannot be used; `why` says so in the reader's language."""

    pasted: Pasted
    why: str


def explained(pasted: Pasted) -> Explained | Unexplained:
    """Explain a text in the reader's language. It takes as long as reading one: a server asks a process for it."""
    with speaking(pasted.language):
        try:
            contract = _contract(pasted)
        except Problem as problem:
            return Unexplained(pasted, str(problem.body()["detail"]))
        return _explained(pasted, contract)


def _contract(pasted: Pasted) -> HttpContract | None:
    if pasted.agent:
        return agent_contract(pasted.agent)
    if not pasted.schema.strip():
        return None
    try:
        schema = json.loads(pasted.schema, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        name = one_line(error.key, _NAME)
        detail = Phrase("the JSON Schema has {name} twice", name=name)
        raise Problem(422, "SCHEMA_REFUSED", detail) from error
    except (ValueError, RecursionError) as error:
        where = f" ({error.lineno}:{error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        detail = Phrase("the JSON Schema is not JSON{where}", where=where)
        raise Problem(422, "SCHEMA_REFUSED", detail) from error
    if not isinstance(schema, dict):
        raise Problem(422, "SCHEMA_REFUSED", _NO_OBJECT)
    return schema_contract(schema)


def _explained(pasted: Pasted, contract: HttpContract | None) -> Explained:
    output = contract.output if contract else None
    dto_type: AnswerType[Any] | None = output.checked_type if output else None
    hooks = output.normalizers if output else ()
    reading = inspect(pasted.text, dto_type, normalizers=hooks, finished=pasted.finished)
    error = reading.error
    roots = sorted(roots_of(adapter_of(dto_type).core_schema), reverse=True) if dto_type is not None else ["object"]
    data = "" if error else _written(reading.result if contract else reading.data, contract)
    return Explained(
        pasted,
        None if dto_type is None else name_of(dto_type),
        tuple(roots),
        tuple(getattr(hook, "__name__", type(hook).__name__) for hook in hooks),
        tuple(stages_of(reading.notes, error.details["stage"] if error else None)),
        reading.repairs,
        None if error else data[:MOST_DATA],
        max(0, len(data) - MOST_DATA),
        error,
    )


def _written(value: object, contract: HttpContract | None) -> str:
    """The value for a reader; where JSON has no word for a part of it (NaN, an infinity), with Python's."""
    data = value
    if contract and contract.output:
        try:
            data = json.loads(contract.written(value))
        except Problem:
            data = adapter_of(contract.output.checked_type).dump_python(value, mode="python", by_alias=True)
    return json.dumps(data, ensure_ascii=False, indent=2, default=str)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: `kind` is `plain`, `dropped`, `repaired` or `refused`; `number` is the repair's."""

    text: str
    kind: str = "plain"
    number: int = 0


def marked(found: Explained) -> dict[str, Any]:
    """What the template shows besides `explained`.

    Returns:
        `pieces`: the beginning of the text with its marks; `places`: of each place of a refusal its offset, what stands
        before it in its line, at it (empty at the end) and after it; `fields`: of each field that is wrong the path and
        what is wrong; `place`: an offset as line and column.
    """
    text, lines = found.pasted.text, LineIndex(found.pasted.text)
    details = found.error.details if found.error else {}
    fields = zip(details.get("validation_errors", ()), problems_of(found.error) if found.error else (), strict=False)
    offsets = _places(details)[:MOST_PLACES]
    dropped = [note for stage in found.stages for note in stage.notes[:MOST_REPAIRS] if note.action == "dropped"]

    def place(offset: int) -> str:
        position = lines.position(offset)
        return f"{position['line']}:{position['column']}"

    return {
        "explained": found,
        "pieces": [*pieces(text[:MOST_TEXT], dropped, found.repairs[:MOST_REPAIRS], offsets)],
        "places": [(offset, *_around(text, offset)) for offset in offsets],
        "fields": [(json_path(one["loc"]), said) for one, said in fields],
        "place": place,
    }


def _places(details: dict[str, Any]) -> list[int]:
    """Offsets in the text: where it is damaged, where answers compete, where fields are wrong."""
    places = details.get("candidates") or details.get("validation_places") or [details.get("position")]
    return [*dict.fromkeys(place["offset"] for place in places if place)]


def _around(text: str, offset: int) -> tuple[str, str, str]:
    start = max(text.rfind("\n", 0, offset) + 1, offset - _AROUND)
    at = text[offset : offset + 1].strip("\r\n")
    after = text[offset + 1 : offset + _AROUND].split("\n", 1)[0] if at else ""
    return text[start:offset], at, after


def pieces(text: str, dropped: Sequence[Note], repairs: Sequence[Repair], refused: Sequence[int]) -> Iterator[Piece]:
    """The text in stretches: what was dropped, the repairs by their numbers, and where it was refused.

    A repair that put something where nothing stood is an empty piece at its place.
    """
    paint = [_PLAIN] * len(text)
    missing: dict[int, list[int]] = {}
    for note in dropped:
        _fill(paint, note.span.start, note.span.end, _DROPPED)
    for number, repair in enumerate(repairs, 1):
        if repair.found:
            found = repair.found if text.startswith(repair.found, repair.offset) else repair.found.removesuffix("…")
            _fill(paint, repair.offset, repair.offset + len(found), number)
        else:
            missing.setdefault(repair.offset, []).append(number)
    for offset in refused:
        _fill(paint, offset, offset + 1, _REFUSED)
    at = 0
    for edge in sorted({*missing, len(text)}):
        yield from _runs(text, paint, at, min(edge, len(text)))
        yield from (Piece("", "repaired", number) for number in missing.get(edge, ()))
        at = edge


def _runs(text: str, paint: list[int], start: int, end: int) -> Iterator[Piece]:
    for colour, run in groupby(range(start, end), key=paint.__getitem__):
        places = [*run]
        kind = {_PLAIN: "plain", _DROPPED: "dropped", _REFUSED: "refused"}.get(colour, "repaired")
        yield Piece(text[places[0] : places[-1] + 1], kind, max(colour, 0))


def _fill(paint: list[int], start: int, end: int, colour: int) -> None:
    end = min(end, len(paint))
    if start < end:
        paint[start:end] = [colour] * (end - start)
