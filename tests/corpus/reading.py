"""The corpus beside the project, where it is, and what decoding one of its texts gives."""

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json

CORPUS = Path(__file__).parents[2] / "../shared/corpus"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus is not at {CORPUS}")


def lines_of(name: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Read the records of one of its files, packed or not."""
    opened = gzip.open if name.endswith(".gz") else open
    with opened(CORPUS / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, islice(lines, limit))


def decoded(raw: str, *, finished: bool | None = None) -> dict[str, Any] | None:
    """Decode a text; None where it is refused."""
    try:
        return decode_llm_json(raw, finished=finished).data
    except LLMJsonParseError:
        return None


def is_same(left: object, right: object) -> bool:
    """Whether two decoded values are the same, the types of their numbers and the order of their keys included."""
    return json.dumps(left) == json.dumps(right)
