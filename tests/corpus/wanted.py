"""Minimal texts that say what is wanted of them: a value, or that they are refused."""

import json
from datetime import date
from enum import Enum
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.corpus.reading import is_same

NAMES: dict[str, Any] = {kind.__name__: kind for kind in (AliasChoices, BaseModel, Enum, Field, date)} | {
    "Any": Any,
    "ConfigDict": ConfigDict,
    "Literal": Literal,
}
"""What the source of a type may use."""


def is_as_wanted(row: dict[str, Any]) -> bool:
    """Whether a row's text, read into the row's type, gives what the row wants."""
    try:
        value = _value(row)
    except LLMJsonParseError:
        return bool(row["want"] == "refuse")
    return bool(is_same(value, row["want"]))


def type_of(source: str) -> Any:  # noqa: ANN401 - a type
    """The last type that a row's source defines."""
    defined = dict(NAMES)
    exec(source, defined)  # noqa: S102 - the corpus is the project's own
    return list(defined.values())[-1]


def _value(row: dict[str, Any]) -> Any:  # noqa: ANN401 - the type is in the row
    if row["type"] is None:
        return decode_llm_json(row["text"]).data
    return json.loads(parse_llm_json_output(row["text"], type_of(row["type"])).model_dump_json())
