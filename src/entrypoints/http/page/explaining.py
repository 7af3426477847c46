"""Explaining a pasted text: what `/v1/parse` answers to it, and where in the text that is. Nothing of it is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from src.entrypoints.http.problems import Problem
from src.entrypoints.http.reading import process_contract, read_request
from src.entrypoints.http.requests import request_of
from src.shared.domain.answer_type import adapter_of, name_of
from src.shared.domain.edits import LineIndex
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys
from src.shared.domain.type_shapes import roots_of

MOST_DATA = 20_000
"""Most characters of the data that are shown."""
MOST_NOTES = 5
"""Notes of a stage that are listed."""
MOST_REPAIRS = 100
"""Repairs that are listed and marked."""
MOST_PLACES = 5
"""Places of a refusal that are shown."""
MOST_VALUES = 1_000
"""Values whose places are marked."""
MOST_TEXT = 20_000
"""Characters of the text that are shown with their marks."""
_AROUND = 90
_NAME = 80
FINISHED = {"yes": True, "no": False}
"""What the form says of the end of the text."""


def explain(form: Mapping[str, str]) -> dict[str, Any]:
    """What `/v1/parse` answers with `explain`. It takes as long as reading: a server asks a process for it.

    Args:
        form: `text`, `agent` or `schema` as JSON, where they are not empty, and `finished`.

    Returns:
        The members of the answer, with `data` as indented JSON, its first `MOST_DATA` characters, and `left_out`, how
        many more it has; or `problem`, with the members of the refusal. In both cases `type`, its `roots` and its
        `hooks`. Where the request itself is refused, `why` alone.
    """
    try:
        request = request_of(
            {
                "text": form["text"],
                "agent": form["agent"] or None,
                "schema": None if form["agent"] or not form["schema"].strip() else _schema_of(form["schema"]),
                "finished": FINISHED.get(form["finished"]),
                "explain": True,
            }
        )
        contract = process_contract(request)
    except Problem as problem:
        return {"why": problem.body()["detail"]}
    output = contract.output
    shown: dict[str, Any] = {
        "type": name_of(contract.type) if output else None,
        "roots": sorted(roots_of(adapter_of(contract.type).core_schema), reverse=True) if output else ["object"],
        "hooks": [getattr(hook, "__name__", type(hook).__name__) for hook in output.normalizers] if output else [],
    }
    try:
        answer = read_request(request, contract).answer
    except Problem as problem:
        answer = problem
    if isinstance(answer, Problem):
        return {"repairs": [], "stages": [], "places": [], **shown, **answer.facts, "problem": answer.body()}
    members = json.loads(answer)
    data = json.dumps(members["data"], ensure_ascii=False, indent=2)
    return {**members, **shown, "data": data[:MOST_DATA], "left_out": max(0, len(data) - MOST_DATA), "places": []}


def _schema_of(text: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        schema = json.loads(text, object_pairs_hook=unique_keys)
    except RepeatedKeyError as error:
        detail = Phrase("the JSON Schema has {name} twice", name=one_line(error.key, _NAME))
    except (ValueError, RecursionError) as error:
        where = f" ({error.lineno}:{error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        detail = Phrase("the JSON Schema is not JSON{where}", where=where)
    else:
        if isinstance(schema, dict):
            return schema
        detail = Phrase("the JSON Schema has to be an object")
    raise Problem(422, "SCHEMA_REFUSED", detail)


def marked(text: str, explained: Mapping[str, Any]) -> dict[str, Any]:
    """What the template shows besides what `explain` returns.

    Returns:
        `values`: the paths of the values that are marked; `pieces`: the beginning of the text with its marks; `spots`:
        of each place of a refusal its offset, what stands before it in its line, at it (empty at the end) and after it;
        `place`: an offset as line and column.
    """
    lines = LineIndex(text)
    offsets = [place["offset"] for place in explained["places"][:MOST_PLACES]]
    notes = [note for stage in explained["stages"] for note in stage["notes"][:MOST_REPAIRS]]
    values = [*_innermost(explained.get("spans", {}))][:MOST_VALUES]
    repairs = explained["repairs"][:MOST_REPAIRS]
    dropped = [(note["start"]["offset"], note["end"]["offset"]) for note in notes if note["action"] == "dropped"]

    def place(offset: int) -> str:
        position = lines.position(offset)
        return f"{position['line']}:{position['column']}"

    return {
        "values": [path for path, _ in values],
        "pieces": [*pieces(text[:MOST_TEXT], dropped, repairs, offsets, [span for _, span in values])],
        "spots": [(offset, *_around(text, offset)) for offset in offsets],
        "place": place,
    }


def _innermost(spans: Mapping[str, Sequence[int]]) -> Iterator[tuple[str, Sequence[int]]]:
    """The values in which no other stands, and their places."""
    for (path, span), following in zip(spans.items(), [*[*spans][1:], ""], strict=False):
        if not following.startswith((f"{path}.", f"{path}[")):
            yield path, span


def _around(text: str, offset: int) -> tuple[str, str, str]:
    start = max(text.rfind("\n", 0, offset) + 1, offset - _AROUND)
    at = text[offset : offset + 1].strip("\r\n")
    after = text[offset + 1 : offset + _AROUND].split("\n", 1)[0] if at else ""
    return text[start:offset], at, after


def pieces(
    text: str,
    dropped: Sequence[tuple[int, int]],
    repairs: Sequence[Mapping[str, Any]],
    refused: Sequence[int],
    values: Sequence[Sequence[int]] = (),
) -> Iterator[tuple[str, str, int]]:
    """The text in stretches: values and repairs by their numbers, what was dropped, and where it was refused.

    Yields:
        A stretch, its kind (`plain`, `value`, `dropped`, `repaired` or `refused`), and the number of the repair or the
        value, or 0. A repair
        that put something where nothing stood is an empty stretch at its place.
    """
    marks = [("plain", 0)] * len(text)
    missing: dict[int, list[int]] = {}

    def mark(start: int, end: int, kind: str, number: int = 0) -> None:
        end = min(end, len(text))
        marks[start:end] = [(kind, number)] * max(0, end - start)

    for number, (start, end) in enumerate(values, 1):
        mark(start, end, "value", number)
    for start, end in dropped:
        mark(start, end, "dropped")
    for number, repair in enumerate(repairs, 1):
        offset, found = repair["offset"], repair["found"]
        if found:
            found = found if text.startswith(found, offset) else found.removesuffix("…")
            mark(offset, offset + len(found), "repaired", number)
        else:
            missing.setdefault(min(offset, len(text)), []).append(number)
    for offset in refused:
        mark(offset, offset + 1, "refused")
    at = 0
    for edge in sorted({*missing, len(text)}):
        for (kind, number), run in groupby(range(at, edge), key=marks.__getitem__):
            places = [*run]
            yield text[places[0] : places[-1] + 1], kind, number
        yield from (("", "repaired", number) for number in missing.get(edge, ()))
        at = edge
