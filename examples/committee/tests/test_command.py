"""`python -m examples.committee`: a dossier, a model or a recording of one, a verdict, and a folder to keep."""

import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from examples.committee.__main__ import app
from examples.committee.dossier import load_dossier
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.language import VARIABLE, Language
from tests.entrypoints.cli.harness import ROOT, environment
from tests.entrypoints.cli.harness import invoke as invoke_any
from tests.loopback.answers import Answer, ChatRequest, answer, hang, status
from tests.loopback.server import ChatServer
from tests.modules.answers import EXPERTS, GOOD
from tests.processes import LIMIT, ending

EXAMPLE = ROOT / "examples/committee"
DOSSIER, RECORDING, PRICES = (str(EXAMPLE / name) for name in ("dossier.json", "recording.jsonl", "prices.csv"))
REPLAYED = ("run", DOSSIER, "--replay", RECORDING)
KEY = "sk-loopback-0123456789abcdef"
invoke = partial(invoke_any, of=app)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a `.env` of whoever runs the tests."""
    for name in os.environ:
        if name.startswith("LLM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def live(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A run over the server, kept in a folder."""
    monkeypatch.setenv("LLM_API_KEY", KEY)
    monkeypatch.setenv("LLM_MAX_ATTEMPTS", "1")
    return ("run", DOSSIER, "--base-url", chat_server.url, "--model", "m-1", "--out", "run")


def title_of(request: ChatRequest) -> str:
    return next(title for title in GOOD if f"**{title}**" in request.body["messages"][0]["content"])


def test_shipped_recording_comes_to_a_verdict_with_no_account() -> None:
    ended = invoke(*REPLAYED, columns=300)
    assert ended.code == ExitCode.OK
    for said in (
        *("持有 HOLD", "5%", "收盘跌破 34.5 元清仓", "bull 62%", "bear 57%", "首发前股东 1,860 万股解除限售后减持"),
        *(
            "看多 BULLISH",
            "full_width_punctuation ×77",
            "confidence_score: Input should be",
            f"{len(GOOD) + 1} answers",
        ),
    ):
        assert said in ended.stdout
    lines = [line.split()[:2] for line in ended.stderr.splitlines()]
    assert lines[:2] == [["stage", "research"], ["asking", "技术分析师"]]
    assert sum(what == "answered" for what, _ in lines) == len(GOOD)


@pytest.mark.parametrize("spoken", Language)
def test_shipped_recording_is_replayed_in_every_language(spoken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    assert invoke(*REPLAYED).code == ExitCode.OK


def test_run_replayed_from_its_folder_leaves_the_same_bytes() -> None:
    assert invoke(*REPLAYED, "--out", "first").code == ExitCode.OK
    assert invoke("run", "first/dossier.json", "--replay", "first/recording.jsonl", "--out", "second").code == 0
    first, second = ({file.name: file.read_bytes() for file in Path(name).iterdir()} for name in ("first", "second"))
    assert sorted(first) == ["dossier.json", "recording.jsonl", "report.html"]
    for files in (first, second):  # the experts answer side by side
        files["recording.jsonl"] = b"".join(sorted(files["recording.jsonl"].splitlines(keepends=True)))
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("run", "none.json", "--replay", RECORDING), "none.json"),
        (("run", DOSSIER), "LLM_BASE_URL"),
        (("run", DOSSIER, "--replay", "none.jsonl"), "none.jsonl"),
        ((*REPLAYED, "--out", DOSSIER), "cannot write to"),
        ((*REPLAYED, "--out", str(EXAMPLE)), "is not empty"),
        ((*REPLAYED, "--prices", "none.csv"), "none.csv"),
    ],
)
def test_what_is_missing_is_a_mistake_in_the_call(arguments: tuple[str, ...], advice: str) -> None:
    ended = invoke(*arguments, columns=500)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr


def test_dossier_of_a_run_has_what_was_made_of_prices() -> None:
    assert invoke(*REPLAYED, "--prices", PRICES, "--out", "run").code == ExitCode.USAGE  # other questions than recorded
    made, shipped = load_dossier(Path("run/dossier.json")), load_dossier(Path(DOSSIER))
    assert made.technical != shipped.technical
    assert made.model_copy(update={"technical": shipped.technical}) == shipped


def test_folder_of_a_run_that_had_no_model_can_be_used_again() -> None:
    assert invoke("run", DOSSIER, "--out", "run").code == ExitCode.USAGE
    assert invoke(*REPLAYED, "--out", "run").code == ExitCode.OK


def test_one_expert_that_fails_is_told_of_and_no_file_has_the_key(
    chat_server: ChatServer, live: tuple[str, ...]
) -> None:
    def respond(request: ChatRequest) -> Answer:
        return status(500) if title_of(request) == "宏观情报员" else answer(GOOD[title_of(request)][0])

    chat_server.respond(respond)
    ended = invoke(*live, "--verbose", columns=300)
    assert ended.code == ExitCode.OK
    assert "宏观情报员没有给出结论" in ended.stdout
    assert "failed    宏观情报员" in ended.stderr
    written = [path.read_text(encoding="utf-8") for path in Path("run").iterdir()]
    assert [text for text in (*written, ended.stdout, ended.stderr) if KEY in text] == []
    replayed = invoke("run", "run/dossier.json", "--replay", "run/recording.jsonl", columns=300)
    assert replayed.stdout.split("How it came about")[0] == ended.stdout.split("How it came about")[0]


def test_without_any_expert_there_is_no_verdict_and_the_report_says_why(
    chat_server: ChatServer, live: tuple[str, ...]
) -> None:
    chat_server.respond(lambda _request: status(500))
    ended = invoke(*live)
    assert (ended.code, len(chat_server.requests)) == (ExitCode.MODEL_ERROR, len(EXPERTS))
    assert "No verdict" in ended.stdout
    assert "没有裁决" in Path("run/report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("ignored_sigint")
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT for a process on Windows")
def test_ctrl_c_leaves_a_report_with_every_answer_that_came(
    chat_server: ChatServer, live: tuple[str, ...], tmp_path: Path
) -> None:
    is_asked = threading.Event()

    def respond(request: ChatRequest) -> Answer:
        if title_of(request) != "裁决":
            return answer(GOOD[title_of(request)][0])
        is_asked.set()
        return hang(60)

    chat_server.respond(respond)
    command = [sys.executable, "-m", "examples.committee", *live[:-1], str(tmp_path / "run")]
    with ending(subprocess.Popen(command, cwd=ROOT, env=environment())) as process:  # noqa: S603 - our own program
        assert is_asked.wait(LIMIT)
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == ExitCode.INTERRUPTED
    report = Path("run/report.html").read_text(encoding="utf-8")
    assert "被中途停止" in report
    assert len(Path("run/recording.jsonl").read_text(encoding="utf-8").splitlines()) == len(GOOD) - 1
    assert [title for title in GOOD if f"<h2>{title}</h2>" not in report] == ["裁决"]
