"""`llm-output repair`: the parser first, a model only for syntax the parser cannot read."""

import json

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import ROOT, invoke
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer

BROKEN = str(ROOT / "examples/ask/broken.txt")
RECORDING = str(ROOT / "examples/ask/repair.jsonl")
TEXT = "{order :: 7; paid :: true;;}"
REPAIRED = '{"order": 7, "paid": true}'


pytestmark = pytest.mark.usefixtures("no_model_settings")


def at(server: ChatServer) -> tuple[str, ...]:
    return ("--base-url", server.url, "--model", "m")


def test_shipped_recording_repairs_the_shipped_text() -> None:
    ended = invoke("repair", BROKEN, "--replay", RECORDING)
    assert ended.code == ExitCode.OK
    assert json.loads(ended.stdout)["owner"] == "O'Neill"
    assert "repaired by written-by-hand" in ended.stderr


def test_text_the_parser_can_read_asks_no_model() -> None:
    ended = invoke("repair", text="{'a': 1,}")
    assert json.loads(ended.stdout) == {"a": 1}
    assert "repaired trailing_comma" in ended.stderr


def test_model_repairs_over_http(chat_server: ChatServer) -> None:
    chat_server.script([answer(REPAIRED)])
    ended = invoke("repair", *at(chat_server), text=TEXT)
    assert json.loads(ended.stdout) == {"order": 7, "paid": True}
    assert chat_server.requests[0].body["temperature"] == 0


def test_model_that_changes_a_value_is_refused(chat_server: ChatServer) -> None:
    chat_server.script([answer('{"order": 8, "paid": true}')])
    ended = invoke("repair", *at(chat_server), text=TEXT)
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")


def test_text_that_is_cut_off_is_no_case_for_a_model(chat_server: ChatServer) -> None:
    ended = invoke("repair", *at(chat_server), text='{"a": "half a sen')
    assert ended.code == ExitCode.PARSE_ERROR
    assert "truncated" in ended.stderr or "cut off" in ended.stderr
    assert chat_server.requests == []


@pytest.mark.parametrize(("finished", "code"), [("yes", ExitCode.OK), ("unknown", ExitCode.PARSE_ERROR)])
def test_last_bracket_is_closed_only_where_the_model_had_finished(finished: str, code: ExitCode) -> None:
    assert invoke("repair", "--finished", finished, text="{'a': 1").code == code


def test_model_closes_the_last_bracket_only_where_the_model_that_wrote_it_had_finished(chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: answer(REPAIRED))
    ended = {
        finished: invoke("repair", *at(chat_server), "--finished", finished, text=TEXT.removesuffix("}")).code
        for finished in ("yes", "unknown")
    }
    assert ended == {"yes": ExitCode.OK, "unknown": ExitCode.PARSE_ERROR}


def test_error_as_json(chat_server: ChatServer) -> None:
    chat_server.script([answer("Sorry.")])
    ended = invoke("repair", *at(chat_server), "--error-format", "json", text=TEXT)
    assert json.loads(ended.stderr)["code"].startswith("REPAIR_")


def test_provider_that_fails_has_an_exit_code_of_its_own(chat_server: ChatServer) -> None:
    chat_server.script([status(401)])
    assert invoke("repair", *at(chat_server), text=TEXT).code == ExitCode.MODEL_ERROR


def test_text_that_needs_a_model_says_how_to_name_one() -> None:
    ended = invoke("repair", text=TEXT, columns=400)
    assert ended.code == ExitCode.USAGE
    assert "LLM_BASE_URL" in ended.stderr


@pytest.mark.parametrize("text", ["", "no object at all", '{"a": "half a sen'], ids=["empty", "prose", "cut off"])
def test_text_no_model_could_repair_is_refused_without_one(text: str) -> None:
    ended = invoke("repair", text=text, columns=400)
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")
    assert "LLM_BASE_URL" not in ended.stderr
