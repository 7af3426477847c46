"""A leaked call and a draft are no answer, whichever way a text comes in: each row of the table, by every way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
from tests.entrypoints.cli.harness import invoke
from tests.entrypoints.http.clients import client
from tests.event_loops import closed_loop
from tests.loopback.answers import completion
from tests.tables.test_tables import ANSWERS, rows_of
from tests.tables.types import TYPES, as_data

REFUSED = "refused"
Way = Callable[[str, str], object]
"""A text and the name of its type: the value as data, or REFUSED."""


def through_stream(text: str, kind: str) -> object:
    stream: LLMJsonStream[Any] = LLMJsonStream(TYPES[kind])
    for char in text:
        stream.feed(char)
    return as_data(stream.close(), kind)


def through_agent(text: str, kind: str) -> object:
    return as_data(AgentOutput("a", TYPES[kind], LLMJsonParseError).parse(text), kind)


def through_fastapi(text: str, kind: str) -> object:
    app, output = FastAPI(), ModelOutput(TYPES[kind])

    @app.post("/")
    async def read(value: Any = Depends(output)) -> Any:  # noqa: ANN401, B008, FAST002 - named in no annotation
        return as_data(value, kind)

    answer = TestClient(app).post("/", content=text.encode(), headers={"content-type": "text/plain; charset=utf-8"})
    return answer.json() if answer.is_success else REFUSED


def through_langchain(text: str, kind: str) -> object:
    return as_data(LangChainParser(dto_type=TYPES[kind]).parse(text), kind)


def through_llama_index(text: str, kind: str) -> object:
    return as_data(LlamaIndexParser(TYPES[kind]).parse(text), kind)


def through_pydantic_ai(text: str, kind: str) -> object:
    model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart(text)]))
    agent: Agent[None, Any] = Agent(model, output_type=unified_output(TYPES[kind]), retries=0)
    with closed_loop():
        return as_data(agent.run_sync("").output, kind)


def through_openai(text: str, kind: str) -> object:
    return as_data(
        parse_completion(ChatCompletion.model_validate({**completion(text), "usage": None}), TYPES[kind]), kind
    )


def whole(text: str, kind: str, *, finished: bool | None = None) -> object:
    return as_data(parse_llm_json_output(text, TYPES[kind], finished=finished), kind)


REFUSALS = (LLMJsonParseError, OutputParserException, LlamaIndexError, UnexpectedModelBehavior)
WAYS: dict[str, Way] = {
    "trace": lambda text, kind: as_data(parse_llm_json_output_with_trace(text, TYPES[kind]).value, kind),
    "stream": through_stream,
    "agent": through_agent,
    "FastAPI": through_fastapi,
    "LangChain": through_langchain,
    "LlamaIndex": through_llama_index,
    "pydantic-ai": through_pydantic_ai,
}
STOPPED: dict[str, Way] = {"the OpenAI SDK": through_openai}
"""The provider says that the model stopped by itself."""
ROWS = [row for row in rows_of(ANSWERS) if "type" in row.values[0] and not row.values[0].get("options")]


def outcome(read: Callable[[], object]) -> object:
    try:
        return read()
    except REFUSALS:
        return REFUSED


@pytest.mark.parametrize("row", ROWS)
def test_every_way_gives_what_the_parser_gives(row: dict[str, Any]) -> None:
    text, kind = row["text"], row["type"]
    expected = json.loads(row["value"]) if "value" in row else REFUSED
    stopped = outcome(lambda: whole(text, kind, finished=True))
    ways = {name: outcome(lambda way=way: way(text, kind)) for name, way in (WAYS | STOPPED).items()}  # type: ignore[misc]  # it is bound

    different = {name: got for name, got in ways.items() if got != (stopped if name in STOPPED else expected)}

    assert (outcome(lambda: whole(text, kind)), different) == (expected, {})


@pytest.fixture(scope="module")
def read_of_batch(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], object]:
    """What a batch of each type gives for the texts of its rows."""
    folder: Path = tmp_path_factory.mktemp("batch")
    found: dict[tuple[str, str], object] = {}
    for kind in {row.values[0]["type"] for row in ROWS}:
        texts = [row.values[0]["text"] for row in ROWS if row.values[0]["type"] == kind]
        (folder / "schema.json").write_text(json.dumps(schema_of(kind)), encoding="utf-8")
        lines = (json.dumps({"id": str(at), "text": text}) for at, text in enumerate(texts))
        (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
        out = folder / str(len(found))
        options = ("--out", str(out), "--schema", str(folder / "schema.json"), "--workers", "1")
        invoke("batch", str(folder / "texts.jsonl"), *options)
        read = [json.loads(line) for line in (out / "parsed.jsonl").read_text(encoding="utf-8").splitlines()]
        found |= {(kind, text): REFUSED for text in texts} | {
            (kind, texts[int(one["id"])]): one["data"] for one in read
        }
    return found


def schema_of(kind: str) -> dict[str, Any]:
    return TypeAdapter(TYPES[kind]).json_schema()


@pytest.mark.parametrize("row", ROWS)
def test_batch_gives_what_the_parser_gives(row: dict[str, Any], read_of_batch: dict[tuple[str, str], object]) -> None:
    expected = json.loads(row["value"]) if "value" in row else REFUSED
    assert filled(read_of_batch[row["type"], row["text"]], row["type"]) == expected


@pytest.fixture(scope="module")
def asking() -> Iterator[TestClient]:
    with client() as started:
        yield started


@pytest.mark.parametrize("row", ROWS)
def test_the_service_gives_what_the_parser_gives(row: dict[str, Any], asking: TestClient) -> None:
    answer = asking.post("/v1/parse", json={"text": row["text"], "schema": schema_of(row["type"])})
    expected = json.loads(row["value"]) if "value" in row else REFUSED
    assert filled(answer.json()["data"] if answer.is_success else REFUSED, row["type"]) == expected


def filled(data: object, kind: str) -> object:
    """The data with what a type fills in, and a schema does not."""
    return data if data == REFUSED else as_data(TypeAdapter(TYPES[kind]).validate_python(data), kind)
