"""Finds unescaped quotations inside strings, if they are obvious.

If a text is split at its quotes, a quoted word is where a gap should be. It can be noticed because no real gap begins
with a letter. The words around it are joined again if every quotation is in the middle or at the end of running text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.domain.possessive import repeated
from src.shared.infrastructure.parsing.regular.marks import BACKSLASH, QUOTE

_QUOTATION = r"""
    "[^\W\d_] [^",，:：{}\[\]｛｝［］\n]*+ (?<![\s'`])"   # begins with a letter; no structure in it
    (?: (?=[^\W_])                       # the sentence goes on: 他说"好"走了
      | [ ](?=[^\W\d_])                  # the "moat" is
      | [.。!！?？、)）]                   # is a "moat". It
      | \Z                               # is a "moat"
"""
_NO_KEY = r"(?![\w$\-]{1,200}+\s*+[:：])"
_ELEMENT_QUOTATION = rf"""{_QUOTATION}
      | [,，][ ]?(?=[^\W\d_tfnTFNuI]){_NO_KEY}   # nor a literal
    ) [^"]*+ """
_MEMBER_QUOTATION = rf"""{_QUOTATION}
      | [,，][ ]?(?=[^\W_]){_NO_KEY}   # a "moat", which is; no key after the comma
    ) [^"]*+ """
_IN_ELEMENT = re.compile('[^"]++' + repeated(_ELEMENT_QUOTATION, "+") + r"\Z", re.VERBOSE)
_IN_MEMBER = re.compile('[^"]++' + repeated(_MEMBER_QUOTATION, "+") + r"\Z", re.VERBOSE)
"""The text of an element of a list, or of a member's value, with its quotations."""
_STRING_ENDS = re.compile(r"\s*+(?:,|[}\]]" + repeated(r"\s*+[}\]]") + r"[ \t]*+(?:[,\n]|\Z))")
"""A gap that no text begins with; a colon is none, for the string may end sooner and a key follow."""


class Joined(NamedTuple):
    """The parts of a text after quotations were joined with the text around them, and the numbers of their quotes."""

    parts: list[str]
    inner: list[int]


def joined(parts: list[str]) -> Joined | None:
    """The parts of a text split at its quotes, with quotations joined; None if one is doubtful."""
    words = [at for at in range(2, len(parts), 2) if parts[at][:1].isalpha()]
    result = Joined([], [])
    done = next_word = 0
    while next_word < len(words):
        first = last = words[next_word]
        next_word += 1
        while next_word < len(words) and words[next_word] == last + 2:
            last = words[next_word]
            next_word += 1
        text = parts[first - 1 : last + 2]
        if not _is_quoting(parts[first - 2], '"'.join(text), parts[last + 2 : last + 3]):
            return None
        result.parts.extend(parts[done : first - 1])
        result.parts.append(QUOTE.join(text))
        result.inner.extend(range(first - 1, last + 1))
        done = last + 2
    result.parts.extend(parts[done:])
    return result


def _is_quoting(before: str, text: str, after: list[str]) -> bool:
    """Whether a string with quotes in it is one, given the gaps around it."""
    expression = _IN_MEMBER if before.endswith((":", ": ")) else _IN_ELEMENT
    return bool(after and BACKSLASH + '"' not in text and expression.match(text) and _STRING_ENDS.match(after[0]))
