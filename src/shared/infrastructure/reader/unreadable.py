"""What can still be said of a value that cannot be read: where its brackets end, what is in its strings."""

from __future__ import annotations

import re

from src.shared.domain.notation import CLOSERS, OPENERS
from src.shared.infrastructure.reader.patterns import STRING_END, STRING_OR_BRACKETS
from src.shared.infrastructure.reader.strings import LINE_LIMIT

_BEFORE_STRING = frozenset("{[,:｛［，：")


def place_in_string(text: str, start: int, place: int) -> bool | None:
    """Whether a place is in a string of the value at `start`; None if nothing tells that it is not.

    Where the quotes do not pair up before the place, the brackets alone could tell, by closing before it.
    """
    depth, paired = 0, True
    for token in STRING_OR_BRACKETS.finditer(text, start):
        is_string = text[token.start()] == '"'
        if token.end() > place:
            covers = is_string and token.start() < place
            if covers and STRING_END.match(text, token.end()):
                return True
            return None if covers or not paired else False
        if is_string:
            paired = paired and _is_paired(text, token)
            continue
        depth += len(token.group()) if text[token.start()] in OPENERS else -len(token.group())
        if depth <= 0:
            return False
    return False if paired else None


def _is_paired(text: str, token: re.Match[str]) -> bool:
    """Whether the quotes of a string stand where those of keys and values do."""
    before = text[max(0, token.start() - LINE_LIMIT) : token.start()].rstrip()
    return before[-1:] in _BEFORE_STRING and STRING_END.match(text, token.end()) is not None


def end_of_brackets(text: str, start: int) -> int:
    """Where the value at `start` ends by its brackets; the end of the text if they do not balance."""
    depth = 0
    for token in STRING_OR_BRACKETS.finditer(text, start):
        first, length = text[token.start()], token.end() - token.start()
        if first in OPENERS:
            depth += length
        elif first in CLOSERS:
            if depth <= length:
                return token.start() + depth
            depth -= length
    return len(text)
