"""What the adapters of all frameworks do alike: each row is asked of each of them; instructor's run elsewhere."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

import pytest
from fastapi import Request
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables import RunnableGenerator
from llama_index.core.base.llms.types import CompletionResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel
from pydantic_ai import Agent, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from src.integrations import fastapi, langchain, llama_index
from src.integrations.openai_sdk import parse_completion, stream_completion
from src.integrations.pydantic_ai import stream_snapshots, unified_output
from src.shared.domain.partial import Partial
from src.shared.domain.read_as import reading_as
from tests.integrations.phones import CLEAN, DAMAGED, GOOD, REFUSED, Review
from tests.integrations.reviews import parse_error_of
from tests.integrations.test_llama_index import WrittenLLM, program_with
from tests.loopback.answers import chunk, completion

Read: TypeAlias = Callable[[str, str | None, Any, dict[str, Any]], Any]


def by_langchain(text: str, reason: str | None, dto: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - any type, and its value
    told = {"finish_reason": reason} if reason else {}
    return langchain.UnifiedOutputParser(dto, **options).invoke(AIMessage(text, response_metadata=told))


def by_llama_index(text: str, reason: str | None, dto: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    response = CompletionResponse(text=text, raw={"choices": [{"finish_reason": reason}]})
    return llama_index.UnifiedOutputParser[Any](dto, **options).parse_response(response)


def by_openai(text: str, reason: str | None, dto: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    choice = {"index": 0, "finish_reason": reason or "tool_calls", "message": {"role": "assistant", "content": text}}
    reply = ChatCompletion.model_validate({**completion(""), "usage": None, "choices": [choice]})
    return parse_completion(reply, dto, **options)


def by_pydantic_ai(text: str, reason: Any, dto: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    details = {"finish_reason": reason}
    answer = ModelResponse(parts=[TextPart(text)], finish_reason=reason, provider_details=details)
    agent = Agent(FunctionModel(lambda *_: answer), output_type=unified_output(dto, **options), retries=0)
    return asyncio.run(agent.run("?")).output


def by_fastapi(text: str, reason: str | None, dto: Any, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps({"text": text, "finish_reason": reason}).encode()}

    request = Request({"type": "http", "headers": [(b"content-type", b"application/json")]}, receive)
    return asyncio.run(fastapi.ModelOutput(dto, **options)(request))


FRAMEWORKS: dict[str, Read] = {
    "langchain": by_langchain,
    "llama_index": by_llama_index,
    "openai": by_openai,
    "pydantic_ai": by_pydantic_ai,
    "fastapi": by_fastapi,
}
each_framework = pytest.mark.parametrize("read", FRAMEWORKS.values(), ids=FRAMEWORKS)


class Formula(BaseModel):
    title: str
    formula: str = ""


def scored(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "score": 8}


TWO = f'{{"title": "A", "score": 1}}\nor\n{CLEAN}'
WRAPPED = r'{"output": {"title": "A", "formula": "\frac{1}{2}"}}'
LATEX = reading_as(Formula, unwrap=True, escapes="latex")
READ: dict[str, tuple[str, str | None, Any, dict[str, Any], object]] = {
    "a damaged reply": (DAMAGED, "stop", Review, {}, GOOD),
    "a damaged reply whose end nobody knows": (DAMAGED, None, Review, {}, GOOD),
    "a list": (f"Here: [{CLEAN},]", "stop", list[Review], {}, [GOOD]),
    "what a type allows": (WRAPPED, "stop", LATEX, {}, Formula(title="A", formula=r"\frac{1}{2}")),
    "what a normalizer makes": (REFUSED, "stop", Review, {"normalizers": [scored]}, GOOD),
    "a value in another spelling": ('{"title": "Phones", "score": "0.8e1"}', "stop", Review, {"coerce": True}, GOOD),
    "the last of several objects": (TWO, "stop", Review, {"several": "last"}, GOOD),
    "no bracket, but the model stopped by itself": (CLEAN[:-1], "stop", Review, {}, GOOD),
    "one value": ("The answer is **8**.", "stop", int, {"scalar": True}, 8),
    "what is sure enough": (CLEAN, "stop", Review, {"accept": "clean", "timeout": 60}, GOOD),
}
REFUSES: dict[str, tuple[str, str | None, dict[str, Any], str, object]] = {
    "what does not satisfy the type": (REFUSED, "stop", {}, "stage", "validate"),
    "a whole text that was cut off": (CLEAN, "length", {}, "truncated", True),
    "no bracket, and nobody knows the end": (CLEAN[:-1], None, {}, "truncated", True),
    "several objects": (TWO, "stop", {}, "candidates", 2),
    "what is less sure than accepted": (DAMAGED, "stop", {"accept": "clean"}, "stage", "accept"),
}


@each_framework
@pytest.mark.parametrize(("text", "reason", "dto", "options", "value"), READ.values(), ids=READ)
def test_text_is_read(read: Read, text: str, reason: str | None, dto: Any, options: dict[str, Any], value: Any) -> None:  # noqa: ANN401 - as above
    assert read(text, reason, dto, options) == value


@each_framework
@pytest.mark.parametrize(("text", "reason", "options", "fact", "value"), REFUSES.values(), ids=REFUSES)
def test_text_is_refused_with_the_parsers_error_as_its_cause(
    read: Read, text: str, reason: str | None, options: dict[str, Any], fact: str, value: object
) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each framework's own, whose cause is asked for
        read(text, reason, Review, options)
    found = parse_error_of(caught.value).details[fact]
    assert (len(found) if isinstance(found, list) else found) == value


@each_framework
def test_type_whose_json_is_a_number_is_told_at_once(read: Read) -> None:
    with pytest.raises(TypeError, match="neither an object nor an array"):
        read("1", "stop", int, {})


@pytest.mark.parametrize("framework", ["langchain", "pydantic_ai"])
def test_good_elements_are_kept_as_a_partial(framework: str) -> None:
    partial = FRAMEWORKS[framework](f'[{CLEAN}, {{"title": 5}}]', "stop", list[Review], {"keep": "good"})
    assert isinstance(partial, Partial)
    assert (partial.value, [problem.path for problem in partial.problems]) == ([GOOD], ["$[1]"])


# --- in pieces of one character: what is shown, and the object ---------------------------------------------


def streamed_by_langchain(text: str, reason: str, options: dict[str, Any]) -> list[Any]:
    def pieces(_: Iterator[Any]) -> Iterator[AIMessageChunk]:
        yield from (AIMessageChunk(content=one) for one in text)
        yield AIMessageChunk(content="", response_metadata={"finish_reason": reason})

    parser = langchain.UnifiedOutputParser[Any](Review, stream_data=True, **options)
    return [*(RunnableGenerator(pieces) | parser).stream({})]


def streamed_by_llama_index(text: str, reason: str, options: dict[str, Any]) -> list[Any]:
    llm = WrittenLLM(replies=[text], raw={"choices": [{"finish_reason": reason}]})
    program = program_with(llm, llama_index.UnifiedOutputParser(Review, **options))
    *shown, last = program.stream_call(product="phones")
    return [*(one.model_dump(exclude_none=True) for one in shown), last]


def streamed_by_openai(text: str, reason: str, options: dict[str, Any]) -> list[Any]:
    chunks = [*(chunk({"content": one}) for one in text), chunk({}, reason)]
    *shown, last = stream_completion(map(ChatCompletionChunk.model_validate, chunks), Review, **options)
    return [*(one.data for one in shown), last.value]


def streamed_by_pydantic_ai(text: str, reason: str, options: dict[str, Any]) -> list[Any]:
    del reason  # `FunctionModel` streams none

    async def pieces(_: object, __: AgentInfo) -> AsyncIterator[str]:
        for one in text:
            yield one

    async def ask() -> list[Any]:
        agent = Agent(FunctionModel(stream_function=pieces), output_type=unified_output(Review, **options))
        async with agent.run_stream("?") as result:
            *shown, last = [snapshot async for snapshot in stream_snapshots(result, Review)]
        return [*(one.data for one in shown), last.value]

    return asyncio.run(ask())


STREAMS = {
    "langchain": streamed_by_langchain,
    "llama_index": streamed_by_llama_index,
    "openai": streamed_by_openai,
    "pydantic_ai": streamed_by_pydantic_ai,
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_stream_grows_to_the_object_and_shows_no_draft(stream: Callable[..., list[Any]]) -> None:
    *shown, last = stream(DAMAGED, "stop", {})
    titles = [data["title"] for data in shown if data and "title" in data]
    assert (titles[0], titles[-1], last) == ("P", "Phones", GOOD)
    assert titles == sorted(titles, key=len)


@pytest.mark.parametrize("framework", ["langchain", "llama_index"])
def test_stream_shows_nothing_early_if_the_last_object_counts(framework: str) -> None:
    assert STREAMS[framework](TWO, "stop", {"several": "last"}) == [GOOD]


@pytest.mark.parametrize(
    ("text", "reason", "fact", "value"),
    [(CLEAN, "length", "truncated", True), (REFUSED, "stop", "stage", "validate"), ("", "stop", "stage", "empty")],
    ids=["cut off", "not of the type", "empty"],
)
@pytest.mark.parametrize("framework", ["langchain", "llama_index", "openai"])
def test_stream_ends_in_the_refusal(framework: str, text: str, reason: str, fact: str, value: object) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each framework's own, whose cause is asked for
        STREAMS[framework](text, reason, {})
    assert parse_error_of(caught.value).details[fact] == value


def test_stream_of_one_value_shows_nothing_before_its_end() -> None:
    text = "The answer is 8."

    def pieces(_: Iterator[Any]) -> Iterator[AIMessageChunk]:
        yield from (AIMessageChunk(content=one) for one in text)

    chunks = [*(chunk({"content": one}) for one in text), chunk({}, "stop")]
    *shown, last = stream_completion(map(ChatCompletionChunk.model_validate, chunks), int, scalar=True)
    parser = langchain.UnifiedOutputParser[int](int, scalar=True, stream_data=True)

    assert ({one.data for one in shown}, last.value) == ({None}, 8)
    assert [*(RunnableGenerator(pieces) | parser).stream({})] == [8]


# --- without the library ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("fastapi", "fastapi", "fastapi"),
        ("langchain", "langchain_core.exceptions", "langchain"),
        ("llama_index", "llama_index.core.output_parsers", "llama-index"),
        ("openai_sdk", "openai.types.chat", "openai"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_who_lacks_the_library_is_told_how_to_install_it(
    module: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"src.integrations.{module}")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "\.\[{extra}\]"'):
        import_module(f"src.integrations.{module}")
