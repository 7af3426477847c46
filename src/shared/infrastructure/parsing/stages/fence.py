"""Stage 3: look into the fenced blocks that hold JSON, if there are any, and account for the text outside them.

A fence inside a JSON string is data. Neither the language tag nor an unclosed last fence matters: the block ends where
its JSON ends. A block of code in another language is remembered, because braces in it are not damaged JSON. A block
whose tag means reasoning is dropped like any other reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from src.shared.domain.reading.budget import STEP
from src.shared.domain.reading.lexicon import MARGIN
from src.shared.domain.reading.tokens import KEY_LIMIT
from src.shared.domain.reasoning import says_reasoning
from src.shared.domain.shown_end import begins_line
from src.shared.infrastructure.parsing.candidates.eligible import MAX_CANDIDATES
from src.shared.infrastructure.parsing.candidates.outside import look_outside
from src.shared.infrastructure.parsing.candidates.sole_value import escaped_sole_value, sole_value
from src.shared.infrastructure.parsing.notes import Note, Span
from src.shared.infrastructure.parsing.state import ParseState, changed

INFO_LIMIT = 80
"""Most characters after the tag of a fence, on its line, that are not part of its block."""
_FENCE = re.compile(
    r"(?P<fence>`{3,}+|~{3,}+|(?<!:):{3,}+(?=[ \t]{0,3}[A-Za-z])|<!\[CDATA\[)[ \t]*+"
    rf"(?P<tag>[\w+.#\-]*+)(?:[^\n`~{{\[｛［]{{0,{INFO_LIMIT}}}+\n|[ \t]*+)"
)
_MARKS = {"`": "```", "~": "~~~", ":": ":::", "<": "]]>"}
"""The first character of a fence, and the mark that closes its block; that of XML is a CDATA section."""
_JSON_TAGS = frozenset({"json", "json5", "jsonc", "jsonl"})
_TEXT_TAGS = _JSON_TAGS | {"", "text", "txt", "plaintext", "markdown", "md", "output"}
_JSON_START = re.compile(r"\s*+[{\[｛［]")
_UNOPENED = re.compile(rf'\s*+"[^"\\\n]{{1,{KEY_LIMIT}}}+"\s*+:')
"""A member right at the beginning: the brace before it was forgotten."""


@dataclass
class _Fences:
    """The fenced blocks of a text, by what they hold: JSON, code, what should be JSON and is not, reasoning, text."""

    json: list[Span] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    unread: list[Span] = field(default_factory=list)
    reasoning: list[Span] = field(default_factory=list)
    text: list[Span] = field(default_factory=list)


def fence(state: ParseState) -> ParseState:
    """Narrow the search to the fenced blocks whose content opens with a bracket."""
    if not any(mark in state.text for mark in _MARKS.values()) or escaped_sole_value(state):
        return state
    found = _fences(state)
    if found.reasoning:
        state = state.without(found.reasoning, "fence")
    rival = found.unread[0].start if found.unread else None
    state = changed(state, code=tuple(found.code), rival=rival)
    if found.json:
        return _narrowed(state, found.json)
    scalar = _narrowed(changed(state, rival=None), found.text) if len(found.text) == 1 else state
    return scalar if sole_value(scalar) else state


def _narrowed(state: ParseState, blocks: Sequence[Span]) -> ParseState:
    notes = (*state.notes, *(Note("fence", "recognised", block) for block in blocks))
    return look_outside(changed(state, spans=tuple(blocks), notes=notes))


def _fences(state: ParseState) -> _Fences:
    found = _Fences()
    at = blocks = 0
    work = state.scanner.work
    while blocks <= MAX_CANDIDATES and work.spend(STEP) and (opening := _FENCE.search(state.text, at)):
        inline = not begins_line(state.text, opening.start())
        covered_to = state.scanner.covering(at, opening.start(), in_open_string=True, in_brackets=inline)
        if covered_to:
            at = covered_to
            continue
        blocks += 1
        at = _after_fence(state.text, _sort(state, opening, found))
    return found


def _sort(state: ParseState, opening: re.Match[str], found: _Fences) -> int:
    """Put the block into the list it belongs to, and return where its content ends."""
    text, mark, tag = state.text, _MARKS[opening["fence"][0]], opening["tag"].lower()
    content = _JSON_START.match(text, opening.end())
    end = _closing(text, opening.end(), mark)
    if says_reasoning(opening["tag"]):
        found.reasoning.append(Span(opening.start(), min(end + len(mark), len(text))))
    elif opening["fence"][0] == ":":
        return opening.end()  # a container of Markdown's: only one of reasoning matters
    elif content:
        block = _block(state, content.end() - 1, mark)
        found.json.append(block)
        return block.end
    elif _UNOPENED.match(text, opening.end()) and text[max(0, end - MARGIN) : end].rstrip().endswith("}"):
        found.json.append(Span(opening.end(), end))
    elif tag not in _TEXT_TAGS:
        found.code.append(Span(opening.end(), end))
    else:
        found.text.append(Span(opening.end(), end))
        if tag in _JSON_TAGS and _is_unread(state, opening.end(), end):
            found.unread.append(Span(opening.end(), end))
    return end


def _block(state: ParseState, opened: int, mark: str) -> Span:
    start = opened
    value = state.scanner.value_at(start)
    if value and value.problem is None:
        return Span(start, _closing(state.text, value.end, mark))
    end = _closing(state.text, start, mark)
    while value is None and end < len(state.text) and (covered_to := state.scanner.covering(start, end)):
        start, end = covered_to, _closing(state.text, covered_to, mark)
    return Span(opened, end)


def _is_unread(state: ParseState, start: int, end: int) -> bool:
    """Whether something stands in what should be JSON, and no value."""
    return bool(state.text[start:end].strip()) and not any(True for _ in state.scanner.values(start, end))


def _closing(text: str, start: int, mark: str) -> int:
    end = text.find(mark, start)
    return end if end >= 0 else len(text)


def _after_fence(text: str, at: int) -> int:
    fence_ = _FENCE.match(text, at)
    return fence_.end() if fence_ else at
