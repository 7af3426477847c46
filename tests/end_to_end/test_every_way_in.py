"""A leaked call and a draft are no answer, whichever way a text comes in: each row of the table, by every way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient
from langchain_core.exceptions import OutputParserException
from llama_index.core.output_parsers.base import OutputParserException as LlamaIndexError
from openai.types.chat import ChatCompletion
from pydantic import TypeAdapter
from pydantic_ai import Agent, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from src.integrations.fastapi import ModelOutput
from src.integrations.langchain import UnifiedOutputParser as LangChainParser
from src.integrations.llama_index import UnifiedOutputParser as LlamaIndexParser
from src.integrations.openai_sdk import parse_completion
from src.integrations.pydantic_ai import unified_output
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace
from src.shared.infrastructure.llm_stream import LLMJsonStream
from tests.corpus.reading import is_same
from tests.entrypoints.cli.harness import invoke
from tests.entrypoints.http.clients import client
from tests.event_loops import closed_loop
from tests.loopback.answers import completion
from tests.tables.rows import ANSWERS, READINGS, Row, texts_of
from tests.tables.test_tables import rows_of
from tests.tables.types import as_data, type_of

REFUSED = "refused"
Way = Callable[[str, str], object]
"""A text and the name of its type: the value as data, or REFUSED."""


def through_stream(text: str, kind: str) -> object:
    stream: LLMJsonStream[Any] = LLMJsonStream(type_of(kind))
    for char in text:
        stream.feed(char)
    return as_data(stream.close(), kind)


def through_agent(text: str, kind: str) -> object:
    return as_data(AgentOutput("a", type_of(kind), LLMJsonParseError).parse(text), kind)


def through_fastapi(text: str, kind: str) -> object:
    app, output = FastAPI(), ModelOutput(type_of(kind))

    @app.post("/")
    async def read(value: Any = Depends(output)) -> Any:  # noqa: ANN401, B008, FAST002 - named in no annotation
        return as_data(value, kind)

    answer = TestClient(app).post("/", content=text.encode(), headers={"content-type": "text/plain; charset=utf-8"})
    return answer.json() if answer.is_success else REFUSED


def through_langchain(text: str, kind: str) -> object:
    return as_data(LangChainParser(dto_type=type_of(kind)).parse(text), kind)


def through_llama_index(text: str, kind: str) -> object:
    return as_data(LlamaIndexParser(type_of(kind)).parse(text), kind)


def through_pydantic_ai(text: str, kind: str) -> object:
    model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart(text)]))
    agent: Agent[None, Any] = Agent(model, output_type=unified_output(type_of(kind)), retries=0)
    with closed_loop():
        return as_data(agent.run_sync("").output, kind)


def through_openai(text: str, kind: str) -> object:
    return as_data(
        parse_completion(ChatCompletion.model_validate({**completion(text), "usage": None}), type_of(kind)), kind
    )


def whole(text: str, kind: str, *, finished: bool | None = None) -> object:
    return as_data(parse_llm_json_output(text, type_of(kind), finished=finished), kind)


REFUSALS = (LLMJsonParseError, OutputParserException, LlamaIndexError, UnexpectedModelBehavior)
WAYS: dict[str, Way] = {
    "trace": lambda text, kind: as_data(parse_llm_json_output_with_trace(text, type_of(kind)).value, kind),
    "stream": through_stream,
    "agent": through_agent,
    "FastAPI": through_fastapi,
    "LangChain": through_langchain,
    "LlamaIndex": through_llama_index,
    "pydantic-ai": through_pydantic_ai,
}
STOPPED: dict[str, Way] = {"the OpenAI SDK": through_openai}
"""The provider says that the model stopped by itself."""
ROWS = [
    pytest.param(told | {"text": text}, id=f"{row.id} {number}" if number else row.id)
    for row in rows_of(ANSWERS)
    for number, (text, told) in enumerate(texts_of(cast("Row", row.values[0])))
    if "type" in told and not told.get("options")
]
"""Those of the answers, each text of a row."""
ROWS_OF_ANSWERS = [cast("Row", row.values[0]) for row in ROWS]
ROWS_OF_OBJECTS = [
    row
    for row in rows_of(*READINGS.values())
    if "type" not in row.values[0]
    and row.values[0].get("options", {}).keys() <= {"finished", "several"}
    and not row.values[0].get("value", "").startswith("[")
]
"""Those of texts that are read without a type."""


def outcome(read: Callable[[], object]) -> object:
    try:
        return read()
    except REFUSALS:
        return REFUSED


@pytest.mark.parametrize("row", ROWS)
def test_every_way_gives_what_the_parser_gives(row: Row) -> None:
    text, kind = row["text"], row["type"]
    expected = json.loads(row["value"]) if "value" in row else REFUSED
    stopped = outcome(lambda: whole(text, kind, finished=True))
    ways = {name: outcome(lambda way=way: way(text, kind)) for name, way in (WAYS | STOPPED).items()}  # type: ignore[misc]  # it is bound

    different = {name: got for name, got in ways.items() if got != (stopped if name in STOPPED else expected)}

    assert (outcome(lambda: whole(text, kind)), different) == (expected, {})


@pytest.fixture(scope="module")
def asking() -> Iterator[TestClient]:
    with client() as started:
        yield started


@pytest.mark.parametrize("row", ROWS)
def test_the_service_gives_what_the_parser_gives(row: Row, asking: TestClient) -> None:
    answer = asking.post("/v1/parse", json={"text": row["text"], "schema": schema_of(row["type"])})
    expected = json.loads(row["value"]) if "value" in row else REFUSED
    assert filled(answer.json()["data"] if answer.is_success else REFUSED, row["type"]) == expected


@pytest.mark.parametrize("row", ROWS_OF_OBJECTS)
def test_the_service_gives_any_object_as_the_parser_does(row: Row, asking: TestClient) -> None:
    for text, expected in texts_of(row):
        answer = asking.post("/v1/parse", json={"text": text, **row.get("options", {})})
        given = answer.json()
        if "value" in expected and not is_json(expected["value"]):
            assert not answer.is_success, text
        elif "value" in expected:
            assert is_same(given["data"], json.loads(expected["value"])), text
            assert "grade" not in row or given["grade"] == row["grade"]
            assert "repairs" not in row or {one["kind"] for one in given["repairs"]} == set(row["repairs"]), text
        else:
            assert answer.status_code == 422, text
            assert "stage" not in row or given["stage"] == row["stage"], text
            assert "at" not in row or given["position"]["offset"] == place(text, expected["at"]), text


def test_the_service_gives_half_of_a_character_as_it_was_escaped(asking: TestClient) -> None:
    answer = asking.post("/v1/parse", json={"text": r'{"a": "\ud83d"}'})

    assert (answer.status_code, answer.json()["data"]) == (200, {"a": "\ud83d"})


def is_json(value: str, *, escaped: bool = False) -> bool:
    """Whether others than Python read a value: it has no infinite number, and no half of a character unless escaped."""
    try:
        json.dumps(json.loads(value), ensure_ascii=escaped, allow_nan=False).encode()
    except ValueError:
        return False
    return True


def place(text: str, words: str) -> int:
    return text.index(words) if words else len(text)


def in_batches(kind: str | None, texts: list[str], folder: Path) -> dict[str, object]:
    """What a batch gives for some texts, in one run."""
    schema = []
    if kind:
        schema = ["--schema", str(folder / "schema.json")]
        (folder / "schema.json").write_text(json.dumps(schema_of(kind)), encoding="utf-8")
    lines = (json.dumps({"id": str(at), "text": text}) for at, text in enumerate(texts))
    (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = folder / "out"
    invoke("batch", str(folder / "texts.jsonl"), "--out", str(out), *schema, "--workers", "1")
    read = [json.loads(line) for line in (out / "parsed.jsonl").read_text(encoding="utf-8").split("\n") if line]
    return dict.fromkeys(texts, REFUSED) | {texts[int(one["id"])]: one["data"] for one in read}


@pytest.mark.parametrize("kind", sorted({row["type"] for row in ROWS_OF_ANSWERS}))
def test_batch_gives_what_the_parser_gives(kind: str, tmp_path: Path) -> None:
    rows = [row for row in ROWS_OF_ANSWERS if row["type"] == kind]
    read = in_batches(kind, [row["text"] for row in rows], tmp_path)
    expected = {row["text"]: json.loads(row["value"]) if "value" in row else REFUSED for row in rows}
    assert {text: filled(data, kind) for text, data in read.items()} == expected


def test_batch_gives_any_object_as_the_parser_does(tmp_path: Path) -> None:
    rows = [row.values[0] for row in ROWS_OF_OBJECTS if not row.values[0].keys() & {"options", "known_failure"}]
    asked = {text: expected.get("value") for row in rows for text, expected in texts_of(row)}
    expected = {text: json.loads(value) for text, value in asked.items() if value and is_json(value, escaped=True)}
    read = {text: data for text, data in in_batches(None, [*asked], tmp_path).items() if data != REFUSED}
    assert len(asked) > 2_000
    assert read.keys() == expected.keys()
    assert [text for text, data in read.items() if not is_same(data, expected[text])] == []


def schema_of(kind: str) -> dict[str, Any]:
    return TypeAdapter(type_of(kind)).json_schema()


def filled(data: object, kind: str) -> object:
    """The data with what a type fills in, and a schema does not."""
    return data if data == REFUSED else as_data(TypeAdapter(type_of(kind)).validate_python(data), kind)
