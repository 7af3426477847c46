"""The output parser of LlamaIndex, in LlamaIndex's own programs, query engines and workflows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Self

import pytest
from llama_index.core import Document, MockEmbedding, Settings, VectorStoreIndex, get_response_synthesizer
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.custom import CustomLLM
from llama_index.core.output_parsers.base import OutputParserException
from llama_index.core.program import LLMTextCompletionProgram
from llama_index.core.prompts import ChatPromptTemplate, PromptTemplate
from llama_index.core.query_engine import BaseQueryEngine, RetryQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step
from pydantic import Field, model_validator
from workflows.retry_policy import retry_if_exception_type, retry_policy, stop_after_attempt, wait_none

from src.integrations.llama_index import (
    RefusedOutputError,
    UnifiedEvaluator,
    UnifiedOutputParser,
    UnifiedProgram,
    typed_answers,
)
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.prompt import with_json_requirement
from tests.integrations.phones import CLEAN, DAMAGED, GOOD, REFUSED, Review

pytestmark = pytest.mark.anyio


PARSER = UnifiedOutputParser(Review)
INSTRUCTIONS = with_json_requirement("", Review)


class WrittenLLM(CustomLLM):
    """A model of LlamaIndex that answers what was written down, in pieces of one character when it streams."""

    replies: list[str]
    raw: object = None
    is_chat_model: bool = False
    asked: list[str] = Field(default_factory=list)

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=self.is_chat_model)

    @llm_completion_callback()
    def complete(self, prompt: str, *_: object, **_options: object) -> CompletionResponse:
        self.asked.append(prompt)
        return CompletionResponse(text=self.replies.pop(0), raw=self.raw)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, *_: object, **_options: object) -> CompletionResponseGen:
        self.asked.append(prompt)
        return self.written(self.replies.pop(0))

    def written(self, reply: str) -> CompletionResponseGen:
        for end in range(1, len(reply) + 1):
            yield CompletionResponse(text=reply[:end], delta=reply[end - 1])
        yield CompletionResponse(text=reply, delta="", raw=self.raw)


def program_with(llm: WrittenLLM, parser: UnifiedOutputParser[Review] = PARSER) -> UnifiedProgram[Review]:
    return UnifiedProgram(parser, Review, PromptTemplate("Review {product}."), llm)


def program(reply: str, *, raw: object = None, is_chat_model: bool = False) -> UnifiedProgram[Review]:
    return program_with(WrittenLLM(replies=[reply], raw=raw, is_chat_model=is_chat_model))


def chat(*blocks: TextBlock | ThinkingBlock | ToolCallBlock) -> ChatResponse:
    return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, blocks=list(blocks)))


def refusal_of(call: Callable[[], object]) -> RefusedOutputError:
    with pytest.raises(RefusedOutputError) as refused:
        call()
    return refused.value


# --- the parser -------------------------------------------------------------------------------------------


def test_a_refusal_says_what_to_tell_the_model_and_survives_pickling() -> None:
    """It is no `ValueError`, which synthesizers would swallow."""
    error = refusal_of(lambda: PARSER.parse(REFUSED))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert isinstance(error.__cause__, LLMJsonParseError)
    assert (str(again), again.llm_output) == (str(error), error.llm_output) == (error.__cause__.feedback(), REFUSED)
    assert (isinstance(error, OutputParserException), isinstance(error, ValueError)) == (True, False)


def test_instructions_stand_once_in_queries_templates_and_the_last_message() -> None:
    asked = f"Review phones.\n\n{INSTRUCTIONS}"
    template = PromptTemplate(PARSER.format("Review {product}."), output_parser=PARSER)
    messages = ChatPromptTemplate.from_messages([("user", "Hello."), ("user", "Review {product}.")])
    messages.output_parser = PARSER

    assert PARSER.format(PARSER.format("Review phones.")) == asked
    assert template.format(product="phones") == asked
    assert [message.content for message in messages.format_messages(product="phones")] == ["Hello.", asked]
    assert PARSER.format_string.format() == INSTRUCTIONS


# --- how the text ended -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        {"choices": [{"finish_reason": "length"}]},
        SimpleNamespace(choices=[SimpleNamespace(finish_reason="length")]),
        {"candidates": [{"finish_reason": "MAX_TOKENS"}]},
        {"stop_reason": "max_tokens"},
    ],
    ids=str,
)
def test_a_response_that_was_cut_off_is_refused_whatever_it_looks_like(raw: object) -> None:
    error = refusal_of(lambda: PARSER.parse_response(CompletionResponse(text=CLEAN, raw=raw)))

    assert isinstance(error.__cause__, LLMJsonParseError)
    assert error.__cause__.details["truncated"]


def test_blocks_of_reasoning_are_no_text_and_pieces_are_read_by_the_parsers_stream() -> None:
    draft = ThinkingBlock(content='{"title": "draft", "score": 1}')

    assert PARSER.stream().feed(CLEAN).value == GOOD

    assert PARSER.parse_response(chat(draft, TextBlock(text=CLEAN))) == GOOD


def test_a_response_of_tool_calls_alone_is_refused_by_name() -> None:
    error = refusal_of(lambda: PARSER.parse_response(chat(ToolCallBlock(tool_name="search", tool_kwargs={}))))

    assert "the model called tools (search) and wrote no text" in str(error)


# --- programs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_chat_model", [False, True])
def test_a_program_of_llama_index_reads_a_damaged_reply(*, is_chat_model: bool) -> None:
    llm = WrittenLLM(replies=[DAMAGED], is_chat_model=is_chat_model)
    own: LLMTextCompletionProgram[Review] = LLMTextCompletionProgram.from_defaults(
        PARSER, prompt_template_str="Review {product}.", llm=llm
    )

    assert own(product="phones") == GOOD


@pytest.mark.parametrize("is_chat_model", [False, True])
async def test_a_program_reads_a_damaged_reply(*, is_chat_model: bool) -> None:
    assert program(DAMAGED, is_chat_model=is_chat_model)(product="phones") == GOOD
    assert await program(DAMAGED, is_chat_model=is_chat_model).acall(product="phones") == GOOD


def test_a_program_asks_for_the_type() -> None:
    llm = WrittenLLM(replies=[CLEAN])
    program_with(llm)(product="phones")

    assert llm.asked == [f"Review phones.\n\n{INSTRUCTIONS}"]


def test_a_program_refuses_what_was_cut_off() -> None:
    with pytest.raises(RefusedOutputError, match="cut off"):
        program(CLEAN, raw={"stop_reason": "max_tokens"})(product="phones")


@pytest.mark.parametrize("is_chat_model", [False, True])
async def test_a_program_streams_what_is_certain_and_then_the_object(*, is_chat_model: bool) -> None:
    def streaming() -> UnifiedProgram[Review]:
        return program("<think>{}</think>{title: 'Ph', score: 8,}", is_chat_model=is_chat_model)

    objects = [shown.model_dump() for shown in streaming().stream_call(product="phones")]

    assert objects == [shown.model_dump() async for shown in await streaming().astream_call(product="phones")]
    assert objects == [
        {"title": None, "score": None},
        {"title": "P", "score": None},
        {"title": "Ph", "score": None},
        {"title": "Ph", "score": 8},
        {"title": "Ph", "score": 8},
    ]


class WithoutDeltas(WrittenLLM):
    """A model whose responses have the text so far, and not what is new of it."""

    def written(self, reply: str) -> CompletionResponseGen:
        for response in super().written(reply):
            yield response.model_copy(update={"delta": None})


def test_a_stream_without_deltas_is_read() -> None:
    assert list(program_with(WithoutDeltas(replies=[DAMAGED])).stream_call(product="phones"))[-1] == GOOD


class CallingLLM(WrittenLLM):
    """A chat model that streams the call of a tool."""

    is_chat_model: bool = True

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **_: object) -> ChatResponseGen:
        self.asked += map(str, messages)
        return (chat(ToolCallBlock(tool_name=name, tool_kwargs={})) for name in ("search",))


def test_tool_calls_alone_in_a_stream_are_refused_by_name() -> None:
    error = refusal_of(lambda: list(program_with(CallingLLM(replies=[])).stream_call(product="phones")))

    assert "the model called tools (search) and wrote no text" in str(error)


# --- query engines ----------------------------------------------------------------------------------------

INDEX = VectorStoreIndex.from_documents(
    [Document(text="Phones are good: 8 of 10."), Document(text="Phones ring.")], embed_model=MockEmbedding(4)
)


def typed_engine(llm: WrittenLLM, mode: ResponseMode = ResponseMode.COMPACT) -> BaseQueryEngine:
    synthesizer = get_response_synthesizer(
        llm=llm,
        response_mode=mode,
        output_cls=Review,
        structured_answer_filtering=True,
        program_factory=typed_answers(PARSER, llm),
    )
    return INDEX.as_query_engine(llm=llm, response_synthesizer=synthesizer)


async def test_a_query_engine_answers_with_an_object() -> None:
    for response in (
        typed_engine(WrittenLLM(replies=[DAMAGED])).query("How good are phones?"),
        await typed_engine(WrittenLLM(replies=[DAMAGED])).aquery("How good are phones?"),
    ):
        assert isinstance(response, PydanticResponse)
        assert response.response == GOOD


def test_a_query_engine_asks_for_the_type_and_gives_the_context() -> None:
    llm = WrittenLLM(replies=[CLEAN])
    typed_engine(llm).query("How good are phones?")

    assert INSTRUCTIONS in llm.asked[0]
    assert "Phones are good: 8 of 10." in llm.asked[0]


def test_a_query_engine_refines_an_answer_that_the_model_is_shown_as_json() -> None:
    llm = WrittenLLM(replies=['{"title": "Ring", "score": 2}', DAMAGED])
    response = typed_engine(llm, ResponseMode.REFINE).query("How good are phones?")

    assert '{"title":"Ring","score":2}' in llm.asked[1]
    assert isinstance(response, PydanticResponse)
    assert response.response == GOOD


def test_the_program_of_a_query_engine_says_what_it_returns() -> None:
    made = typed_answers(PARSER, WrittenLLM(replies=[CLEAN]))(PromptTemplate("Review {product}."))

    assert isinstance(made(product="phones"), made.output_cls)


def test_a_query_engine_wants_objects_that_survive_json() -> None:
    class Doubled(Review):
        @model_validator(mode="after")
        def double(self) -> Self:
            self.score *= 2
            return self

    llm = WrittenLLM(replies=[CLEAN])
    synthesizer = get_response_synthesizer(
        llm=llm,
        output_cls=Doubled,
        structured_answer_filtering=True,
        program_factory=typed_answers(UnifiedOutputParser(Doubled), llm),
    )

    with pytest.raises(RuntimeError, match="a Doubled is not the same after JSON"):
        INDEX.as_query_engine(llm=llm, response_synthesizer=synthesizer).query("How good are phones?")


# --- LlamaIndex's own ways to try again -------------------------------------------------------------------


@pytest.fixture
def retrying(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[RetryQueryEngine, WrittenLLM]]:
    def engine(*replies: str) -> tuple[RetryQueryEngine, WrittenLLM]:
        llm = WrittenLLM(replies=list(replies))
        monkeypatch.setattr(Settings, "_llm", llm)  # the engine's own transformation of queries wants one
        template = PromptTemplate("{context_str}\n{query_str}", output_parser=PARSER)
        answering = INDEX.as_query_engine(llm=llm, text_qa_template=template)
        return RetryQueryEngine(answering, UnifiedEvaluator(PARSER), max_retries=1), llm

    return engine


Retrying = Callable[..., tuple[RetryQueryEngine, WrittenLLM]]


def test_retry_query_engine_asks_again_with_the_feedback_what_is_refused_and_nothing_else(retrying: Retrying) -> None:
    engine, llm = retrying(REFUSED, DAMAGED)

    assert PARSER.parse(str(engine.query("How good are phones?"))) == GOOD
    assert (len(llm.asked), str(refusal_of(lambda: PARSER.parse(REFUSED))) in llm.asked[1]) == (2, True)


async def test_the_evaluator_has_no_prompts() -> None:
    evaluator = UnifiedEvaluator(PARSER)
    assert (await evaluator.aevaluate(response=DAMAGED)).passing
    evaluator.update_prompts({})

    assert evaluator.get_prompts() == {}


class Reviewing(Workflow):
    """One step that LlamaIndex's workflows try again; it tells the model what was wrong."""

    llm: WrittenLLM

    @step(
        retry_policy=retry_policy(
            retry=retry_if_exception_type(RefusedOutputError), wait=wait_none(), stop=stop_after_attempt(2)
        )
    )
    async def review(self, context: Context, event: StartEvent) -> StopEvent:
        refused = context.retry_info().last_exception
        prompt = PARSER.format(event.prompt) + (f"\n\n{refused}" if refused else "")
        return StopEvent(result=PARSER.parse_response(await self.llm.acomplete(prompt)))


def reviewing(*replies: str) -> Reviewing:
    workflow = Reviewing()
    workflow.llm = WrittenLLM(replies=list(replies))
    return workflow


async def test_a_workflow_asks_again_with_the_feedback() -> None:
    workflow = reviewing(REFUSED, DAMAGED)

    assert await workflow.run(prompt="Review phones.") == GOOD
    assert workflow.llm.asked[1].endswith(str(refusal_of(lambda: PARSER.parse(REFUSED))))
