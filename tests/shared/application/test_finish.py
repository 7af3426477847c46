"""The finish reason decides what may be missing at the end of an answer: through `call_with_json`, every word."""

import pytest
from pydantic import BaseModel

from src.shared.application.question import Question
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget, Stop
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.finish_reasons import SPELLINGS
from src.shared.domain.llm_errors import AnswerTruncatedError, LLMContentRefusedError, LLMError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.domain.reading.reading import NO_COMMA
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.wire import CompletionReader
from src.shared.infrastructure.parsing.inspection import read_object
from tests.shared.application.typed import Events, Grade, Repairer, typed
from tests.shared.scripted_llm import ScriptedLLM, reply
from tests.thorough import at_length

pytestmark = pytest.mark.anyio

NOT_SAID = ["null", "other", "something new", "", None, 0, {"reason": "stop"}]
WORDS = [(word, reason) for reason, words in SPELLINGS.items() for word in words]
SPELLED = [*WORDS, ("MAX_TOKENS", FinishReason.LENGTH), *((said, FinishReason.UNKNOWN) for said in NOT_SAID)]


class Review(BaseModel):
    """Nothing but the score must be there: whatever is cut off behind it would go unnoticed."""

    score: int
    tags: list[str] = []
    note: str = ""


WHOLE = Review(score=425, tags=["a", "b"], note="ok")
TEXTS = {
    "compact": '{"score":425,"tags":["a","b"],"note":"ok"}',
    "on lines": '{\n  "score": 425,\n  "tags": [\n    "a",\n    "b"\n  ],\n  "note": "ok"\n}\n',
    "single quotes": "{'score': 425, 'tags': ['a', 'b'], 'note': 'ok',}",
    "fenced": '答案：\n```json\n{"score": 425, "tags": ["a", "b"], "note": "ok"}\n```\n',
    "bare keys": '<think>{"score": 1}</think>{score: 425, tags: ["a", "b"], note: "ok"}',
}


class Provider:
    """Answers as a provider's body does, read by the adapter's own code."""

    def __init__(self, text: str, spelled: object) -> None:
        self._body = {"choices": [{"message": {"content": text}, "finish_reason": spelled}]}

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Answer."""
        del request
        endpoint = Endpoint("http://provider", "m", 1)
        reader = CompletionReader(endpoint)
        reader.add(self._body, "message")
        return reader.reply()


async def called(text: str, spelled: object) -> Review | None:
    """What `call_with_json` makes of a text that ended for this reason; None where it is refused."""
    llm = TypedLLM(Provider(text, spelled), output_of=plain_output, events=Events(), budget=Budget(max_retries=0))
    try:
        return await llm.call_with_json("Review it.", output_model=Review)
    except (LLMJsonParseError, AnswerTruncatedError, LLMError):
        return None


@pytest.mark.parametrize(("spelled", "reason"), SPELLED)
async def test_whole_text_is_read_unless_the_reason_says_that_it_is_cut(spelled: object, reason: FinishReason) -> None:
    read = [await called(text, spelled) for text in TEXTS.values()]
    assert read == [None if reason.finished is False else WHOLE] * len(TEXTS)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("spelled", [spelled for spelled, reason in SPELLED if reason is not FinishReason.STOP])
async def test_text_cut_anywhere_is_never_taken_for_less_than_it_was(spelled: object, text: str) -> None:
    """Where nobody knows, at every place; behind the last bracket nothing of the answer is left to cut."""
    step = 1 if spelled is None else at_length(11, 3)
    read = [await called(text[:end], spelled) for end in range(0, len(text), step)]
    assert [result for result in read if result not in (None, WHOLE)] == []


async def test_bracket_that_a_model_forgot_before_it_stopped_by_itself_is_closed() -> None:
    text = '{"score": 425, "tags": ["a", "b"], "note": "ok"'
    assert (await called(text, "stop"), await called(text, None)) == (WHOLE, None)


# --- what is not whole --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "kind"), [(FinishReason.REFUSED, LLMContentRefusedError), (FinishReason.ERROR, LLMServerError)]
)
async def test_answer_that_the_provider_stopped_is_its_error_and_not_asked_for_again(
    reason: FinishReason, kind: type[AppException]
) -> None:
    llm, scripted, events = typed(reply('{"score": 80}', reason))
    with pytest.raises(kind) as caught:
        await llm.call_with_json("Grade it.", output_model=Grade)
    assert caught.value.details == {"model": "scripted", "reason": reason.value}
    assert (len(scripted.calls), [event.outcome.value for event in events.seen]) == (1, ["refused"])


async def test_outcome_of_an_answer_that_the_provider_stopped_keeps_what_it_cost() -> None:
    llm, _, _ = typed(reply('{"score": 80}', FinishReason.REFUSED, tokens=7))
    outcome = await llm.generate_and_parse(Question.of("Grade it."), plain_output(Grade))
    assert (outcome.stop, outcome.usage.total_tokens) == (Stop.PROVIDER_ERROR, 14)


# --- the repair agent ---------------------------------------------------------------------------------------

DAMAGED = '{"score": 80;; "note": "x"'
REPAIRED = '{"score": 80, "note": "x"}'


@pytest.mark.parametrize("reason", [FinishReason.STOP, FinishReason.UNKNOWN, FinishReason.TOOL_CALLS])
async def test_repair_agent_is_told_what_is_known_of_the_end(reason: FinishReason) -> None:
    repairer = Repairer('{"score": 80}')
    llm, _, _ = typed(reply('{"score": 80;; "a": "b"}', reason), repair=repairer, budget=Budget(max_retries=0))
    await llm.call_with_json("Grade it.", output_model=Grade)
    assert repairer.told == [reason.finished]


@pytest.mark.parametrize("reason", [FinishReason.STOP, FinishReason.UNKNOWN])
async def test_repair_agent_may_close_the_last_bracket_only_where_the_model_had_stopped_by_itself(
    reason: FinishReason,
) -> None:
    agent = RepairAgent(ScriptedLLM([REPAIRED]), FanOut(), read_object)
    llm, _, _ = typed(reply(DAMAGED, reason), repair=agent, budget=Budget(max_retries=0))
    if reason is FinishReason.STOP:
        assert await llm.call_with_json("Grade it.", output_model=Grade) == Grade(score=80)
    else:
        with pytest.raises(LLMJsonParseError, match=NO_COMMA.en):
            await llm.call_with_json("Grade it.", output_model=Grade)
