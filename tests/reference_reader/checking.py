"""Damaged texts small enough for the reference, and what a parser makes of them beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from random import Random
from typing import NamedTuple

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.reference_reader.readings import Nearest, nearest
from tests.reference_reader.rules import DECIDERS, REREADS, SILENCES
from tools.attack.budget import Budget
from tools.attack.damaged import damaged_pieces, two_kinds
from tools.attack.damages import KINDS
from tools.attack.documents import Document, any_document
from tools.attack.outcome import same
from tools.attack.pieces import COMPACT, INDENTED, SPACED, join, write
from tools.attack.reader import Accepted, Reading, Refused
from tools.attack.texts import ALL

LONGEST = 60
"""Characters of a text."""
LONGEST_STRING = 16
"""Characters of a string in a document."""
_TRIES = 300
_LAYOUTS = (COMPACT, SPACED, SPACED, INDENTED)
_SHORT = tuple(short for sort in ALL if (short := tuple(text for text in sort if len(text) <= LONGEST_STRING)))


class Small(NamedTuple):
    """A small damaged text, the damages done to it, and what it was made from."""

    text: str
    kinds: tuple[str, ...]
    document: Document


class Found(StrEnum):
    """What the parser made of a text, by what the reference says of it."""

    READ = "read"
    """One reading is nearest, and it was taken."""
    REFUSED = "refused"
    """One reading is nearest, and the text was refused."""
    WRONG = "wrong"
    """One reading is nearest, and another was taken."""
    TIE_REFUSED = "tie refused"
    """Several readings are nearest, and the text was refused."""
    TIE_DECIDED = "tie decided"
    """Several readings are nearest, and the one was taken that the rules leave."""
    TIE_WRONG = "tie wrong"
    """Several readings are nearest, and one was taken that no rule says is the one."""
    FAR_REFUSED = "far refused"
    """No reading is within reach, and the text was refused."""
    FAR_READ = "far read"
    """No reading is within reach, and the text was read: by a rule that the reference does not know."""


def small_texts(count: int, seed: int, damages: int, longest: int = LONGEST) -> Iterator[Small]:
    """Damage small documents, every kind in turn, alone or with a second one; a seed always makes the same texts."""
    for number, rng in Budget(count).turns(seed):
        small = _small(rng, number, damages, longest)
        if small is not None:
            yield small


def _small(rng: Random, number: int, damages: int, longest: int) -> Small | None:
    kind = KINDS[number % len(KINDS)]
    chosen = (kind,) if damages == 1 else two_kinds(rng, kind)
    for _ in range(_TRIES):
        document = any_document(rng, _SHORT)
        pieces = write(document, rng.choice(_LAYOUTS))
        steps = damaged_pieces(rng, pieces, chosen) if len(join(pieces)) <= longest else None
        if steps is not None and len(text := join(steps[-1][1])) <= longest:
            return Small(text, tuple(kind for kind, _ in steps), document)
    return None


def reference_of(text: str, further: int = 0) -> Nearest | None:
    """Ask the reference, about the text or about what it stands for; None where no reading is near."""
    return nearest(reread(text), further=further)


def is_covered(text: str) -> bool:
    """Whether the reference has something to say of a text."""
    return not any(rule.covers(reread(text)) for rule in SILENCES)


def reread(text: str) -> str:
    """Give the text that a text stands for by the rules that say so."""
    for _ in REREADS:
        text = next((other for rule in REREADS if (other := rule.instead(text)) is not None), text)
    return text


def decided(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Leave those of several nearest readings that no rule speaks against, one rule after the other."""
    for rule in DECIDERS:
        least = min(map(rule.against, texts))
        texts = tuple(text for text in texts if rule.against(text) == least)
    return texts


def judged(reading: Reading, reference: Nearest | None) -> Found:
    """Say what a reading is beside the reference's."""
    accepted = isinstance(reading, Accepted)
    if reference is None:
        return Found.FAR_READ if accepted else Found.FAR_REFUSED
    one = len(reference.texts) == 1
    if not isinstance(reading, Accepted):
        return Found.REFUSED if one else Found.TIE_REFUSED
    left = decided(reference.texts)
    is_right = len(left) == 1 and same(reading.data, json.loads(left[0]))
    if one:
        return Found.READ if is_right else Found.WRONG
    return Found.TIE_DECIDED if is_right else Found.TIE_WRONG


def read(text: str) -> Reading:
    """Ask the parser. Another exception than its own is for the test runner to show."""
    try:
        return Accepted(decode_llm_json(text, root="any", finished=True).data)
    except LLMJsonParseError:
        return Refused()
