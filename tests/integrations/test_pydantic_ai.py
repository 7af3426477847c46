"""The parser as an output type of pydantic-ai: with the library's own models for tests, and a real one on loopback."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, assert_type

import pytest
from pydantic_ai import Agent, AgentRunResultEvent, UnexpectedModelBehavior
from pydantic_ai.messages import (
    FinishReason,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
    ThinkingPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider

from src.integrations.pydantic_ai import output_instructions, stream_snapshots, unified_output
from tests.event_loops import closed_loop
from tests.integrations.reviews import DAMAGED, FEEDBACK, GOOD, NO_SCORE, WHOLE, Review, parse_error_of
from tests.log_lines import standard_log, structlog_unconfigured
from tests.loopback.answers import Answer, answer, chunk, events
from tests.loopback.server import ChatServer

pytestmark = pytest.mark.anyio


class Script:
    """A model that gives these texts, one a request, and keeps what it was asked."""

    def __init__(self, *texts: str, finish_reason: FinishReason | None = "stop", thinking: str = "") -> None:
        self._texts = iter(texts)
        self._finish_reason = finish_reason
        self._thinking = [ThinkingPart(thinking)] if thinking else []
        self.asked: list[ModelRequest] = []
        self.model = FunctionModel(self._reply, stream_function=self._stream)

    def agent(self, *, retries: int = 1, **options: Any) -> Agent[None, Review]:  # noqa: ANN401 - of unified_output
        return Agent(self.model, output_type=unified_output(Review, **options), retries=retries)

    def _reply(self, messages: Sequence[ModelMessage], _: AgentInfo) -> ModelResponse:
        assert isinstance(messages[-1], ModelRequest)
        self.asked.append(messages[-1])
        return ModelResponse(
            parts=[*self._thinking, TextPart(next(self._texts))],
            finish_reason=self._finish_reason,
            provider_details={"finish_reason": self._finish_reason},
        )

    async def _stream(self, messages: Sequence[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
        assert isinstance(messages[-1], ModelRequest)
        self.asked.append(messages[-1])
        for character in next(self._texts):
            yield character


def served(chat_server: ChatServer) -> Agent[None, Review]:
    provider = OpenAIProvider(base_url=chat_server.url, api_key="k")
    return Agent(OpenAIChatModel("m", provider=provider), output_type=unified_output(Review))


@pytest.fixture(autouse=True)
def _closed_loop() -> Iterator[None]:
    """`run_sync` leaves the loop open that it makes."""
    with closed_loop():
        yield


def told(request: ModelRequest) -> str:
    """What a model was asked in a request."""
    return "".join(str(part.content) for part in request.parts if isinstance(part, UserPromptPart | RetryFeedbackPart))


# --- one answer -----------------------------------------------------------------------------------------


def test_reasoning_part_is_never_the_answer() -> None:
    script = Script("I cannot say.", thinking=WHOLE)
    with pytest.raises(UnexpectedModelBehavior, match="output retries"):
        script.agent(retries=0).run_sync("?")


def test_type_checker_knows_what_an_agent_returns() -> None:
    agent = Agent(TestModel(custom_output_text=WHOLE), output_type=unified_output(Review))
    assert_type(agent, Agent[object, Review])
    assert_type(agent.run_sync("?", instructions=output_instructions(Review)).output, Review)


# --- asking again ---------------------------------------------------------------------------------------


def test_refused_reply_is_asked_again_with_the_feedback() -> None:
    script = Script(NO_SCORE, DAMAGED)
    assert script.agent().run_sync("?").output == GOOD
    assert FEEDBACK in told(script.asked[1])


def test_refusal_after_all_tries_has_the_parse_error_as_its_cause() -> None:
    script = Script(NO_SCORE, NO_SCORE, NO_SCORE)
    with pytest.raises(UnexpectedModelBehavior, match="Exceeded maximum output retries") as raised:
        script.agent(retries=2).run_sync("?")
    assert parse_error_of(raised.value).details["stage"] == "validate"
    assert len(script.asked) == 3


# --- the finish reason ----------------------------------------------------------------------------------


@pytest.mark.parametrize("finish_reason", ["length", "content_filter", "error"])
def test_cut_reply_is_refused_whatever_it_looks_like(finish_reason: FinishReason) -> None:
    script = Script(WHOLE, finish_reason=finish_reason)
    with pytest.raises(UnexpectedModelBehavior) as raised:
        script.agent(retries=0).run_sync("?")
    assert parse_error_of(raised.value).details["truncated"]


def test_cut_reply_is_refused_where_pydantic_ai_alone_says_so() -> None:
    cut = ModelResponse(parts=[TextPart(WHOLE)], finish_reason="length")
    agent = Agent(FunctionModel(lambda *_: cut), output_type=unified_output(Review), retries=0)
    with pytest.raises(UnexpectedModelBehavior) as raised:
        agent.run_sync("?")
    assert parse_error_of(raised.value).details["truncated"]


CUT = answer(WHOLE[:-1], None, usage=None)
SERVED: dict[str, tuple[list[Answer], bool, bool]] = {
    "a damaged reply": ([answer(DAMAGED, usage=None)], True, False),
    "a damaged reply in pieces": ([answer(DAMAGED, usage=None)], True, True),
    "no bracket in pieces, but the model stopped by itself": ([answer(WHOLE[:-1])], True, True),
    "no bracket, and no finish reason, where pydantic-ai itself says `stop`": ([CUT, CUT], False, False),
    "no bracket, and a new word": ([answer(WHOLE[:-1], "a new word", usage=None)] * 2, False, False),
    "no bracket in pieces, and no finish reason": ([events(chunk({"content": WHOLE[:-1]}))], False, True),
    "a word of the provider's that pydantic-ai does not know": (
        [answer(WHOLE, "MAX_TOKENS", usage=None)] * 2,
        False,
        False,
    ),
    "a whole text that was cut off in pieces": ([answer(WHOLE, "length")], False, True),
}


@pytest.mark.parametrize(("answers", "is_read", "in_pieces"), SERVED.values(), ids=SERVED)
async def test_reply_of_a_real_client_heeds_the_providers_word(
    chat_server: ChatServer,
    answers: list[Answer],
    is_read: bool,  # noqa: FBT001 - a column of the table
    in_pieces: bool,  # noqa: FBT001 - as above
) -> None:
    async def ask() -> Review | None:
        async with served(chat_server) as agent:
            if not in_pieces:
                return (await agent.run("?")).output
            async with agent.run_stream("?") as result:
                last = [snapshot async for snapshot in stream_snapshots(result, Review)][-1]
            assert_type(last.value, Review | None)
            return last.value

    chat_server.script(answers)
    if is_read:
        assert await ask() == GOOD
        return
    with pytest.raises(UnexpectedModelBehavior) as raised:
        await ask()
    assert parse_error_of(raised.value).details["truncated"]


# --- options --------------------------------------------------------------------------------------------


def test_label_is_in_the_log() -> None:
    with (
        structlog_unconfigured(),
        standard_log() as records,
        pytest.raises(UnexpectedModelBehavior, match="output retries"),
    ):
        Script(NO_SCORE).agent(retries=0, context_label="critic").run_sync("?")
    assert [record for record in records if "critic" in record.getMessage()]


# --- streams --------------------------------------------------------------------------------------------


async def test_stream_of_outputs_yields_the_whole_object_alone() -> None:
    async with Script(DAMAGED).agent().run_stream("?") as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert outputs == [GOOD]


async def test_refused_stream_raises_with_the_parse_error_as_its_cause() -> None:
    async with Script(NO_SCORE).agent().run_stream("?") as result:
        with pytest.raises(UnexpectedModelBehavior) as raised:
            await result.get_output()
    assert parse_error_of(raised.value).details["stage"] == "validate"


async def test_run_of_events_asks_again_with_the_feedback() -> None:
    script = Script(NO_SCORE, DAMAGED)
    async with script.agent().run_stream_events("?") as events:
        results = [event.result.output async for event in events if isinstance(event, AgentRunResultEvent)]
    assert results == [GOOD]
    assert FEEDBACK in told(script.asked[1])


async def test_text_that_is_shown_is_logged_once() -> None:
    with structlog_unconfigured(), standard_log() as records:
        async with Script(DAMAGED).agent().run_stream("?") as result:
            [snapshot async for snapshot in stream_snapshots(result, Review)]
    assert len([record for record in records if "llm_json_repaired" in record.getMessage()]) == 1


async def test_last_snapshot_is_what_the_options_of_the_output_make_of_the_text() -> None:
    def scored(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "score": 5}

    async with Script(NO_SCORE).agent(normalizers=[scored]).run_stream("?") as result:
        last = [snapshot async for snapshot in stream_snapshots(result, Review)][-1]
    assert last.value == GOOD


async def test_no_other_object_takes_the_place_of_one_that_was_shown() -> None:
    agent = Script(f'First {{"title": "x", "score": 1}} and then {WHOLE}').agent(several="last")
    async with agent.run_stream("?") as result:
        with pytest.raises(UnexpectedModelBehavior) as raised:
            [snapshot async for snapshot in stream_snapshots(result, Review)]
    assert "candidates" in parse_error_of(raised.value).details


async def test_agent_that_a_validator_asks_reads_its_own_answer_while_another_is_shown() -> None:
    """It is read while the answer of the first is: each has its own finish reason and its own snapshots."""
    inner = Script('{"title": "inner", "score": 1')
    found: list[Review] = []
    agent = Script(WHOLE).agent()

    @agent.output_validator
    async def asks_another(review: Review) -> Review:
        found.append((await inner.agent().run("?")).output)
        return review

    async with agent.run_stream("?") as result:
        last = [snapshot async for snapshot in stream_snapshots(result, Review)][-1]
    assert last.value == GOOD
    assert [review.title for review in found] == ["inner"]


async def test_snapshots_of_another_output_type_are_an_error_of_the_program() -> None:
    async with Agent(TestModel(custom_output_text=WHOLE)).run_stream("?") as result:
        with pytest.raises(ValueError, match="unified_output"):
            [snapshot async for snapshot in stream_snapshots(result, Review)]


# --- without the library --------------------------------------------------------------------------------
