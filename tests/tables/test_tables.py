"""Each row of the tables, by every way in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from src.shared.domain import parse_reasons
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.reading import reading
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import (
    DecodedJson,
    ParsedOutput,
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, read_tool_calls
from tests.corpus.reading import is_same
from tests.shared.reading import position
from tests.tables.rows import ANSWERS, CALLS, DECISIONS, READINGS, Row, texts_of
from tests.tables.types import as_data, type_of

PIECE = 7
JSON_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "array": list[Any],
    "any": Any,
}


def tool_type(name: str, parameters: dict[str, Any]) -> type[BaseModel]:
    fields: dict[str, Any] = {key: (JSON_TYPES[part["type"]], None) for key, part in parameters.items()}
    return create_model(name, **fields)


TOOLS = {name: tool_type(name, parameters) for name, parameters in CALLS["tools"].items()}
ROOTS = {"object": "dict[str, Any]", "array": "list[Any]", "any": "Any"}
"""The type of what a text is read as where its row names none."""
ORIGINS = {"real", "field", "attack", "made"}
REASONS = {
    name.replace("_", " ").lower(): reason.en
    for module in (parse_reasons, reading)
    for name, reason in vars(module).items()
    if isinstance(reason, Reason)
}
OF_THE_READER = frozenset(reason.en for reason in vars(reading).values() if isinstance(reason, Reason)) | {
    *(reason.en for reason in parse_reasons.TWO_READ),
    parse_reasons.TRUNCATED.en,
    parse_reasons.ROWS_WITHOUT_END.en,
    parse_reasons.ESCAPED_UNREADABLE.en,
    parse_reasons.NO_OBJECT.en,
    parse_reasons.ROUND_BRACKETS.en,
}
"""Why a damaged text is refused, as far as a short one can be."""
OF_A_TEXT = {"name", "text", "texts", "signs", "around", "type", "options", "whole_only", "known_failure"}
OF_A_REFUSAL = {"stage", "reason", "refused", "at", "offset", "places", "problems", "shown", "truncated"}
OF_A_VALUE = {"value", "repairs", "trace", "notes", "coercions", "grade", "truncated", "left_out"}
OF_A_CALL = {"calls", "tools", "holds_call"}
OF_ANSWERS = {"holds_call", "unforeseen"}
OF_DECISIONS = {"decision", "origin"}


def rows_of(*tables: dict[str, Any]) -> list[Any]:
    return [
        pytest.param(
            row,
            id=row["name"],
            marks=[pytest.mark.xfail(reason=row["known_failure"], strict=True)] if "known_failure" in row else [],
        )
        for one in tables
        for row in one["row"]
    ]


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def check_refusal(row: Row, text: str, read: Callable[[], object]) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        read()
    error, details = caught.value, caught.value.details
    found: Row = {
        "stage": details["stage"],
        "reason": details.get("json_error"),
        "truncated": details.get("truncated", False),
        "offset": details.get("position", {}).get("offset"),
        "candidates": len(details.get("candidates", ())),
        "places": [place["offset"] for place in details.get("candidates", ())],
        "problems": [problem(one) for one in details.get("validation_errors", ())],
        "shown": [place and text[place["offset"] :][:5] for place in details.get("validation_places", ())],
    }
    expected = {key: row[key] for key in found if key in row}
    if "reason" in row:
        expected["reason"] = REASONS.get(row["reason"], row["reason"])
    assert {key: found[key] for key in expected} == expected, text
    assert row.get("refused", "") in error.message
    assert details["raw_length"] == len(text)
    for place in (*([details["position"]] if "position" in details else []), *details.get("candidates", ())):
        assert place == position(text, place["offset"]), text
    if "at" in row:
        assert found["offset"] == (text.index(row["at"]) if row["at"] else len(text)), text
    assert error.feedback()


def problem(error: dict[str, Any]) -> str:
    """Where a value does not fit its type, and how."""
    return ": ".join((*([".".join(map(str, error["loc"]))] if error["loc"] else []), error["type"]))


def check_trace(row: Row, text: str, decoded: DecodedJson[Any]) -> None:
    """How a text was read. A row of decisions may leave its repairs out; another one has none then."""
    places = [(one.offset, one.line, one.column) for one in decoded.repairs]
    assert places == sorted((at, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)) for at, _, _ in places), (
        text
    )
    found: Row = {
        "trace": [
            [one.kind.value, one.offset, one.found, one.put, *([one.count] if one.count > 1 else [])]
            for one in decoded.repairs
        ],
        "repairs": sorted({one.kind.value for one in decoded.repairs}),
        "coercions": [f"{one.kind.value} {one.path}" for one in decoded.coercions],
        "grade": decoded.grade.value,
        "truncated": decoded.truncated,
    }
    expected = {key: row[key] for key in found if key in row}
    if "repairs" in row:
        expected["repairs"] = sorted(row["repairs"])
    elif not {"decision", "trace", "signs"} & row.keys():
        expected["repairs"] = []
    assert {key: found[key] for key in expected} == expected, text
    if "notes" in row:
        actions = {action for _, action, _ in row["notes"]}
        noted = [[note.stage, note.action, text[slice(*note.span)]] for note in decoded.notes]
        assert [note for note in noted if note[1] in actions] == row["notes"]


def shown_of(stream: LLMJsonStream[Any], text: str) -> list[StreamSnapshot[Any]]:
    return [snapshot for snapshot in map(stream.feed, pieces(text)) if snapshot.facts.data is not None]


def in_pieces(text: str, written: str, options: dict[str, Any]) -> object:
    """What a stream gives in the end; what it has shown before must stand in it."""
    stream: LLMJsonStream[Any] = LLMJsonStream(type_of(written))
    shown = shown_of(stream, text)
    value = stream.close(**options)
    assert all(snapshot.at(path) == stream.snapshot.at(path) for snapshot in shown for path in snapshot.complete), text
    return value


def with_trace(row: Row, text: str, options: dict[str, Any]) -> object:
    """A text read whole, with its trace."""
    if "type" not in row:
        decoded = decode_llm_json(text, **options)
        if "value" in row:
            check_trace(row, text, decoded)
        return decoded.data
    parsed: ParsedOutput[Any] = parse_llm_json_output_with_trace(text, type_of(row["type"]), **options)
    if "value" in row:
        check_trace(row, text, parsed.decoded)
    return parsed.value


def ways_of(row: Row, text: str) -> Iterator[Callable[[], object]]:
    """Each way in: whole, with its trace, and in pieces."""
    options = dict(row.get("options", {}))
    yield partial(with_trace, row, text, options)
    if "type" in row:
        yield partial(parse_llm_json_output, text, type_of(row["type"]), **options)
    root = options.pop("root", "array" if row.get("value", "").startswith("[") else "object")
    if "whole_only" not in row and options.keys() <= {"finished"}:
        yield partial(in_pieces, text, row.get("type", ROOTS[root]), options)


@pytest.mark.parametrize("row", rows_of(*READINGS.values()))
def test_text(row: Row) -> None:
    """Read whole, with its trace, and in pieces."""
    for text, expected in texts_of(row):
        for way in ways_of(row, text):
            if "value" not in row:
                check_refusal(expected, text, way)
                continue
            value: Any = way()
            if "left_out" in row:
                assert [[one.path, one.text] for one in value.problems] == row["left_out"]
                assert value.is_whole is (row["left_out"] == [])
                value = value.value
            assert is_same(as_data(value, row.get("type")), json.loads(expected["value"])), text


@pytest.mark.parametrize("row", rows_of({"row": [row for row in ANSWERS["row"] if "type" in row]}))
def test_stream_shows_nothing_of_what_is_no_answer(row: Row) -> None:
    is_whole_only = "whole_only" in row or not row.get("options", {}).keys() <= {"finished"}
    stream: LLMJsonStream[Any] = LLMJsonStream(type_of(row["type"]))
    assert is_whole_only or "value" in row or "unforeseen" in row or not shown_of(stream, row["text"])


@pytest.mark.parametrize("row", [one for one in rows_of(ANSWERS) if "holds_call" in one.values[0]])
def test_call_in_place_of_an_answer_is_seen(row: Row) -> None:
    assert contains_tool_call(row["text"]) is row["holds_call"]


def tools_of(row: Row) -> dict[str, type[BaseModel]]:
    return {name: TOOLS[name] for name in row.get("tools", TOOLS)}


def written(calls: tuple[ToolCall, ...]) -> list[list[Any]]:
    return [[call.name, call.arguments.model_dump(exclude_unset=True)] for call in calls]


def calls_in_pieces(row: Row) -> tuple[ToolCall, ...]:
    stream = ToolCallStream(tools_of(row))
    came = [call for piece in pieces(row["text"]) for call in stream.feed(piece).calls]
    calls = stream.close(**row.get("options", {}))
    assert calls[: len(came)] == tuple(came)
    return calls


@pytest.mark.parametrize("row", rows_of(CALLS))
def test_call(row: Row) -> None:
    """Read whole and in pieces."""
    options = row.get("options", {})
    ways: list[Callable[[], tuple[ToolCall, ...]]] = [lambda: read_tool_calls(row["text"], tools_of(row), **options)]
    if "whole_only" not in row:
        ways.append(lambda: calls_in_pieces(row))
    for way in ways:
        if "calls" in row:
            assert written(way()) == json.loads(row["calls"])
        else:
            check_refusal(row, row["text"], way)


@pytest.mark.parametrize("row", [one for one in rows_of(CALLS) if "known_failure" not in one.values[0]])
def test_call_is_seen(row: Row) -> None:
    """`contains_tool_call` says what `read_tool_calls` finds."""
    holds = row.get("holds_call", row.get("calls") != "[]")
    assert contains_tool_call(row["text"], tools_of(row)) is holds


# --- the tables themselves ---


def test_each_reason_of_the_reader_is_given_by_a_text() -> None:
    rows = [row for row in DECISIONS["row"] if "reason" in row and "known_failure" not in row]
    assert {REASONS[row["reason"]] for row in rows} >= OF_THE_READER


def test_each_kind_of_repair_is_traced_at_its_place() -> None:
    traced = {kind for one in READINGS.values() for row in one["row"] for kind, *_ in row.get("trace", ())}
    assert traced == {kind.value for kind in RepairKind}


@pytest.mark.parametrize("name", ["calls", *READINGS])
def test_each_row_says_what_comes_of_its_text(name: str) -> None:
    rows = {"calls": CALLS, **READINGS}[name]["row"]
    more = {"calls": OF_A_CALL, "answers": OF_ANSWERS, "decisions": OF_DECISIONS}.get(name, set())
    assert max(Counter(row["name"] for row in rows).values()) == 1
    for row in rows:
        outcome = OF_A_VALUE if {"value", "calls"} & row.keys() else OF_A_REFUSAL | {"candidates"}
        assert row.keys() <= OF_A_TEXT | outcome | more, row["name"]
        assert row.keys() & (outcome | {"calls"}), row["name"]
        assert ("text" in row) != ("texts" in row), row["name"]


def test_no_text_is_asked_twice_in_the_same_way() -> None:
    asked = Counter(
        (text, row.get("type"), json.dumps(row.get("options", {}), sort_keys=True))
        for one in READINGS.values()
        for row in one["row"]
        for text, _ in texts_of(row)
    )
    assert [question for question, count in asked.items() if count > 1] == []


def test_each_row_of_a_decision_says_where_its_kind_was_seen() -> None:
    assert {row.get("origin", "made") for row in DECISIONS["row"]} == ORIGINS
