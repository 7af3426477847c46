"""The OpenAI SDK's own client against a server on loopback: objects, refusals, cuts, tool calls, streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response
from pydantic import BaseModel

from src.integrations.openai_sdk import ModelRefusalError, parse_completion, parse_tool_calls, stream_completion
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.llm_errors import LLMContentRefusedError, LLMReplyError, LLMServerError
from tests.loopback.answers import answer, chunk, completion, cut_stream, events, tool_call
from tests.loopback.server import ChatServer


class Review(BaseModel):
    title: str
    score: int


class Weather(BaseModel):
    city: str


GOOD = Review(title="Dune", score=5)
DAMAGED = "<think>{'score': 1}</think>Here it is:\n```json\n{title: 'Dune', \"score\": 5,}\n```"
MESSAGES: Any = [{"role": "user", "content": "?"}]


@pytest.fixture
def client(chat_server: ChatServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=chat_server.url, api_key="k", max_retries=0) as client:
        yield client


def reply(client: openai.OpenAI, chat_server: ChatServer, *args: Any, **kwargs: Any) -> ChatCompletion:  # noqa: ANN401 - as for answer
    chat_server.script([answer(*args, **kwargs)])
    return client.chat.completions.create(model="m", messages=MESSAGES)


def built(*choices: dict[str, Any]) -> ChatCompletion:
    """A reply with these choices."""
    return ChatCompletion.model_validate({**completion(""), "usage": None, "choices": list(choices)})


def choice(index: int = 0, reason: str = "stop", **message: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    message = {"role": "assistant", "content": None, **message}
    return {"index": index, "finish_reason": reason, "message": message}


def response(status: str = "completed", *items: dict[str, Any], incomplete: str | None = None) -> Response:
    body = {"id": "r", "object": "response", "created_at": 0, "model": "m", "parallel_tool_calls": False}
    body |= {"tool_choice": "auto", "tools": [], "status": status, "output": list(items)}
    return Response.model_validate({**body, "incomplete_details": {"reason": incomplete} if incomplete else None})


def message(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "i", "type": "message", "role": "assistant", "status": "completed", "content": list(parts)}


def text(value: str) -> dict[str, Any]:
    return {"type": "output_text", "text": value, "annotations": []}


# --- whole replies ----------------------------------------------------------------------------------------


def test_async_client_gives_the_same(chat_server: ChatServer) -> None:
    async def ask() -> Review:
        async with openai.AsyncOpenAI(base_url=chat_server.url, api_key="k") as client:
            return parse_completion(await client.chat.completions.create(model="m", messages=MESSAGES), Review)

    chat_server.script([answer(DAMAGED)])

    assert asyncio.run(ask()) == GOOD


DUNE = '{"title": "Dune", "score": 5}'
REFUSES: dict[str, tuple[ChatCompletion | Response, type[LLMContentRefusedError]]] = {
    "a completion": (built(choice(refusal="I cannot.")), ModelRefusalError),
    "a response": (response("completed", message({"type": "refusal", "refusal": "I cannot."})), ModelRefusalError),
    "a filter": (built(choice(content=DUNE, reason="content_filter")), LLMContentRefusedError),
    "a filter of a response": (
        response("incomplete", message(text(DUNE)), incomplete="content_filter"),
        LLMContentRefusedError,
    ),
}


@pytest.mark.parametrize(("completion", "error"), REFUSES.values(), ids=REFUSES)
def test_refusal_is_an_error_with_the_models_words_apart(
    completion: ChatCompletion | Response, error: type[LLMContentRefusedError]
) -> None:
    with pytest.raises(error) as caught:
        parse_completion(completion, Review)

    assert getattr(caught.value, "refusal", "I cannot.") == "I cannot."
    assert caught.value.code == "LLM_CONTENT_REFUSED"
    assert "cannot" not in caught.value.message + str(caught.value.details)


def test_reply_that_the_provider_broke_off_is_no_answer(client: openai.OpenAI, chat_server: ChatServer) -> None:
    with pytest.raises(LLMServerError):
        parse_completion(reply(client, chat_server, DUNE, "error"), Review)


@pytest.mark.parametrize(
    ("completion", "fact", "value"),
    [
        (built(choice()), "stage", "empty"),
        (response("incomplete", message(text(DUNE)), incomplete="max_output_tokens"), "truncated", True),
    ],
    ids=["no text", "a response at its limit"],
)
def test_reply_that_is_not_whole_is_refused(completion: ChatCompletion | Response, fact: str, value: object) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_completion(completion, Review)

    assert caught.value.details[fact] == value


def test_response_is_read_like_a_completion() -> None:
    assert parse_completion(response("completed", message(text(DAMAGED))), Review) == GOOD


def test_choice_is_named_by_its_index() -> None:
    several = built(choice(1, content='{"title": "B", "score": 1}'), choice(0, content='{"title": "A", "score": 2}'))

    assert [parse_completion(several, Review, choice=at).title for at in (0, 1)] == ["A", "B"]
    with pytest.raises(LLMReplyError, match="choice"):
        parse_completion(several, Review, choice=2)


# --- tool calls -------------------------------------------------------------------------------------------


def test_tool_calls_become_objects_of_their_tools(client: openai.OpenAI, chat_server: ChatServer) -> None:
    calls = [tool_call("weather", "{'city': 'Paris',}"), tool_call("review", '{"title": "Dune", "score": 5}')]
    found = parse_tool_calls(
        reply(client, chat_server, None, "tool_calls", tool_calls=calls), {"weather": Weather, "review": Review}
    )

    assert [(call.name, call.arguments, call.id) for call in found] == [
        ("weather", Weather(city="Paris"), "call-weather"),
        ("review", GOOD, "call-review"),
    ]


@pytest.mark.parametrize(("arguments", "reason"), [('{"city": "Par', "tool_calls"), ('{"city": "Paris"}', "length")])
def test_tool_call_that_was_cut_is_refused(arguments: str, reason: str) -> None:
    with pytest.raises(LLMJsonParseError) as caught:
        parse_tool_calls(
            built(choice(reason=reason, tool_calls=[tool_call("weather", arguments)])), {"weather": Weather}
        )

    assert caught.value.details["truncated"] is True
    assert caught.value.details["tool"] == "weather"


def test_call_of_a_tool_that_there_is_not_is_refused_with_the_tools_that_there_are() -> None:
    called = built(choice(reason="tool_calls", tool_calls=[tool_call("whether", '{"city": "Paris"}')]))

    with pytest.raises(LLMJsonParseError, match="there is no tool whether; there are: review, weather") as caught:
        parse_tool_calls(called, {"weather": Weather, "review": Review})

    assert caught.value.details["tool"] == "whether"


def test_other_forms_of_the_sdk_are_tool_calls_too() -> None:
    old = built(choice(function_call={"name": "weather", "arguments": '{"city": "Paris"}'}))
    custom = built(
        choice(tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "weather", "input": '{"city": "Paris"}'}}])
    )
    item = {"type": "function_call", "call_id": "c", "name": "weather", "arguments": '{"city": "Paris"}'}

    found = [parse_tool_calls(one, {"weather": Weather}) for one in (old, custom, response("completed", item))]

    assert [call.arguments for (call,) in found] == [Weather(city="Paris")] * 3
    assert [call.id for (call,) in found] == [None, "c", "c"]


def test_arguments_in_a_response_are_not_closed_though_the_response_came_to_its_end() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "weather", "arguments": '{"city": "Paris"'}

    with pytest.raises(LLMJsonParseError, match=r"weather: .*the text is cut off here"):
        parse_tool_calls(response("completed", item), {"weather": Weather})


def test_calls_in_the_text_count_only_if_they_are_asked_for() -> None:
    written = built(choice(content='<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>'))

    assert parse_tool_calls(written, {"weather": Weather}) == ()
    (call,) = parse_tool_calls(written, {"weather": Weather}, written=True)
    assert call.arguments == Weather(city="Paris")


# --- streams ----------------------------------------------------------------------------------------------


def streamed(client: openai.OpenAI) -> Iterator[Any]:
    return stream_completion(client.chat.completions.create(model="m", messages=MESSAGES, stream=True), Review)


def test_async_stream_gives_the_same(chat_server: ChatServer) -> None:
    async def ask() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=chat_server.url, api_key="k") as client:
            stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            return [snapshot.value async for snapshot in stream_completion(stream, Review)]

    chat_server.script([answer(DAMAGED)])

    assert asyncio.run(ask())[-1] == GOOD


def test_stream_without_an_end_has_to_show_it_in_its_text(client: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([cut_stream('{"title": "Dune", "score": 5}', clean=True)])

    with pytest.raises(LLMJsonParseError) as caught:
        list(streamed(client))
    assert caught.value.details["truncated"] is True


def test_stream_that_breaks_raises_the_exception_of_the_client(client: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([cut_stream('{"title": "Dune", "score": 5}')])

    with pytest.raises(Exception, match=r"(?i)peer closed|incomplete|connection") as caught:
        list(streamed(client))

    assert not isinstance(caught.value, LLMJsonParseError)


def test_refusal_in_a_stream_is_an_error_with_its_words_apart(client: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([events(chunk({"refusal": "I can"}), chunk({"refusal": "not."}), chunk({}, "stop"))])

    with pytest.raises(ModelRefusalError) as caught:
        list(streamed(client))
    assert caught.value.refusal == "I cannot."
    assert caught.value.details["model"] == "loopback-1"


def test_content_filter_in_a_stream_is_no_answer(client: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([answer('{"title": "Dune", "score": 5}', "content_filter")])

    with pytest.raises(LLMContentRefusedError):
        list(streamed(client))


def test_only_the_first_choice_of_a_stream_is_read(client: openai.OpenAI, chat_server: ChatServer) -> None:
    other = chunk({"content": '{"title": "B", "score": 1}'})
    other["choices"][0]["index"] = 1
    usage = {**chunk({}), "choices": []}
    chat_server.script([events(other, chunk({"content": '{"title": "Dune", "score": 5}'}), chunk({}, "stop"), usage)])

    assert [snapshot.value for snapshot in streamed(client)] == [GOOD, GOOD]


def test_stream_that_is_left_early_is_closed(client: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([answer(DAMAGED)])
    stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    snapshots = stream_completion(stream, Review)
    next(snapshots)

    snapshots.close()  # type: ignore[attr-defined]  # it is a generator

    assert stream.response.is_closed


CHUNK = ChatCompletionChunk.model_validate(chunk({"content": '{"title": "Dune", "score": 5}'}, "stop"))


def test_chunks_may_come_from_anywhere() -> None:
    async def chunks() -> AsyncIterator[ChatCompletionChunk]:
        yield CHUNK

    class Plain:
        """Chunks without a way to close."""

        def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
            return chunks()

    async def last(stream: Any) -> Any:  # noqa: ANN401 - chunks of any kind
        return [snapshot.value async for snapshot in stream_completion(stream, Review)][-1]

    assert list(stream_completion([CHUNK], Review))[-1].value == GOOD
    assert asyncio.run(last(chunks())) == GOOD
    assert asyncio.run(last(Plain())) == GOOD
