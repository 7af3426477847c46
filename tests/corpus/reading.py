"""The large corpus beside the project, where it is, the project's own, and what reading one of their texts gives."""

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace
from tests.beside import SHARED

CORPUS = SHARED / "corpus"
OWN = Path(__file__).parent / "own"


def lines_of(
    name: str, limit: int | None = None, *, start: int = 0, step: int = 1, folder: Path = CORPUS
) -> Iterator[dict[str, Any]]:
    """Read the records of one of the files in a folder, packed or not: every `step`th from `start` up to `limit`."""
    opened = gzip.open if name.endswith(".gz") else open
    with opened(folder / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, islice(lines, start, limit, step))


def decoded(raw: str, *, finished: bool | None = None) -> dict[str, Any] | None:
    """Decode a text; None where it is refused."""
    try:
        data: dict[str, Any] = decode_llm_json(raw, finished=finished).data
    except LLMJsonParseError:
        return None
    return data


def is_same(left: object, right: object) -> bool:
    """Whether two decoded values are the same, the types of their numbers and the order of their keys included."""
    return json.dumps(left) == json.dumps(right)


def type_with_keys_of(expected: dict[str, Any]) -> type[BaseModel]:
    """A type with one field for each key, which takes any value."""
    fields: dict[str, Any] = {f"field_{at}": (Any, Field(alias=key)) for at, key in enumerate(expected)}
    return create_model("Expected", **fields)


def outcome(text: str, expected: dict[str, Any], *, typed: bool) -> str:
    """Whether a text is read right, wrong, or refused."""
    try:
        if typed:
            data = parse_llm_json_output_with_trace(text, type_with_keys_of(expected)).decoded.data
        else:
            data = decode_llm_json(text).data
    except LLMJsonParseError:
        return "refused"
    return "right" if is_same(data, expected) else "wrong"
