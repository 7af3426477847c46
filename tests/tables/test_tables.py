"""Each row of the tables, by every way in."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from src.shared.domain import parse_reasons
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.reading import reading
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.llm_stream import LLMJsonStream, StreamSnapshot
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, read_tool_calls
from tests.corpus.reading import is_same
from tests.tables.types import TYPES, as_data

HERE = Path(__file__).parent
CALLS = tomllib.loads((HERE / "calls.toml").read_text(encoding="utf-8"))
ANSWERS = tomllib.loads((HERE / "answers.toml").read_text(encoding="utf-8"))
DECISIONS = tomllib.loads((HERE / "decisions.toml").read_text(encoding="utf-8"))
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
ROOTS: dict[str, Any] = {"object": dict[str, Any], "array": list[Any], "any": Any}
ORIGINS = {"real", "field", "attack", "made"}
REASONS = {
    name.replace("_", " ").lower(): reason
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
KEYS = frozenset({"name", "text", "refused", "stage", "at", "options", "whole_only", "known_failure"})
KEYS_OF = {
    "calls": (CALLS, {"calls", "tools", "holds_call"}),
    "answers": (ANSWERS, {"value", "type", "holds_call", "unforeseen"}),
    "decisions": (DECISIONS, {"value", "type", "decision", "origin", "repairs", "reason", "candidates"}),
}

Row = dict[str, Any]


def rows_of(table: dict[str, Any]) -> list[Any]:
    return [
        pytest.param(
            row,
            id=row["name"],
            marks=[pytest.mark.xfail(reason=row["known_failure"], strict=True)] if "known_failure" in row else [],
        )
        for row in table["row"]
    ]


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def check_refusal(row: Row, read: Callable[[], object], stage: str | None) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        read()
    error = caught.value
    assert row.get("refused", "") in error.message
    assert stage is None or error.details["stage"] == stage
    assert "reason" not in row or error.details["json_error"] == REASONS[row["reason"]].en
    assert "candidates" not in row or len(error.details["candidates"]) == row["candidates"]
    if "at" in row:
        place = row["text"].index(row["at"]) if row["at"] else len(row["text"])
        assert error.details["position"]["offset"] == place
    assert error.feedback()


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


def shown_of(stream: LLMJsonStream[Any], text: str) -> list[StreamSnapshot[Any]]:
    return [snapshot for snapshot in map(stream.feed, pieces(text)) if snapshot.facts.data is not None]


def closed(stream: LLMJsonStream[Any], shown: list[StreamSnapshot[Any]], **options: Any) -> object:  # noqa: ANN401 - any option of `close`
    """What the stream gives in the end; what it has shown before must stand in it."""
    value = stream.close(**options)
    assert all(snapshot.at(path) == stream.snapshot.at(path) for snapshot in shown for path in snapshot.complete)
    return value


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
            check_refusal(row, way, row.get("stage"))


@pytest.mark.parametrize("row", [one for one in rows_of(CALLS) if "known_failure" not in one.values[0]])
def test_call_is_seen(row: Row) -> None:
    """`contains_tool_call` says what `read_tool_calls` finds."""
    holds = row.get("holds_call", "refused" in row or "stage" in row or row["calls"] != "[]")
    assert contains_tool_call(row["text"], tools_of(row)) is holds


@pytest.mark.parametrize("row", rows_of(ANSWERS))
def test_draft(row: Row) -> None:
    """Read whole, with its trace, and in pieces."""
    text, kind, options = row["text"], row.get("type"), row.get("options", {})

    def in_pieces() -> object:
        stream: LLMJsonStream[Any] = LLMJsonStream(TYPES[kind or ""])
        shown = shown_of(stream, text)
        assert "value" in row or "unforeseen" in row or not shown
        return closed(stream, shown, **options)

    ways: list[Callable[[], object]] = [
        (lambda: parse_llm_json_output(text, TYPES[kind], **options))
        if kind
        else (lambda: decode_llm_json(text, **options).data)
    ]
    if kind:
        ways.append(lambda: parse_llm_json_output_with_trace(text, TYPES[kind], **options).value)
        if "whole_only" not in row and options.keys() <= {"finished"}:
            ways.append(in_pieces)
    for way in ways:
        if "value" in row:
            assert as_data(way(), kind) == json.loads(row["value"])
        else:
            check_refusal(row, way, row.get("stage"))


@pytest.mark.parametrize("row", [one for one in rows_of(ANSWERS) if "holds_call" in one.values[0]])
def test_call_in_place_of_an_answer_is_seen(row: Row) -> None:
    assert contains_tool_call(row["text"]) is row["holds_call"]


@pytest.mark.parametrize("row", rows_of(DECISIONS))
def test_decision(row: Row) -> None:
    """Read whole, with its trace, and in pieces."""
    text, kind = row["text"], row.get("type")
    options = {key: option for key, option in row.get("options", {}).items() if key != "root"}
    root = row.get("options", {}).get("root")

    def with_trace() -> object:
        if kind:
            parsed = parse_llm_json_output_with_trace(text, TYPES[kind], **options)
            value, decoded = parsed.value, parsed.decoded
        else:
            decoded = decode_llm_json(text, root=root, **options)
            value = decoded.data
        assert "repairs" not in row or {repair.kind.value for repair in decoded.repairs} == set(row["repairs"])
        return value

    def in_pieces() -> object:
        stream: LLMJsonStream[Any] = LLMJsonStream(TYPES[kind] if kind else ROOTS[root or "object"])
        return closed(stream, shown_of(stream, text), **options)

    ways: list[Callable[[], object]] = [with_trace]
    if "whole_only" not in row:
        ways.append(in_pieces)
    for way in ways:
        if "value" in row:
            assert is_same(as_data(way(), kind), json.loads(row["value"]))
        else:
            check_refusal(row, way, row.get("stage"))


def test_each_reason_of_the_reader_is_given_by_a_text() -> None:
    rows = [row for row in DECISIONS["row"] if "reason" in row and "known_failure" not in row]
    assert {REASONS[row["reason"]].en for row in rows} >= OF_THE_READER


@pytest.mark.parametrize("name", KEYS_OF)
def test_each_row_says_what_comes_of_its_text(name: str) -> None:
    table, keys = KEYS_OF[name]
    answer = "calls" if table is CALLS else "value"
    names = [row["name"] for row in table["row"]]
    assert len(names) == len(set(names))
    for row in table["row"]:
        assert row.keys() <= KEYS | keys, row["name"]
        assert (answer in row) != bool({"refused", "stage", "reason", "candidates", "at"} & row.keys()), row["name"]


@pytest.mark.parametrize("key", ["repairs", "reason", "at", "candidates"])
def test_only_a_row_that_is_read_has_repairs_and_only_another_one_a_reason_and_a_place(key: str) -> None:
    assert not [row["name"] for row in DECISIONS["row"] if key in row and ("value" in row) != (key == "repairs")]


def test_each_row_of_a_decision_says_where_its_kind_was_seen() -> None:
    assert {row.get("origin", "made") for row in DECISIONS["row"]} == ORIGINS
