"""Every way a damaged text may go on: a sign that stands, is put, dropped or changed, and what that costs.

The grammar is JSON's, as a push-down automaton: a way that leads out of it is never begun. What is inside a string is
text and stays; only its quotes, backslashes and control characters may have been written otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

EDIT = 4
"""One sign put, dropped or changed into another."""
SPELLING = 1
"""The same sign in another form: full-width, a quote of print, a raw line end, a word or number as Python writes it."""

MIXED = EDIT - SPELLING
"""A string with two quotes that are no pair: one of them was changed, which is nearer than one put beside it."""
DOUBT = SPELLING
"""A mark or quote inside a string whose opening quote had to be put: it may be structure."""

PUT_QUOTE = "+"
"""Instead of a quote: the opening one was put."""

SIGNS = "{}[],:"
FULL_WIDTH = dict(zip("｛｝［］，：", SIGNS, strict=True))
OTHER_SIGNS = {";": ",", "；": ",", "、": ",", "=": ":", "=>": ":", "->": ":", "(": "[", ")": "]"}
QUOTE_PAIRS = ('""', "''", "``", "“”", "”“", "””", "““", "‘’", "„“", "＂＂", "＇＇", "「」", "『』", "«»")
QUOTES = frozenset("".join(QUOTE_PAIRS))
BLANKS = " \t\r\n"
INVISIBLE = "\ufeff\u200b\u00a0\u3000\u2028\u00ad" + "".join(map(chr, range(32)))
"""What shows nothing, or should never be in a text; it is dropped for the price of a spelling."""
WORDS = {"none": "null", "undefined": "null", "nan": "NaN", "infinity": "Infinity", "-infinity": "-Infinity"}
WORDS |= {word: word for word in ("true", "false", "null")}

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OTHER_NUMBER = re.compile(r"[+-]?(?:[0-9０-９][0-9０-９_]*[.．]?[0-9０-９]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ASCII_DIGITS = str.maketrans("０１２３４５６７８９．", "0123456789.")
_WORD = re.compile(r"(?:-I|\b[A-Za-z])[A-Za-z]*\b")
_BARE = re.compile(r"\b[^\W\d](?:[\w.-]*\w)?")
_LITERAL = re.compile(r"true|false|null")
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_JOINT = re.compile(r"""(["'])\s*\+\s*\1""")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/")


class Place(Enum):
    """What has to come next."""

    VALUE = auto()
    FIRST_VALUE = auto()
    KEY = auto()
    FIRST_KEY = auto()
    COLON = auto()
    AFTER = auto()


VALUES = (Place.VALUE, Place.FIRST_VALUE)
KEYS = (Place.KEY, Place.FIRST_KEY)


class Node(NamedTuple):
    """How far a reading has come: in the text, in the brackets that are open, and inside which quote."""

    at: int = 0
    stack: str = ""
    place: Place = Place.VALUE
    quote: str = ""

    def is_end(self, text: str) -> bool:
        """Whether the whole text is read and the outermost value is closed."""
        return self.at == len(text) and not self.stack and self.place is Place.AFTER


class Move(NamedTuple):
    """A step of a reading: its price, what it writes, and where it leads."""

    cost: int
    written: str
    to: Node


def moves(text: str, node: Node) -> Iterator[Move]:
    """Every way to go on from here."""
    if node.quote:
        yield from _inside_string(text, node)
    elif text[node.at : node.at + 1] and text[node.at] in BLANKS + INVISIBLE:
        yield Move(0 if text[node.at] in BLANKS else SPELLING, "", node._replace(at=node.at + 1))
    else:
        yield from _put(node)
        if node.at < len(text):
            yield from _at_sign(text, node)
            yield from _at_scalar(text, node)
            yield from _at_bare_word(text, node)
            if (comment := _COMMENT.match(text, node.at)) is not None:
                yield Move(EDIT, "", node._replace(at=comment.end()))


def _signed(node: Node, sign: str, at: int) -> Node | None:
    """Where one of JSON's six signs leads; None where it may not stand."""
    inside, place = node.stack[-1:], node.place
    if sign in "{[" and place in VALUES:
        return Node(at, node.stack + sign, Place.FIRST_KEY if sign == "{" else Place.FIRST_VALUE)
    if sign == "}" and inside == "{" and place in (Place.AFTER, Place.FIRST_KEY):
        return Node(at, node.stack[:-1], Place.AFTER)
    if sign == "]" and inside == "[" and place in (Place.AFTER, Place.FIRST_VALUE):
        return Node(at, node.stack[:-1], Place.AFTER)
    if sign == "," and inside and place is Place.AFTER:
        return Node(at, node.stack, Place.KEY if inside == "{" else Place.VALUE)
    if sign == ":" and place is Place.COLON:
        return Node(at, node.stack, Place.VALUE)
    return None


def _takes_string(node: Node) -> bool:
    return bool(node.stack) and node.place in VALUES + KEYS


def _put(node: Node) -> Iterator[Move]:
    """A sign or an opening quote that was forgotten."""
    for sign in SIGNS:
        to = _signed(node, sign, node.at)
        if to is not None:
            yield Move(EDIT, sign, to)
    if _takes_string(node):
        yield Move(EDIT, '"', node._replace(quote=PUT_QUOTE))


def _at_sign(text: str, node: Node) -> Iterator[Move]:
    """A sign that stands there: as it is, for another one, or too much."""
    found = text[node.at : node.at + 2] if text[node.at : node.at + 2] in OTHER_SIGNS else text[node.at]
    end = node.at + len(found)
    if found in QUOTES or text[node.at : node.at + 2] == '\\"':
        yield Move(EDIT, "", node._replace(at=end))
        if found in QUOTES and _takes_string(node):
            yield Move(0 if found == '"' else SPELLING, '"', node._replace(at=end, quote=found))
    meant = FULL_WIDTH.get(found, found)
    if meant not in SIGNS and meant not in OTHER_SIGNS:
        return
    yield Move(EDIT, "", node._replace(at=end))
    for sign in SIGNS if meant in SIGNS else OTHER_SIGNS[meant]:
        to = _signed(node, sign, end)
        if to is not None:
            yield Move(0 if found == sign else SPELLING if meant == sign else EDIT, sign, to)


def _at_scalar(text: str, node: Node) -> Iterator[Move]:
    """A number or a word, as JSON writes it or as other languages do."""
    if not node.stack or node.place not in VALUES:
        return
    for length, cost, written in _scalars(text, node.at):
        yield Move(cost, written, Node(node.at + length, node.stack, Place.AFTER))


def _at_bare_word(text: str, node: Node) -> Iterator[Move]:
    """A single word without quotes: they are one edit, not two."""
    bare = _BARE.match(text, node.at) if _takes_string(node) else None
    if bare is not None:
        written = json.dumps(bare.group())
        yield Move(EDIT, written, Node(bare.end(), node.stack, Place.COLON if node.place in KEYS else Place.AFTER))


def _scalars(text: str, at: int) -> Iterator[tuple[int, int, str]]:
    strict = _NUMBER.match(text, at) or _LITERAL.match(text, at)
    if strict is not None:
        yield len(strict.group()), 0, strict.group()
    other = _OTHER_NUMBER.match(text, at)
    if other is not None and (strict is None or other.end() > strict.end()):
        number = other.group().translate(_ASCII_DIGITS).replace("_", "").removeprefix("+")
        number = re.sub(r"^(-?)(?=\.)", r"\g<1>0", re.sub(r"\.(?![0-9])", ".0", number))
        if _NUMBER.fullmatch(number):
            yield len(other.group()), SPELLING, number
    word = _WORD.match(text, at)
    if word is not None and word.group().lower() in WORDS:
        yield len(word.group()), SPELLING, WORDS[word.group().lower()]


def _inside_string(text: str, node: Node) -> Iterator[Move]:
    char, after = text[node.at : node.at + 1], node._replace(at=node.at + 1)
    closed = Node(node.at, node.stack, Place.COLON if node.place in KEYS else Place.AFTER)
    if text[node.at - 1] not in BLANKS:
        yield Move(EDIT, '"', closed)
    if not char:
        return
    joint = _JOINT.match(text, node.at) if char == node.quote else None
    if joint is not None:
        yield Move(EDIT, "", node._replace(at=joint.end()))
    if char == "\\":
        yield from _at_backslash(text, node, closed)
        return
    ends = node.quote + char in (*QUOTE_PAIRS, PUT_QUOTE + '"')
    if char in QUOTES:
        yield Move(
            0 if ends else MIXED - SPELLING * (node.quote not in ('"', PUT_QUOTE)), '"', closed._replace(at=after.at)
        )
    doubt = DOUBT if node.quote == PUT_QUOTE and (char in SIGNS or char in QUOTES) else 0
    yield Move(doubt + (EDIT if ends else SPELLING if char < " " else 0), json.dumps(char)[1:-1], after)


def _at_backslash(text: str, node: Node, closed: Node) -> Iterator[Move]:
    """A backslash that starts an escape, is text, or is dropped before a quote that needs none."""
    escape = _ESCAPE.match(text, node.at)
    if escape is not None:
        yield Move(0, escape.group(), node._replace(at=escape.end()))
    yield Move(EDIT, "\\\\", node._replace(at=node.at + 1))
    following = text[node.at + 1 : node.at + 2]
    if following == '"':
        yield Move(EDIT, '"', closed._replace(at=node.at + 2))
    elif following in QUOTES:
        yield Move(EDIT, following, node._replace(at=node.at + 2))
