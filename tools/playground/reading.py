"""What the page shows of a text. It runs in the browser, where `llm_output` is the wheel."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter

from llm_output import Coercion, LLMJsonParseError, Note, Repair

MOST_MARKS = 500
"""Most repairs that are listed and marked."""
MOST_NOTES = 20
"""Most places that are told of a stage, or of a refusal."""
MOST_SHOWN = 20_000
"""Most characters of the text that are shown with its marks."""
SOURCE = "<type>"
"""The name under which errors of the type's source have their lines."""
MODULE = "typed"
"""The name of the module that the source becomes."""
ANSWER = "Answer"
"""The name in the source that is the type; without it, the last model that the source defines is."""

_inspection = import_module(f"{Note.__module__.rpartition('.')[0]}.inspection")
"""No public part of `llm_output`, and in the wheel at another place than in the sources."""


class SourceError(Exception):
    """The source of the type cannot be run, or defines no type; the message is for the reader of the page."""


class Part(NamedTuple):
    """A stretch of the text, and what became of it: of each kind the words that say so."""

    text: str
    kinds: tuple[str, ...] = ()
    title: str = ""


class _Span(NamedTuple):
    start: int
    end: int
    kind: str
    title: str = ""


def read(text: str, source: str, finished: bool | None, coerce: bool, language: str) -> str:  # noqa: FBT001 - the page calls it by place
    """Read a text into the type that `source` defines.

    Args:
        text: what the model wrote.
        source: Python that defines the type; blank for plain data.
        finished: as for `parse_llm_json_output`.
        coerce: the same; plain data have nothing to coerce.
        language: `zh` or `en`, the language of messages.

    Returns:
        A JSON object: `problem` where the source is at fault; else `value` or `refusal`, and `repairs`, `coercions`,
        `stages` and `parts`.
    """
    os.environ["LLM_OUTPUT_LANG"] = language
    try:
        dto_type = type_of(source) if source.strip() else None
    except SourceError as error:
        return json.dumps({"problem": str(error)})
    try:
        return json.dumps(_outcome(text, dto_type, finished=finished, coerce=coerce))
    except Exception as error:  # noqa: BLE001 - the code of the type is a stranger's
        return json.dumps({"problem": _told(error)})


def type_of(source: str) -> Any:  # noqa: ANN401 - any type that Pydantic reads
    """Run the source of a type.

    Raises:
        SourceError: it cannot be run, or defines no type.
    """
    module = ModuleType(MODULE)
    sys.modules[MODULE] = module  # where Pydantic looks for the names of annotations
    try:
        exec(compile(source, SOURCE, "exec"), vars(module))  # noqa: S102 - who types it runs it, in a page of their own
    except BaseException as error:  # noqa: BLE001 - `exit()` too
        raise SourceError(_told(error)) from None
    names = vars(module)
    models = [value for value in names.values() if _is_model(value)]
    if ANSWER not in names and not models:
        message = f"define a Pydantic model, or a type named {ANSWER}"
        raise SourceError(message)
    return names[ANSWER] if ANSWER in names else models[-1]


def _is_model(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == MODULE


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == SOURCE), None)
    if isinstance(error, SyntaxError) and error.filename == SOURCE:
        line = error.lineno
    where = f"line {line}: " if line else ""
    return f"{where}{type(error).__name__}: {error}"


def _outcome(
    text: str,
    dto_type: Any,  # noqa: ANN401 - as above
    *,
    finished: bool | None,
    coerce: bool,
) -> dict[str, Any]:
    reading = _inspection.inspect(text, dto_type, finished=finished, coerce=coerce)
    repairs = reading.repairs[:MOST_MARKS]
    places = _places(reading.error)
    found = {
        "repairs": [_repair(repair) for repair in repairs],
        "more": sum(repair.count for repair in reading.repairs[MOST_MARKS:]),
        "coercions": [_coercion(coercion) for coercion in reading.coercions[:MOST_MARKS]],
        "stages": list(_stages(reading)),
        "parts": list(parts(text[:MOST_SHOWN], reading.notes, repairs, [place["offset"] for place in places])),
        "cut": max(0, len(text) - MOST_SHOWN),
    }
    if reading.error:
        return {**found, "refusal": _refusal(reading.error, places)}
    if dto_type is None:
        return {**found, "value": _shown(reading.data)}
    adapter = TypeAdapter(dto_type)
    return {**found, "value": _shown(adapter.dump_python(reading.result, mode="json", by_alias=True))}


def _shown(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


def _refusal(error: LLMJsonParseError, places: list[dict[str, int]]) -> dict[str, Any]:
    return {
        "message": error.message,
        "stage": error.details["stage"],
        "places": [[place["line"], place["column"]] for place in places],
        "feedback": error.feedback(),
    }


def _places(error: LLMJsonParseError | None) -> list[dict[str, int]]:
    """Where in the text it was refused: the place of the damage, of the answers that compete, or of the fields."""
    details = error.details if error else {}
    position = details.get("position")
    places = details.get("candidates") or details.get("validation_places") or ([position] if position else [])
    return [place for place in places if place][:MOST_NOTES]


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        "kind": repair.kind.value,
        "place": f"{repair.line}:{repair.column}",
        "found": repair.found,
        "put": repair.put,
        "count": repair.count,
    }


def _coercion(coercion: Coercion) -> dict[str, str]:
    before, after = (json.dumps(value, ensure_ascii=False) for value in (coercion.before, coercion.after))
    return {"kind": coercion.kind.value, "path": coercion.path, "before": before, "after": after}


def _stages(reading: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - an Reading
    names = list(_inspection.STAGE_NAMES)
    failed = names.index(reading.error.details["stage"]) if reading.error else len(names)
    for at, name in enumerate(names):
        notes = [
            {"action": note.action, "start": note.span.start, "length": note.span.end - note.span.start}
            for note in reading.notes
            if note.stage == name
        ][:MOST_NOTES]
        state = "passed" if at < failed else "failed" if at == failed else "not reached"
        yield {"name": name, "state": state, "notes": notes if at <= failed else []}


def parts(
    text: str, notes: Sequence[Note], repairs: Sequence[Repair] = (), refused: Sequence[int] = ()
) -> Iterator[Part]:
    """The text in stretches: what was dropped, the chosen object, what was repaired, and where it was refused."""
    spans = [
        *_noted(notes),
        *(_Span(one.offset, one.offset + len(one.found), "repaired", _title(one)) for one in repairs),
        *(_Span(offset, offset + 1, "refused") for offset in refused),
    ]
    edges = sorted({0, len(text), *(min(edge, len(text)) for span in spans for edge in span[:2])})
    for start, end in zip(edges, [*edges[1:], len(text)], strict=True):
        for span in spans:
            if span.start == start and (span.end == start or start == len(text)):
                yield Part("", (span.kind,), span.title)
        over = [span for span in spans if span.start <= start and span.end >= end > start]
        if end > start:
            yield Part(
                text[start:end], tuple(dict.fromkeys(span.kind for span in over)), over[-1].title if over else ""
            )


def _noted(notes: Sequence[Note]) -> list[_Span]:
    marked = (note for note in notes if note.action in {"dropped", "chosen"})
    return [_Span(*note.span, note.action, f"{note.stage}: {note.action}") for note in islice(marked, MOST_MARKS)]


def _title(repair: Repair) -> str:
    return f"{repair.kind.value.replace('_', ' ')}: {repair.found!r} → {repair.put!r}"
