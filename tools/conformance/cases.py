"""The cases: texts, the type they are read into, and what a reader may give for each.

They are made of this project's own tables and corpora; nothing is taken from another library's tests or from a log of a
model. Each line of `cases.jsonl` is an object:

- `id`: the table or corpus, and a number in it.
- `about`: what the case shows.
- `text`: what is read.
- `type`: a JSON Schema that the value has to satisfy; null: any JSON object.
- `verdict`: `one`: there is one reading; `several`: there are several answers, and nothing tells which is meant;
  `none`: the text has no answer, is cut off, or has a damage that can be mended in ways that differ.
- `accepted`: the values that are right: for `one` the reading, and once more with the defaults of the type if it has
  any; for `several` each answer; for `none` nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema

from src.shared.domain import parse_reasons
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace
from tests.corpus import wanted
from tests.corpus.reading import OWN, lines_of
from tests.tables import types
from tests.tables.rows import READINGS, texts_of
from tools.benchmarks.verdict import Refused, same

CASES = Path(__file__).with_name("cases.jsonl")
LONGEST = 1_500
"""Characters of a text: whoever looks at a case can read it."""
MOST = {
    "answers": 110,
    "cut_off": 10,
    "damages": 140,
    "decisions": 140,
    "several_objects": 90,
    "signs": 40,
    "strings_and_roots": 35,
    "typed": 55,
    "wrappings": 60,
    "outputs": 60,
    "readings": 70,
}
"""The most cases of each table and corpus; of more, evenly chosen ones."""
_OF_A_TYPE = {"validate"}
"""Stages of a refusal by the type alone, which readers without a type cannot know of."""
_UNREAD = {
    reason.en
    for reason in (
        parse_reasons.NO_OBJECT,
        parse_reasons.ROUND_BRACKETS,
        parse_reasons.SEVERAL_OBJECTS,
        parse_reasons.PART_OF_MORE,
        parse_reasons.RIVAL,
        parse_reasons.HOLDS_CALL,
        parse_reasons.ROWS_WITHOUT_END,
    )
}
"""Reasons that say what this project does not read, or takes for another thing: a reader that does may be right."""


class Case(NamedTuple):
    """One line of the set; see the module."""

    id: str
    about: str
    text: str
    type: dict[str, Any] | None
    verdict: str
    accepted: list[Any]


class _Row(NamedTuple):
    """What a table or a corpus says of a text: `wanted` is its value, or none where it is refused."""

    about: str
    text: str
    dto_type: Any
    wanted: tuple[Any, ...]


def load() -> list[Case]:
    """The cases of the file."""
    with CASES.open(encoding="utf-8") as lines:
        return [Case(**json.loads(line)) for line in lines]


def written(cases: Iterable[Case]) -> str:
    """The file of some cases."""
    return "".join(f"{json.dumps(case._asdict(), allow_nan=False)}\n" for case in cases)


def generate() -> list[Case]:
    """The cases, from the tables and corpora."""
    cases: list[Case] = []
    texts: set[str] = set()
    for name, most in MOST.items():
        found = []
        for number, row in enumerate(_rows(name)):
            case = _case(f"{name}-{number}", row) if row.text not in texts and len(row.text) <= LONGEST else None
            if case is not None:
                texts.add(row.text)
                found.append(case)
        step = max(1.0, len(found) / most)
        cases += [found[int(at * step)] for at in range(min(most, len(found)))]
    return cases


def _rows(name: str) -> Iterator[_Row]:
    if name == "outputs":
        for row in lines_of("outputs.jsonl", folder=OWN):
            if isinstance(row.get("expected"), dict):
                yield _Row(row["kind"], row["text"], None, (row["expected"],))
    elif name == "readings":
        for row in lines_of("readings.jsonl", folder=OWN):
            dto_type = wanted.type_of(row["type"]) if row["type"] else None
            yield _Row(row["cause"], row["text"], dto_type, () if row["want"] == "refuse" else (row["want"],))
    else:
        for row in READINGS[name]["row"]:
            if not row.keys() & {"options", "known_failure", "left_out"}:
                text, expected = next(texts_of(row))
                dto_type = types.type_of(row["type"]) if "type" in row else None
                value = (json.loads(expected["value"]),) if "value" in expected else ()
                yield _Row(row["name"], text, dto_type, value)


def _case(name: str, row: _Row) -> Case | None:
    """The case of a row; None where a schema says less than its type, or JSON does not hold its value."""
    try:
        schema = None if row.dto_type is None else TypeAdapter(row.dto_type).json_schema()
        value = read(row.text, schema)
        json.dumps([value, row.wanted], allow_nan=False)
    except LLMJsonParseError as error:
        is_of_type = error.details["stage"] in _OF_A_TYPE or "the root must" in str(error)
        if row.wanted or is_of_type:
            return None
        accepted = _answers(row.text, schema, error)
        if not accepted and error.details.get("json_error") in _UNREAD and not {'"', "'"}.isdisjoint(row.text):
            return None
        return Case(name, row.about, row.text, schema, "several" if accepted else "none", accepted)
    except (ValueError, JsonSchemaError, PydanticInvalidForJsonSchema):
        return None
    if not row.wanted or (schema is None and not same(value, row.wanted[0])):
        return None
    with_defaults = [one for one in row.wanted if not same(one, value)]
    return Case(name, row.about, row.text, schema, "one", [value, *with_defaults])


def _answers(text: str, schema: dict[str, Any] | None, error: LLMJsonParseError) -> list[Any]:
    """The answers between which nothing decides, where each of them is whole; none if it is about anything else."""
    if error.details["stage"] != "extract":
        return []
    answers = []
    for place in error.details.get("candidates", ()):
        try:
            answer, _ = json.JSONDecoder().raw_decode(text, place["offset"])
            answers.append(read(json.dumps(answer), schema))
        except (ValueError, LLMJsonParseError):
            return []
    return answers if len(answers) > 1 else []


def read(text: str, schema: dict[str, Any] | None) -> Any:  # noqa: ANN401 - JSON
    """What this project reads.

    Raises:
        LLMJsonParseError: it refuses the text.
    """
    if schema is None:
        return decode_llm_json(text).data
    return parse_llm_json_output_with_trace(text, JsonSchema(schema)).decoded.data


def judge(case: Case, value: object) -> str:
    """`right`, `wrong` or `refused`; for a case without an answer it is right to refuse.

    What is neither an object nor an array counts as refused: who asks for one sees at once that this is none.
    """
    if isinstance(value, Refused) or not isinstance(value, dict | list):
        return "right" if case.verdict == "none" else "refused"
    return "right" if any(same(value, one) for one in case.accepted) else "wrong"
