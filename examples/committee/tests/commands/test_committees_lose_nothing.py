"""Committees whose model fails at random: every reply is in the report, and a resumed run asks for what is missing.

`THOROUGH=1` runs fifty of them; each runs twice, the second time with a model that answers well.
"""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from examples.committee.tests.harness import ROOT, Ended, invoke
from src.entrypoints.cli.exit_codes import ExitCode
from tests.loopback.answers import Answer, ChatRequest, Connection, answer, cut_body, hang, status
from tests.loopback.server import ChatServer
from tests.modules.answers import EXPERTS, GOOD
from tests.thorough import at_length

DOSSIER = str(ROOT / "examples/committee/dossier.json")
COMMITTEES = at_length(4, 50)
ADVOCATES, RESOLUTION, JUDGE = ("多头辩护人", "空头辩护人"), "冲突消解", "裁决"
UNUSABLE = ("我无法回答这个问题。", '{"direction": ', "[]", '{"别的": "东西"}', "请稍后再问。")
"""Each is refused for another reason, so that no two questions after them are the same."""
REPAIR_AGENT = "修复"


@dataclass
class Flaky:
    """A model that fails at random, and notes what it answered.

    Attributes:
        chance: of every agent's question to fail in some way; 0 answers everything well.
        delivered: title and text of every reply that was sent whole.
        asked: title of everybody who asked.
        answered: the requests that were answered.
    """

    chance: float
    dice: random.Random
    delivered: list[tuple[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    unusable: dict[str, int] = field(default_factory=Counter)

    def respond(self, request: ChatRequest) -> Answer:
        title = title_of(request)
        self.asked.append(title)
        if title == REPAIR_AGENT:
            return self._sent(request, title, "无法修复。")
        if self.dice.random() >= self.chance:
            return self._sent(request, title, marked(title, len(self.delivered)))
        if self.dice.random() < 0.5:
            return self.dice.choice((hang(30), cut_body(), *map(status, (401, 429, 500))))
        if self.dice.random() < 0.6:
            return self._sent(request, title, GOOD[title][0][: self.dice.randrange(5, 60)], "length")
        self.unusable[title] += 1
        return self._sent(request, title, UNUSABLE[(self.unusable[title] - 1) % len(UNUSABLE)])

    def _sent(self, request: ChatRequest, title: str, text: str, finish_reason: str = "stop") -> Answer:
        """Answer after a short while."""
        pause, sent = self.dice.random() * 0.05, answer(text, finish_reason)

        async def send(asked: ChatRequest, connection: Connection) -> None:
            await connection.wait(pause)
            await sent(asked, connection)
            self.delivered.append((title, text))
            self.answered.append(key_of(request))

        return send


def title_of(request: ChatRequest) -> str:
    system = request.body["messages"][0]["content"]
    return next((title for title in GOOD if f"**{title}**" in system), REPAIR_AGENT)


def key_of(request: ChatRequest) -> str:
    return json.dumps([request.body["messages"], request.body.get("max_tokens")], ensure_ascii=False)


def marked(title: str, number: int) -> str:
    """A good answer that can be found in a report."""
    found = json.loads(GOOD[title][0])
    field_of = "conflict_resolution" if title == RESOLUTION else "narrative_report"
    return json.dumps(found | {field_of: f"〔第{number}号〕"}, ensure_ascii=False)


def mark_in(text: str) -> str:
    return text[text.index("〔") : text.index("〕") + 1]


def committee(*arguments: str) -> tuple[Ended, dict[str, Any], str]:
    """Run it; the result, and the report in both forms."""
    ended = invoke("run", *arguments)
    result = json.loads(Path("run/result.json").read_text(encoding="utf-8"))
    reports = (Path("run/report.html").read_text(encoding="utf-8"), Path("run/report.md").read_text(encoding="utf-8"))
    marks = {part.partition("〕")[0] for part in reports[0].split("〔")[1:]}
    assert marks == {part.partition("〕")[0] for part in reports[1].split("〔")[1:]}
    return ended, result, reports[0]


def assert_told(model: Flaky, result: dict[str, Any], report: str) -> None:
    """Every reply is in the report: the usable ones with their words, the others with why they were not."""
    assert result["totals"]["calls"] == len(model.delivered)
    assert sum(agent["replies"] for agent in result["agents"]) == len(model.delivered)
    usable = [mark_in(text) for _, text in model.delivered if "〔" in text]
    assert [mark for mark in usable if mark not in report] == []
    for agent in result["agents"]:
        of_agent = [text for title, text in model.delivered if title == agent["label"]]
        assert len(agent["refused"]) >= len(of_agent) - agent["answered"], agent


def missing_after(result: dict[str, Any]) -> Counter[str]:
    """Who has to be asked by a run that goes on."""
    if result["verdict"]:
        return Counter()
    later = [*ADVOCATES, RESOLUTION, JUDGE]
    if result["failed_in"] == "judge":
        return Counter([JUDGE])
    if result["failed_in"] == "debate":
        return Counter([RESOLUTION, JUDGE] if result["arguments"] else later)
    return Counter([*(expert["label"] for expert in result["experts"] if expert["error"]), *later])


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chat_server: ChatServer) -> None:
    for name in ("LLM_MAX_RETRIES", "LLM_BUDGET_RETRIES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_BASE_URL", chat_server.url)
    monkeypatch.setenv("LLM_MODEL", "m-1")
    monkeypatch.setenv("LLM_API_KEY", "")
    monkeypatch.setenv("LLM_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("COMMITTEE_MAX_RETRIES", "1")


@pytest.mark.parametrize("seed", range(COMMITTEES))
def test_committee_that_fails_at_random_loses_nothing_and_goes_on(
    seed: int, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secret
    monkeypatch.setenv("COMMITTEE_DEADLINE", dice.choice(("4", "8")))
    if dice.random() < 0.5:
        monkeypatch.setenv("COMMITTEE_AGENT_SECONDS", dice.choice(("1.5", "6")))
    flaky = Flaky(dice.choice((0.2, 0.4, 0.6)), dice)
    chat_server.respond(flaky.respond)
    _, first, report = committee(DOSSIER, "--out", "run")
    assert_told(flaky, first, report)

    monkeypatch.setenv("COMMITTEE_DEADLINE", "60")
    well = Flaky(0, dice, delivered=flaky.delivered)
    chat_server.respond(well.respond)
    ended, second, report = committee("--resume", "run")
    assert (ended.code, second["error"]) == (ExitCode.OK, None)
    assert second["verdict"]["action"] == "BUY"
    assert Counter(well.asked) == missing_after(first)
    assert set(well.answered) & set(flaky.answered) == set()
    assert_told(well, second, report)
    assert len(EXPERTS) == len(second["experts"])
