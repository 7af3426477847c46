"""Normalizers several agents share: each maps a decoded object to a decoded object before validation.

A normalizer never invents a value: it renames, reshapes or fills in the empty text a contract names.
What it does not recognise it leaves as it stands, for validation to refuse. It never alters the object
it was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from src.shared.domain.rules import Normalizer


def wrap_single_text(*fields: str) -> Normalizer:
    """Make the normalizer that turns a single string in one of these fields into a list of one.

    Returns:
        A function for `normalizers`.

    Example:
        >>> wrap_single_text("tags")({"tags": "new"})
        {'tags': ['new']}

    .. versionadded:: 0.1.0
    """

    def wrap_single_text(data: dict[str, Any]) -> dict[str, Any]:
        return data | {field: [data[field]] for field in fields if isinstance(data.get(field), str)}

    return wrap_single_text


def null_to_empty_list(*fields: str) -> Normalizer:
    """Make the normalizer that turns null in one of these fields into an empty list.

    Returns:
        A function for `normalizers`.

    Example:
        >>> null_to_empty_list("tags")({"tags": None})
        {'tags': []}

    .. versionadded:: 0.1.0
    """

    def null_to_empty_list(data: dict[str, Any]) -> dict[str, Any]:
        return data | {field: [] for field in fields if field in data and data[field] is None}

    return null_to_empty_list


def fill_missing_text(*fields: str) -> Normalizer:
    """Make the normalizer that sets each of these fields to the empty string where it is missing or null.

    Returns:
        A function for `normalizers`.

    Example:
        >>> fill_missing_text("note")({})
        {'note': ''}

    .. versionadded:: 0.1.0
    """

    def fill_missing_text(data: dict[str, Any]) -> dict[str, Any]:
        return data | {field: "" for field in fields if data.get(field) is None}

    return fill_missing_text


def each_object(field: str, change: Callable[[dict[str, Any]], Any]) -> Normalizer:
    """Make the normalizer that changes each object in the list at `field`; items of other kinds stay.

    Returns:
        A function for `normalizers`.

    Example:
        >>> each_object("rows", lambda row: row | {"note": ""})({"rows": [{}]})
        {'rows': [{'note': ''}]}

    .. versionadded:: 0.1.0
    """

    def each_object(data: dict[str, Any]) -> dict[str, Any]:
        items = data.get(field)
        if not isinstance(items, list):
            return data
        return data | {field: [change(item) if isinstance(item, dict) else item for item in items]}

    return each_object
