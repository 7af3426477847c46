"""`llm-output envelope`, beside its transcripts: a model only with --repair and for syntax alone; and its layers."""

import json
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.language import VARIABLE
from tests.entrypoints.cli.harness import ROOT, Ended, invoke
from tests.loopback.answers import Answer, answer, status
from tests.loopback.server import ChatServer

EXAMPLES = ROOT / "examples/cowriting"
BROKEN = str(EXAMPLES / "broken.txt")
REPLAY = ("--repair", "--replay", str(EXAMPLES / "repair.jsonl"))
CLEAN = '{"meta": {"v": 1}, "payload": "{\\"title\\": \\"春\\"}", "trace": "t1"}'
DAMAGED = '{"meta": {"v": 1};; "payload": "春"}'
PAYLOAD = "{'title' :: '春';; 'words' :: 3}"
DAMAGED_PAYLOAD = '{"meta": {"v": 1}, "payload": "' + PAYLOAD + '"}'
REPAIRED_PAYLOAD = '{"title": "春", "words": 3}'
EXPECTED = "a comma or a closing bracket is expected here"
"""Why the parser gives up on these."""


pytestmark = pytest.mark.usefixtures("no_model_settings")


@pytest.fixture(autouse=True)
def _english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")


def at(server: ChatServer) -> tuple[str, ...]:
    return ("--repair", "--base-url", server.url, "--model", "m")


# --- the result --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text", "payload"),
    [
        ((), CLEAN, {"title": "春"}),
        (("-",), CLEAN, {"title": "春"}),
        (("--repair",), CLEAN, {"title": "春"}),
        (("--finished", "yes"), CLEAN.removesuffix("}"), {"title": "春"}),
        ((), '{"meta": {"v": 1}, "payload": "[1, 2]"}', [1, 2]),
        *((("--agent", "verdict"), '{"meta": {"v": 1}, "payload": ' + empty + "}", None) for empty in ("null", '""')),
        (("--agent", "verdict"), '{"meta": {"v": 1}, "payload": "null"}', None),
    ],
)
def test_payload_is_decoded_and_other_fields_stay(arguments: tuple[str, ...], text: str, payload: object) -> None:
    ended = invoke("envelope", *arguments, text=text)

    data = json.loads(ended.stdout)
    assert (ended.code, data.pop("meta"), data.pop("payload")) == (ExitCode.OK, {"v": 1}, payload)
    assert data in ({}, {"trace": "t1"})


def test_shipped_recording_repairs_the_shipped_payload() -> None:
    ended = invoke("envelope", BROKEN, *REPLAY)

    assert json.loads(ended.stdout)["payload"]["title"] == "末班车"
    assert ended.stderr.splitlines() == ["payload:", "repaired by written-by-hand: about 538 tokens"]
    assert invoke("envelope", BROKEN, *REPLAY, "--quiet").stderr == ""


def test_number_without_an_end_is_written_as_parse_writes_it() -> None:
    text = '{"meta": {"a": NaN}, "payload": {"b": 1e400}}'

    assert invoke("envelope", text=text).stdout == invoke("parse", text=text).stdout


def test_payload_is_written_as_its_type_has_it_and_what_its_code_prints_does_not_mix_with_it(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from datetime import date\nfrom pydantic import BaseModel, field_validator\n"
        "class Draft(BaseModel):\n    title: str\n    due: date = date(2026, 1, 2)\n"
        "    @field_validator('title')\n    @classmethod\n    def shout(cls, value):\n        print(value)\n"
        "        return value\n"
    )
    ended = invoke("envelope", "--dto", "shop:Draft", text=CLEAN)

    assert json.loads(ended.stdout)["payload"] == {"title": "春", "due": "2026-01-02"}


def test_payload_of_an_agent_goes_through_its_hooks() -> None:
    payload = {"direction": "BULLISH", "confidence": 0.5, "core_thesis": "a", "supporting_arguments": "b"}
    text = json.dumps({"meta": {}, "payload": payload | {"acknowledged_risks": None, "price_catalysts": []}})
    ended = invoke("envelope", "--agent", "bull_advocate", text=text)

    assert json.loads(ended.stdout)["payload"]["supporting_arguments"] == ["b"]


def test_result_goes_to_a_file(tmp_path: Path) -> None:
    assert invoke("envelope", "-o", "opened.json", text=CLEAN).stdout == ""
    assert json.loads((tmp_path / "opened.json").read_text())["meta"] == {"v": 1}


def test_verbose_logs_an_event_for_each_text() -> None:
    shown = invoke("envelope", BROKEN, *REPLAY, "--verbose").stderr

    assert shown.count("event='llm_output_parsed'") == 3
    assert "context_label='payload' outcome='model_repaired'" in shown


# --- a model, and refusals ---------------------------------------------------------------------------------


def test_envelope_and_payload_are_each_asked_about_once(chat_server: ChatServer) -> None:
    chat_server.script([answer(json.dumps({"meta": {}, "payload": PAYLOAD})), answer(REPAIRED_PAYLOAD)])
    ended = invoke("envelope", *at(chat_server), text='{"meta": {};; "payload": "' + PAYLOAD + '"}')

    assert json.loads(ended.stdout) == {"meta": {}, "payload": {"title": "春", "words": 3}}
    assert [request.body["temperature"] for request in chat_server.requests] == [0, 0]


@pytest.mark.parametrize(
    ("text", "answered", "code", "said"),
    [
        (DAMAGED_PAYLOAD, answer('{"title": "夏", "words": 3}'), ExitCode.PARSE_ERROR, "rewritten, at $.title"),
        (DAMAGED, status(401), ExitCode.MODEL_ERROR, f"A model was needed because: not valid JSON: {EXPECTED}"),
    ],
)
def test_model_that_does_not_repair_is_asked_once_and_why_it_was_needed_is_said(
    chat_server: ChatServer, text: str, answered: Answer, code: ExitCode, said: str
) -> None:
    chat_server.respond(lambda _: answered)
    ended = invoke("envelope", *at(chat_server), text=text, columns=400)

    assert (ended.code, ended.stdout, len(chat_server.requests)) == (code, "", 1)
    assert said.partition(":")[0] in ended.stderr
    assert EXPECTED in ended.stderr


def test_without_repair_no_model_is_asked_though_there_is_one(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", chat_server.url)
    monkeypatch.setenv("LLM_MODEL", "m")
    ended = invoke("envelope", text=DAMAGED)

    assert (ended.code, chat_server.requests) == (ExitCode.PARSE_ERROR, [])
    assert ended.stderr.splitlines() == [
        f"Error: the envelope failed in layer normalize: not valid JSON: {EXPECTED}",
        "  stage: repair (7 of 10)",
        "  at: <stdin>:1:18",
        '  1 │ {"meta": {"v": 1};; "payload": "春"}',
        "    │                  ^",
        "Hint: --repair asks a model to repair the syntax.",
    ]


@pytest.mark.parametrize("text", ["", "no object at all", '{"meta": {}, "payload": "cut', '{"title": "春"}'])
def test_text_that_no_repair_concerns_needs_no_model(text: str) -> None:
    ended = invoke("envelope", "--repair", text=text, columns=400)

    assert (ended.code, "LLM_BASE_URL" in ended.stderr) == (ExitCode.PARSE_ERROR, False)


def test_text_that_needs_a_model_says_how_to_name_one_and_why() -> None:
    ended = invoke("envelope", "--repair", text=DAMAGED, columns=400)

    assert (ended.code, "LLM_BASE_URL" in ended.stderr, EXPECTED in ended.stderr) == (ExitCode.USAGE, True, True)


@pytest.mark.parametrize("option", ["--base-url", "--replay", "--record"])
def test_option_about_the_model_without_repair_is_a_mistake(option: str) -> None:
    ended = invoke("envelope", option, "m", text=CLEAN)

    assert (ended.code, ended.stdout, "need --repair" in ended.stderr) == (ExitCode.USAGE, "", True)


def test_cut_envelope_names_finished_and_a_cut_payload_does_not() -> None:
    assert "--finished yes" in invoke("envelope", text=CLEAN.removesuffix("}")).stderr
    assert "--finished yes" not in invoke("envelope", text='{"meta": {}, "payload": "{\\"a\\": 1"}').stderr


def test_error_as_json_has_part_layer_and_the_refused_repair(chat_server: ChatServer) -> None:
    chat_server.script([answer("Sorry.")])
    ended = invoke("envelope", *at(chat_server), "--error-format", "json", "--explain", text=DAMAGED)
    details = json.loads(ended.stderr)["details"]

    assert [details[name] for name in ("part", "layer", "cause_code", "stage")] == [
        "envelope", "repair_agent", "REPAIR_ANSWER_NOT_JSON", "repair"
    ]  # fmt: skip


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


def test_payload_that_is_empty_goes_through_no_layer() -> None:
    _, payload = layers(invoke("envelope", "--explain", text='{"meta": {}, "payload": null}'))

    assert payload[0] == "payload  empty"
    assert [row.split(None, 1)[1] for row in payload[1:]] == ["not needed"] * 4


def test_layers_that_read_a_clean_text_had_nothing_to_repair() -> None:
    assert layers(invoke("envelope", "--explain", text='{"meta": {}, "payload": "12"}'))[1] == [
        "payload  2 characters",
        "extract       nothing to do",
        "normalize     nothing to do",
        "parse         no DTO was asked for",
        "repair_agent  not needed",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DAMAGED, "not asked: only --repair asks a model"),
        ('{"meta": {}, "payload": "cut', "not asked: no damage of syntax that a model could repair"),
    ],
)
def test_layer_4_says_why_it_was_not_asked(text: str, why: str) -> None:
    envelope, payload = layers(invoke("envelope", "--explain", text=text))

    assert (envelope[4], payload) == (f"repair_agent  {why}", ["payload  not reached"])


@pytest.mark.parametrize(
    ("text", "answered", "said"),
    [
        (
            DAMAGED,
            answer('{"meta": {"v": 2}, "payload": "春"}'),
            [
                "repair_agent  asked loopback-1: 12 tokens",
                "failed: the repair agent's answer is not accepted: a value was rewritten, at $.meta.v",
            ],
        ),
        (
            PAYLOAD,
            answer(REPAIRED_PAYLOAD),
            [
                "repair_agent  repaired by loopback-1: 12 tokens",
                "then parse: failed: does not match the contract Envelope: ",
            ],
        ),
    ],
)
def test_layer_4_says_what_the_repair_cost_and_what_came_of_it(
    chat_server: ChatServer, text: str, answered: Answer, said: list[str]
) -> None:
    chat_server.script([answered])
    ended = invoke("envelope", *at(chat_server), "--explain", text=text)
    lines = [line.removeprefix(" 4 ").strip() for line in ended.stderr.splitlines()]

    at_model = lines.index(said[0])
    assert lines[at_model + 1].startswith(said[1])
    assert layers(ended)[0][3] == "parse         not reached"


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
