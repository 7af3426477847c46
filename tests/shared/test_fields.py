"""The field types several contexts share, at their edges. The agents' tests cover the rest."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from src.shared.domain.fields import Confidence, FiniteNumber, Fraction, QuantityText, Score

TYPES: dict[str, Any] = {
    "confidence": Confidence,
    "finite number": FiniteNumber,
    "fraction": Fraction,
    "quantity": QuantityText,
    "score": Score,
}


def read(name: str, written: object) -> Any:  # noqa: ANN401 - the types differ
    return TypeAdapter[Any](TYPES[name]).validate_python(written)


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("fraction", " 0.8 ", 0.8),
        ("fraction", "8e-1", 0.8),
        ("fraction", -0.0, 0.0),
        ("finite number", -(10**300), -1e300),
        ("score", " 80 ", 80),
        ("score", "80.0", 80),
        ("quantity", 10**30, "1" + "0" * 30),
        ("quantity", "60%", "60%"),
        ("quantity", "NaN", "NaN"),
    ],
)
def test_value_that_needs_no_guess_is_taken(name: str, written: object, value: object) -> None:
    result = read(name, written)
    assert (type(result), result) == (type(value), value)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("fraction", "０.８"),
        ("fraction", "0,8"),
        ("fraction", "1/2"),
        ("fraction", "inf"),
        ("fraction", 1 + 1e-15),
        ("fraction", -5e-324),
        ("finite number", 10**400),
        ("finite number", "1e400"),
        ("finite number", -float("inf")),
        ("score", "8e1"),
        ("score", 1e300),
        ("score", 10**400),
        ("score", "100.0001"),
        ("quantity", True),
        ("quantity", float("nan")),
        ("quantity", -float("inf")),
        ("quantity", 10**5000),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value:.3g}" if value < 10**300 else "huge",
)
def test_value_that_needs_a_guess_or_is_none_is_refused(name: str, written: object) -> None:
    with pytest.raises(ValidationError, match=r"Input should be|Unable to parse|Exceeds the limit"):
        read(name, written)


def test_bounds_are_in_the_schema_a_model_is_shown() -> None:
    bounds = {name: (schema.get("minimum"), schema.get("maximum")) for name, schema in _schemas().items()}
    assert bounds == {
        "confidence": (0, 1),
        "finite number": (None, None),
        "fraction": (0, 1),
        "quantity": (None, None),
        "score": (0, 100),
    }


def test_refused_and_converted_spellings_are_not_offered_in_the_schema() -> None:
    assert {name: schema["type"] for name, schema in _schemas().items()} == {
        "confidence": "number",
        "finite number": "number",
        "fraction": "number",
        "quantity": "string",
        "score": "integer",
    }


def _schemas() -> dict[str, dict[str, Any]]:
    return {name: TypeAdapter(kind).json_schema() for name, kind in TYPES.items()}
