"""Real texts read with a type that has the keys of the expected object: the type may help, and must not harm."""

from typing import Any

import pytest
from pydantic import BaseModel, Field, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace
from tests.corpus.reading import is_same, lines_of, needs_corpus

FEWEST_RIGHT = {False: 86, True: 87}
"""Of the texts of medium confidence, untyped and typed. The numbers may only grow."""


def type_with_keys_of(expected: dict[str, Any]) -> type[BaseModel]:
    """A type with one field for each key, which takes any value."""
    fields: dict[str, Any] = {f"field_{at}": (Any, Field(alias=key)) for at, key in enumerate(expected)}
    return create_model("Expected", **fields)


def outcome(text: str, expected: dict[str, Any], *, typed: bool) -> str:
    """Whether a text is read right, wrong, or refused."""
    try:
        if typed:
            data = parse_llm_json_output_with_trace(text, type_with_keys_of(expected)).decoded.data
        else:
            data = decode_llm_json(text).data
    except LLMJsonParseError:
        return "refused"
    return "right" if is_same(data, expected) else "wrong"


@needs_corpus
@pytest.mark.parametrize("typed", [False, True], ids=["untyped", "typed"])
def test_texts_whose_expected_value_is_likely_are_read_right_or_refused(
    typed: bool,  # noqa: FBT001 - a parameter of the test
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [row for row in lines_of("real_outputs.jsonl") if row["expected_confidence"] == "medium"]
    texts = [row for row in rows if isinstance(row["expected"], dict)]
    found = [outcome(row["text"], row["expected"], typed=typed) for row in texts]
    with capsys.disabled():
        print(f"\n{'typed' if typed else 'untyped'}: {found.count('right')} of {len(texts)} right")  # noqa: T201 - for the reader
    assert found.count("wrong") == 0
    assert found.count("right") >= FEWEST_RIGHT[typed]
