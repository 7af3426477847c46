"""The shipped dossier, live over HTTP: one expert fails, the verdict comes, and everything says what is missing."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from examples.committee.tests.harness import ROOT, Ended, invoke, run
from examples.committee.tests.inputs import SEATS
from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.monitoring.container import read_rates
from tests.loopback.answers import Answer, ChatRequest, answer, status
from tests.loopback.server import ChatServer
from tests.modules.answers import EXPERTS, GOOD

DOSSIER = str(ROOT / "examples/committee/dossier.json")
FAILING = "宏观情报员"
KEY = "sk-loopback-0123456789abcdef"


def title_of(request: ChatRequest) -> str:
    system = request.body["messages"][0]["content"]
    return next(title for title in GOOD if f"**{title}**" in system)


def failing(*titles: str) -> object:
    """How the server answers when these experts' requests end with HTTP 500."""

    def respond(request: ChatRequest) -> Answer:
        title = title_of(request)
        return status(500) if title in titles else answer(GOOD[title][0])

    return respond


COMMAND = ("run", DOSSIER, "--out", "run")


def set_only(patched: pytest.MonkeyPatch, server: ChatServer) -> None:
    """Set the variables for a server, and no others of a model or of the committee."""
    for name in os.environ:
        if name.startswith(("LLM_", "COMMITTEE_")):
            patched.delenv(name)
    known = {"LLM_BASE_URL": server.url, "LLM_MODEL": "m-1", "LLM_API_KEY": KEY, "LLM_MAX_ATTEMPTS": "1"}
    for name, value in known.items():
        patched.setenv(name, value)


@pytest.fixture
def live(chat_server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """The command in a folder without settings, over the shared server."""
    set_only(monkeypatch, chat_server)
    monkeypatch.chdir(tmp_path)
    return partial(invoke, *COMMAND)


def store_in(folder: Path) -> str:
    return f"sqlite:///{folder}/outcomes.db"


@dataclass(frozen=True)
class Run:
    """A run in which one expert fails, as a shell starts it: how it ended, where, and the server it asked."""

    ended: Ended
    folder: Path
    server: ChatServer


@pytest.fixture(scope="module")
def one_failed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("one_failed")
    with ChatServer() as server, pytest.MonkeyPatch.context() as patched:
        server.respond(failing(FAILING))  # type: ignore[arg-type]  # a function of a request
        set_only(patched, server)
        ended = run(*COMMAND, cwd=folder, OUTPUT_STORE_URL=store_in(folder))
        patched.undo()
        yield Run(ended, folder, server)


def test_verdict_comes_without_one_expert_and_says_whose_dimension_is_missing(one_failed: Run) -> None:
    ended = one_failed.ended
    assert ended.code == ExitCode.OK
    assert "买入 BUY" in ended.stdout
    assert f"{FAILING}没有给出结论" in ended.stdout
    assert f"failed    {FAILING}" in ended.stderr


def test_judge_was_told_that_the_dimension_is_unknown(one_failed: Run) -> None:
    (judged,) = [request.prompt for request in one_failed.server.requests if title_of(request) == "裁决"]
    assert f"{FAILING}没有给出结论，该维度未知" in judged


@pytest.mark.parametrize("report", ["report.html", "report.md"])
def test_report_says_it_too(one_failed: Run, report: str) -> None:
    assert f"{FAILING}没有给出结论" in (one_failed.folder / "run" / report).read_text(encoding="utf-8")


def test_failure_is_replayed_from_the_folder(one_failed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(one_failed.folder)
    asked = len(one_failed.server.requests)
    command = ("run", "run/dossier.json", "--replay", "run/recording.jsonl", "--format", "json")
    data = json.loads(invoke(*command).stdout)
    assert data["verdict"]["action"] == "BUY"
    assert [expert["label"] for expert in data["experts"] if expert["error"]] == [FAILING]
    assert len(one_failed.server.requests) == asked


def test_key_is_in_no_file(chat_server: ChatServer, tmp_path: Path, live: Callable[..., Ended]) -> None:
    chat_server.respond(failing(FAILING))  # type: ignore[arg-type]  # a function of a request
    ended = live("--verbose")
    written = [path.read_text(encoding="utf-8") for path in (tmp_path / "run").iterdir()]
    assert [text for text in (*written, ended.stdout, ended.stderr) if KEY in text] == []
    assert chat_server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_tokens_of_all_answers_are_told(one_failed: Run) -> None:
    totals = json.loads((one_failed.folder / "run/result.json").read_text(encoding="utf-8"))["totals"]
    answered = len(SEATS) - 1
    told = {"prompt": answered * 7, "completion": answered * 5, "reasoning": answered * 2}
    assert totals["tokens"] == told | {"cached": 0, "estimated": False}


def test_answers_of_a_run_are_in_the_store_when_it_ends(one_failed: Run) -> None:
    rates = read_rates(store_in(one_failed.folder))
    assert sum(rate.texts.parses for rate in rates.by_agent()) == len(SEATS) - 1
    assert rates.facts().dropped == 0


def test_without_any_expert_there_is_no_verdict_and_the_folder_says_why(
    chat_server: ChatServer, tmp_path: Path, live: Callable[..., Ended]
) -> None:
    chat_server.respond(failing(*EXPERTS))  # type: ignore[arg-type]  # a function of a request
    ended = live()
    assert ended.code == ExitCode.MODEL_ERROR
    assert "No verdict" in ended.stdout
    assert "没有裁决" in (tmp_path / "run/report.html").read_text(encoding="utf-8")
