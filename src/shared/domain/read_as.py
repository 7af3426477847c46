"""How a text is read for a type where the caller allows more than JSON says: wrappings, escapes, rows run together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Unpack, cast, overload

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from src.shared.domain.answer_type import AnswerType, SchemaType, per_type
from src.shared.domain.options import (
    DEFAULTS,
    Escapes,
    Notations,
    ReadAsOptions,
    RunTogether,
    all_notations,
    check_options,
    takes,
    unusual,
)
from src.shared.domain.type_shapes import READ_AS, marks_of
from src.shared.domain.type_shapes import CoreSchema as Schema

if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReadAs:
    r"""Says of a type, or with `escapes` of a field, how its text is read: `Annotated[str, ReadAs(escapes="latex")]`.

    It goes with the type wherever one is taken: a stream, an agent, `llm-output batch`, a library's integration.

    Attributes:
        unwrap: whether the answer may stand under one key, or in a list of one.
        escapes: what `\t` in `"\times"` and in `"C:\temp"` is.
        run_together: whether rows that were run together in one object are refused or split.
        scalar: whether a type that is one value, and no object or array, is read, and from which texts.
        notations: in what the answer may be written; JSON comes first.

    .. versionadded:: 0.1.0
    """

    unwrap: bool = DEFAULTS["unwrap"]
    escapes: Escapes = DEFAULTS["escapes"]
    run_together: RunTogether = DEFAULTS["run_together"]
    scalar: bool = DEFAULTS["scalar"]
    notations: Notations = DEFAULTS["notations"]

    def __post_init__(self) -> None:
        """Refuse other words.

        Raises:
            TypeError: `unwrap` or `scalar` is neither True nor False.
            ValueError: there is no such way to read.
        """
        check_options(**self.arguments)
        object.__setattr__(self, "notations", all_notations(self.notations))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - any type
        """The type's own schema, with a mark: the only step of a chain validates as it does alone."""
        return core_schema.chain_schema([handler(source)], metadata={READ_AS: self})

    @property
    def arguments(self) -> ReadAsOptions:
        """The arguments of a call that say the same."""
        return {
            "unwrap": self.unwrap,
            "escapes": self.escapes,
            "run_together": self.run_together,
            "scalar": self.scalar,
            "notations": self.notations,
        }

    def also(self, **options: Unpack[ReadAsOptions]) -> ReadAs:
        """These, and what a call allows besides."""
        more = unusual(options)
        if "notations" in more:
            more["notations"] = (*self.notations, *more["notations"])
        return replace(self, **more) if more else self


AS_JSON = ReadAs()
"""As JSON says, and nothing more."""


def read_as_of(schema: Schema) -> ReadAs:
    """How a type says its own text is read."""
    found = AS_JSON
    for mark in marks_of(schema):
        found = found.also(**mark.arguments)
    return found


def told_scalar(answer_type: AnswerType[T], options: Mapping[str, Any]) -> AnswerType[T]:
    """A type; where options say so, marked as one that may be one value: the same object for the same type.

    A `JsonSchema` is not: it is one of an object or an array.
    """
    is_marked = options.get("scalar") and not isinstance(answer_type, SchemaType)
    return cast("AnswerType[T]", _one_value(answer_type)) if is_marked else answer_type


@overload
def reading_as(answer_type: AnswerType[T], **options: Unpack[ReadAsOptions]) -> TypeAdapter[T]: ...


@overload
def reading_as(answer_type: TypeForm[T], **options: Unpack[ReadAsOptions]) -> TypeAdapter[T]: ...


@takes(ReadAsOptions)  # type: ignore[misc]  # a union is an `AnswerType`, too
def reading_as(answer_type: AnswerType[T], **options: Unpack[ReadAsOptions]) -> TypeAdapter[T]:
    """A type whose text may be read so, for whatever takes a type: what the arguments of these names do in a call.

    Args:
        answer_type: any type the parser takes.
        options: those of `ReadAsOptions`.

    Returns:
        An adapter of the type, which every function takes as one.

    Raises:
        TypeError: `unwrap` or `scalar` is neither True nor False.
        ValueError: there is no such way to read.

    Example:
        >>> from pydantic import BaseModel
        >>> class Review(BaseModel):
        ...     score: int
        >>> from llm_output import parse_llm_json_output
        >>> parse_llm_json_output('{"output": {"score": 4}}', reading_as(Review, unwrap=True))
        Review(score=4)

    .. versionadded:: 0.1.0
    """
    given: Any = answer_type._type if isinstance(answer_type, TypeAdapter) else answer_type  # noqa: SLF001 - it has no other name
    marked: Any = Annotated[given, ReadAs(**options)]
    return TypeAdapter(marked)


_one_value = per_type(partial(reading_as, scalar=True))
