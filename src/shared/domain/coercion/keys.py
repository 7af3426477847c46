"""Reads keys in another spelling than their fields: `Reasoning Text`, `reasoningText` for `reasoning_text`.

Only case and the signs between words may differ. Any other name of a field is for the field's own table, Pydantic's
`AliasChoices("rating", "评级")`: each name in it may be written in another spelling, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from src.shared.domain.coercion.coercion import TWO_READINGS, Doubt
from src.shared.domain.expression import expression, repeated
from src.shared.domain.language import Phrase

KEY_LIMIT = 200
"""Most characters of a key that may be another spelling."""
_PARTED = expression(r"[^\W_]++" + repeated(r"(?:[_-]|[ ]++)[^\W_]++"))
"""Words with one sign between two of them: `_id`, `id_` and `user__id` are names of their own."""
_WORD = expression(
    rf"""
      [A-Z]{{2,}}+ s (?![a-z])     # the IDs of userIDs
    | {repeated("[A-Z] (?![a-z])", "+")}  # the HTTP of HTTPServer
    | [A-Z]?+ [a-z]++
    | \d++
    | [^\W\d_A-Za-z]++             # of scripts in which no case parts words
    """,
    re.VERBOSE,
)


def words_of(key: str) -> tuple[str, ...]:
    """The words of a key, in small letters; none where it has no other spelling.

    A digit begins a word: `line1` is `line_1`, and `v11` is not `v1_1`. Letters that only look like others stay what
    they are, and so do those whose small letter is that of another one.
    """
    key = key.strip(" ")
    if len(key) > KEY_LIMIT or not _PARTED.fullmatch(key):
        return ()
    return tuple(map(_small, _WORD.findall(key)))


def _small(word: str) -> str:
    if word.isascii():
        return word.lower()
    return "".join(small if (small := letter.lower()).upper() == letter else letter for letter in word)


class Spellings(NamedTuple):
    """How the keys of one object are to be read.

    Attributes:
        renamed: the keys of fields, by the keys that stand in the object.
        doubts: why a key cannot be read, by the key that its field has.
    """

    renamed: Mapping[str, str] = {}
    doubts: Mapping[str, Doubt] = {}

    def applied(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The object with the keys of its fields, in its own order."""
        return {self.renamed.get(key, key): inner for key, inner in value.items()}


AS_WRITTEN = Spellings()


class FieldKeys:
    """The keys of one type's fields."""

    def __init__(self, fields: Sequence[tuple[frozenset[str], frozenset[str]]]) -> None:
        """Take of each field the keys that it is read from, and all its names, which belong to no other field."""
        self._fields = [keys for keys, _ in fields]
        self._keys = frozenset[str]().union(*self._fields)
        self._by_words: dict[tuple[str, ...], dict[int, str | None]] = {}
        for at, (keys, names) in enumerate(fields):
            for name in sorted(keys | names):
                found = self._by_words.setdefault(words_of(name), {})
                found[at] = found.get(at) or (name if name in keys else None)
        self._by_words.pop((), None)

    def read(self, value: Mapping[str, Any]) -> Spellings:
        """How the keys of an object are to be read. A key that is a field's own is what it is."""
        unknown = value.keys() - self._keys
        if not unknown:
            return AS_WRITTEN
        doubts, spelled = dict[str, Doubt](), dict[int, list[tuple[str, str]]]()
        for key in filter(unknown.__contains__, value):
            fields = self._by_words.get(words_of(key), {})
            names = [name for name in fields.values() if name is not None]
            if names and len(fields) > 1:
                doubts[key] = _two_fields(key, names)
            elif names:
                spelled.setdefault(next(iter(fields)), []).append((key, names[0]))
        renamed = dict[str, str]()
        for at, keys in spelled.items():
            given = [key for key in self._fields[at] if key in value]
            together = [*given, *(key for key, _ in keys)]
            if len(together) > 1 and not _say_the_same([value[key] for key in together]):
                doubts[given[0] if given else keys[0][1]] = _two_keys(together)
            elif not given:
                renamed[keys[0][0]] = keys[0][1]
        return Spellings(renamed, doubts) if renamed or doubts else AS_WRITTEN


def _say_the_same(values: list[Any]) -> bool:
    """Whether all are the same plain value; lists and objects are not compared."""
    first = values[0]
    return not isinstance(first, (dict, list)) and all(type(one) is type(first) and one == first for one in values)


def _two_fields(key: str, names: list[str]) -> Doubt:
    fields = " / ".join(names)
    return Doubt(
        TWO_READINGS, Phrase("`{key}` may be the key of several fields; write {fields}", key=key, fields=fields)
    )


def _two_keys(keys: list[str]) -> Doubt:
    one, other = keys[:2]
    return Doubt(TWO_READINGS, Phrase("is there twice, as {one} and as {other}; write it once", one=one, other=other))
