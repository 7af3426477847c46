"""Stage 2: drop reasoning, so that no draft in it is taken for the answer.

A tag inside a JSON string is data. A closing tag without an opening one closes everything before it. A block that
is never closed is an error: what stands in it is not an answer. In harmony's channels only the final one answers.
"""

from __future__ import annotations

import re

from src.shared.domain.notation import REASONING_TAGS
from src.shared.domain.parse_reasons import ONLY_THINK, UNCLOSED_THINK
from src.shared.infrastructure.errors import not_json
from src.shared.infrastructure.focus import escaped_focus
from src.shared.infrastructure.reader.budget import STEP
from src.shared.infrastructure.state import ParseState, Span

_NAMES = "|".join(sorted(REASONING_TAGS, key=len, reverse=True))
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>(?i:{_NAMES}))(?:\s[^<>]{{0,200}})?(?P<void>/?)>")
_CLOSING = {name: re.compile(rf"</(?i:{name})\s{{0,20}}>") for name in REASONING_TAGS}
_CHANNEL = re.compile(r"<\|channel\|>\s{0,20}+(?P<name>\w++)[^<]{0,200}+(?:<\|constrain\|>[^<]{0,100}+)?<\|message\|>")
TAG_COST = 8 * STEP
"""Units of work for a tag: to find it, and to keep what it encloses as a span and a note."""
CHANNEL_COST = 2 * TAG_COST
"""The same for a channel of harmony, its name and its end."""
_CHANNEL_MARK = "<|channel|>"
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


def think(state: ParseState) -> ParseState:
    """Blank out reasoning blocks and everything before a lone closing tag."""
    if "<" not in state.text or escaped_focus(state):
        return state
    state = _without_channels(state)
    dropped: list[Span] = []
    at = 0
    while state.scanner.work.spend(TAG_COST) and (tag := _TAG.search(state.text, at)):
        covered_to = state.scanner.covering(at, tag.start())
        if covered_to:
            at = covered_to
        elif tag["void"]:
            dropped.append(Span(*tag.span()))
            at = tag.end()
        elif tag["close"]:
            dropped = [Span(0, tag.end())]
            at = tag.end()
        else:
            at = _end_of_block(state, tag)
            dropped.append(Span(tag.start(), at))
    if not dropped:
        return state
    state = state.without(dropped, "think")
    if not state.text.strip():
        raise not_json(ONLY_THINK, "think", state.raw, position=state.lines.position(dropped[-1].end))
    return state


def _end_of_block(state: ParseState, tag: re.Match[str]) -> int:
    closing = _CLOSING[tag["name"].lower()].search(state.text, tag.end())
    if closing is None:
        raise not_json(UNCLOSED_THINK, "think", state.raw, position=state.lines.position(tag.start()))
    return closing.end()


def _without_channels(state: ParseState) -> ParseState:
    """Keep what harmony's answering channels say: the final one, or without one the commentary."""
    marks = state.text.count(_CHANNEL_MARK)
    channels = list(_CHANNEL.finditer(state.text)) if marks and state.scanner.work.spend(CHANNEL_COST * marks) else []
    if not channels:
        return state
    names = [channel["name"] for channel in channels]
    answering = "final" if "final" in names else "commentary"
    if answering not in names:
        raise not_json(ONLY_THINK, "think", state.raw, position=state.lines.position(channels[-1].start()))
    kept = []
    for channel in channels:
        if channel["name"] == answering:
            end = _CHANNEL_END.search(state.text, channel.end())
            kept.append(Span(channel.end(), end.start() if end else len(state.text)))
    edges = [0, *(place for span in kept for place in span), len(state.text)]
    gaps = [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    return state.without(gaps, "think")
