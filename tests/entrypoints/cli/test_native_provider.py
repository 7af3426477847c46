"""The commands that ask a model speak a provider's own API where `LLM_PROVIDER` says so."""

import json
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import invoke
from tests.loopback import anthropic_wire, gemini_wire
from tests.loopback.answers import Answer
from tests.loopback.server import ChatServer


@pytest.fixture(autouse=True)
def _anthropic(monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...], chat_server: ChatServer) -> None:  # noqa: ARG001 - its type is there
    monkeypatch.setenv("LLM_PROVIDER", "anthropic")
    monkeypatch.setenv("LLM_BASE_URL", chat_server.root)
    monkeypatch.setenv("LLM_MODEL", "claude-opus-4-6")
    monkeypatch.setenv("LLM_API_KEY", "sk-loopback")


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("json_schema", anthropic_wire.message('{"order": 7, "paid": true}')),
        ("tools", anthropic_wire.message(None, "tool_use", arguments={"order": 7, "paid": True})),
    ],
)
def test_question_is_answered(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, mode: str, answer: Answer
) -> None:
    monkeypatch.setenv("LLM_STRUCTURED_OUTPUT", mode)
    chat_server.script([answer])

    ended = invoke("ask", "-", "--dto", "shop:Order", text="Which order?")

    assert (ended.code, json.loads(ended.stdout)) == (ExitCode.OK, {"order": 7, "paid": True})
    assert chat_server.requests[0].path == "/v1/messages"


def test_question_is_answered_by_gemini(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "gemini")
    monkeypatch.setenv("LLM_MODEL", "gemini-2.5-flash")
    chat_server.script([gemini_wire.content('```json\n{"order": 7, "paid": true,}\n```')])

    ended = invoke("ask", "-", "--dto", "shop:Order", text="Which order?")

    assert (ended.code, json.loads(ended.stdout)) == (ExitCode.OK, {"order": 7, "paid": True})


def test_text_is_repaired(chat_server: ChatServer, folder: Path) -> None:
    (folder / "broken.txt").write_text("{order :: 7; paid :: true;;}")
    chat_server.script([anthropic_wire.message('{"order": 7, "paid": true}')])

    ended = invoke("repair", "broken.txt")

    assert (ended.code, json.loads(ended.stdout)) == (ExitCode.OK, {"order": 7, "paid": True})
    assert len(chat_server.requests) == 1


def test_answer_that_was_cut_off_is_refused(chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: anthropic_wire.message('{"order": 7, "paid": true}', "max_tokens"))

    ended = invoke("ask", "-", "--dto", "shop:Order", text="Which order?")

    assert ended.code != ExitCode.OK
    assert ended.stdout == ""
