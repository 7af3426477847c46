"""`llm-output envelope`: both texts by the parser first, a model only with --repair and for syntax alone."""

import json
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.language import VARIABLE
from tests.entrypoints.cli.harness import ROOT, Ended, invoke
from tests.loopback.answers import answer, status
from tests.loopback.server import ChatServer

EXAMPLES = ROOT / "examples/cowriting"
BROKEN = str(EXAMPLES / "broken.txt")
REPLAY = ("--repair", "--replay", str(EXAMPLES / "repair.jsonl"))
CLEAN = '{"meta": {"v": 1}, "payload": "{\\"title\\": \\"春\\"}", "trace": "t1"}'
DAMAGED = '{"meta": {"v": 1};; "payload": "春"}'
DAMAGED_PAYLOAD = '{"meta": {"v": 1}, "payload": "{\'title\' :: \'春\';; \'words\' :: 3}"}'
REPAIRED_PAYLOAD = '{"title": "春", "words": 3}'
EXPECTED = "a comma or a closing bracket is expected here"
"""Why the parser gives up on these."""


pytestmark = pytest.mark.usefixtures("no_model_settings")


def at(server: ChatServer) -> tuple[str, ...]:
    return ("--repair", "--base-url", server.url, "--model", "m")


# --- the result --------------------------------------------------------------------------------------------


def test_shipped_envelope_is_read_without_a_model() -> None:
    ended = invoke("envelope", str(EXAMPLES / "damaged.txt"))
    assert (ended.code, json.loads(ended.stdout)["payload"]["title"]) == (ExitCode.OK, "雨后的站台")


def test_shipped_recording_repairs_the_shipped_payload() -> None:
    ended = invoke("envelope", BROKEN, *REPLAY)
    assert json.loads(ended.stdout) == {
        "meta": {"agent": "rewrite", "paragraph": 4},
        "payload": {
            "title": "末班车",
            "text": "她把伞收好，看着灯一盏一盏地灭。",
            "changes": ["合并两句", "灯改为逐盏熄灭"],
        },
    }
    assert ended.stderr.splitlines() == ["payload:", "repaired by written-by-hand: about 538 tokens"]


def test_envelope_is_written_with_its_payload_decoded_and_its_other_fields() -> None:
    ended = invoke("envelope", text=CLEAN)
    assert json.loads(ended.stdout) == {"meta": {"v": 1}, "payload": {"title": "春"}, "trace": "t1"}
    assert (ended.code, ended.stderr) == (ExitCode.OK, "")


def test_dash_reads_stdin() -> None:
    assert invoke("envelope", "-", text=CLEAN).stdout == invoke("envelope", text=CLEAN).stdout


@pytest.mark.parametrize("payload", ["null", '""', '"null"'])
def test_empty_payload_is_null_with_a_type_too(payload: str) -> None:
    ended = invoke("envelope", "--agent", "verdict", text='{"meta": {}, "payload": ' + payload + "}")
    assert json.loads(ended.stdout) == {"meta": {}, "payload": None}


def test_payload_may_be_a_list_where_no_type_is_asked_for() -> None:
    assert json.loads(invoke("envelope", text='{"meta": {}, "payload": "[1, 2]"}').stdout)["payload"] == [1, 2]


def test_number_without_an_end_is_written_as_parse_writes_it() -> None:
    text = '{"meta": {"a": NaN}, "payload": {"b": 1e400}}'
    assert invoke("envelope", text=text).stdout == invoke("parse", text=text).stdout


def test_payload_is_written_as_its_type_has_it(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from datetime import date\nfrom pydantic import BaseModel\n"
        "class Draft(BaseModel):\n    title: str\n    due: date = date(2026, 1, 2)\n"
    )
    ended = invoke("envelope", "--dto", "shop:Draft", text=CLEAN)
    assert json.loads(ended.stdout)["payload"] == {"title": "春", "due": "2026-01-02"}


def test_what_the_types_code_prints_does_not_mix_with_the_result(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel, field_validator\n"
        "class Draft(BaseModel):\n    title: str\n"
        "    @field_validator('title')\n    @classmethod\n    def shout(cls, value):\n        print(value)\n"
        "        return value\n"
    )
    ended = invoke("envelope", "--dto", "shop:Draft", text=CLEAN)
    assert json.loads(ended.stdout)["payload"] == {"title": "春"}


def test_payload_of_an_agent_goes_through_its_hooks() -> None:
    payload = json.dumps({"direction": "BULLISH", "confidence": 0.5, "core_thesis": "a", "supporting_arguments": "b"})
    ended = invoke("envelope", "--agent", "bull_advocate", text=json.dumps({"meta": {}, "payload": payload}))
    assert ended.code == ExitCode.PARSE_ERROR
    filled = json.dumps(json.loads(payload) | {"acknowledged_risks": None, "price_catalysts": []})
    ended = invoke("envelope", "--agent", "bull_advocate", text=json.dumps({"meta": {}, "payload": filled}))
    assert json.loads(ended.stdout)["payload"]["supporting_arguments"] == ["b"]


def test_result_goes_to_a_file_or_into_a_table(tmp_path: Path) -> None:
    assert invoke("envelope", "-o", "opened.json", text=CLEAN).stdout == ""
    assert json.loads((tmp_path / "opened.json").read_text())["meta"] == {"v": 1}
    assert "春" in invoke("envelope", "--format", "table", text=CLEAN).stdout


@pytest.mark.parametrize(("finished", "code"), [("yes", ExitCode.OK), ("unknown", ExitCode.PARSE_ERROR)])
def test_last_bracket_is_closed_only_where_the_model_had_finished(finished: str, code: ExitCode) -> None:
    ended = invoke("envelope", "--finished", finished, text=CLEAN.removesuffix("}"))
    assert ended.code == code
    assert ("--finished yes" in ended.stderr) == (code != ExitCode.OK)


# --- what is said of repairs -------------------------------------------------------------------------------


def test_repairs_of_either_text_are_told_under_its_name() -> None:
    ended = invoke("envelope", text="{'meta': {}, \"payload\": \"{'a': 1,}\"}")
    said = [line.split()[:2] for line in ended.stderr.splitlines()]
    assert said == [
        ["envelope:"],
        ["repaired", "single_quote"],
        ["payload:"],
        ["repaired", "single_quote"],
        ["repaired", "trailing_comma"],
    ]


def test_quiet_says_nothing_of_repairs() -> None:
    assert invoke("envelope", BROKEN, *REPLAY, "--quiet").stderr == ""


def test_verbose_logs_an_event_for_each_text() -> None:
    shown = invoke("envelope", BROKEN, *REPLAY, "--verbose").stderr
    assert shown.count("event='llm_output_parsed'") == 3
    assert "context_label='payload' outcome='model_repaired'" in shown


# --- a model -----------------------------------------------------------------------------------------------


def test_model_repairs_the_payload_over_http(chat_server: ChatServer) -> None:
    chat_server.script([answer(REPAIRED_PAYLOAD)])
    ended = invoke("envelope", *at(chat_server), text=DAMAGED_PAYLOAD)
    assert json.loads(ended.stdout)["payload"] == {"title": "春", "words": 3}
    assert ended.stderr.splitlines() == ["payload:", "repaired by loopback-1: 12 tokens"]
    assert [request.body["temperature"] for request in chat_server.requests] == [0]


def test_envelope_and_payload_are_each_asked_about_once(chat_server: ChatServer) -> None:
    payload = "{'title' :: '春';; 'words' :: 3}"
    chat_server.script([answer(json.dumps({"meta": {}, "payload": payload})), answer(REPAIRED_PAYLOAD)])
    ended = invoke("envelope", *at(chat_server), text='{"meta": {};; "payload": "' + payload + '"}')
    assert json.loads(ended.stdout) == {"meta": {}, "payload": {"title": "春", "words": 3}}
    assert len(chat_server.requests) == 2


def test_refused_repair_is_not_asked_for_again_and_says_why_the_parser_gave_up(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    chat_server.respond(lambda _: answer('{"title": "夏", "words": 3}'))
    ended = invoke("envelope", *at(chat_server), text=DAMAGED_PAYLOAD, columns=400)
    assert (ended.code, ended.stdout, len(chat_server.requests)) == (ExitCode.PARSE_ERROR, "", 1)
    assert EXPECTED in ended.stderr
    assert "a value was rewritten, at $.title" in ended.stderr
    assert "at: <payload>:1:" in ended.stderr


def test_without_repair_no_model_is_asked_and_the_option_is_named(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", chat_server.url)
    monkeypatch.setenv("LLM_MODEL", "m")
    ended = invoke("envelope", text=DAMAGED)
    assert (ended.code, chat_server.requests) == (ExitCode.PARSE_ERROR, [])
    assert ended.stderr.splitlines()[-1] == "Hint: --repair asks a model to repair the syntax."


@pytest.mark.parametrize(
    "text", ["", "no object at all", '{"meta": {}, "payload": "cut', '{"title": "春"}', CLEAN], ids=str
)
def test_text_that_no_repair_concerns_needs_no_model(text: str) -> None:
    ended = invoke("envelope", "--repair", text=text, columns=400)
    assert ended.code == (ExitCode.OK if text is CLEAN else ExitCode.PARSE_ERROR)
    assert "LLM_BASE_URL" not in ended.stderr


def test_text_that_needs_a_model_says_how_to_name_one_and_why() -> None:
    ended = invoke("envelope", "--repair", text=DAMAGED, columns=400)
    assert ended.code == ExitCode.USAGE
    assert "LLM_BASE_URL" in ended.stderr
    assert EXPECTED in ended.stderr


def test_provider_that_fails_has_an_exit_code_of_its_own(chat_server: ChatServer) -> None:
    chat_server.script([status(401)])
    assert invoke("envelope", *at(chat_server), text=DAMAGED).code == ExitCode.MODEL_ERROR


@pytest.mark.parametrize("option", ["--model", "--base-url", "--replay", "--record"])
def test_option_about_the_model_without_repair_is_a_mistake(option: str) -> None:
    ended = invoke("envelope", option, "m", text=CLEAN)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert "need --repair" in ended.stderr


def test_explain_and_quiet_exclude_each_other() -> None:
    assert invoke("envelope", "--explain", "--quiet", text=CLEAN).code == ExitCode.USAGE


# --- refusals ----------------------------------------------------------------------------------------------


def test_refusal_names_the_text_the_layer_and_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    assert invoke("envelope", text=DAMAGED).stderr.splitlines() == [
        f"Error: the envelope failed in layer normalize: not valid JSON: {EXPECTED}",
        "  stage: repair (7 of 10)",
        "  at: <stdin>:1:18",
        '  1 │ {"meta": {"v": 1};; "payload": "春"}',
        "    │                  ^",
        "Hint: --repair asks a model to repair the syntax.",
    ]


def test_payload_that_breaks_its_contract_names_its_fields() -> None:
    ended = invoke("envelope", "--agent", "verdict", text=CLEAN)
    assert ended.code == ExitCode.PARSE_ERROR
    assert "field: $.action: " in ended.stderr


def test_error_as_json_has_part_layer_and_the_refused_repair(chat_server: ChatServer) -> None:
    chat_server.script([answer("Sorry.")])
    ended = invoke("envelope", *at(chat_server), "--error-format", "json", "--explain", text=DAMAGED)
    error = json.loads(ended.stderr)
    assert error["code"] == "ENVELOPE_PARSE_ERROR"
    assert {name: error["details"][name] for name in ("part", "layer", "cause_code", "stage")} == {
        "part": "envelope",
        "layer": "repair_agent",
        "cause_code": "REPAIR_ANSWER_NOT_JSON",
        "stage": "repair",
    }


# --- --explain ---------------------------------------------------------------------------------------------


def layers(ended: Ended) -> list[list[str]]:
    """The titles of the texts, and under each what is said first of its layers."""
    shown: list[list[str]] = []
    for line in ended.stderr.splitlines():
        if line.startswith(("envelope ", "payload ", "信封 ")):
            shown.append([line])
        elif line[:2].strip().isdecimal() and line[2] == " ":
            shown[-1].append(line[3:].strip())
    return shown


def test_four_layers_of_both_texts_are_explained_in_their_order() -> None:
    ended = invoke("envelope", "--explain", "--agent", "verdict", text='{"meta": {}, "payload": null}')
    envelope, payload = layers(ended)
    assert [row.split()[0] for row in envelope[1:]] == ["extract", "normalize", "parse", "repair_agent"]
    assert (envelope[0], payload[0]) == ("envelope  29 characters", "payload  empty")
    assert [row.split(None, 1)[1] for row in payload[1:]] == ["not needed"] * 4


def test_layers_that_read_a_clean_text_had_nothing_to_repair() -> None:
    assert layers(invoke("envelope", "--explain", text='{"meta": {}, "payload": "12"}')) == [
        [
            "envelope  29 characters",
            "extract       nothing to do",
            "normalize     nothing to do",
            'parse         chosen 1:1 to 1:29, 29 characters: {"meta": {}, "payload": "12"}',
            "repair_agent  not needed",
        ],
        [
            "payload  2 characters",
            "extract       nothing to do",
            "normalize     nothing to do",
            "parse         no DTO was asked for",
            "repair_agent  not needed",
        ],
    ]


def test_repairs_stand_under_layer_2_with_their_text() -> None:
    lines = invoke("envelope", "--explain", text="{'meta': {}, \"payload\": null}").stderr.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(" 2 normalize"))
    assert lines[at + 1].startswith("    repaired single_quote")
    assert next(line for line in lines[at:] if line.startswith(" 3 parse")).endswith("satisfies Envelope")


def test_layer_4_says_who_repaired_and_what_its_answer_then_was() -> None:
    ended = invoke("envelope", BROKEN, *REPLAY, "--explain")
    assert layers(ended)[1][3:] == [
        "parse         not reached",
        "repair_agent  repaired by written-by-hand: about 538 tokens",
    ]
    assert ended.stderr.splitlines()[-1].strip() == "then parse: no DTO was asked for"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DAMAGED, "not asked: only --repair asks a model"),
        ('{"meta": {}, "payload": "cut', "not asked: no damage of syntax that a model could repair"),
    ],
)
def test_layer_4_says_why_it_was_not_asked(text: str, why: str) -> None:
    shown = layers(invoke("envelope", "--explain", text=text))
    assert shown[0][4] == f"repair_agent  {why}"
    assert shown[1] == ["payload  not reached"]


def test_layer_4_says_why_a_repair_was_refused_and_what_it_cost(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    chat_server.script([answer('{"meta": {"v": 2}, "payload": "春"}')])
    ended = invoke("envelope", *at(chat_server), "--explain", text=DAMAGED)
    assert layers(ended)[0][2:] == [
        f"normalize     failed at 1:18: not valid JSON: {EXPECTED}",
        "parse         not reached",
        "repair_agent  asked loopback-1: 12 tokens",
    ]
    refused = "failed: the repair agent's answer is not accepted: a value was rewritten, at $.meta.v"
    assert refused in [line.strip() for line in ended.stderr.splitlines()]


def test_layer_4_says_where_a_repaired_text_fails_afterwards(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    chat_server.script([answer(REPAIRED_PAYLOAD)])
    ended = invoke("envelope", *at(chat_server), "--explain", text="{'title' :: '春';; 'words' :: 3}")
    assert ended.code == ExitCode.PARSE_ERROR
    assert "then parse: failed: does not match the contract Envelope" in ended.stderr


def test_layer_4_says_that_the_provider_failed(chat_server: ChatServer) -> None:
    chat_server.script([status(401)])
    ended = invoke("envelope", *at(chat_server), "--explain", text=DAMAGED)
    assert layers(ended)[0][4].startswith("repair_agent  failed: ")


def test_layers_are_explained_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    ended = invoke("envelope", BROKEN, *REPLAY, "--explain")
    assert layers(ended)[0][0] == "信封  152 个字符"
    assert layers(ended)[1][2:] == [
        "normalize     失败，位于 1:82：不是合法 JSON：此处应为逗号或右括号",
        "parse         未到达",
        "repair_agent  由 written-by-hand 修复：约 538 词元",
    ]
    assert ended.stderr.splitlines()[-1].strip() == "再经 parse：未指定 DTO"
