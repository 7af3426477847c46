"""Annotations of fields whose values the parser may coerce: a percentage, an amount, a word for a member.

They change how the parser reads a field, without `coerce=True`. For Pydantic itself, and in the JSON Schema that a
model is shown, `Percent` is a `float`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, overload

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.coercion.numbers import NumberMeaning
from src.shared.domain.options import check_options
from src.shared.domain.type_shapes import LENIENT

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lenient:
    """Marks a field that the parser may coerce, as in `Annotated[Decimal, Lenient(NumberMeaning.AMOUNT)]`.

    Attributes:
        meaning: what the field's numbers are.
        absent: whether a word such as `"N/A"` is null here even where any text is allowed.
        deep: whether everything inside may be coerced as well: `TypeAdapter(Annotated[Review, Lenient(deep=True)])` is
            `Review` with `coerce=True`, wherever a type is taken.

    .. versionadded:: 0.1.0
    """

    meaning: NumberMeaning = NumberMeaning.BY_BOUNDS
    absent: bool = False
    deep: bool = False

    def __post_init__(self) -> None:
        """Refuse other words.

        Raises:
            TypeError: `absent` or `deep` is neither True nor False.
            ValueError: there is no such meaning.
        """
        object.__setattr__(self, "meaning", NumberMeaning(self.meaning))
        check_options(absent=self.absent, deep=self.deep)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - any type
        """The type's own schema, with a mark: the only step of a chain validates as it does alone."""
        return core_schema.chain_schema([handler(source)], metadata={LENIENT: self})


@overload
def coercing(answer_type: AnswerType[T]) -> TypeAdapter[T]: ...


@overload
def coercing(answer_type: TypeForm[T]) -> TypeAdapter[T]: ...


def coercing(answer_type: AnswerType[T]) -> TypeAdapter[T]:  # type: ignore[misc]  # a union is an `AnswerType`, too
    """A type all of whose values may be coerced: what `coerce=True` does, for whatever else takes a type.

    Returns:
        An adapter of the type, which every function takes as one.

    Of a `JsonSchema` it is the keys, and objects in place of lists: it says what is valid, but not what a value means.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> from llm_output import parse_llm_json_output
        >>> parse_llm_json_output('{"score": "1.2万"}', coercing(Review))
        Review(score=12000)

    .. versionadded:: 0.1.0
    """
    given: Any = answer_type._type if isinstance(answer_type, TypeAdapter) else answer_type  # noqa: SLF001 - it has no other name
    lenient: Any = Annotated[given, Lenient(deep=True)]
    return TypeAdapter(lenient)


Percent: TypeAlias = Annotated[float, Lenient(NumberMeaning.RATIO)]
"""A share of one: `"85%"` is 0.85. `"85"` without a sign is refused; the number 0.85 stays what it is.

.. versionadded:: 0.1.0
"""
PercentPoints: TypeAlias = Annotated[float, Lenient(NumberMeaning.PERCENT)]
"""A share of a hundred: `"85%"` is 85.

.. versionadded:: 0.1.0
"""
Amount: TypeAlias = Annotated[float, Lenient(NumberMeaning.AMOUNT)]
"""A number with its magnitude: `"1.2亿"` is 120,000,000, `"$3.5bn"` 3,500,000,000. The unit is left out.

.. versionadded:: 0.1.0
"""
LenientBool: TypeAlias = Annotated[bool, Lenient()]
"""A boolean, also in a word: `"yes"`, `"否"`.

.. versionadded:: 0.1.0
"""
LenientDate: TypeAlias = Annotated[date, Lenient()]
"""A date, also in another form with one reading: `"2025年11月12日"`.

.. versionadded:: 0.1.0
"""
LenientEnum: TypeAlias = Annotated[T, Lenient()]
"""A member of an enum or a literal, also in another case, by its name, or with a gloss: `LenientEnum[Rating]`.

.. versionadded:: 0.1.0
"""
OneOrMany: TypeAlias = Annotated[list[T], Lenient()]
"""A list, also of one value that is not in a list: `OneOrMany[str]`.

.. versionadded:: 0.1.0
"""
OrNone: TypeAlias = Annotated[T | None, Lenient(absent=True)]
"""A value or null, also `"N/A"` and the like: `OrNone[str]`.

.. versionadded:: 0.1.0
"""
