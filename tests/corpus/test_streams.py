"""Of the outputs of real models a stream takes nothing back: what it shows is in the object that the parser reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.llm_stream import StreamState
from tests.beside import needs_corpus
from tests.corpus.reading import CORPUS, OWN, lines_of
from tests.streamed import snapshots, taken_back
from tests.thorough import at_length

SIZES = at_length(((1, 7, 40),), ((1,), (7,), (3, 30, 100)))
EVERY = at_length(36, 1)
"""Of how many texts one is read."""
FEWEST_SHOWN_TO_THE_END = 0.9
"""Of the texts that are read; of the others a part is shown, up to damage that has two readings."""


def texts_of(name: str) -> Iterator[str]:
    for row in lines_of(name, step=EVERY):
        text = row.get("text", row.get("raw"))
        if isinstance(text, str):
            yield text


def seen(texts: Iterator[str]) -> Counter[str]:
    """How many of the texts that are read are shown to their end; nothing of any is taken back.

    Left out are those in which a key stands twice in an object: the last one counts, and is not there yet.
    """
    states: Counter[str] = Counter()
    for text in texts:
        try:
            decoded = decode_llm_json(text, root="object")
        except LLMJsonParseError:
            continue
        if any(repair.kind is RepairKind.DUPLICATE_KEY for repair in decoded.repairs):
            continue
        for sizes in SIZES:
            shown = snapshots(text, sizes=sizes)
            assert (text, taken_back(shown, decoded.data)) == (text, None)
        states[shown[-1].state.value if shown else ""] += 1
    return states


def test_nothing_is_taken_back_of_the_projects_own_texts() -> None:
    texts: list[Any] = [row["text"] for row in lines_of("outputs.jsonl", folder=OWN)][:: at_length(3, 1)]
    assert seen(iter(texts))[StreamState.DONE] > 0


@needs_corpus
@pytest.mark.parametrize("name", [path.name for path in sorted(CORPUS.glob("*.jsonl"))])
def test_nothing_is_taken_back_of(name: str) -> None:
    seen(texts_of(name))


@needs_corpus
def test_most_outputs_of_real_models_are_shown_to_their_end() -> None:
    states = seen(text for at, text in enumerate(texts_of("pool_30k.jsonl.gz")) if at % EVERY == 0)
    assert states[StreamState.DONE] > FEWEST_SHOWN_TO_THE_END * states.total()
