"""Tells what a model wrote back of its prompt from an answer: a template, the description of the type, the instruction.

A template is an object with fields of the type in which every value stands for one: `<rating>`, `{{rating}}`,
`"string"`, `"..."`, `"your rating here"`, the choices of the field, or its description. Where a value may be meant, it
counts as one: a field may be about types (`{"type": "string"}`), about words, or about templates, and what the type
itself names as a value (a choice, a default, an example) is one.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from src.shared.domain.edits import blanked
from src.shared.domain.expression import expression, repeated
from src.shared.infrastructure.parsing.expected import ANYTHING, Expected
from src.shared.infrastructure.parsing.placeholders import (
    ASKS,
    BRACKETS,
    ELLIPSES,
    PLACED,
    PLACEHOLDER_LIMIT,
    WORDS_OF_TYPES,
)

_SEPARATOR = expression(r"\s*+(?:\||/|,|\bor\b)\s*+")
_REMARK = expression(r"(?<=\w)\s*+(?:[(（:,;–—-]|\b(?:between|from|in)\b|(?<=\s)\d)")
"""What stands behind a type: `string (BUY, HOLD or SELL)`, `number between 0 and 1`."""
_TELLS = expression(r"[|/\d]|\bor\b|optional|required")
"""What tells such a remark from a text: `string (a cord)`."""
_TRUTHS = expression(r"true\s*+(?:\||/|or)\s*+false")
_LIST_OF = expression(r"(?:array|list) of \w++(?: \w++)?")
_NAME_WORD = expression(r"[A-Z]?[a-z]++|[A-Z]++(?![a-z])|[^\W\d_a-zA-Z]++")
_ABOUT_TYPES = frozenset(
    """
    type kind dtype class format schema input output return param parameter arg argument cast encoding
    from to source target left right before after key value
    """.split()
)
"""A word in the name of a field whose value may be the name of a type."""
_ABOUT_WORDS = frozenset(
    """
    name answer result word keyword token term text content label category tag topic query search module package
    library import symbol identifier message reply response line quote punctuation suffix prefix separator transcript
    subtitle caption instrument data code language variable q
    """.split()
)
"""The same of one whose value may be any word, or dots: where it is the only field, nothing else tells."""
_ABOUT_MARKUP = frozenset(
    """
    html xml tag element markup template placeholder pattern regex code a b i p s u mask masked redacted anonymized
    anonymised pseudonym variable selector key shortcut button link
    """.split()
)
"""The same of one whose value may be a word in brackets."""


_SAYS_SOMETHING = expression(
    r"""
      \A (?:no|not|none|without|click|press|tap) \b
    | \b (?:needed|missing|omitted|removed|unavailable) \Z
    | \A (?:here|enter|insert|write|add) \Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What in brackets says something: `[no title]`, `[citation needed]`, `[Click here]`, `<Enter>`."""
_TELLING_WORDS, _TELLING_SIGNS = 3, 4
"""A description of fewer words, or signs where words are not parted, may be the answer as well."""


class _Leaf(Enum):
    """What a value of an object says of whether the object is a template."""

    VALUE = auto()
    """It is none: this is a value."""
    BLANK = auto()
    """Nothing: a template has such, and an answer, too."""
    WORD = auto()
    """It is one, where the other values agree."""
    PLACEHOLDER = auto()
    """It is one."""


def is_template(data: object, expected: Expected) -> bool:
    """Whether data of a type are a template: no value in it is an answer's, and some can only be placeholders.

    Args:
        data: decoded JSON.
        expected: what the type says of it.
    """
    found: list[tuple[str, _Leaf]] = []
    waiting: list[tuple[str, Any, Expected]] = [("", data, expected)]
    while waiting:
        name, one, said = waiting.pop()
        if isinstance(one, dict) and one:
            if not said.names.issuperset(one):
                return False
            waiting += [(key, inner, said.member(key)) for key, inner in one.items()]
        elif isinstance(one, list) and one:
            waiting += [(name, inner, said.element(at)) for at, inner in enumerate(one)]
        else:
            leaf = _leaf(name, one, said)
            if leaf is _Leaf.VALUE:
                return False
            found.append((name, leaf))
    if any(leaf is _Leaf.PLACEHOLDER for _, leaf in found):
        return True
    words = [name for name, leaf in found if leaf is _Leaf.WORD]
    meant = _ABOUT_TYPES | _ABOUT_WORDS | _ABOUT_MARKUP if len(found) == 1 else _ABOUT_TYPES
    telling = sum(meant.isdisjoint(_words_of(name)) for name in words)
    return telling > (len(words) < len(found))


def _leaf(name: str, value: Any, said: Expected) -> _Leaf:  # noqa: ANN401 - decoded JSON
    """What a value says that is no object and no list, or an empty one."""
    text = value.strip() if isinstance(value, str) else value
    if not text:
        return _Leaf.BLANK
    if not isinstance(text, str) or len(text) > PLACEHOLDER_LIMIT or _says_nothing(said) or _is_named(value, said):
        return _Leaf.VALUE
    described = {_bare(str(schema.get("description", ""))) for schema in said.said}
    is_telling = len(text.split()) >= _TELLING_WORDS or (not text.isascii() and len(text) >= _TELLING_SIGNS)
    if is_telling and _bare(text) in described:
        return _Leaf.PLACEHOLDER
    if text[0] in BRACKETS:
        return _in_brackets(name, text, said, described)
    if text in ELLIPSES or (_is_type(text, said) and text != name):
        return _Leaf.WORD
    return _Leaf.PLACEHOLDER if _is_choice(text, said) else _asking(name, text)


def _says_nothing(said: Expected) -> bool:
    """Whether the type says nothing of a value but its name and what it is about."""
    return said is ANYTHING or not any({"type", "enum", "const"} & schema.keys() for schema in said.said)


def _asking(name: str, text: str) -> _Leaf:
    """What a text says that may ask for the value of a field: `your rating here`, `enter the rating`."""
    own, words = _words_of(name), _NAME_WORD.findall(text)
    if not own or not own <= _words_of(text) or not own.isdisjoint(_ABOUT_MARKUP):
        return _Leaf.VALUE
    asks, is_placed = ASKS.match(text) is not None, PLACED.search(text) is not None
    is_short = len(words) <= len(own) + 2
    if is_placed and (asks or is_short):
        return _Leaf.PLACEHOLDER
    return _Leaf.WORD if asks and is_short else _Leaf.VALUE


def _in_brackets(name: str, text: str, said: Expected, described: Collection[str]) -> _Leaf:
    """What a text in brackets says: only what is about the field is a placeholder for it."""
    opener = text[0]
    inner = text.lstrip("${[<＜【").rstrip(">}]＞】").strip()
    is_one = text.endswith(BRACKETS[opener]) and inner and not any(mark in inner for mark in "<>{}[]=")
    if not is_one or _SAYS_SOMETHING.search(inner):
        return _Leaf.VALUE
    own, words = _words_of(name), _words_of(inner)
    is_ours = bool(own) and (own <= words or words <= own) and bool(words)
    is_asked = ASKS.match(inner) is not None or PLACED.search(inner) is not None
    is_choice = opener in "<＜" and "|" in inner
    if (
        is_ours
        or is_asked
        or is_choice
        or _is_type(inner, said)
        or _is_choice(inner, said)
        or _bare(inner) in described
    ):
        return _Leaf.PLACEHOLDER if own.isdisjoint(_ABOUT_MARKUP) else _Leaf.WORD
    return _Leaf.VALUE


def _is_named(value: str, said: Expected) -> bool:
    """Whether the type names a text as a value: a choice, a default, an example."""
    return any(
        value in (schema.get("default"), schema.get("const"), *schema.get("enum", ()), *schema.get("examples", ()))
        for schema in said.said
    )


def _is_type(text: str, said: Expected) -> bool:
    """Whether a text is how a template writes the type of the field: `string`, `number | null`."""
    lowered = text.lower()
    if _LIST_OF.fullmatch(lowered):
        return said.arrays
    remark = _REMARK.search(lowered)
    if remark and ("string" not in said.types or _TELLS.search(lowered, remark.start())):
        lowered = lowered[: remark.start()]
    if _TRUTHS.fullmatch(lowered):
        return "boolean" in said.types
    types = [WORDS_OF_TYPES.get(part) for part in _SEPARATOR.split(lowered)]
    return None not in types and said.types.issuperset(filter(None, types))


def _is_choice(text: str, said: Expected) -> bool:
    """Whether a text is all the choices that the field has."""
    choices = {str(one) for schema in said.said for one in schema.get("enum", ()) if isinstance(one, str)}
    parts = {part.strip("\"'") for part in _SEPARATOR.split(text)}
    return len(choices) > 1 and parts - {"null"} == choices


def _words_of(name: str) -> set[str]:
    """The words of a name, in small letters and without the ending of a plural."""
    return {word.lower().removesuffix("s") or word.lower() for word in _NAME_WORD.findall(name)}


def _bare(text: str) -> str:
    return " ".join(text.rstrip(".。 ").casefold().split())


# --- in a text that is no JSON ---

_QUOTED = '"' + repeated(r'[^"\\\n]|\\.') + '"'
_NUMBER = r"-?\d++" + repeated(r"\.\d++", "?")
_ATOM = rf'(?:{_QUOTED}|<[^<>"\n]{{1,200}}+>|\{{\{{[^{{}}"\n]{{1,100}}+\}}\}}|\.\.\.|…|{_NUMBER}|[A-Za-z]++)'
_ATOMS = _ATOM + repeated(rf"[ \t]*+\|[ \t]*+{_ATOM}")
_PIECE = expression(rf"(?P<atoms>{_ATOMS})|//[^\n]*+")
ECHO_LIMIT = 20_000
"""Characters of a text in which templates are looked for."""
_TRIES = 8
"""Most brackets at which a template is looked for."""
_DECODER = json.JSONDecoder()


class Echo(NamedTuple):
    """Where a template stands in a text, up to and not including `end`; whether it is a part of the prompt as it is."""

    start: int
    end: int
    is_prompted: bool = False


def echoes_in(text: str, expected: Expected, prompted: Sequence[str]) -> Iterator[Echo]:
    """The templates of a type, and what a prompt says of it, in a text that cannot be read because of them.

    Args:
        text: the text; templates are looked for in its first `ECHO_LIMIT` characters.
        expected: what the type says.
        prompted: parts of a prompt, each of which may hold the next.
    """
    for part in prompted:
        at = text.find(part)
        if at >= 0:
            yield Echo(at, at + len(part), is_prompted=True)
            text = blanked(text, [(at, at + len(part))])
    text = text[:ECHO_LIMIT]
    written, places, offsets, length, last = list[str](), [0], [0], 0, 0
    for piece in _PIECE.finditer(text):
        atoms = piece["atoms"] or ""
        quoted = atoms if _is_json(atoms) else json.dumps(atoms.replace('"', ""))
        for part, place in ((text[last : piece.start()], last), (quoted if atoms else "", piece.start())):
            written.append(part)
            places.append(length)
            offsets.append(place)
            length += len(part)
        last = piece.end()
    places.append(length)
    offsets.append(last)
    mended, end = "".join([*written, text[last:]]), 0
    for _ in range(_TRIES):
        start = mended.find("{", end)
        if start < 0:
            return
        try:
            data, end = _DECODER.raw_decode(mended, start)
        except (ValueError, RecursionError):
            end = start + 1
            continue
        if is_template(data, expected):
            first, behind = (bisect_right(places, place) - 1 for place in (start, end - 1))
            yield Echo(offsets[first] + start - places[first], offsets[behind] + end - places[behind])


def _is_json(atoms: str) -> bool:
    if atoms[:1] == '"':
        return '"' not in atoms[1:-1].replace('\\"', "")
    return atoms in {"true", "false", "null"} or atoms[:1] in "-0123456789"
