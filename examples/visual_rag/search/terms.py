"""What a text is found by: words of alphabets, and pairs of characters where a script writes no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from src.shared.domain.expression import repeated

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Kana and Han."""
_RUN = re.compile(
    "(?P<unspaced>" + repeated(rf"(?=\w)[{_UNSPACED}]", "+") + ")|" + repeated(rf"(?![{_UNSPACED}])[^\W_]", "+")
)


def words_of(text: str) -> Iterator[str]:
    """The words a text is indexed by: in lower case, full-width forms as their plain ones.

    A run of Han characters gives each character and each pair of neighbours. A word has letters and digits only, so
    that none of them is an operator of a search language.
    """
    for run in _runs(text):
        word = run.group()
        if run["unspaced"]:
            yield from word
            yield from _pairs(word)
        else:
            yield word


def query_words(text: str) -> Iterator[str]:
    """The words a query looks for: of a run of Han characters the pairs, which say more than single characters."""
    for run in _runs(text):
        word = run.group()
        yield from _pairs(word) if run["unspaced"] and len(word) > 1 else [word]


def _runs(text: str) -> Iterator[re.Match[str]]:
    return _RUN.finditer(unicodedata.normalize("NFKC", text).casefold())


def _pairs(word: str) -> Iterator[str]:
    return (word[at : at + 2] for at in range(len(word) - 1))
