"""Calls of tools in the frameworks' own agents and chains: each row of arguments is asked of each of them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.tools import tool
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    ToolCallBlock,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.llms.utils import parse_partial_json
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel, ValidationError
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ExternalToolset,
    FunctionToolset,
    ModelMessage,
    ModelResponse,
    PromptedOutput,
    TextPart,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import FinishReason, ModelResponsePart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.tools import ToolDefinition

from src.integrations.langchain import RepairedToolCalls as LangChainCalls
from src.integrations.llama_index import RefusedOutputError, repair_tool_calls
from src.integrations.pydantic_ai import RepairedToolCalls
from src.shared.domain.exceptions import LLMJsonParseError
from tests.integrations.tool_call_rows import PARIS, REFUSED, ROWS, WEATHER

pytestmark = [  # an agent of LlamaIndex looks at all its attributes
    pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211"),
]

Ask: TypeAlias = Callable[[str], dict[str, Any] | None]


class Limits(BaseModel):
    low: int


class Calls:
    """A tool that keeps what it was called with."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []

    def get_weather(self, city: str, days: int = 1, limits: Limits | None = None, tags: Sequence[str] = ()) -> str:
        """The weather of a city."""
        limited = limits.model_dump() if isinstance(limits, Limits) else limits
        given = {"city": city, "days": int(days), "limits": limited, "tags": list(tags)}
        self.made.append({key: value for key, value in given.items() if value not in (1, None, [])})
        return "sunny"

    @property
    def only(self) -> dict[str, Any] | None:
        assert len(self.made) <= 1
        return self.made[0] if self.made else REFUSED


def check_feedback(text: str, error: Exception) -> None:
    assert text.startswith("get_weather: ")
    assert isinstance(error.__cause__, LLMJsonParseError)


# --- pydantic-ai ----------------------------------------------------------------------------------------


class Script:
    """A model that gives these parts, one response a request, and an agent with the tool."""

    def __init__(
        self,
        *responses: ModelResponsePart | list[ModelResponsePart],
        reason: FinishReason | None = None,
        output_type: Any = str,  # noqa: ANN401 - what an agent takes
    ) -> None:
        self._responses = iter(responses)
        self._reason = reason
        self.calls = Calls()
        self.asked: list[ModelMessage] = []
        model = FunctionModel(self._reply, stream_function=self._stream)
        toolset = FunctionToolset[None]([self.calls.get_weather])
        self.agent: Agent[None, Any] = Agent(
            model, toolsets=[toolset], capabilities=[RepairedToolCalls()], retries=1, output_type=output_type
        )

    def _next(self) -> tuple[list[ModelResponsePart], FinishReason]:
        one = next(self._responses, TextPart("done"))
        reason: FinishReason = "stop" if one == TextPart("done") or self._reason is None else self._reason
        return one if isinstance(one, list) else [one], reason

    def _reply(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        self.asked.append(messages[-1])
        parts, reason = self._next()
        return ModelResponse(parts=parts, finish_reason=reason)

    async def _stream(
        self, messages: list[ModelMessage], _: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        self.asked.append(messages[-1])
        for part in self._next()[0]:
            if isinstance(part, ToolCallPart):
                yield {0: DeltaToolCall(part.tool_name, "", tool_call_id="c")}
                for character in str(part.args):
                    yield {0: DeltaToolCall(json_args=character)}
            elif isinstance(part, TextPart):
                yield part.content

    def run(self) -> list[ModelMessage]:
        return asyncio.run(self.agent.run("?")).all_messages()

    @property
    def told(self) -> str:
        """What the model was told in its second request."""
        return "".join(str(part.content) for part in self.asked[1].parts if hasattr(part, "content"))


def call(args: str | dict[str, Any] | None, name: str = "get_weather") -> ToolCallPart:
    return ToolCallPart(name, args)


def by_pydantic_ai(args: str) -> dict[str, Any] | None:
    script = Script(call(args))
    script.run()
    assert script.calls.only is not None or "get_weather: " in script.told or "Field required" in script.told
    return script.calls.only


def by_pydantic_ai_streamed(args: str) -> dict[str, Any] | None:
    script = Script(call(args))

    async def run() -> None:
        async with script.agent.run_stream("?") as result:
            assert await result.get_output() == "done"

    asyncio.run(run())
    return script.calls.only


# --- LangChain ------------------------------------------------------------------------------------------


def langchain() -> tuple[LangChainCalls, Calls, Any]:
    calls = Calls()
    weather = tool("get_weather")(calls.get_weather)
    return LangChainCalls([weather]), calls, weather


def message(args: str) -> AIMessage:
    function = {"name": "get_weather", "arguments": args}
    return AIMessage("", additional_kwargs={"tool_calls": [{"id": "c", "function": function}]})


def chunks(args: str, reason: str = "tool_calls") -> list[AIMessageChunk]:
    first = {"name": "get_weather", "args": "", "id": "c", "index": 0}
    later = [{"name": None, "args": character, "id": None, "index": 0} for character in args]
    return [
        AIMessageChunk(content="So."),
        *(AIMessageChunk(content="", tool_call_chunks=[one]) for one in (first, *later)),
        AIMessageChunk(content="", chunk_position="last", response_metadata={"finish_reason": reason}),
    ]


def summed(parts: Iterator[AIMessage]) -> AIMessage:
    first, *rest = parts
    total = first
    for one in rest:
        total = total + one  # type: ignore[assignment]  # chunks
    return total


def made(args: str, message_of: Callable[[LangChainCalls], AIMessage]) -> dict[str, Any] | None:
    repaired, calls, weather = langchain()
    try:
        answer = message_of(repaired)
        assert answer.invalid_tool_calls == []
        for one in answer.tool_calls:
            weather.invoke(one)
    except ValidationError:  # the tool itself does not take them
        assert json.loads(str(args))
    except OutputParserException as error:
        check_feedback(str(error.observation), error)
    return calls.only


def by_langchain(args: str) -> dict[str, Any] | None:
    try:
        answer = message(args)
    except ValueError:  # LangChain itself refuses arguments that are JSON and no object
        answer = AIMessage("", invalid_tool_calls=[{"name": "get_weather", "args": args, "id": "c", "error": None}])
    return made(args, lambda repaired: repaired.invoke(answer))


def by_langchain_streamed(args: str) -> dict[str, Any] | None:
    return made(args, lambda repaired: summed(repaired.transform(iter(chunks(args)))))


def by_langchain_async(args: str) -> dict[str, Any] | None:
    async def arriving() -> AsyncIterator[AIMessage]:
        for chunk in chunks(args):
            yield chunk

    async def all_of(repaired: LangChainCalls) -> list[AIMessage]:
        return [one async for one in repaired.atransform(arriving())]

    return made(args, lambda repaired: summed(iter(asyncio.run(all_of(repaired)))))


# --- LlamaIndex -----------------------------------------------------------------------------------------


class CallingLLM(FunctionCallingLLM):
    """A model that gives these messages, and in a stream the arguments of a call as they grow."""

    messages: list[ChatMessage]
    reason: str = "stop"

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True)

    def _response(self, answer: ChatMessage, *, last: bool = True) -> ChatResponse:
        return ChatResponse(message=answer, delta="", raw={"choices": [{"finish_reason": self.reason}]} if last else {})

    def chat(self, *_: object, **__: object) -> ChatResponse:
        return self._response(self.messages.pop(0))

    async def achat(self, *_: object, **__: object) -> ChatResponse:
        return self.chat()

    def stream_chat(self, *_: object, **__: object) -> ChatResponseGen:
        answer = self.messages.pop(0)
        block = answer.blocks[0]
        if isinstance(block, ToolCallBlock) and isinstance(block.tool_kwargs, str):
            for end in range(len(block.tool_kwargs)):
                growing = block.model_copy(update={"tool_kwargs": block.tool_kwargs[:end]})
                yield self._response(ChatMessage(role="assistant", blocks=[growing]), last=False)
        yield self._response(answer)

    async def astream_chat(self, *_: object, **__: object) -> ChatResponseAsyncGen:
        async def responses() -> ChatResponseAsyncGen:
            for one in self.stream_chat():
                yield one

        return responses()

    def complete(self, *_: object, **__: object) -> CompletionResponse:
        raise NotImplementedError

    async def acomplete(self, *_: object, **__: object) -> CompletionResponse:
        raise NotImplementedError

    def stream_complete(self, *_: object, **__: object) -> CompletionResponseGen:
        raise NotImplementedError

    async def astream_complete(self, *_: object, **__: object) -> CompletionResponseAsyncGen:
        raise NotImplementedError

    def _prepare_chat_with_tools(self, *_: object, **__: object) -> dict[str, Any]:
        return {"messages": []}

    def get_tool_calls_from_response(self, response: ChatResponse, **_: object) -> list[ToolSelection]:  # type: ignore[override]
        """As those of LlamaIndex's OpenAI do: brackets that are open are closed."""
        blocks = [block for block in response.message.blocks if isinstance(block, ToolCallBlock)]
        return [
            ToolSelection(tool_id="c", tool_name=one.tool_name, tool_kwargs=self._data(one.tool_kwargs))
            for one in blocks
        ]

    @staticmethod
    def _data(kwargs: str | dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        try:
            return parse_partial_json(kwargs) if isinstance(kwargs, str) else kwargs
        except ValueError:
            return {}


DONE = ChatMessage(role="assistant", content="done")


def calling(args: str | dict[str, Any], name: str = "get_weather") -> ChatMessage:
    block = ToolCallBlock(tool_call_id="c", tool_name=name, tool_kwargs=args)
    return ChatMessage(role="assistant", blocks=[block])


def weather_of(calls: Calls) -> FunctionTool:
    return FunctionTool.from_defaults(calls.get_weather)


def llama_index(*answers: ChatMessage, reason: str = "stop") -> CallingLLM:
    return repair_tool_calls(CallingLLM(messages=list(answers), reason=reason))


def agent_run(llm: CallingLLM, *, streaming: bool) -> dict[str, Any] | None:
    calls = Calls()

    async def run() -> None:
        await FunctionAgent(tools=[weather_of(calls)], llm=llm, streaming=streaming).run("?")

    try:
        asyncio.run(run())
    except RefusedOutputError as error:
        check_feedback(str(error), error)
    return calls.only


def by_llama_index(args: str) -> dict[str, Any] | None:
    return agent_run(llama_index(calling(args), DONE), streaming=False)


def by_llama_index_streamed(args: str) -> dict[str, Any] | None:
    return agent_run(llama_index(calling(args), DONE), streaming=True)


def by_predict_and_call(args: str) -> dict[str, Any] | None:
    calls = Calls()
    try:
        llama_index(calling(args)).predict_and_call([weather_of(calls)], "?")
    except RefusedOutputError:
        return REFUSED
    return calls.only


# --- all ------------------------------------------------------------------------------------------------

WAYS: tuple[Ask, ...] = (
    by_pydantic_ai,
    by_pydantic_ai_streamed,
    by_langchain,
    by_langchain_streamed,
    by_langchain_async,
    by_llama_index,
    by_llama_index_streamed,
    by_predict_and_call,
)


@pytest.mark.parametrize("ask", WAYS)
@pytest.mark.parametrize("row", ROWS)
def test_tool_is_called_with_what_the_model_meant_or_not_at_all(ask: Ask, row: str) -> None:
    args, wanted = ROWS[row]
    assert ask(args) == wanted


@pytest.mark.parametrize("ask", WAYS)
def test_clean_call_is_made_as_it_is(ask: Ask) -> None:
    assert ask('{"city": "Paris"}') == PARIS


# --- pydantic-ai's own ----------------------------------------------------------------------------------


def test_history_has_the_repaired_arguments_and_those_as_written() -> None:
    messages = Script(call("{'city': 'Paris',}")).run()
    part = messages[1].parts[0]
    assert isinstance(part, ToolCallPart)
    assert part.args == '{"city": "Paris"}'
    assert part.provider_details == {"arguments_as_written": "{'city': 'Paris',}"}


def test_arguments_that_pydantic_ai_accepts_are_its_own() -> None:
    args = '{"city": "Rome", "city": "Paris"}'
    script = Script(call(args))
    part = script.run()[1].parts[0]
    assert isinstance(part, ToolCallPart)
    assert (script.calls.only, part.args) == (PARIS, args)


def test_clean_arguments_stay_the_same_object() -> None:
    args = {"city": "Paris"}
    part = Script(call(args)).run()[1].parts[0]
    assert isinstance(part, ToolCallPart)
    assert part.args is args
    assert part.provider_details is None


def test_arguments_that_are_data_are_repaired() -> None:
    script = Script(call({"city": "Paris", "limits": '{"low": 1}'}))
    script.run()
    assert script.calls.only == {"city": "Paris", "limits": {"low": 1}}


def test_name_of_a_tool_loses_its_marks_and_the_other_parts_stay() -> None:
    script = Script([ThinkingPart("?"), call("{}", "unknown"), call("{'city': 'Paris'}", "get_weather<|channel|>x")])
    script.run()
    assert script.calls.only == PARIS
    assert "Unknown tool name: 'unknown'" in script.told


def test_output_tool_is_repaired() -> None:
    script = Script(call("{'low': 3,}", "final_result"), output_type=Limits)
    assert asyncio.run(script.agent.run("?")).output == Limits(low=3)


def test_output_that_is_no_call_is_pydantic_ais_own() -> None:
    script = Script(TextPart("{'low': 3,}"), TextPart('{"low": 3}'), output_type=PromptedOutput(Limits))
    assert asyncio.run(script.agent.run("?")).output == Limits(low=3)


EXTERNAL = ExternalToolset[None]([ToolDefinition(name="get_weather", parameters_json_schema=WEATHER)])
JUDGED_BY_THE_TOOL = {"a call of another tool"}
"""Rows whose arguments are clean, and are passed on to a tool that is not here."""


@pytest.mark.parametrize("row", [row for row in ROWS if row not in JUDGED_BY_THE_TOOL])
def test_call_of_a_tool_that_runs_elsewhere_is_repaired(row: str) -> None:
    args, wanted = ROWS[row]
    model = FunctionModel(lambda *_: ModelResponse(parts=[call(args)]))
    output: Any = [str, DeferredToolRequests]
    agent = Agent(model, toolsets=[EXTERNAL], output_type=output, capabilities=[RepairedToolCalls()])
    made: list[dict[str, Any]] = []
    with suppress(UnexpectedModelBehavior):  # such a tool is not asked for again
        made = [one.args_as_dict() for one in asyncio.run(agent.run("?")).output.calls]
    read = [{**one, **({"days": int(one["days"])} if "days" in one else {})} for one in made]
    assert read == ([] if wanted is REFUSED else [wanted])


def test_partial_output_is_not_repaired() -> None:
    script = Script(call('{"low": 3, "high": [1, 2]}', "final_result"), output_type=Limits)

    async def run() -> list[Any]:
        async with script.agent.run_stream("?") as result:
            return [one async for one in result.stream_output(debounce_by=None)]

    assert asyncio.run(run())[-1] == Limits(low=3)


@pytest.mark.parametrize("args", ["", None, "{'city': 'Paris'}"])
def test_last_call_of_a_cut_response_is_refused_if_it_is_not_whole(args: str | None) -> None:
    script = Script([call('{"city": "Rome"}'), call(args, "get_weather")], reason="length")
    script.run()
    assert script.calls.only == {"city": "Rome"}


def test_damaged_call_before_the_last_of_a_cut_response_is_read() -> None:
    script = Script([call("{'city': 'Paris',}"), call('{"city": "Rome"}')], reason="length")
    script.run()
    assert {"city": "Paris"} in script.calls.made


# --- LangChain's own ------------------------------------------------------------------------------------


def test_message_without_damage_is_the_same_object() -> None:
    repaired, _, _ = langchain()
    for whole in (message('{"city": "Paris"}'), AIMessage("It is sunny.")):
        assert repaired.invoke(whole) is whole
    clean = chunks('{"city": "Paris"}')
    assert all(one is other for one, other in zip(repaired.transform(iter(clean)), clean, strict=True))


def test_parts_of_several_calls_are_told_apart_as_langchain_does() -> None:
    parts = [(0, "a", "{'city':"), (0, None, " 'Rome',}"), (1, "b", '{"city": "Paris"}'), (1, "c", '{"city": "Ulm"}')]
    parts += [(None, "d", '{"city": "Graz"}')]  # type: ignore[list-item]  # no number
    made = [
        AIMessageChunk(
            content="", tool_call_chunks=[{"name": id_ and "get_weather", "args": args, "id": id_, "index": at}]
        )
        for at, id_, args in parts
    ]
    calls = summed(langchain()[0].transform(iter(made))).tool_calls
    assert [(one["id"], one["args"]["city"]) for one in calls] == [
        *(("a", "Rome"), ("b", "Paris"), ("c", "Ulm"), ("d", "Graz")),
    ]


def part(id_: str | None, args: str, **fields: Any) -> AIMessageChunk:  # noqa: ANN401 - of a chunk
    chunk = {"name": id_ and "get_weather", "args": args, "id": id_, "index": 0}
    return AIMessageChunk(content="", tool_call_chunks=[chunk], **fields)


def test_parts_behind_a_second_call_of_one_index_are_of_that_call() -> None:
    damaged = [part("b", "{'city': "), part(None, "'Rome'}")]
    first = [part("a", '{"city": '), part(None, '"Paris"}')]
    made = summed(langchain()[0].transform(iter([*first, *damaged]))).tool_calls
    assert [(one["id"], one["args"]["city"]) for one in made] == [("a", "Paris"), ("b", "Rome")]
    clean = [*first, part("b", '{"city": '), part(None, '"Rome"}')]
    assert [id(one) for one in langchain()[0].transform(iter(clean))] == [*map(id, clean)]


def test_fields_of_chunks_that_langchain_cannot_add_up_stay_as_they_are() -> None:
    told = [{"is_last": False, "seconds": 1.5}, {"is_last": True, "seconds": 2.5}]
    for args, is_same in (('{"city": "Paris"}', True), ("{'city': 'Paris'}", False)):
        given = [part("a", args[:9], response_metadata=told[0]), part(None, args[9:], response_metadata=told[1])]
        out = [*langchain()[0].transform(iter(given))]
        assert [one.response_metadata for one in out] == told
        assert (out[0] is given[0]) == (out[1] is given[1]) == is_same
    assert out[1].tool_calls[0]["args"] == PARIS


def test_cut_that_two_chunks_tell_of_is_one() -> None:
    cut = AIMessageChunk(content="", response_metadata={"finish_reason": "length"})
    with pytest.raises(OutputParserException, match="cut off"):
        list(langchain()[0].transform(iter([part("a", "{'city': 'Paris'}"), cut, cut])))


def test_repaired_calls_stand_behind_the_whole_ones() -> None:
    repaired, _, _ = langchain()
    both = AIMessage(
        "",
        tool_calls=[{"name": "functions.get_weather:0", "args": {"city": "Rome"}, "id": "a"}],
        invalid_tool_calls=[{"name": "get_weather", "args": "{'city': 'Paris'}", "id": "b", "error": None}],
    )
    calls = repaired.invoke(both).tool_calls
    assert [(one["name"], one["args"]["city"], one["id"]) for one in calls] == [
        ("get_weather", "Rome", "a"),
        ("get_weather", "Paris", "b"),
    ]


@pytest.mark.parametrize("args", [None, "", "{'city': 'Paris'}"])
def test_damaged_call_of_a_cut_message_is_refused(args: str | None) -> None:
    repaired, _, _ = langchain()
    parts = chunks(args or "", "length")
    with pytest.raises(OutputParserException, match="cut off"):
        list(repaired.transform(iter(parts)))


def test_call_without_arguments_is_one() -> None:
    repaired, _, _ = langchain()
    assert repaired.invoke(message("{}")).tool_calls[0]["args"] == {}
    assert summed(repaired.transform(iter(chunks("")))).tool_calls[0]["args"] == {}
    invalid = AIMessage("", invalid_tool_calls=[{"name": None, "args": None, "id": None, "error": None}])
    assert repaired.invoke(invalid).tool_calls[0]["args"] == {}


# --- LlamaIndex's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize("args", ['{"city": "Paris"}', {"city": "Paris"}])
def test_response_without_damage_is_the_same_object(args: str | dict[str, Any]) -> None:
    answer = calling(args)
    assert llama_index(answer).chat_with_tools([weather_of(Calls())]).message is answer


def test_blocks_keep_their_form_and_their_place() -> None:
    first, second = (
        calling("{'city': 'Paris'}").blocks[0],
        calling({"city": "Rome", "tags": "[]"}, "functions.get_weather").blocks[0],
    )
    answer = ChatMessage(role="assistant", blocks=[*ChatMessage("So.").blocks, first, second])
    blocks = llama_index(answer).chat_with_tools([weather_of(Calls())]).message.blocks
    assert blocks[0] is answer.blocks[0]
    assert [(one.tool_name, one.tool_kwargs) for one in blocks[1:] if isinstance(one, ToolCallBlock)] == [
        ("get_weather", '{"city": "Paris"}'),
        ("get_weather", {"city": "Rome", "tags": []}),
    ]


def test_damaged_call_of_a_cut_response_is_refused() -> None:
    with pytest.raises(RefusedOutputError, match="cut off"):
        llama_index(calling("{'city': 'Paris'}"), reason="length").chat_with_tools([weather_of(Calls())])


def test_stream_of_responses_shows_all_of_them() -> None:
    tools = [weather_of(Calls())]
    llm = llama_index(calling("{'city': 'Paris'}"))
    *growing, last = llm.stream_chat_with_tools(tools)
    assert len(growing) == len("{'city': 'Paris'}")
    assert json.loads(str(last.message.blocks[0].tool_kwargs)) == PARIS  # type: ignore[union-attr]  # a call


def test_cut_that_an_earlier_response_of_a_stream_tells_of_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = ChatResponse(message=calling(""), raw={"choices": [{"finish_reason": "length"}]})
    usage = ChatResponse(message=calling(""), raw={"choices": [], "usage": {}})
    monkeypatch.setattr(CallingLLM, "stream_chat", lambda *_, **__: iter([cut, usage]))
    with pytest.raises(RefusedOutputError, match="cut off"):
        list(llama_index(calling("")).stream_chat_with_tools([weather_of(Calls())]))
