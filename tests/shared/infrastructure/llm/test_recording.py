"""What a model was asked and answered is written down, whole and without secrets, and can be replayed."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError, LLMRequestError, LLMServerError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.replay import ReplayLLM
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer
from tests.processes import ending
from tests.shared.infrastructure.llm.asking import KEY, LLMFactory, failure
from tests.shared.scripted_llm import HangingLLM, ScriptedLLM

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[4]
PATH = Path("recording.jsonl")


def write(content: str) -> None:
    PATH.write_text(content, encoding="utf-8")


def text() -> str:
    return PATH.read_text(encoding="utf-8")


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in text().splitlines()]


async def test_recording_of_a_real_provider_can_be_replayed(chat_server: ChatServer, connect: LLMFactory) -> None:
    chat_server.script([answer("一", reasoning_content="想"), answer("二", "length"), status(400)])
    async with connect() as inner:
        llm = RecordingLLM(inner, PATH)
        replies = [await llm.generate(LLMRequest.of("问", "系统")), await llm.generate(LLMRequest.of("问", "系统"))]
        error = await failure(llm, LLMRequestError, "错")

    replayed = ReplayLLM(PATH)

    for reply in replies:
        again = await replayed.generate(LLMRequest.of("问", "系统"))
        assert (again.text, again.reasoning, again.finish_reason) == (reply.text, reply.reasoning, reply.finish_reason)
        assert (again.usage, again.model) == (reply.usage, reply.model)
        assert again.latency == pytest.approx(reply.latency, abs=0.001)
    raised = await failure(replayed, type(error), "错")
    assert (raised.message, raised.code, raised.details) == (error.message, error.code, error.details)


def test_recorder_has_the_name_of_its_model(connect: LLMFactory) -> None:
    assert (RecordingLLM(connect(), PATH).model, RecordingLLM(ScriptedLLM([]), PATH).model) == ("m-1", "")


async def test_model_is_asked_what_the_recorder_was_asked() -> None:
    inner, schema = ScriptedLLM(["x"]), OutputSchema("S", {})

    request = LLMRequest.of("问", "系统", temperature=0.1, max_tokens=9, output_schema=schema)

    reply = await RecordingLLM(inner, PATH).generate(request)

    assert inner.calls == [request]
    assert reply.text == "x"


def test_new_recording_is_readable_for_its_owner_only() -> None:
    RecordingLLM(ScriptedLLM([]), PATH)

    assert PATH.stat().st_mode & 0o777 == 0o600


async def test_existing_recording_is_appended_to_even_without_a_last_line_end() -> None:
    write('{"prompt": "甲", "reply": {"text": "1"}}')

    await RecordingLLM(ScriptedLLM(["2"]), str(PATH)).generate(LLMRequest.of("乙"))

    assert [line["prompt"] for line in lines()] == ["甲", "乙"]


async def test_secrets_are_not_written_and_prompts_are_still_matched() -> None:
    usual, own = KEY, "hunter2"
    reply = LLMReply(f"a {usual}", FinishReason.STOP, "m", TokenUsage(), 0, f"b {own}")
    failed = LLMServerError(f"c {usual}", {"provider": f"d {own}", "status": 500, "odd": [own]})
    llm = RecordingLLM(ScriptedLLM([reply, failed]), PATH, secrets=[own])

    await llm.generate(LLMRequest.of(f"问 {usual}", f"系统 {own}"))
    await failure(llm, LLMServerError, f"错 {own}")

    written = text()
    assert (usual in written, own in written) == (False, False)
    assert (await ReplayLLM(PATH).generate(LLMRequest.of(f"问 {usual}", f"系统 {own}"))).text == "a [REDACTED]"
    assert (await failure(ReplayLLM(PATH), LLMServerError, f"错 {own}")).details["status"] == 500


async def test_half_a_character_does_not_stop_the_recording() -> None:
    llm = RecordingLLM(ScriptedLLM(["x\ud800"]), PATH)

    await llm.generate(LLMRequest.of("问\ud800"))

    assert (await ReplayLLM(PATH).generate(LLMRequest.of("问\ud800"))).text == "x?"


async def test_concurrent_exchanges_are_whole_lines() -> None:
    llm = RecordingLLM(ScriptedLLM([str(number) for number in range(100)]), PATH)

    await asyncio.gather(*(llm.generate(LLMRequest.of(f"问 {number}")) for number in range(100)))

    assert {line["prompt"] for line in lines()} == {f"问 {number}" for number in range(100)}


async def test_cancelled_call_leaves_nothing() -> None:
    call = asyncio.ensure_future(RecordingLLM(HangingLLM(), PATH).generate(LLMRequest.of("问")))
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert text() == ""


INTERRUPTED = """
import asyncio, signal, sys
from src.shared.domain.ports.llm import LLMRequest
from src.shared.infrastructure.llm.exchange import RecordingLLM
from tests.shared.scripted_llm import ScriptedLLM
def interrupt(*_):
    raise KeyboardInterrupt  # wherever it is, not at the next await only
signal.signal(signal.SIGINT, interrupt)
async def main():
    llm = RecordingLLM(ScriptedLLM(["x" * 5000] * 10_000), sys.argv[1])
    print("begun", flush=True)
    while True:
        await llm.generate(LLMRequest.of("y" * 5000))
asyncio.run(main())
"""


def test_interrupt_leaves_whole_lines() -> None:
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-c", INTERRUPTED, str(PATH.resolve())],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with ending(process):
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        while PATH.stat().st_size < 200_000:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.wait(10)

    assert PATH.read_bytes().endswith(b"}\n")
    assert {len(line["reply"]["text"]) for line in lines()} == {5000}


SEEN = ChatMessage.of(Role.USER, f"看 {KEY}", ImagePart(b"\x89PNG secret pixels", name="page 1"))
CONVERSATION = LLMRequest((SEEN, ChatMessage.of(Role.ASSISTANT, "见"), ChatMessage.of(Role.USER, "问")))


async def test_conversation_is_recorded_by_its_texts_and_the_digests_of_its_images() -> None:
    await RecordingLLM(ScriptedLLM(["x"]), PATH).generate(CONVERSATION)

    image = {"image": SEEN.images[0].digest, "media_type": "image/png", "name": "page 1"}
    assert lines()[0]["messages"] == [
        {"role": "user", "parts": [{"text": "看 [REDACTED]", "name": ""}, image]},
        {"role": "assistant", "parts": [{"text": "见", "name": ""}]},
        {"role": "user", "parts": [{"text": "问", "name": ""}]},
    ]


async def test_conversation_is_replayed_for_the_same_messages_and_images_only() -> None:
    await RecordingLLM(ScriptedLLM(["x"]), PATH).generate(CONVERSATION)
    other = replace(CONVERSATION, messages=(ChatMessage.of(Role.USER, SEEN.text), *CONVERSATION.messages[1:]))

    assert (await ReplayLLM(PATH).generate(CONVERSATION)).text == "x"
    with pytest.raises(LLMConfigurationError, match="no reply recorded for this prompt"):
        await ReplayLLM(PATH).generate(other)


async def test_conversation_written_by_hand_needs_no_digest() -> None:
    parts = [{"parts": [{"text": "一"}], "role": "user"}, {"parts": [{"text": "二"}], "role": "assistant"}]
    write(
        json.dumps(
            {"prompt": "三", "messages": [*parts, {"parts": [{"text": "三"}], "role": "user"}], "reply": {"text": "x"}}
        )
    )
    asked = (ChatMessage.of(Role.USER, "一"), ChatMessage.of(Role.ASSISTANT, "二"), ChatMessage.of(Role.USER, "三"))

    assert (await ReplayLLM(PATH).generate(LLMRequest(asked))).text == "x"


async def test_line_that_does_not_fit_on_the_disk_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    llm = RecordingLLM(ScriptedLLM(["1", "2"]), PATH)
    await llm.generate(LLMRequest.of("甲"))
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, line: whole(file, line[: len(line) // 2]))

    await failure(llm, LLMConfigurationError, "乙")

    assert [line["prompt"] for line in lines()] == ["甲"]


async def test_file_that_cannot_be_written_is_an_error_before_a_model_is_asked() -> None:
    with pytest.raises(LLMConfigurationError, match="absent") as caught:
        RecordingLLM(ScriptedLLM([]), "absent/recording.jsonl")

    assert caught.value.details["reason"] == os.strerror(errno.ENOENT)
