"""The output parser of LangChain, in LangChain's own chains and with its own fake model."""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolCall, ToolCallChunk
from langchain_core.outputs import Generation
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, Runnable, RunnableGenerator, RunnableLambda
from pydantic import TypeAdapter

from src.integrations.langchain import UnifiedOutputParser
from src.shared.domain.answer_type import AnswerType
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.partial import Partial
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from tests.integrations.phones import CLEAN, DAMAGED, GOOD, REFUSED, Review

pytestmark = pytest.mark.anyio


PROMPT = ChatPromptTemplate.from_messages([("user", "Review {product}.")])
PHONES = {"product": "phones"}


class Watch(BaseCallbackHandler):
    """What models were asked, and which parsers ran."""

    def __init__(self) -> None:
        self.asked: list[list[BaseMessage]] = []
        self.parsers: list[object] = []
        self.errors: list[BaseException] = []

    def on_chat_model_start(self, serialized: object, messages: list[list[BaseMessage]], **_: object) -> None:
        del serialized
        self.asked += messages

    def on_chain_start(self, *_: object, **run: object) -> None:
        if run["run_type"] == "parser":
            self.parsers.append(run["name"])

    def on_chain_error(self, error: BaseException, **_: object) -> None:
        self.errors.append(error)


def model(*replies: str | AIMessage) -> GenericFakeChatModel:
    return GenericFakeChatModel(messages=iter(replies))


def chain(*replies: str | AIMessage, name: str | None = None) -> Runnable[dict[str, str], Review]:
    return PROMPT | model(*replies) | UnifiedOutputParser(Review, name=name)


def in_pieces(*chunks: AIMessageChunk | str) -> Runnable[Any, Any]:
    def written(_: Iterator[Any]) -> Iterator[AIMessageChunk | str]:
        yield from chunks

    async def written_meanwhile(_: AsyncIterator[Any]) -> AsyncIterator[AIMessageChunk | str]:
        for chunk in chunks:
            yield chunk

    return RunnableGenerator(written, written_meanwhile)


def refusal_of(call: Callable[[], object]) -> OutputParserException:
    with pytest.raises(OutputParserException) as refused:
        call()
    return refused.value


# --- a damaged reply is an object on the first try --------------------------------------------------------


async def test_damaged_reply_is_read_however_the_chain_is_called() -> None:
    assert chain(DAMAGED).invoke(PHONES) == await chain(DAMAGED).ainvoke(PHONES) == GOOD
    assert chain(DAMAGED, CLEAN).batch([PHONES, PHONES], {"max_concurrency": 1}) == [GOOD, GOOD]
    assert list(chain(DAMAGED).stream(PHONES)) == [chunk async for chunk in chain(DAMAGED).astream(PHONES)] == [GOOD]
    assert await UnifiedOutputParser(Review).aparse(DAMAGED) == UnifiedOutputParser(Review).invoke(DAMAGED) == GOOD


def test_batch_returns_a_refusal_in_its_place() -> None:
    replies = chain(CLEAN, REFUSED).batch([PHONES, PHONES], {"max_concurrency": 1}, return_exceptions=True)

    assert [type(reply) for reply in replies] == [Review, OutputParserException]


def test_blocks_of_reasoning_are_no_text() -> None:
    draft = {"type": "reasoning", "reasoning": '{"title": "draft", "score": 1}'}
    halves: list[str | dict[Any, Any]] = [draft, *({"type": "text", "text": half} for half in (CLEAN[:9], CLEAN[9:]))]

    assert UnifiedOutputParser(Review).invoke(AIMessage(content=halves)) == GOOD


# --- how the text ended -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        {"finish_reason": "length"},
        {"stop_reason": "max_tokens"},
        {"done_reason": "length"},
        {"stopReason": "max_tokens"},
        {"status": "incomplete"},
        {"finish_reason": "SAFETY"},
    ],
    ids=str,
)
def test_a_message_that_was_cut_off_is_refused_whatever_it_looks_like(told: dict[str, str]) -> None:
    error = refusal_of(lambda: chain(AIMessage(CLEAN, response_metadata=told)).invoke(PHONES))

    assert isinstance(error.__cause__, LLMJsonParseError)
    assert error.__cause__.details["truncated"]


def test_a_generation_that_was_cut_off_is_refused() -> None:
    cut = Generation(text=CLEAN, generation_info={"finish_reason": "length"})

    with pytest.raises(OutputParserException, match="cut off"):
        UnifiedOutputParser(Review).parse_result([cut])


# --- calls of tools ---------------------------------------------------------------------------------------

CALL = ToolCall(name="search", args={"title": "Phones", "score": 8}, id="1")


def test_tool_calls_alone_are_refused_by_name_whole_and_in_a_stream() -> None:
    call = ToolCallChunk(name="search", args='{"title"', id="1", index=0)
    more = ToolCallChunk(name=None, args=': "A"}', id=None, index=0)
    called = in_pieces(*(AIMessageChunk(content="", tool_call_chunks=[chunk]) for chunk in (call, more)))
    streamed = called | UnifiedOutputParser(Review)
    whole = chain(AIMessage("", tool_calls=[CALL]))

    for ask in (lambda: whole.invoke(PHONES), lambda: list(streamed.stream({}))):
        assert "the model called tools (search) and wrote no text" in str(refusal_of(ask).observation)
    assert chain(AIMessage(CLEAN, tool_calls=[CALL])).invoke(PHONES) == GOOD


# --- what a refusal is for LangChain ----------------------------------------------------------------------


def test_a_refusal_tells_the_model_what_to_do_and_survives_pickling() -> None:
    error = refusal_of(lambda: chain(REFUSED).invoke(PHONES))

    assert isinstance(error.__cause__, LLMJsonParseError)
    assert (error.send_to_llm, error.llm_output) == (True, REFUSED)
    assert error.observation == error.__cause__.feedback()
    assert pickle.loads(pickle.dumps(error)).observation == error.observation  # noqa: S301 - our own bytes


# --- LangChain's own ways to try again --------------------------------------------------------------------


def told_what_was_wrong(values: dict[str, Any]) -> list[BaseMessage]:
    error: OutputParserException = values["error"]
    asked = PROMPT.invoke(values).to_messages()
    return [*asked, AIMessage(str(error.llm_output)), HumanMessage(str(error.observation))]


def asking_again(*replies: str) -> Runnable[dict[str, str], Review]:
    answered = model(*replies) | UnifiedOutputParser(Review)
    return (PROMPT | answered).with_fallbacks(
        [RunnableLambda(told_what_was_wrong) | answered],
        exceptions_to_handle=(OutputParserException,),
        exception_key="error",
    )


def test_with_fallbacks_asks_again_with_the_feedback() -> None:
    watch = Watch()

    assert asking_again(REFUSED, DAMAGED).invoke(dict(PHONES), {"callbacks": [watch]}) == GOOD
    assert [message.text for message in watch.asked[1]] == [
        "Review phones.",
        REFUSED,
        refusal_of(lambda: chain(REFUSED).invoke(PHONES)).observation,
    ]


# --- streams ----------------------------------------------------------------------------------------------


async def test_a_stream_of_data_grows_to_the_object() -> None:
    written = in_pieces("<think>{}</think>{", '"title": "Ph', 'ones", ', '"score": 8', "}")
    parser = written | UnifiedOutputParser(Review, stream_data=True)
    shown = list(parser.stream({}))

    assert shown == [chunk async for chunk in parser.astream({})]
    assert shown == [{"title": "Ph"}, {"title": "Phones"}, {"title": "Phones", "score": 8}, GOOD]


@pytest.mark.parametrize("stream_data", [False, True])
def test_the_step_behind_a_streamed_list_gets_the_list_once(*, stream_data: bool) -> None:
    parser = UnifiedOutputParser(list[Review], stream_data=stream_data)
    counted = in_pieces(*f"[{CLEAN}, {CLEAN}]") | parser | RunnableLambda(lambda reviews: reviews)

    assert list(counted.stream({})) == [[GOOD, GOOD]]


@pytest.mark.parametrize(
    ("text", "options", "result"),
    [
        (CLEAN[:-1], {}, None),
        (CLEAN + "\n", {}, GOOD),
        (CLEAN, {"several": "last"}, None),
        (CLEAN, {"accept": "clean"}, None),
        (CLEAN[:-1], {"keep": "good"}, None),
        (CLEAN, {"keep": "good"}, Partial(GOOD)),
    ],
)
def test_partial_result_is_the_object_once_nothing_can_change_it(
    text: str, options: dict[str, Any], result: object
) -> None:
    parser: UnifiedOutputParser[Any] = UnifiedOutputParser(Review, **options)

    assert parser.parse_result([Generation(text=text)], partial=True) == result


# --- what else LangChain does with a parser ---------------------------------------------------------------


def test_a_chain_knows_the_schema_of_its_output() -> None:
    assert chain().get_output_jsonschema() == Review.model_json_schema()
    assert UnifiedOutputParser(Review, keep="good").OutputType == Partial
    lists: tuple[AnswerType[list[Review]], ...] = (list[Review], TypeAdapter(list[Review]))
    for dto_type in lists:
        schema = (PROMPT | model() | UnifiedOutputParser(dto_type)).get_output_jsonschema()
        assert (schema["type"], schema["items"]) == ("array", {"$ref": "#/$defs/Review"})


def test_a_schema_is_a_type() -> None:
    schema = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}

    assert UnifiedOutputParser(JsonSchema(schema)).invoke("{score: 8,}") == {"score": 8}
    assert '"score": integer' in UnifiedOutputParser(JsonSchema(schema)).get_format_instructions()


def test_the_parser_survives_pickling_and_is_written_down() -> None:
    parser = UnifiedOutputParser(Review, context_label="reviews")

    assert pickle.loads(pickle.dumps(parser)) == parser  # noqa: S301 - our own bytes
    assert parser.asdict()["_type"] == "unified_llm_output"
    assert '"name": "UnifiedOutputParser"' in dumps(chain())


def test_its_options_can_be_configured() -> None:
    parser = UnifiedOutputParser(Review).configurable_fields(several=ConfigurableField(id="several"))

    last = parser.with_config(configurable={"several": "last"}).invoke(f'{{"title": "A", "score": 1}}\nor\n{CLEAN}')

    assert last == GOOD


@pytest.mark.parametrize(("name", "told"), [(None, "UnifiedOutputParser"), ("reviews", "reviews")])
def test_callbacks_are_told_the_name(name: str | None, told: str) -> None:
    watch = Watch()
    list(chain(CLEAN, name=name).stream(PHONES, {"callbacks": [watch]}))

    assert watch.parsers == [told]


def test_callbacks_are_told_of_a_refusal() -> None:
    watch = Watch()
    error = refusal_of(lambda: chain(REFUSED).invoke(PHONES, {"callbacks": [watch]}))

    assert watch.errors[0] is error


async def test_events_of_a_stream_have_the_object() -> None:
    events = [event async for event in chain(DAMAGED).astream_events(PHONES, version="v2")]

    assert [event["data"]["output"] for event in events if event["event"] == "on_parser_end"] == [GOOD]
