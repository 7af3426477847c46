"""A JSON Schema reads a text as the Pydantic type it was made from: the same data, or refused at the same stage."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, TypeAdapter, create_model

from llm_output import AnswerType, JsonSchema, LLMJsonParseError, Normalizer, parse_llm_json_output_with_trace
from src.modules.workbench.domain import response_formats
from tests.beside import needs_corpus
from tests.corpus.reading import OWN, lines_of
from tests.modules.agent_contract import as_text, removed, replaced
from tests.modules.all_contracts import CONTRACTS
from tests.thorough import at_length

FORMATS = {
    name: found
    for name, found in vars(response_formats).items()
    if isinstance(found, type) and issubclass(found, BaseModel) and found is not BaseModel
}
OWN_TEXTS = [row["text"] for name in ("outputs.jsonl", "readings.jsonl") for row in lines_of(name, folder=OWN)]
CONVERTED = Counter(
    {
        "Pydantic converts what the schema refuses: string_type": 65,  # 5 to "5" in a `QuantityText`
        "Pydantic converts what the schema refuses: float_type": 16,  # "0.5" to 0.5
        "Pydantic converts what the schema refuses: int_type": 3,  # "5" to 5
    }
)
"""The only differences there are, of 1,455 answers: Pydantic is lax where the schema says a type."""
OTHER_VALUES: tuple[Any, ...] = (5, "5", 5.0, 0.5, "0.5", "80%", True, None, "x", [], ["x"], {}, -1, 1000)
EVERY = at_length(300, 1)
"""Each so-many-th text of the large corpus."""


class Pair(NamedTuple):
    """A type and the JSON Schema of it."""

    dto_type: AnswerType[Any]
    schema: JsonSchema
    normalizers: Sequence[Normalizer] = ()

    def difference(self, text: str) -> str | None:
        """What is different in the two readings, and why; None if they are the same."""
        dto, schema = outcome(text, self.dto_type, self.normalizers), outcome(text, self.schema, self.normalizers)
        return None if dto == schema else why(dto, schema, text, self)


def pair(dto_type: Any, normalizers: Sequence[Normalizer] = ()) -> Pair:  # noqa: ANN401 - any type
    return Pair(dto_type, JsonSchema(TypeAdapter(dto_type).json_schema()), normalizers)


def outcome(text: str, dto_type: AnswerType[Any], normalizers: Sequence[Normalizer] = ()) -> str:
    """The data before any coercion, or the stage of the refusal with what the reader says of the text."""
    try:
        parsed = parse_llm_json_output_with_trace(text, dto_type, normalizers=normalizers)
    except LLMJsonParseError as error:
        return str([error.details.get(name) for name in ("stage", "truncated", "position", "candidates", "root")])
    return json.dumps(parsed.decoded.data)


def why(dto: str, schema: str, text: str, given: Pair) -> str:
    if not schema.startswith("['validate'"):
        return f"unexplained: {dto[:200]} and {schema[:200]} of {text[:200]}"
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output_with_trace(text, given.schema, normalizers=given.normalizers)
    kinds = sorted({problem["type"] for problem in caught.value.details["validation_errors"]})
    return f"Pydantic converts what the schema refuses: {', '.join(kinds)}"


def differences(pairs: Iterable[tuple[Pair, str]]) -> tuple[int, Counter[str]]:
    """How many texts there were, and what was different."""
    found = [one.difference(text) for one, text in pairs]
    return len(found), Counter(difference for difference in found if difference)


def type_of(value: object) -> Any:  # noqa: ANN401 - any type
    """A type that a value satisfies, as a developer would write it."""
    if isinstance(value, dict):
        if not value or not all(map(_is_plain, value)):
            return dict[str, Any]
        fields: dict[str, Any] = {key: (type_of(inner), ...) for key, inner in value.items()}
        return create_model("Inferred", **fields)
    if isinstance(value, list):
        return list[type_of(value[0])] if value else list[Any]  # type: ignore[misc]  # made at run time
    return type(value) if isinstance(value, (bool, int, float, str)) else Any


def _is_plain(key: str) -> bool:
    """Whether a field may have the name of the key."""
    return key.isidentifier() and key.islower() and key[0] != "_" and not hasattr(BaseModel, key)


def tell(capsys: pytest.CaptureFixture[str], what: str, count: int, found: Counter[str]) -> None:
    with capsys.disabled():
        print(f"\n{what}: {found.total()} of {count} read differently; {dict(found)}")  # noqa: T201 - for the reader


def test_own_texts_are_read_the_same_with_the_schemas_of_the_agents_types(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [pair(contract.dto, contract.output.normalizers) for contract in CONTRACTS]
    pairs += [pair(dto) for dto in FORMATS.values()]
    sample = OWN_TEXTS[:: at_length(60, 1)]
    count, found = differences((one, text) for one in pairs for text in sample)
    tell(capsys, "agents' types, own texts", count, found)

    assert not found


def test_bent_answers_are_read_the_same_but_for_what_pydantic_converts(capsys: pytest.CaptureFixture[str]) -> None:
    def bent() -> Iterable[tuple[Pair, str]]:
        for contract in CONTRACTS:
            made = pair(contract.dto, contract.output.normalizers)
            for place in contract.all_places():
                yield made, as_text(removed(contract.answer, place))
                for value in OTHER_VALUES:
                    yield made, as_text(replaced(contract.answer, place, value))

    count, found = differences(bent())
    tell(capsys, "agents' types, one value replaced", count, found)

    assert found == CONVERTED


@needs_corpus
def test_real_texts_are_read_the_same_with_a_schema_that_fits_them(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [row["text"] for row in lines_of("real_outputs.jsonl", step=at_length(12, 1))]
    texts += [row["text"] for row in lines_of("pool_30k.jsonl.gz", step=EVERY)]
    count, found = differences(fitting(texts))
    tell(capsys, "real texts, a type that fits", count, found)

    assert not found


def test_own_texts_are_read_the_same_with_a_schema_that_fits_them(capsys: pytest.CaptureFixture[str]) -> None:
    count, found = differences(fitting(OWN_TEXTS[:: at_length(8, 1)]))
    tell(capsys, "own texts, a type that fits", count, found)

    assert not found


def fitting(texts: Iterable[str]) -> Iterable[tuple[Pair, str]]:
    anything = JsonSchema({"type": "object"})
    for text in texts:
        try:
            data = parse_llm_json_output_with_trace(text, anything).value
        except LLMJsonParseError:
            continue
        yield pair(type_of(data)), text
