"""The order of a set's members in JSON: the same in every process, whatever Python's hashes of texts are."""

from __future__ import annotations

import json


def order_sets(data: object, value: object) -> None:
    """Sort each list of `data`, JSON types, that is a set in `value`, the same data in Python's types."""
    pairs = [(data, value)]
    while pairs:
        shown, meant = pairs.pop()
        if isinstance(shown, dict) and isinstance(meant, dict):
            pairs += zip(shown.values(), meant.values(), strict=False)
        elif isinstance(shown, list) and isinstance(meant, set | frozenset):
            shown.sort(key=json.dumps)
        elif isinstance(shown, list) and isinstance(meant, list | tuple):
            pairs += zip(shown, meant, strict=False)
