"""Each row of the tables, by every way in."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import (
    decode_llm_json,
    parse_llm_json_output,
    parse_llm_json_output_with_trace,
)
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_stream import ToolCallStream
from src.shared.infrastructure.tool_calls import ToolCall, contains_tool_call, read_tool_calls
from tests.tables.types import TYPES, as_data

HERE = Path(__file__).parent
CALLS = tomllib.loads((HERE / "calls.toml").read_text(encoding="utf-8"))
DRAFTS = tomllib.loads((HERE / "drafts.toml").read_text(encoding="utf-8"))
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
KEYS = frozenset(
    {
        *("name", "text", "refused", "stage", "at", "options", "holds_call"),
        *("whole_only", "known_failure", "unforeseen"),
    }
)

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
    if "at" in row:
        assert row["text"][error.details["position"]["offset"] :].startswith(row["at"])
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


@pytest.mark.parametrize("row", rows_of(DRAFTS))
def test_draft(row: Row) -> None:
    """Read whole, with its trace, and in pieces."""
    text, kind, options = row["text"], row.get("type"), row.get("options", {})

    def in_pieces() -> object:
        stream: LLMJsonStream[Any] = LLMJsonStream(TYPES[kind] if kind else dict[str, Any])
        shown = [snapshot for snapshot in map(stream.feed, pieces(text)) if snapshot.facts.data is not None]
        assert "value" in row or "unforeseen" in row or not shown
        value = stream.close(**options)
        assert all(snapshot.at(path) == stream.snapshot.at(path) for snapshot in shown for path in snapshot.complete)
        return value

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


@pytest.mark.parametrize("row", [one for one in rows_of(DRAFTS) if "holds_call" in one.values[0]])
def test_call_in_place_of_an_answer_is_seen(row: Row) -> None:
    assert contains_tool_call(row["text"]) is row["holds_call"]


@pytest.mark.parametrize("table", [CALLS, DRAFTS], ids=["calls", "drafts"])
def test_each_row_says_what_comes_of_its_text(table: dict[str, Any]) -> None:
    answer, options = ("calls", {"tools"}) if table is CALLS else ("value", {"type"})
    names = [row["name"] for row in table["row"]]
    assert len(names) == len(set(names))
    for row in table["row"]:
        assert row.keys() <= KEYS | options | {answer}, row["name"]
        assert (answer in row) != bool({"refused", "stage"} & row.keys()), row["name"]
