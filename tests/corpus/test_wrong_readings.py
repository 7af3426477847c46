"""The texts that an attack found: each is read as wanted, or refused, by its cluster of one root cause."""

import json
from datetime import date
from enum import Enum
from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from tests.corpus.reading import CORPUS, is_same, lines_of, needs_corpus

FILE = "wrong_readings.jsonl"
ROWS: list[dict[str, Any]] = list(lines_of(FILE)) if (CORPUS / FILE).is_file() else []
NAMES = {kind.__name__: kind for kind in (AliasChoices, BaseModel, Enum, Field, date)} | {"ConfigDict": ConfigDict}
NOT_YET = {"C10": 1}
"""By cluster: texts read otherwise than wanted; here one bracket of another kind is the nearest reading."""


def is_as_wanted(row: dict[str, Any]) -> bool:
    try:
        value = _value(row)
    except LLMJsonParseError:
        return bool(row["want"] == "refuse")
    return bool(is_same(value, row["want"]))


def _value(row: dict[str, Any]) -> Any:  # noqa: ANN401 - the type is in the row
    if row["type"] is None:
        return decode_llm_json(row["text"]).data
    defined: dict[str, Any] = dict(NAMES)
    exec(row["type"], defined)  # noqa: S102 - the corpus is the project's own
    dto = parse_llm_json_output(row["text"], list(defined.values())[-1])
    return json.loads(dto.model_dump_json())


def cluster_of(row: dict[str, Any]) -> str:
    return str(row["cluster"]).split()[0]


@needs_corpus
@pytest.mark.parametrize("cluster", dict.fromkeys(cluster_of(row) for row in ROWS))
def test_texts_of_a_cluster_are_read_as_wanted(cluster: str) -> None:
    others = [row["text"] for row in ROWS if cluster_of(row) == cluster and not is_as_wanted(row)]
    assert len(others) == NOT_YET.get(cluster, 0), others
