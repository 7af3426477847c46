"""Reading a text with a type or without, and the reading as data: for the command line, the service and the batch."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from pydantic.errors import PydanticUserError

from src.entrypoints.reports.stages import coercions_json, left_out_json, repair_json
from src.shared.domain.answer_type import AnswerType, adapter_of, json_schema_of, per_type
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.llm_json import ParsedOutput, decode_llm_json


def read_text(text: str, output: AgentOutput[Any] | None, **options: Any) -> ParsedOutput[Any]:  # noqa: ANN401 - checked there
    """Read a text into a type; without one, into plain data.

    Args:
        text: what a model wrote.
        output: the type, and what goes with it.
        options: those of `ReadOptions`; without a type those of `DecodeOptions`, and `root`.

    Raises:
        LLMJsonParseError: it is refused.
    """
    if output is None:
        decoded = decode_llm_json(text, **options)
        return ParsedOutput(decoded.data, decoded)
    return output.parse_with_trace(text, **options)


def view(parsed: ParsedOutput[Any]) -> dict[str, Any]:
    """How a text was read, as JSON types."""
    decoded = parsed.decoded
    return {
        "repairs": [repair_json(repair) for repair in decoded.repairs],
        "coercions": coercions_json(decoded.coercions),
        "grade": decoded.grade.value,
        "truncated": decoded.truncated,
        "left_out": left_out_json(parsed.kept.problems),
    }


def json_value(value: object, answer_type: AnswerType[Any]) -> Any:  # noqa: ANN401 - any JSON type
    """A value of a type as JSON types; the members of a set stand in the same order in every process.

    Raises:
        PydanticSerializationError, ValueError, RecursionError: it cannot be written so.
    """
    adapter = adapter_of(answer_type)
    data = adapter.dump_python(value, mode="json", by_alias=True)
    if has_sets(answer_type):
        with suppress(TypeError):  # a set of models is no set of dictionaries: it stays as it is
            _order_sets(data, adapter.dump_python(value, by_alias=True))
    return data


@per_type
def has_sets(answer_type: AnswerType[Any]) -> bool:
    """Whether a value of a type may hold a set; it may where the type has no schema."""
    try:
        return "uniqueItems" in json.dumps(json_schema_of(answer_type))
    except (PydanticUserError, ValueError, RecursionError):
        return True


def _order_sets(data: object, value: object) -> None:
    """Sort each list of `data`, JSON types, that is a set in `value`, the same data in Python's types."""
    pairs = [(data, value)]
    while pairs:
        shown, meant = pairs.pop()
        if isinstance(shown, dict) and isinstance(meant, dict):
            pairs += zip(shown.values(), meant.values(), strict=False)
        elif isinstance(shown, list) and isinstance(meant, set | frozenset):
            shown.sort(key=json.dumps)
        elif isinstance(shown, list) and isinstance(meant, list | tuple):
            pairs += zip(shown, meant, strict=False)
