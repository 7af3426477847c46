"""Stage 3: look into the fenced blocks that hold JSON, if there are any, and account for the text outside them.

A fence inside a JSON string is data. Neither the language tag nor an unclosed last fence matters: the block ends where
its JSON ends. A block of code in another language is remembered, because braces in it are not damaged JSON. A block
whose tag means reasoning is dropped like any other reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from src.shared.domain.edits import Edit, EditedText
from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.openings import BLANK_LIMIT, KEY_LIMIT
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.signs import FENCES, MARGIN
from src.shared.domain.reasoning import says_reasoning
from src.shared.domain.shown_end import begins_line
from src.shared.domain.work import STEP
from src.shared.infrastructure.parsing.answer import (
    MAX_CANDIDATES,
    bracketed_value,
    could_answer,
    escaped_sole_value,
    is_code,
    sole_span,
    sole_value,
)
from src.shared.infrastructure.parsing.rivals import first_rival, has_fields, stretches
from src.shared.infrastructure.parsing.state import Note, ParseState, Span, changed, span_around

SCANS = 8
"""So many times the text outside is looked at, apart from what reading its values takes."""
CODE_LIMIT = 500
"""Most characters of code that a sentence mentions."""
_MENTIONED = expression(
    rf"` (?<= \w [ ] ` ) (?: [^`\n]{{1,{CODE_LIMIT}}}+ ` (?= [ ,;]{{1,3}}+ \w ) | \{{ \s? \}} ` )", re.VERBOSE
)
"""Code in a sentence that continues after it, or an empty object: a mention, not an answer."""


def look_outside(state: ParseState) -> ParseState:
    """Note the values outside the blocks that could be the answer, and the first place there that cannot be read.

    Code of another language, and code in the middle of a sentence, is about something else, unless it has the type's
    own fields.
    """
    fields = state.target.own_keys()
    code = [span for span in state.code if not has_fields(state.text, *span, fields)]
    text = _replaced(state.text, sorted([*state.spans, *code]), " ")
    work = state.scanner.work
    work.spend(SCANS * len(text))
    scanner = state.target.scanner(text, work)
    found = (value for value in scanner.values(0, len(text)) if not is_code(value, text, ()))
    values = list(islice(found, MAX_CANDIDATES + 1))
    mentions = [span for span in _mentions(text, values) if not has_fields(text, *span, fields)]
    values = [value for value in values if not span_around(mentions, value.start)]
    readable = [value for value in values if value.problem is None]
    left = stretches(0, len(text), [*mentions, *((value.start, value.end) for value in readable)])
    unread = (value.start for value in values if value.problem)
    rival = first_rival(text, left, fields, _data_of_only_block(state))
    places = [place for place in (state.rival, rival, *unread) if place is not None]
    outside = tuple(value for value in readable if could_answer(value, state.target.roots))
    return changed(state, outside=outside, rival=min(places, default=None))


def _data_of_only_block(state: ParseState) -> object:
    """What the only block holds, if it can be read."""
    value = state.scanner.value_at(state.spans[0].start) if len(state.spans) == 1 else None
    return value.data if value else None


def _mentions(text: str, values: Iterable[Value]) -> list[tuple[int, int]]:
    """The code that sentences mention. What is in a value's strings is no code, so values are made one word."""
    words = _replaced(text, [(value.start, value.end) for value in values if value.data != {}], "x")
    return [found.span() for found in _MENTIONED.finditer(words)]


def _replaced(text: str, spans: Iterable[tuple[int, int]], char: str) -> str:
    """The text with as many of a character in place of each of these parts, so that offsets stay."""
    edits = [Edit(start, end - start, char * (end - start)) for start, end in spans]
    return EditedText(text, 0, len(text), edits).text


INFO_LIMIT = 80
"""Most characters after the tag of a fence, on its line, that are not part of its block."""
_FENCE = expression(
    r"(?P<fence>[`~:<](?:(?<=`)``++|(?<=~)~~++|(?<=:)(?<!::)::++(?=[ \t]{0,3}[A-Za-z])|(?<=<)!\[CDATA\[))[ \t]*+"
    rf"(?P<tag>[\w+.#\-]*+)(?:[^\n`~{{\[｛［]{{0,{INFO_LIMIT}}}+\n|[ \t]*+)"
)
"""It begins with one set of characters, so that a search skips all others at full speed."""
_BLANKS = rf"[ \t]{{0,{BLANK_LIMIT}}}+"
JSON_FENCE = re.compile(rf"(?:{'|'.join(FENCES)}){_BLANKS}(?:json[5c]?|JSON)?{_BLANKS}\r?\n")
"""The line of a fence behind which a stream looks for JSON."""
BEGUN_FENCE = re.compile(rf"(?:`{{1,3}}|~{{1,3}}){_BLANKS}[A-Za-z0-9]{{0,6}}{_BLANKS}\r?\Z")
"""The same, as far as it is written."""
_FENCE_LINE = expression(r"(?P<fence>`{3,}+|~{3,}+|:{3,}+)[ \t]*+(?P<tag>[\w+.#\-]*+)")
_MARKS = {"`": "```", "~": "~~~", ":": ":::", "<": "]]>"}
"""The first character of a fence, and the mark that closes its block; that of XML is a CDATA section."""
_JSON_TAGS = frozenset({"json", "json5", "jsonc", "jsonl"})
_TEXT_TAGS = _JSON_TAGS | {"", "text", "txt", "plaintext", "markdown", "md", "output"}
_JSON_START = expression(r"\s*+[{\[｛［]")
_UNOPENED = expression(rf'\s*+"[^"\\\n]{{1,{KEY_LIMIT}}}+"\s*+:')
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
    return scalar if sole_value(scalar) or (sole_span(scalar) and bracketed_value(scalar)) else state


def has_reasoning_block(text: str) -> bool:
    """Whether the tag of some fence says reasoning."""
    return any(says_reasoning(opening["tag"]) for opening in _FENCE.finditer(text))


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
        at = match_end(_FENCE, state.text, _sort(state, opening, found))
    return found


def _sort(state: ParseState, opening: re.Match[str], found: _Fences) -> int:
    """Put the block into the list it belongs to, and return where its content ends."""
    text, mark, tag = state.text, _MARKS[opening["fence"][0]], opening["tag"].lower()
    content = _JSON_START.match(text, opening.end())
    end = _closing(text, opening.end(), mark)
    if says_reasoning(opening["tag"]):
        end = _end_of_reasoning(text, opening)
        found.reasoning.append(Span(opening.start(), end))
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


def _end_of_reasoning(text: str, opening: re.Match[str]) -> int:
    """The end of a block of reasoning: of what it quotes, a fence with a tag is closed by one without."""
    sign, open_fences = opening["fence"], [len(opening["fence"])]
    for line in _FENCE_LINE.finditer(text, opening.end()):
        if line["fence"][0] != sign[0]:
            continue
        if line["tag"] and begins_line(text, line.start()) and text[line.end() : line.end() + 1] in {"\n", "\r"}:
            open_fences.append(len(line["fence"]))
        elif len(line["fence"]) >= open_fences[-1]:
            open_fences.pop()
        if not open_fences:
            return line.end("fence")
    return len(text)


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
    return bool(state.text[start:end].strip()) and not any(state.scanner.values(start, end))


def _closing(text: str, start: int, mark: str) -> int:
    end = text.find(mark, start)
    return end if end >= 0 else len(text)
