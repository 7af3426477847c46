"""Validates decoded data as JSON, with all the digits of its numbers.

Pydantic is stricter with Python objects than with JSON, which has no dates, enums or tuples: a strict model takes
`"2024-01-05"` for a date only from JSON. So the data is written as JSON again before it is validated. If JSON cannot
express it (Python objects that a normalizer put in, lone surrogates, nesting beyond Pydantic's limit), all of it is
validated as Python objects.

Pydantic reads every JSON number with a decimal point or an exponent as a float, for a `Decimal` too: 1.10 becomes 1.1,
and of 31 digits 17 are left. From a JSON string it takes all digits. So the numbers that belong to a `Decimal` are put
in quotes. Only validation can tell which ones: each number is replaced by a string that is not a number, and belongs
to a `Decimal` if the errors say so. In a union of `Decimal` with `float` or `str`, a number stays a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, SchemaValidator, from_json, to_json

from src.shared.domain.expression import expression
from src.shared.domain.strict_json import MINUS_ZERO, with_numbers
from src.shared.infrastructure.parsing.parse_errors import Loc

_LONG_FRACTION = expression(r"\.[0-9]*+(?:(?<=0)|(?<=[0-9.]{17}))")
"""A final zero, or more than the 15 digits that every float holds."""
_EXPONENT = expression(r"[eE](?=[0-9+-])(?<=[0-9][eE])")
_LONG_WHOLE = expression(r"\.0(?<=[0-9]{16}\.0)0*+(?![0-9])")
_MINUS_ZERO = expression(r"-0(?=[\s,\]}])(?<=[\s:,\[]-0)")
"""Each begins with the rarest sign it has: clean text is searched for it, and `re` skips to a literal fastest.

Before, two signs are looked for from the end: CPython does that several times as fast as from the front.
"""
_MARK = "\x00number "
_DECIMAL, _FLOAT = "decimal_", "float_"
"""How the types of Pydantic's errors begin."""


def says_more_than_floats(text: str) -> bool:
    """Whether a JSON text may hold such a number; one in a string counts too."""
    return bool(_LONG_FRACTION.search(text) or _EXPONENT.search(text))


def has_long_whole(text: str) -> bool:
    """Whether a JSON text may hold a whole number with a point that no float is."""
    return text.rfind(".0") >= 0 and _LONG_WHOLE.search(text) is not None


def has_minus_zero(text: str) -> bool:
    """Whether a text may hold the zero with a sign, which an integer has not."""
    return "-" in text and text.rfind("-0") >= 0 and _MINUS_ZERO.search(text) is not None


def written_as_json(data: object) -> bytes:
    """Decoded data as JSON, with the names that Pydantic reads numbers without an end by."""
    return to_json(data, inf_nan_mode="constants")


def with_written_decimals(adapter: TypeAdapter[Any] | SchemaValidator, data: Any) -> Any:  # noqa: ANN401 - decoded JSON
    """The data with the numbers at the places of a `Decimal` as strings of all their digits.

    Raises:
        Exception: what a validator of the type raises that cannot take a text in place of a number.
    """
    number = count()
    marked = with_numbers(data, lambda _: f"{_MARK}{next(number)}")
    if not next(number):
        return data
    quoted = frozenset(_at_decimals(adapter, marked))
    number = count()
    return with_numbers(data, lambda float_: float_.written if f"{_MARK}{next(number)}" in quoted else float_.exact)


def _at_decimals(adapter: TypeAdapter[Any] | SchemaValidator, marked: object) -> Iterator[str]:
    """The marks at the places of a `Decimal`, unless in a choice of a union that fits apart from them it is a float."""
    places: dict[str, list[tuple[str, Loc]]] = defaultdict(list)
    unfit: set[Loc] = set()
    try:
        adapter.validate_json(written_as_json(marked))
    except ValidationError as error:
        for one in error.errors(include_url=False, include_context=False):
            if isinstance(one["input"], str) and one["input"].startswith(_MARK):
                places[one["input"]].append((one["type"], one["loc"]))
            else:
                unfit.update(one["loc"][:length] for length in range(len(one["loc"]) + 1))
    for mark, found in places.items():
        decimals = [loc for kind, loc in found if kind.startswith(_DECIMAL)]
        floats = [loc for kind, loc in found if kind.startswith(_FLOAT)]
        if decimals and all(_choice(loc, decimals[0]) in unfit for loc in floats):
            yield mark


def _choice(loc: Loc, other: Loc) -> Loc:
    """Where the choice of a union begins that one error is in and the other, about the same value, is not."""
    shared = next((at for at, (one, two) in enumerate(zip(loc, other, strict=False)) if one != two), 0)
    return loc[: shared + 1]


T = TypeVar("T")


def validate_as_json(
    adapter: TypeAdapter[T] | SchemaValidator,
    data: Any,  # noqa: ANN401 - decoded JSON
    *,
    hooked: bool,
    decimals: bool,
) -> T:
    """The object made of decoded data.

    Args:
        adapter: what validates.
        data: what a decoder or a normalizer returned.
        hooked: whether a normalizer returned it, so that there may be Python objects in it.
        decimals: whether the type has a `Decimal` somewhere, so that its digits must be looked for.

    Raises:
        ValidationError: the data does not satisfy the type.
        Exception: whatever a validator of the type raises.
    """
    text = _written(data, hooked=hooked)
    if text is None:
        return adapter.validate_python(data)
    if decimals:
        try:
            text = written_as_json(with_written_decimals(adapter, data))
        except Exception:  # noqa: BLE001 - a validator fails on a text in place of a number: then as Python objects
            return adapter.validate_python(data)
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        if error.errors(include_url=False, include_input=False, include_context=False)[0]["type"] == "json_invalid":
            return adapter.validate_python(data)
        signs = count()
        signless = with_numbers(data, lambda number: 0 * next(signs) if number.written == MINUS_ZERO else number)
        if next(signs):
            with suppress(ValidationError):  # a strict integer has no zero with a sign
                return adapter.validate_json(written_as_json(signless))
        raise


def _written(data: object, *, hooked: bool) -> bytes | None:
    """The data as JSON; None if that would say something else."""
    try:
        text = written_as_json(data)
        said = not hooked or from_json(text) == data  # a date, a tuple, a key that is a number come back as others
    except (PydanticSerializationError, ValueError, RecursionError):
        return None
    return text if said else None
