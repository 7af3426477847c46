"""`llm-output repair`, beside its transcripts: the parser first, a model only for syntax it cannot read."""

import json

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import ROOT, invoke
from tests.loopback.answers import Answer, answer, status
from tests.loopback.server import ChatServer

RECORDED = (str(ROOT / "examples/ask/broken.txt"), "--replay", str(ROOT / "examples/ask/repair.jsonl"))
TEXT = "{order :: 7; paid :: true;;}"
REPAIRED = '{"order": 7, "paid": true}'


pytestmark = pytest.mark.usefixtures("no_model_settings")


def test_shipped_recording_repairs_the_shipped_text() -> None:
    ended = invoke("repair", *RECORDED)

    assert (ended.code, json.loads(ended.stdout)["owner"]) == (ExitCode.OK, "O'Neill")


@pytest.mark.parametrize(
    ("arguments", "text", "answered", "code"),
    [
        ((), TEXT, answer(REPAIRED), ExitCode.OK),
        ((), TEXT, answer('{"order": 8, "paid": true}'), ExitCode.PARSE_ERROR),
        ((), TEXT, status(401), ExitCode.MODEL_ERROR),
        (("--finished", "yes"), TEXT.removesuffix("}"), answer(REPAIRED), ExitCode.OK),
        ((), TEXT.removesuffix("}"), answer(REPAIRED), ExitCode.PARSE_ERROR),
        (("--finished", "yes"), "{'a': 1", None, ExitCode.OK),
        ((), "{'a': 1", None, ExitCode.PARSE_ERROR),
        ((), '{"a": "half a sen', None, ExitCode.PARSE_ERROR),
        ((), "no object at all", None, ExitCode.PARSE_ERROR),
        ((), "", None, ExitCode.PARSE_ERROR),
    ],
)
def test_model_is_asked_for_syntax_alone_and_changes_no_value(
    chat_server: ChatServer, arguments: tuple[str, ...], text: str, answered: Answer | None, code: ExitCode
) -> None:
    chat_server.respond(lambda _: answered or answer(""))
    ended = invoke("repair", "--base-url", chat_server.url, "--model", "m", *arguments, text=text)

    assert (ended.code, bool(ended.stdout)) == (code, code == ExitCode.OK)
    assert [request.body["temperature"] for request in chat_server.requests] == ([0] if answered else [])
    if answered and ended.stdout:
        assert json.loads(ended.stdout) == json.loads(REPAIRED)
