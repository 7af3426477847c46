"""`llm-output parse` on texts that can be read: what goes to stdout, what to stderr."""

import json
import math
from pathlib import Path

import pytest
from pydantic import BaseModel

from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.judge.domain.dtos.verdict_result import VerdictResult
from src.shared.infrastructure.llm_json import parse_llm_json_output
from tests.entrypoints.cli.harness import CLEAN_VERDICT, RECORDINGS, invoke


class Small(BaseModel):
    """What `--dto` asks for here."""

    a: int


ORDER = """
from pydantic import BaseModel, Field

class Order(BaseModel):
    id: int = Field(alias="orderId")
    note: str = ""
"""


def test_the_typed_object_is_written_as_json_and_nothing_is_said_of_a_clean_text() -> None:
    ended = invoke("parse", CLEAN_VERDICT, "--agent", "verdict")

    expected = parse_llm_json_output(Path(CLEAN_VERDICT).read_text(), VerdictResult)
    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == expected.model_dump(mode="json")


def test_the_json_is_indented_and_its_chinese_readable() -> None:
    assert invoke("parse", text='{"结论": "持有"}').stdout == '{\n  "结论": "持有"\n}\n'


def test_no_file_and_a_dash_both_read_stdin() -> None:
    text = Path(CLEAN_VERDICT).read_bytes()
    from_file = invoke("parse", CLEAN_VERDICT, "--agent", "verdict").stdout

    assert invoke("parse", "--agent", "verdict", text=text).stdout == from_file
    assert invoke("parse", "-", "--agent", "verdict", text=text).stdout == from_file


def test_each_repair_is_a_line_on_stderr_with_its_place_and_what_was_read() -> None:
    ended = invoke("parse", text="{\n  'a': 1,\n  b: True,}")

    assert json.loads(ended.stdout) == {"a": 1, "b": True}
    assert [line.split() for line in ended.stderr.splitlines()] == [
        ["repaired", "single_quote", "2:3", "'a'", "→", '"a"'],
        ["repaired", "unquoted_key", "3:3", "b", "→", '"b"'],
        ["repaired", "python_literal", "3:6", "True", "→", "true"],
        ["repaired", "trailing_comma", "3:10", ",", "→", "(dropped)"],
    ]


def test_something_missing_is_called_so() -> None:
    assert "(missing) → }" in invoke("parse", "--finished", "yes", text='{"a": 1').stderr


@pytest.mark.parametrize(
    ("finished", "text", "code"),
    [
        ("yes", '{"a": 1', ExitCode.OK),
        ("unknown", '{"a": 1', ExitCode.PARSE_ERROR),
        ("unknown", '{"a": 1}', ExitCode.OK),
        ("no", '{"a": 1}', ExitCode.PARSE_ERROR),
    ],
)
@pytest.mark.parametrize("options", [(), ("--explain",), ("--dto", "tests.entrypoints.cli.test_parse:Small")])
def test_what_is_known_of_the_end_decides_on_a_bracket_that_is_missing_there(
    finished: str, text: str, code: ExitCode, options: tuple[str, ...]
) -> None:
    assert invoke("parse", "--finished", finished, *options, text=text).code == code


def test_a_long_list_of_repairs_is_cut_and_the_rest_counted() -> None:
    members = ", ".join(f"k{number}: 1" for number in range(25))

    lines = invoke("parse", text=f"{{{members}}}").stderr.splitlines()

    assert len(lines) == 11
    assert lines[-1] == "… and 15 more"


def test_without_agent_and_dto_the_decoded_object_is_written_as_it_is() -> None:
    assert json.loads(invoke("parse", text='thus: {"x": {"y": [1, null]}} done').stdout) == {"x": {"y": [1, None]}}


def test_a_dto_of_ones_own_is_imported_from_the_current_directory(folder: Path) -> None:
    (folder / "shop.py").write_text(ORDER)

    ended = invoke("parse", "--dto", "shop:Order", text='```json\n{"orderId": "7"}\n```')

    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"orderId": 7, "note": ""}


def test_what_a_dtos_module_prints_does_not_mix_with_the_result(folder: Path) -> None:
    (folder / "shop.py").write_text("print('loaded')\n" + ORDER)

    ended = invoke("parse", "--dto", "shop:Order", text='{"orderId": 7}')

    assert json.loads(ended.stdout)["orderId"] == 7
    assert ended.stderr == "loaded\n"


def test_what_a_dtos_validator_prints_does_not_mix_with_the_result(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel, field_validator\nclass Order(BaseModel):\n    id: int\n"
        "    @field_validator('id')\n    @classmethod\n    def say(cls, value):\n        print('checked')\n"
        "        return value\n"
    )

    ended = invoke("parse", "--dto", "shop:Order", text='{"id": 7}')

    assert json.loads(ended.stdout) == {"id": 7}
    assert ended.stderr == "checked\n"


def test_a_dto_that_is_not_finished_is_a_usage_error(folder: Path) -> None:
    (folder / "shop.py").write_text("from pydantic import BaseModel\nclass Order(BaseModel):\n    id: 'Later'\n")

    ended = invoke("parse", "--dto", "shop:Order", text='{"id": 7}')

    assert (ended.code, ended.stdout) == (2, "")
    assert "the DTO Order cannot be used" in ended.stderr


def test_an_object_too_deep_for_its_dtos_serializer_is_an_error_in_one_line(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from typing import Any\nfrom pydantic import BaseModel\nclass Order(BaseModel):\n    x: Any\n"
    )

    ended = invoke("parse", "--dto", "shop:Order", text='{"x":' * 400 + "1" + "}" * 400)

    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "cannot be used" in ended.stderr


def test_a_table_names_the_path_of_every_value() -> None:
    ended = invoke("parse", "--format", "table", text='{"a": {"b c": [1, {"d": "文"}]}, "e": [], "f": null, "g": true}')

    rows = [tuple(line.rsplit(None, 1)) for line in ended.stdout.splitlines()[2:]]
    assert [(path.rstrip(), value) for path, value in rows] == [
        ('$.a["b c"][0]', "1"),
        ('$.a["b c"][1].d', "文"),
        ("$.e", "[]"),
        ("$.f", "null"),
        ("$.g", "true"),
    ]


def test_a_table_takes_no_more_room_than_there_is() -> None:
    ended = invoke(
        "parse", str(RECORDINGS / "technical_analyst/clean.txt"), "--agent", "technical_analyst", "--format", "table"
    )

    assert "$.key_technical_levels.support" in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 100


def test_a_number_json_does_not_know_keeps_its_value() -> None:
    ended = invoke("parse", text='{"x": NaN}')

    assert math.isnan(json.loads(ended.stdout)["x"])
    assert "non_finite_number" in ended.stderr


def test_half_a_surrogate_pair_is_written_as_the_escape_it_was() -> None:
    assert json.loads(invoke("parse", text=r'{"x": "\ud800"}').stdout) == {"x": "\ud800"}


def test_salvage_keeps_the_complete_members_and_says_that_the_text_was_cut_off() -> None:
    ended = invoke("parse", "--salvage", text='{"a": 1, "b": [1, 2, {"c": "tex')

    assert (ended.code, json.loads(ended.stdout)) == (0, {"a": 1, "b": [1, 2]})
    assert "truncated_member" in ended.stderr
    assert "Warning: the text was cut off" in ended.stderr


def test_salvage_of_a_whole_text_says_nothing() -> None:
    ended = invoke("parse", "--salvage", text='{"a": 1}')

    assert (ended.code, ended.stderr) == (0, "")


def test_the_log_is_silent_unless_asked_for() -> None:
    text = "{'a': 1}"

    assert "llm_json_repaired" not in invoke("parse", text=text).stderr

    verbose = invoke("parse", "--verbose", text=text)
    assert "level='info' event='llm_json_repaired'" in verbose.stderr
    assert json.loads(verbose.stdout) == {"a": 1}


@pytest.mark.parametrize("output_format", ["json", "table"])
def test_a_value_that_cannot_be_written_is_an_error_in_one_line(folder: Path, output_format: str) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel, field_validator\nclass Order(BaseModel):\n    id: int\n"
        "    @field_validator('id')\n    @classmethod\n    def enlarge(cls, value):\n        return 10 ** 5000\n"
    )

    ended = invoke("parse", "--dto", "shop:Order", "--format", output_format, text='{"id": 7}')

    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "cannot be written" in ended.stderr


@pytest.mark.parametrize(
    ("options", "text", "written"),
    [
        ((), "[1, 2]", [1, 2]),
        ((), 'See [1]: {"a": 1}', {"a": 1}),
        (("--root", "array"), "The list: [1, 2].", [1, 2]),
        (("--root", "any"), "The list: [1, 2].", [1, 2]),
    ],
)
def test_root_says_what_is_looked_for_without_a_type(options: tuple[str, ...], text: str, written: object) -> None:
    assert json.loads(invoke("parse", *options, text=text).stdout) == written


@pytest.mark.parametrize("told", [("--explain",), ("--trace", "json")])
def test_refusal_of_a_root_tells_the_stages_up_to_it(told: tuple[str, ...]) -> None:
    ended = invoke("parse", "--root", "array", *told, text='{"a": 1}')
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")
    assert "the root must be an array, not object" in ended.stderr


def test_root_goes_without_a_type() -> None:
    ended = invoke("parse", "--root", "array", "--agent", "verdict", text="[1]")
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert "--root goes without --agent, --dto and --schema" in ended.stderr


ROWS = """
from pydantic import BaseModel

class Row(BaseModel):
    n: str
    v: int

Rows = list[Row]
"""


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "row_types.py").write_text(ROWS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("text", "options", "data"),
    [
        ('{"output": {"n": "a", "v": 1}}', ("row_types:Row", "--unwrap"), {"n": "a", "v": 1}),
        (r'{"n": "\frac", "v": 1}', ("row_types:Row", "--escapes", "latex"), {"n": "\\frac", "v": 1}),
        (
            '[{"n": "a", "v": 1, "n": "b", "v": 2}]',
            ("row_types:Rows", "--run-together", "split"),
            [{"n": "a", "v": 1}, {"n": "b", "v": 2}],
        ),
    ],
)
def test_options_say_what_is_allowed_besides_json(text: str, options: tuple[str, ...], data: object) -> None:
    assert json.loads(invoke("parse", "--dto", *options, text=text).stdout) == data


def test_those_options_need_a_type() -> None:
    ended = invoke("parse", "--unwrap", text="{}")

    assert ended.code == ExitCode.USAGE
    assert "--unwrap must go with --agent, --dto or --schema" in ended.stderr
