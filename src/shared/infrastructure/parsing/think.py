"""Stage 2: drop reasoning, so that no draft in it is taken for the answer.

A mark inside a JSON string is data. A closing mark without an opening one closes everything before it. A block that
is never closed is an error, because nothing in it is an answer. In harmony's channels only the final one counts.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import takewhile

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression
from src.shared.domain.parse_reasons import ONLY_THINK, UNCLOSED_THINK
from src.shared.domain.reading.signs import MARGIN, OPENERS
from src.shared.domain.reasoning import STEP_WORDS, Mark, draft_marks
from src.shared.domain.work import STEP, Work
from src.shared.infrastructure.parsing.answer import escaped_sole_value
from src.shared.infrastructure.parsing.leaked_calls import holds_call, is_to_a_tool, parameter_values
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.state import ParseState, Span, span_around

CHANNEL_LIMIT = 200
"""Most characters between the parts of the line that opens a channel of harmony."""
_REST = rf"[^<]{{0,{CHANNEL_LIMIT}}}+"
CHANNEL = expression(rf"<\|channel\|>\s{{0,{MARGIN}}}+(?P<name>\w++){_REST}(?:<\|constrain\|>{_REST})?<\|message\|>")
MARK_COST = 8 * STEP
"""Units of work for a mark: to find it, and to keep what it encloses as a span and a note."""
CHANNEL_COST = 2 * MARK_COST
"""The same for a channel of harmony, its name and its end."""
CHANNEL_MARK = "<|channel|>"
ROLE_MARK = "<|start|>"
_OPENER = expression(f"[{re.escape(''.join(OPENERS))}]")
_CHANNEL_END = expression(r"<\|(?:end|return|call|start|channel)\|>")


def think(state: ParseState) -> ParseState:
    """Blank out reasoning blocks and everything before a lone closing mark."""
    rest, error = without_reasoning(state)
    if error:
        raise error
    return rest


def without_reasoning(state: ParseState) -> tuple[ParseState, LLMJsonParseError | None]:
    """The state with its reasoning blanked out, and why nothing of the rest can be the answer, if so.

    A block that is never closed reaches to the end of the text.
    """
    text, work = state.text, state.scanner.work
    marks = _marks(text, work)
    if (not marks and CHANNEL_MARK not in text) or escaped_sole_value(state):
        return state, None
    state, error = _without_channels(state)
    if state.text is not text:
        marks = _marks(state.text, work)
    values = parameter_values(state.text) if marks else ()
    dropped, is_closed = _blocks(state, [mark for mark in marks if not span_around(values, mark.start)])
    if not dropped or work.refused:
        return state, error
    state = state.without(dropped, "think")
    if not is_closed:
        error = not_json(UNCLOSED_THINK, "think", state.raw, position=state.lines.position(dropped[-1].start))
    elif not state.text.strip():
        error = not_json(ONLY_THINK, "think", state.raw, position=state.lines.position(dropped[-1].end))
    return state, error


def _marks(text: str, work: Work) -> list[Mark]:
    return list(takewhile(lambda _: work.spend(MARK_COST), draft_marks(text)))


def _blocks(state: ParseState, marks: Sequence[Mark]) -> tuple[Sequence[Span], bool]:
    """The reasoning blocks between marks that are in no value, and whether the last of them is closed."""
    dropped: list[Span] = []
    steps: list[Span] = []
    closings = next_closings(marks)
    at = 0
    for number, mark in enumerate(marks):
        if mark.start < at:
            continue
        covered_to = state.scanner.covering(at, mark.start)
        at = covered_to or mark.end
        if at > mark.end or (covered_to and mark.is_void):
            continue
        if mark.is_void:
            dropped.append(Span(mark.start, mark.end))
        elif mark.closes and mark.is_firm:
            dropped, steps = [Span(0, mark.end)], []
        elif not mark.closes and (closing := closings[number]) is not None:
            at = marks[closing].end
            (steps if mark.family in STEP_WORDS else dropped).append(Span(mark.start, at))
        elif not mark.closes and mark.is_firm:
            return [*dropped, Span(mark.start, len(state.text))], False
    if steps and _OPENER.search(state.text, steps[-1].end):
        dropped = sorted([*dropped, *steps])
    return dropped, True


def next_closings(marks: Sequence[Mark]) -> list[int | None]:
    """For each mark, the number of the next one after it that closes a block of its kind."""
    next_of: dict[str, int] = {}
    closings: list[int | None] = [None] * len(marks)
    for number in range(len(marks) - 1, -1, -1):
        closings[number] = next_of.get(marks[number].family)
        if marks[number].closes:
            next_of[marks[number].family] = number
    return closings


def _without_channels(state: ParseState) -> tuple[ParseState, LLMJsonParseError | None]:
    """Keep what harmony's answering channels say: the final one, or without one the commentary; or say that none is."""
    marks = state.text.count(CHANNEL_MARK)
    if not marks or not state.scanner.work.spend(CHANNEL_COST * marks):
        return state, None
    said: dict[str, array[int]] = {}  # where what each channel says begins: matches would take ten times as much
    called: int | None = None
    last = -1
    for channel in _channels(state):
        said.setdefault(channel["name"], array("q")).append(channel.end())
        last = channel.start()
        called = last if called is None and is_to_a_tool(_header(state.text, channel)) else called
    if not said:
        return state, None
    answering = "final" if "final" in said else "commentary"
    error = holds_call(state, called) if called is not None else None
    if answering not in said and error is None:
        error = not_json(ONLY_THINK, "think", state.raw, position=state.lines.position(last))
    edges = array("q", [0])
    for start in said.get(answering, ()):
        end = _CHANNEL_END.search(state.text, start)
        edges.extend((start, end.start() if end else len(state.text)))
    edges.append(len(state.text))
    gaps = [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    return state.without(gaps, "think"), error


def _header(text: str, channel: re.Match[str]) -> str:
    """The mark of a channel, with the role in front of it: either may name the tool that is called."""
    role = text.rfind(ROLE_MARK, max(0, channel.start() - CHANNEL_LIMIT), channel.start())
    is_beside = role >= 0 and "<" not in text[role + 1 : channel.start()]
    return text[role if is_beside else channel.start() : channel.end()]


def _channels(state: ParseState) -> Iterator[re.Match[str]]:
    """The marks that open a channel and are in no value that can be read; a draft is often broken off in a string."""
    at = 0
    for channel in CHANNEL.finditer(state.text):
        start = channel.start()
        if start >= at:
            values = (value.end for value in state.scanner.values(at, start) if value.problem is None)
            at = next((end for end in values if end > start), channel.end())
            if at == channel.end():
                yield channel
