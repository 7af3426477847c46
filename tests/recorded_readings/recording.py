"""What is recorded of a damaged text: the value and the repairs, or why and where it is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.reference_reader.checking import small_texts
from tools.attack.damaged import damaged_text, two_kinds
from tools.attack.damages import KINDS
from tools.attack.documents import Document

FILE = Path(__file__).with_name("readings.jsonl")
LONGEST = 240
"""Characters of a text."""
PER_KIND = 5
"""Texts of each kind of damage alone, and as many with a second one."""
MOST_REPAIRS = 12
"""Repairs of one text that are recorded."""
_SEED = 2026
_TRIES = 40


class Recorded(NamedTuple):
    """One text, its first damage, and what is read in it."""

    kind: str
    text: str
    reading: dict[str, Any]


def reading_of(text: str) -> dict[str, Any]:
    """Read a text whose end is known, and say what is recorded of it."""
    try:
        decoded = decode_llm_json(text, root="any", finished=True)
    except LLMJsonParseError as error:
        return {"refused": error.details.get("json_error"), "at": error.details.get("position", {}).get("offset")}
    repairs = [f"{repair.kind}@{repair.offset}" for repair in decoded.repairs[:MOST_REPAIRS]]
    return {"value": decoded.data, "repairs": repairs}


def recorded() -> Iterator[Recorded]:
    """The recorded texts."""
    for line in FILE.read_text("utf-8").rstrip("\n").split("\n"):
        yield Recorded(*json.loads(line))


def made() -> Iterator[Recorded]:
    """Texts to record: never one that is read as something else than it was made from."""
    for kind, text, document in (*_wrapped(), *_small()):
        reading = reading_of(text)
        if "refused" in reading or reading["value"] == document:
            yield Recorded(kind, text, reading)


def _wrapped() -> Iterator[tuple[str, str, Document]]:
    """Texts as a model would wrap them, with every kind of damage alone and with a second one."""
    for number, kind in enumerate(KINDS * PER_KIND):
        rng = Random(_SEED + number)  # noqa: S311 - the same texts every time
        for damages in ((kind,), two_kinds(rng, kind)):
            tried = (damaged_text(rng, *damages) for _ in range(_TRIES))
            short = next((one for one in tried if one is not None and len(one.text) <= LONGEST), None)
            if short is not None:
                yield kind.kind, short.text, short.document


def _small() -> Iterator[tuple[str, str, Document]]:
    """Texts of a line."""
    for damages in (1, 2):
        for seed in range(PER_KIND):
            for small in small_texts(len(KINDS), _SEED + seed, damages):
                yield small.kinds[0], small.text, small.document
