"""A model that answers from a file: the same answers every time, and an error where there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMRateLimitError
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.llm.replay import EXCERPT, ReplayLLM
from tests.shared.infrastructure.llm.asking import KEY, failure

pytestmark = pytest.mark.anyio


def recording(*lines: object, path: Path = Path("recording.jsonl")) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def exchange(prompt: str, text: str, system_message: str | None = None) -> dict[str, Any]:
    return {"prompt": prompt, "system_message": system_message, "reply": {"text": text}}


async def test_prompt_gets_the_reply_recorded_for_it() -> None:
    llm: LLMPort = ReplayLLM(recording(exchange("一", "1"), exchange("二", "2")))

    assert [(await llm.generate(LLMRequest.of(prompt))).text for prompt in ("二", "一")] == ["2", "1"]


async def test_reply_is_as_it_was_recorded() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "reasoning_tokens": 1}
    reply = {"text": "x", "finish_reason": "length", "model": "m", "usage": usage, "latency": 0.5, "reasoning": "r"}
    llm = ReplayLLM(recording({"prompt": "问", "reply": reply}))

    assert await llm.generate(LLMRequest.of("问")) == LLMReply(
        "x", FinishReason.LENGTH, "m", TokenUsage(1, 2, 1), 0.5, "r"
    )


async def test_reply_recorded_without_a_finish_reason_is_not_one_that_stopped() -> None:
    llm = ReplayLLM(recording(exchange("问", "x")))

    assert (await llm.generate(LLMRequest.of("问"))).finish_reason is FinishReason.UNKNOWN


async def test_system_message_is_part_of_what_is_matched() -> None:
    llm = ReplayLLM(recording(exchange("问", "a", "甲"), exchange("问", "b"), exchange("问", "c", "")))

    assert (await llm.generate(LLMRequest.of("问"))).text == "b"
    assert (await llm.generate(LLMRequest.of("问", "甲"))).text == "a"
    assert (await llm.generate(LLMRequest.of("问", ""))).text == "c"


async def test_same_prompt_again_gets_the_next_reply() -> None:
    llm = ReplayLLM(recording(exchange("问", "1"), exchange("别", "x"), exchange("问", "2")))

    assert [(await llm.generate(LLMRequest.of("问"))).text for _ in range(2)] == ["1", "2"]


async def test_used_up_replies_are_an_error() -> None:
    llm = ReplayLLM(recording(exchange("问", "1")))
    await llm.generate(LLMRequest.of("问"))

    error = await failure(llm, LLMConfigurationError, "问")

    assert "no further reply" in error.message
    assert error.details["recorded"] == 1


async def test_used_up_replies_start_over_where_that_is_wanted() -> None:
    llm = ReplayLLM(recording(exchange("问", "1"), exchange("问", "2")), repeat=True)

    assert [(await llm.generate(LLMRequest.of("问"))).text for _ in range(3)] == ["1", "2", "1"]


async def test_unknown_prompt_is_an_error_even_where_replies_start_over() -> None:
    await failure(ReplayLLM(recording(exchange("问", "1")), repeat=True), LLMConfigurationError, "别")


async def test_unknown_prompt_is_shown_in_short_and_without_keys() -> None:
    llm = ReplayLLM(recording())

    error = await failure(llm, LLMConfigurationError, f"开头\n{KEY} " + "长" * 1000)

    assert "开头 [REDACTED] 长" in error.message
    assert "RecordingLLM" in error.message
    assert len(error.message) < EXCERPT + 250


async def test_recorded_error_is_raised_in_its_place() -> None:
    details = {"status": 429, "retry_after": 1.5}
    error = {"code": "LLM_RATE_LIMIT", "message": "慢 (slow)", "details": details}
    llm = ReplayLLM(recording({"prompt": "问", "error": error}, exchange("问", "2")))

    raised = await failure(llm, LLMRateLimitError, "问")

    assert (raised.message, raised.code, raised.details) == ("慢 (slow)", "LLM_RATE_LIMIT", details)
    assert (await llm.generate(LLMRequest.of("问"))).text == "2"


async def test_recorded_error_of_an_unknown_code_keeps_it() -> None:
    llm = ReplayLLM(recording({"prompt": "问", "error": {"code": "NEWER", "message": "x"}}))

    assert (await failure(llm, LLMError, "问")).code == "NEWER"


async def test_blank_lines_windows_line_ends_and_a_byte_order_mark_do_no_harm() -> None:
    text = "\ufeff" + json.dumps(exchange("问", "1")) + "\r\n\r\n" + json.dumps(exchange("问", "2")) + "\r\n"
    llm = ReplayLLM(str(recording(text)))

    assert [(await llm.generate(LLMRequest.of("问"))).text for _ in range(2)] == ["1", "2"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"prompt": "问", "reply": {"text": "cut', "Invalid JSON"),
        ({"reply": {"text": "x"}}, "prompt"),
        ({"prompt": "问"}, "either a reply or an error"),
        ({"prompt": "问", "reply": {"text": 1}}, "reply.text"),
        ({"prompt": "问", "reply": {"text": "x"}, "answer": 1}, "answer"),
        ({"prompt": "问", "reply": {"text": "x", "finish_reason": "whim"}}, "finish_reason"),
        ({"prompt": "问", "reply": {"text": "x"}, "error": {"code": "X", "message": "x"}}, "either"),
        ("[]", "object"),
        ("[" * 100_000, "Invalid JSON"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_malformed_line_is_named_by_its_number(line: object, reason: str) -> None:
    path = recording(exchange("问", "1"), "", line)

    with pytest.raises(LLMConfigurationError, match="第 3 行") as caught:
        ReplayLLM(path)

    assert caught.value.details["line"] == 3
    assert reason in caught.value.details["reason"]


def test_missing_file_is_named() -> None:
    with pytest.raises(LLMConfigurationError, match=r"absent\.jsonl"):
        ReplayLLM("absent.jsonl")
