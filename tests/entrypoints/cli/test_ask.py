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
from tests.loopback.answers import answer, hang, status
from tests.loopback.server import ChatServer
from tests.processes import ending

VERDICT = str(ROOT / "examples/ask/verdict.jsonl")
QUESTION = str(ROOT / "examples/ask/question.md")
GOOD = json.dumps({"order": 7, "paid": True})


pytestmark = pytest.mark.usefixtures("no_model_settings")


def at(server: ChatServer, model: str = "m") -> tuple[str, ...]:
    return ("--base-url", server.url, "--model", model)


def test_shipped_recording_answers_with_no_account() -> None:
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)
    assert ended.code == ExitCode.OK
    assert json.loads(ended.stdout)["action"] == "HOLD"


def test_attempts_and_repairs_are_told_on_stderr() -> None:
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)
    assert "asked   1  about 765 + 392 tokens (estimated)" in ended.stderr
    assert "confidence: Input should be a valid number" in ended.stderr
    assert "asked   2" in ended.stderr
    assert "repaired smart_quote" in ended.stderr


def test_telemetry_without_its_package_is_a_matter_of_installing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OTEL", "on")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    ended = invoke("ask", "--agent", "verdict", "--replay", VERDICT)
    assert ended.code == ExitCode.USAGE
    assert 'pip install ".[otel]"' in ended.stderr


def test_question_from_a_file_is_the_recorded_one() -> None:
    assert invoke("ask", QUESTION, "--agent", "verdict", "--replay", VERDICT).code == ExitCode.OK


def test_question_that_was_not_recorded_says_how_to_record_it() -> None:
    ended = invoke("ask", "-", "--agent", "verdict", "--replay", VERDICT, text="Something else?")
    assert ended.code == ExitCode.USAGE
    assert "record one with" in ended.stderr


def test_same_command_goes_over_http(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer(GOOD)])
    ended = invoke(*order, *at(chat_server, "order-model"), text="Which order?")
    assert (ended.code, json.loads(ended.stdout)) == (ExitCode.OK, {"order": 7, "paid": True})
    assert chat_server.requests[0].body["model"] == "order-model"
    assert chat_server.requests[0].prompt.startswith("Which order?")


def test_system_message_temperature_and_limit_are_sent(
    chat_server: ChatServer, order: tuple[str, ...], folder: Path
) -> None:
    (folder / "system.md").write_text("You sort orders.")
    chat_server.script([answer(GOOD)])
    options = ("--system", "system.md", "--temperature", "0", "--max-tokens", "50")
    invoke(*order, *at(chat_server), *options, text="Which order?")
    body = chat_server.requests[0].body
    assert body["messages"][0] == {"role": "system", "content": "You sort orders."}
    assert (body["temperature"], body["max_tokens"]) == (0.0, 50)


def test_recording_of_an_answer_can_be_replayed(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer(GOOD)])
    invoke(*order, *at(chat_server), "--record", "asked.jsonl", text="Which order?")
    ended = invoke(*order, "--replay", "asked.jsonl", text="Which order?")
    assert json.loads(ended.stdout) == {"order": 7, "paid": True}
    assert len(chat_server.requests) == 1


def test_answer_that_cannot_be_used_leaves_stdout_empty(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer('{"order": "seven", "paid": true}')])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", text="Which order?")
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")
    assert "field: $.order" in ended.stderr


def test_place_of_an_error_in_the_answer_is_shown(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer('{"order": 7, "paid": *}')])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", "--no-repair", text="Which order?")
    assert "at: <answer>:1:22" in ended.stderr


def test_error_as_json(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer("{}")])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", "--error-format", "json", text="Which order?")
    assert json.loads(ended.stderr)["details"]["validation_error_count"] == 2


def test_repair_agent_mends_the_syntax_of_the_last_answer(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer("{order :: 7; paid :: true;;}"), answer(GOOD)])
    ended = invoke(*order, *at(chat_server), "--max-retries", "0", text="Which order?")
    assert json.loads(ended.stdout) == {"order": 7, "paid": True}
    assert "repair  2" in ended.stderr


def test_provider_that_fails_has_an_exit_code_of_its_own(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([status(401)])
    ended = invoke(*order, *at(chat_server), text="Which order?")
    assert (ended.code, ended.stdout) == (ExitCode.MODEL_ERROR, "")
    assert "Traceback" not in ended.stderr


def test_answer_that_comes_too_late_is_given_up(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([hang(30)])
    ended = invoke(*order, *at(chat_server), "--max-seconds", "0.3", text="Which order?")
    assert ended.code == ExitCode.MODEL_ERROR
    assert "0.3" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "text", "advice"),
    [
        (("ask", "-"), "What?", "--agent NAME, --dto"),
        (("ask", "-", "--agent", "verdict", "--replay", VERDICT), " ", "the prompt is empty"),
        (("ask", "-", "--agent", "verdict"), "What?", "LLM_BASE_URL"),
        (("ask", "--agent", "verdict", "--replay", "none.jsonl"), "", "none.jsonl"),
        (("ask", "--agent", "verdict", "--replay", "empty.jsonl"), "", "no recorded question"),
    ],
    ids=["no type", "no prompt", "no model", "no recording", "an empty recording"],
)
def test_what_is_missing_is_a_mistake_in_the_call(
    arguments: tuple[str, ...], text: str, advice: str, tmp_path: Path
) -> None:
    (tmp_path / "empty.jsonl").touch()
    ended = invoke(*arguments, text=text, columns=400)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr


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
