"""The key names a DTO knows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError


@lru_cache(maxsize=256)
def keys_of(dto_type: type[BaseModel]) -> frozenset[str]:
    """Field names and aliases of a model and of the models inside it."""
    top = own_keys_of(dto_type)
    try:
        schema = dto_type.model_json_schema(by_alias=True)
    except (PydanticInvalidForJsonSchema, PydanticUserError):
        return top  # a type that has no JSON schema still has its own fields
    return top.union(*(part.get("properties", ()) for part in (schema, *schema.get("$defs", {}).values())))


@lru_cache(maxsize=256)
def own_keys_of(dto_type: type[BaseModel]) -> frozenset[str]:
    """Field names and aliases of the model itself."""
    names: set[Any] = set()
    for name, field in dto_type.model_fields.items():
        names.update((name, field.alias, field.validation_alias))
    return frozenset(name for name in names if isinstance(name, str))
