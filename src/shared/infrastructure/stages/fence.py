"""Stage 3: look into the fenced blocks that hold JSON, where there are any.

A fence inside a JSON string is data. The language tag does not matter, nor whether the last fence is closed: where
the block ends is where its JSON ends. A block of code in another language is remembered: braces in it are not
damaged JSON.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, islice

from src.shared.infrastructure.choice import MAX_CANDIDATES
from src.shared.infrastructure.focus import escaped_focus
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.satisfaction import fit
from src.shared.infrastructure.state import Note, ParseState, Span

_FENCE = re.compile(r"(?P<fence>`{3,}+|~{3,}+)[ \t]*+(?P<tag>[\w+.#\-]*+)(?:[^\n`~{\[]{0,80}+\n|[ \t]*+)")
_TEXT_TAGS = frozenset({"", "json", "json5", "jsonc", "jsonl", "text", "txt", "plaintext", "markdown", "md", "output"})
_JSON_START = re.compile(r"\s*+[{\[｛［]")


def fence(state: ParseState) -> ParseState:
    """Narrow the search to the fenced blocks whose content opens with a bracket."""
    if ("```" not in state.text and "~~~" not in state.text) or escaped_focus(state):
        return state
    blocks: list[Span] = []
    code: list[Span] = []
    at = 0
    work = state.scanner.work
    while len(blocks) + len(code) <= MAX_CANDIDATES and work.spend(STEP) and (opening := _FENCE.search(state.text, at)):
        covered_to = state.scanner.covering(at, opening.start(), in_open_string=True)
        if covered_to:
            at = covered_to
            continue
        content = _JSON_START.match(state.text, opening.end())
        if content:
            block = _block(state, content.end() - 1, opening["fence"][0] * 3)
            blocks.append(block)
            at = block.end
        else:
            at = _closing(state.text, opening.end(), opening["fence"][0] * 3)
            if opening["tag"].lower() not in _TEXT_TAGS:
                code.append(Span(opening.end(), at))
        at = _after_fence(state.text, at)
    if not blocks or _answers_outside(state, blocks):
        return replace(state, code=tuple(code))
    notes = (*state.notes, *(Note("fence", "recognised", block) for block in blocks))
    return replace(state, spans=tuple(blocks), notes=notes)


def _answers_outside(state: ParseState, blocks: list[Span]) -> bool:
    """Whether an object outside the blocks satisfies the DTO, too: then the fence does not mark the answer."""
    dto_type = state.target.dto_type
    if dto_type is None:
        return False
    edges = [0, *(place for block in blocks for place in block), len(state.text)]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    outside = chain.from_iterable(state.scanner.values(start, end) for start, end in gaps)
    found = (state.scanner.decoded(value) for value in islice(outside, MAX_CANDIDATES))
    objects = (value.data for value in found if value.problem is None and isinstance(value.data, dict))
    fits = (fit(data, dto_type, state.target.normalizers) for data in objects)
    return any(known and valid for known, valid in fits)


def _block(state: ParseState, start: int, mark: str) -> Span:
    value = state.scanner.value_at(start)
    if value and value.problem is None:
        return Span(start, _closing(state.text, value.end, mark))
    return Span(start, _closing(state.text, start, mark))


def _closing(text: str, start: int, mark: str) -> int:
    end = text.find(mark, start)
    return end if end >= 0 else len(text)


def _after_fence(text: str, at: int) -> int:
    fence_ = _FENCE.match(text, at)
    return fence_.end() if fence_ else at
