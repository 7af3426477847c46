"""The schema of a type as it goes into a request."""

from __future__ import annotations

from typing import Any

from src.shared.domain.answer_type import AnswerType, adapter_of, json_schema_of, schema_name
from src.shared.domain.known_types import per_type
from src.shared.domain.ports.llm import OutputSchema
from src.shared.domain.type_shapes import ROOTS, roots_of


@per_type
def output_schema(dto_type: AnswerType[Any]) -> OutputSchema:
    """The schema of a type; the same object at every call, for adapters to read and not to change.

    Raises:
        TypeError: its JSON is neither an object nor an array, or it is no type.
        pydantic.errors.PydanticUserError: the type itself is wrong.
    """
    is_object = roots_of(adapter_of(dto_type).core_schema) == ROOTS["object"]
    return OutputSchema(schema_name(dto_type), json_schema_of(dto_type), is_object=is_object)
