"""A model that goes on with an earlier run: its replies first, in their order, then the model."""

from pathlib import Path

import pytest

from src.shared.domain.caller import Caller, asking_as
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMError, LLMServerError
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.replay import EarlierRun, ResumingLLM
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio

QUESTION, OTHER = LLMRequest.of("2+2?", "You count."), LLMRequest.of("3+3?", "You count.")
FAILED = AppException("不符合契约", code="LLM_OUTPUT_PARSE_ERROR")


@pytest.fixture
async def recording(tmp_path: Path) -> Path:
    """Two replies and an error to one question."""
    file = tmp_path / "recording.jsonl"
    model = RecordingLLM(ScriptedLLM(["four", LLMServerError("down"), "4"]), file)
    await model.generate(QUESTION)
    with pytest.raises(LLMServerError):
        await model.generate(QUESTION)
    await model.generate(QUESTION)
    return file


async def test_replies_of_the_earlier_run_come_first_in_their_order(recording: Path) -> None:
    live = ScriptedLLM(["five"])
    llm = ResumingLLM(live, EarlierRun(recording))
    replies = [await llm.generate(QUESTION) for _ in range(3)]
    assert [(reply.text, reply.is_earlier) for reply in replies] == [("four", True), ("4", True), ("five", False)]
    assert len(live.calls) == 1


async def test_question_that_the_earlier_run_did_not_ask_is_asked(recording: Path) -> None:
    live = ScriptedLLM(["six"])
    reply = await ResumingLLM(live, EarlierRun(recording)).generate(OTHER)
    assert (reply.text, reply.is_earlier, len(live.calls)) == ("six", False, 1)


async def test_settled_caller_gets_its_replies_and_then_its_failure(recording: Path) -> None:
    live = ScriptedLLM(["five"])
    llm = ResumingLLM(live, EarlierRun(recording, {"宏观情报员": FAILED}))
    with asking_as(Caller("宏观情报员")):
        replies = [await llm.generate(QUESTION) for _ in range(2)]
        with pytest.raises(LLMError) as caught:
            await llm.generate(QUESTION)
    assert [(reply.text, reply.is_earlier, reply.is_settled) for reply in replies] == [
        ("four", True, True),
        ("4", True, True),
    ]
    assert (caught.value.message, caught.value.code, live.calls) == (FAILED.message, FAILED.code, [])
    assert caught.value.is_earlier


async def test_what_is_settled_for_one_caller_is_not_for_another(recording: Path) -> None:
    live = ScriptedLLM(["six"])
    llm = ResumingLLM(live, EarlierRun(recording, {"宏观情报员": FAILED}))
    with asking_as(Caller("裁决")):
        assert (await llm.generate(OTHER)).text == "six"


async def test_model_of_it_is_the_one_that_is_asked(recording: Path) -> None:
    class Named(ScriptedLLM):
        model = "m-1"

    assert ResumingLLM(Named([]), EarlierRun(recording)).model == "m-1"
