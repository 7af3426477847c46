"""Committees whose model fails at random: every reply is in the recording and in the report."""

import asyncio
import json
import random
from html import unescape
from pathlib import Path

import pytest

from examples.committee.committee import committee_of
from examples.committee.report import html_report
from examples.committee.tests.committees import DOSSIER
from src.shared.domain.llm_errors import LLMServerError, LLMTimeoutError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from src.shared.infrastructure.llm.exchange import RecordingLLM
from tests.modules.answers import GOOD
from tests.shared.routed_llm import typed_llm
from tests.thorough import at_length

UNUSABLE = ("我无法回答这个问题", '{"direction": ', "[]", '{"别的": "东西"}', "请稍后再问")


class FlakyLLM:
    """Fails at random in some way, and marks every reply so that it can be found again."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - no secret
        self.delivered: list[str] = []

    async def generate(self, request: LLMRequest) -> LLMReply:
        await asyncio.sleep(self._dice.random() / 100)
        title = next(title for title in GOOD if f"**{title}**" in (request.system_message or ""))
        if self._dice.random() < 0.1:
            raise self._dice.choice((LLMServerError("down"), LLMTimeoutError("late")))
        good, is_cut = GOOD[title][0], self._dice.random() < 0.1
        text = self._dice.choice(UNUSABLE) if self._dice.random() < 0.3 else good[:40] if is_cut else good
        self.delivered.append(f"{text}\n第 {len(self.delivered)} 号")
        reason = FinishReason.LENGTH if text == good[:40] else FinishReason.STOP
        return LLMReply(self.delivered[-1], reason, "flaky")


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(at_length(6, 60)))
async def test_committee_that_fails_at_random_loses_no_reply(seed: int, tmp_path: Path) -> None:
    flaky = FlakyLLM(seed)
    llm = RecordingLLM(flaky, tmp_path / "recording.jsonl")
    result = await committee_of(typed_llm(llm)).run(DOSSIER)
    assert (result.verdict is None) == (result.error is not None)
    assert result.replies == len(flaky.delivered)
    lines = (tmp_path / "recording.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = [json.loads(line).get("reply", {}).get("text") for line in lines]
    assert sorted(filter(None, recorded)) == sorted(flaky.delivered)
    report = unescape(html_report(DOSSIER, result))
    assert [text for text in flaky.delivered if text not in report] == []
