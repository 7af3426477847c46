"""A type whose values may be coerced before they are validated."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from src.shared.domain.answer_type import AnswerType, SchemaType
from src.shared.domain.coercion.lenient import NO_SCHEMA
from src.shared.domain.coercion.nodes import Doubtful, Found, run
from src.shared.domain.coercion.plan import plan_of
from src.shared.infrastructure.parsing.parse_errors import MESSAGE
from src.shared.infrastructure.parsing.target_type import TargetType, Validated

T = TypeVar("T")


class CoercingType(TargetType[T]):
    """`TargetType` of a type with coercion: of all its fields, or of those that are marked as `Lenient`."""

    coerces = True

    def __init__(self, dto_type: AnswerType[T], *, everything: bool) -> None:
        """Work out what may be coerced.

        Raises:
            TypeError: as for `TargetType`, or all of a JSON Schema is to be coerced.
            pydantic.errors.PydanticUserError: as for `TargetType`.
        """
        if everything and isinstance(dto_type, SchemaType):
            raise TypeError(NO_SCHEMA)
        super().__init__(dto_type)
        self._plan = plan_of(self.adapter.core_schema, everything=everything)

    def read(self, data: Any, *, hooked: bool = False) -> Validated[T]:  # noqa: ANN401 - decoded JSON
        """The object made of the data, after what was coerced in them.

        Raises:
            ValidationError: the data do not satisfy the type, or a value of them has no exact reading, or two.
            ValidatorCrashError: the type's own code failed.
        """
        found = Found()
        coerced = run(self._plan, data, found) if self._plan else data
        if found.doubts:
            raise self._doubtful(found.doubts, coerced, hooked=hooked)
        return Validated(super().read(coerced, hooked=hooked).value, tuple(found.coercions))

    def _doubtful(self, doubts: list[Doubtful], data: Any, *, hooked: bool) -> ValidationError:  # noqa: ANN401 - decoded JSON
        """The doubts, and what is wrong elsewhere in the data."""
        problems = [_problem(one) for one in doubts]
        places = {one.loc for one in doubts}
        try:
            super().read(data, hooked=hooked)
        except ValidationError as error:
            others = error.errors(include_url=False)
            problems += [
                InitErrorDetails(
                    type=PydanticCustomError(other["type"], "{said}", {"said": other["msg"]}),
                    loc=other["loc"],
                    input=other["input"],
                )
                for other in others
                if places.isdisjoint(other["loc"][:length] for length in range(len(other["loc"]) + 1))
            ]
        return ValidationError.from_exception_data(self.name, problems)


def _problem(one: Doubtful) -> InitErrorDetails:
    said = one.doubt.message
    error = PydanticCustomError(one.doubt.kind, "{said}", {"said": said.text(), MESSAGE: said})
    return InitErrorDetails(type=error, loc=one.loc, input=one.value)
