"""The part of a page's text that says most about a query."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from examples.visual_rag.search.terms import words_of

EXCERPT_LIMIT = 300
"""Most characters of an excerpt."""


def excerpt(text: str, looked_for: AbstractSet[str]) -> str:
    """The line that shares most words with the query, and lines after it as far as they fit; the first of equals."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    shared = [len(looked_for & set(words_of(line))) for line in lines]
    best = shared.index(max(shared)) if shared else 0
    return "\n".join(lines[best:])[:EXCERPT_LIMIT]
