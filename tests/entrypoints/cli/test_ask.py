"""`llm-output ask`: a question, a model or a recording of one, a typed answer."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.loopback.answers import Answer, answer, hang, status
from tests.loopback.server import ChatServer
from tests.processes import ending

VERDICT = str(ROOT / "examples/ask/verdict.jsonl")
QUESTION = str(ROOT / "examples/ask/question.md")
GOOD = json.dumps({"order": 7, "paid": True})


pytestmark = pytest.mark.usefixtures("no_model_settings")


def at(server: ChatServer, model: str = "m") -> tuple[str, ...]:
    return ("--base-url", server.url, "--model", model)


def test_shipped_recording_answers_with_no_account_and_says_each_attempt() -> None:
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)

    assert (ended.code, json.loads(ended.stdout)["action"]) == (ExitCode.OK, "HOLD")
    for said in ("asked   1  about 765 + 392 tokens (estimated)", "asked   2", "repaired smart_quote"):
        assert said in ended.stderr
    assert invoke("ask", QUESTION, "--agent", "verdict", "--replay", VERDICT).stdout == ended.stdout


def test_telemetry_without_its_package_is_a_matter_of_installing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OTEL", "on")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)

    assert (ended.code, 'pip install ".[otel]"' in ended.stderr) == (ExitCode.USAGE, True)


def test_question_that_was_not_recorded_says_how_to_record_it() -> None:
    ended = invoke("ask", "-", "--agent", "verdict", "--replay", VERDICT, text="Something else?")

    assert (ended.code, "record one with" in ended.stderr) == (ExitCode.USAGE, True)


def test_system_message_temperature_and_limit_are_sent(
    chat_server: ChatServer, order: tuple[str, ...], folder: Path
) -> None:
    (folder / "system.md").write_text("You sort orders.")
    chat_server.script([answer(GOOD)])
    options = ("--system", "system.md", "--temperature", "0", "--max-tokens", "50")
    ended = invoke(*order, *at(chat_server), *options, text="Which order?")
    body = chat_server.requests[0].body

    assert json.loads(ended.stdout) == json.loads(GOOD)
    assert body["messages"][0] == {"role": "system", "content": "You sort orders."}
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("m", 0.0, 50)


@pytest.mark.parametrize(
    ("answered", "options", "code", "said"),
    [
        ('{"order": "seven", "paid": true}', (), ExitCode.PARSE_ERROR, "field: $.order"),
        ('{"order": 7, "paid": *}', ("--no-repair",), ExitCode.PARSE_ERROR, "at: <answer>:1:22"),
        (status(401), (), ExitCode.MODEL_ERROR, "Error: "),
        (hang(30), ("--max-seconds", "0.3"), ExitCode.MODEL_ERROR, "0.3"),
    ],
    ids=["a broken contract", "damage with its place", "a provider that fails", "too late"],
)
def test_answer_that_cannot_be_used_leaves_stdout_empty(
    chat_server: ChatServer,
    order: tuple[str, ...],
    answered: str | Answer,
    options: tuple[str, ...],
    code: ExitCode,
    said: str,
) -> None:
    chat_server.script([answer(answered) if isinstance(answered, str) else answered])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", *options, text="Which order?")

    assert (ended.code, ended.stdout) == (code, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_repair_agent_mends_the_syntax_of_the_last_answer(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer("{order :: 7; paid :: true;;}"), answer(GOOD)])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", text="Which order?")

    assert json.loads(ended.stdout) == json.loads(GOOD)
    assert "repair  2" in ended.stderr


def test_empty_prompt_and_an_empty_recording_are_mistakes_in_the_call(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    for arguments, advice in ((("-", "--replay", VERDICT), "is empty"), (("--replay", "empty.jsonl"), "no recorded")):
        ended = invoke("ask", *arguments, "--agent", "verdict", text=" ", columns=400)
        assert (ended.code, ended.stdout, advice in ended.stderr) == (ExitCode.USAGE, "", True)


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
