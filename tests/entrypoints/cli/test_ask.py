"""`llm-output ask`, `repair` and `envelope`, beside their transcripts: shipped recordings, time, and Ctrl-C."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.loopback.answers import hang
from tests.loopback.server import ChatServer
from tests.processes import ending

VERDICT = str(ROOT / "examples/ask/verdict.jsonl")
QUESTION = str(ROOT / "examples/ask/question.md")
GOOD = json.dumps({"order": 7, "paid": True})


pytestmark = pytest.mark.usefixtures("no_model_settings")


def at(server: ChatServer, model: str = "m") -> tuple[str, ...]:
    return ("--base-url", server.url, "--model", model)


def shipped(*arguments: str) -> Any:  # noqa: ANN401 - any JSON type
    """What a command makes of files of the examples, with no account and in silence."""
    there = [str(ROOT / "examples" / one) if "/" in one else one for one in arguments]
    ended = invoke(*there, "--quiet")
    assert (ended.code, ended.stderr) == (ExitCode.OK, "")
    return json.loads(ended.stdout)


@pytest.mark.parametrize("question", [(), ("ask/question.md",)])
def test_shipped_recordings_answer_and_repair_with_no_account(question: tuple[str, ...]) -> None:
    assert shipped("ask", *question, "--agent", "verdict", "--replay", "ask/verdict.jsonl")["action"] == "HOLD"
    assert shipped("repair", "ask/broken.txt", "--replay", "ask/repair.jsonl")["owner"] == "O'Neill"
    opened = shipped("envelope", "cowriting/broken.txt", "--repair", "--replay", "cowriting/repair.jsonl")
    assert opened["payload"]["title"] == "末班车"


def test_telemetry_without_its_package_is_a_matter_of_installing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OTEL", "on")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)

    assert (ended.code, 'pip install ".[otel]"' in ended.stderr) == (ExitCode.USAGE, True)


def test_answer_that_comes_too_late_leaves_stdout_empty(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([hang(30)])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", "--max-seconds", "0.3", text="Which order?")

    assert (ended.code, ended.stdout, "0.3" in ended.stderr) == (ExitCode.MODEL_ERROR, "", True)


@pytest.mark.usefixtures("ignored_sigint")
def test_ctrl_c_while_waiting_leaves_nothing_half_written(chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.script([hang(30)])
    command = [*PROGRAM, "ask", QUESTION, "--agent", "verdict", *at(chat_server), "--record", "asked.jsonl"]
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    ) as process:
        while not chat_server.requests:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=10)
    assert (process.returncode, stdout) == (ExitCode.INTERRUPTED, b"")
    assert b"Traceback" not in stderr
    assert (tmp_path / "asked.jsonl").read_bytes() == b""
