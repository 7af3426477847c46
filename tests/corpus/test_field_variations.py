"""Own variations of faults that public reports show: each is read as wanted, or stands in a list of what is not yet."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from src.shared.infrastructure.tool_calls import read_tool_calls
from tests.beside import needs_corpus
from tests.corpus.reading import CORPUS, is_same, lines_of
from tests.tables.types import type_of

NAME = "field_variations.jsonl"
REFUSED = object()


class Pin(BaseModel):
    place: str = ""
    note: str = ""
    size: int = 0


class Nothing(BaseModel):
    pass


TOOLS = {"drop_pin": Pin, "stop": Nothing}


def outcome(row: dict[str, Any]) -> object:
    """What is read, as JSON's data; `REFUSED` where nothing is."""
    text, options = row["text"], row.get("options", {})
    try:
        if row["call"] == "read_tool_calls":
            calls = read_tool_calls(text, TOOLS, **options)
            return [[call.name, call.arguments.model_dump(exclude_unset=True)] for call in calls]
        if row["call"] == "decode_llm_json":
            return decode_llm_json(text, **options).data
        kind = type_of(row["type"])
        return TypeAdapter(kind).dump_python(parse_llm_json_output(text, kind, **options), mode="json")
    except LLMJsonParseError:
        return REFUSED


def problem(row: dict[str, Any]) -> str:
    """What is wrong with what is read; empty if nothing is."""
    read = outcome(row)
    if read is REFUSED:
        return "refused" if row["want"] == "value" else ""
    is_value = is_same(read, row.get("value"))
    if row["want"] == "refuse" or (row["want"] == "anything but this") == is_value:
        return f"read as {read!r}"
    return ""


@needs_corpus
def test_variations_are_read_as_wanted() -> None:
    if not (CORPUS / NAME).is_file():
        pytest.skip(f"{NAME} is not in the corpus beside the project")
    problems = {row["name"]: told for row in lines_of(NAME) if (told := problem(row))}
    assert problems == {}
