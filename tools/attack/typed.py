"""A type for a document: one that the document satisfies, and as loose or as strict as people write them."""

from __future__ import annotations

from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from tools.attack.documents import Document

_OPTIONAL = 0.25
"""Share of the fields that may be missing."""


def type_of(document: Document, rng: Random) -> type[BaseModel]:
    """Make a model whose fields are the document's members, and so on inside it."""
    return _model([document], rng)


def _model(objects: list[Document], rng: Random) -> type[BaseModel]:
    names = list(dict.fromkeys(name for one in objects for name in one))
    fields: dict[str, Any] = {}
    for at, name in enumerate(names):
        values = [one[name] for one in objects if name in one]
        kind = _kind(values, rng)
        if len(values) < len(objects) or rng.random() < _OPTIONAL:
            fields[f"field_{at}"] = (kind | None, Field(None, alias=name))
        else:
            fields[f"field_{at}"] = (kind, Field(alias=name))
    config = ConfigDict(extra=rng.choice(("ignore", "ignore", "allow", "forbid")))
    return create_model("Answer", __config__=config, **fields)


def _kind(values: list[Any], rng: Random) -> Any:  # noqa: ANN401 - a type
    """What all of these values are."""
    kinds = {type(value) for value in values}
    if kinds == {dict}:
        return _model(values, rng)
    if kinds == {list}:
        elements = [element for value in values for element in value]
        return list[_kind(elements, rng)] if elements else list[Any]  # type: ignore[misc]  # worked out here
    return kinds.pop() if len(kinds) == 1 and kinds < {str, int, float, bool} else Any
