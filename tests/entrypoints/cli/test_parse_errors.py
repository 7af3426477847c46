"""`llm-output parse` on texts that cannot be read, and commands that are wrong."""

import json
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from tests.entrypoints.cli.harness import CLEAN_VERDICT, RECORDINGS, invoke


def test_an_error_shows_message_stage_place_and_the_line_with_a_caret() -> None:
    ended = invoke("parse", text='好的：\n{"a": 中文, "b" "c"}}\n{"a": 2}\n')

    assert (ended.code, ended.stdout) == (1, "")
    message, stage, place, line, caret, *_ = ended.stderr.splitlines()
    assert message.startswith("Error: 不是合法 JSON：")
    assert stage.strip().startswith("stage: ")
    assert place.strip().startswith("at: <stdin>:2:")
    assert line.startswith("  2 │ ")
    assert caret.strip(" │") == "^"


@pytest.mark.parametrize(("text", "shown"), [('{"a": 1,\n\n', '  1 │ {"a": 1,␊'), ('{"a": 1,', '  1 │ {"a": 1,')])
def test_a_cut_is_shown_where_the_text_ends(text: str, shown: str) -> None:
    _, _, place, line, caret, *_ = invoke("parse", text=text).stderr.splitlines()

    assert (place.strip(), line) == ("at: <stdin>:1:9", shown)
    assert caret.index("^") == line.index(",") + 1


def test_a_field_is_named_with_the_line_and_column_of_its_value() -> None:
    text = '{\n "action": "BUY",\n "position_percent": 150}'

    ended = invoke("parse", "--agent", "verdict", text=text)

    field = "field: $.position_percent: Input should be less than or equal to 1 (<stdin>:3:22)"
    assert field in ended.stderr


def test_a_place_is_named_as_an_editor_takes_it() -> None:
    file = str(RECORDINGS / "financial_auditor/refused.txt")

    assert f"at: {file}:21:82" in invoke("parse", file, "--agent", "financial_auditor").stderr


def test_a_broken_contract_lists_every_field_by_its_path() -> None:
    ended = invoke("parse", "--agent", "technical_analyst", text='{"key_technical_levels": {"support": "x"}}')

    assert (ended.code, ended.stdout) == (1, "")
    assert "stage: validate (10 of 10)" in ended.stderr
    assert "field: $.signal: Field required" in ended.stderr
    assert "field: $.key_technical_levels.support: Input should be a valid number" in ended.stderr


def test_more_problems_than_the_error_lists_are_counted(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel\nclass Order(BaseModel, extra='forbid'):\n    id: int = 0\n"
    )

    ended = invoke("parse", "--dto", "shop:Order", text=json.dumps({f"k{number}": 0 for number in range(60)}))

    assert ended.stderr.count("field: ") == 50
    assert ended.stderr.endswith("… and 10 more\n")


def test_competing_answers_are_each_shown() -> None:
    file = str(RECORDINGS / "resolution/refused.txt")

    ended = invoke("parse", file, "--agent", "resolution")

    assert f"at: {file}:2:1" in ended.stderr
    assert f"at: {file}:17:1" in ended.stderr


def test_of_many_competing_answers_some_are_shown_and_the_rest_counted() -> None:
    ended = invoke("parse", text="\n".join(f'{{"a": {number}}}' for number in range(12)))

    assert ended.stderr.count("at: ") == 5
    assert "… and 7 more" in ended.stderr


def test_a_cut_off_text_is_an_error_that_names_salvage() -> None:
    ended = invoke("parse", text='{"a": 1, "b": "tex')

    assert (ended.code, ended.stdout) == (1, "")
    assert "cut off: the text ends too early" in ended.stderr
    assert "Hint: --salvage" in ended.stderr


@pytest.mark.parametrize(("finished", "is_named"), [("unknown", True), ("yes", False), ("no", False)])
def test_a_cut_off_text_names_finished_where_nobody_has_said_anything(finished: str, *, is_named: bool) -> None:
    ended = invoke("parse", "--finished", finished, text='{"a": 1, "b": "tex')

    assert ("Hint: if the model stopped by itself" in ended.stderr) is is_named


def test_salvage_with_nothing_complete_is_an_error_that_does_not_name_salvage() -> None:
    ended = invoke("parse", "--salvage", text='{"a": "tex')

    assert (ended.code, ended.stdout) == (1, "")
    assert "--salvage" not in ended.stderr


def test_an_empty_text_is_a_parse_error() -> None:
    ended = invoke("parse", text="")

    assert (ended.code, ended.stdout) == (1, "")
    assert "模型输出为空" in ended.stderr


def test_an_error_as_json_is_one_object_on_stderr() -> None:
    ended = invoke("parse", "--agent", "verdict", "--error-format", "json", "--explain", text='{"confidence": "高"}')

    error = json.loads(ended.stderr)
    assert (ended.code, ended.stdout) == (1, "")
    assert error["code"] == "LLM_JSON_PARSE_ERROR"
    assert "不符合契约" in error["message"]
    assert error["details"]["stage"] == "validate"
    assert ["confidence"] in [problem["loc"] for problem in error["details"]["validation_errors"]]


def test_a_failure_is_logged_when_asked_for() -> None:
    assert "level='warning' event='llm_json_parse_failed'" in invoke("parse", "--verbose", text="no").stderr


def test_an_unknown_agent_is_a_usage_error_that_suggests_the_nearest_and_lists_all() -> None:
    ended = invoke("parse", "--agent", "technical-analist", text="{}")

    assert (ended.code, ended.stdout) == (2, "")
    assert "did you mean technical_analyst?" in ended.stderr
    assert ", ".join(AGENTS) in ended.stderr


def test_an_agent_like_none_is_not_guessed() -> None:
    assert "did you mean" not in invoke("parse", "--agent", "zzz", text="{}").stderr


def test_an_answer_that_breaks_a_rule_of_the_adapter_is_read_as_its_parser_reads_it() -> None:
    clean = json.loads(Path(CLEAN_VERDICT).read_text(encoding="utf-8"))
    ended = invoke("parse", "--agent", "verdict", text=json.dumps(clean | {"action": "BUY", "position_percent": 0}))

    assert (ended.code, json.loads(ended.stdout)["position_percent"]) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--agent", "verdict", "--dto", "shop:Order"), "--agent, --dto and --schema exclude each other"),
        (("--salvage", "--agent", "verdict"), "--salvage goes without --agent, --dto and --schema"),
        (("--salvage", "--dto", "pydantic.fields:FieldInfo"), "FieldInfo is not a type that Pydantic reads"),
        (("--format", "xml"), "'json', 'table'"),
        (("--error-format", "xml"), "'text', 'json'"),
        (("--agent",), "--agent"),
        (("--explian",), "No such option: --explian"),
        ((CLEAN_VERDICT, "another"), "another"),
    ],
)
def test_a_wrong_call_is_a_usage_error_that_says_what_is_wrong(arguments: tuple[str, ...], said: str) -> None:
    ended = invoke("parse", *arguments, text='{"a": 1}')

    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_an_unknown_command_is_a_usage_error() -> None:
    ended = invoke("prase")

    assert (ended.code, ended.stdout) == (2, "")
    assert "No such command 'prase'" in ended.stderr


@pytest.mark.parametrize(("option", "named"), [("--agnt", "--agent"), ("--finishd", "--finished"), ("--type", "")])
def test_options_that_are_named_instead_of_a_wrong_one_are_nearly_written_so(option: str, named: str) -> None:
    said = invoke("parse", option, "x").stderr.splitlines()[-1]
    assert said == f"Error: No such option: {option}" + (f" (Possible options: {named})" if named else "")


@pytest.mark.parametrize(("text", "is_named"), [('{"a": 1}\n{"a": 2}\n', True), ('{"a": 1}', False)])
def test_json_lines_read_as_a_list_name_the_way(text: str, *, is_named: bool) -> None:
    ended = invoke("parse", "--dto", "tests.entrypoints.cli.batch_types:Numbers", text=text)
    assert (ended.code, "way: each line is an object of its own (JSON Lines)" in ended.stderr) == (1, is_named)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>', True),
        ('{"name": "Ada", "input": "x"}', False),
        ('{"name": "Ada"}', False),
    ],
)
def test_tool_call_that_is_read_without_a_type_names_the_function_that_reads_it(text: str, *, is_told: bool) -> None:
    ended = invoke("parse", text=text)
    assert (ended.code, "read_tool_calls of llm_output reads tool calls" in ended.stderr) == (0, is_told)
