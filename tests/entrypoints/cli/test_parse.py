"""`llm-output parse`, beside its transcripts: options, hostile sizes, a user's own types, files that are written."""

import json
import math
import os
import stat
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, Field
from rich.cells import cell_len

from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.infrastructure.parsing.inspection import STAGES
from tests.entrypoints.cli.harness import CLEAN_VERDICT, RECORDINGS, Ended, invoke


class Sale(BaseModel):
    """What `--dto` asks for here."""

    revenue: float = 0
    notes: list[str] = []
    share: Annotated[float, Field(ge=0, le=1)] = 0.0


class Closed(BaseModel, extra="forbid"):
    """An object without other fields."""


Sales = list[Sale]
SALE, SALES, CLOSED = (("--dto", f"{__name__}:{name}") for name in ("Sale", "Sales", "Closed"))
VERDICT = ("--agent", "verdict")
REFUSED = object()
"""Stands for the data of a text that is refused."""
LINES = '{"revenue": 1}\n{"revenue": 2}\n'
SEVERAL = "\n".join(f'{{"a": {number}}}' for number in range(12))
TOOL_CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


@pytest.mark.parametrize(
    ("arguments", "text", "data", "told"),
    [
        ((), 'thus: {"x": {"y": [1, null]}} done', {"x": {"y": [1, None]}}, ""),
        ((), r'{"x": "\ud800"}', {"x": "\ud800"}, ""),
        ((), "[1, 2]", [1, 2], ""),
        ((), 'See [1]: {"a": 1}', {"a": 1}, ""),
        (("--root", "array"), "The list: [1, 2].", [1, 2], ""),
        (("--root", "any"), "The list: [1, 2].", [1, 2], ""),
        (("--root", "array", "--explain"), '{"a": 1}', REFUSED, "the root must be an array, not object"),
        (("--root", "array", "--trace", "json"), '{"a": 1}', REFUSED, "the root must be an array, not object"),
        ((), '{"a": 1', REFUSED, "Hint: if the model stopped by itself"),
        (("--finished", "yes"), '{"a": 1', {"a": 1}, "(missing) → }"),
        (("--finished", "yes", "--explain"), '{"a": 1', {"a": 1}, "(missing) → }"),
        (("--finished", "yes", *SALE), '{"revenue": 1', {"revenue": 1, "notes": [], "share": 0}, "(missing) → }"),
        (("--finished", "no"), '{"a": 1}', REFUSED, "cut off"),
        (("--salvage",), '{"a": 1}', {"a": 1}, ""),
        (("--salvage", "--quiet"), '{"a": 1, "b": 2, "c', {"a": 1, "b": 2}, "Warning: the text was cut off"),
        (("--quiet",), "no", REFUSED, "Error: "),
        ((*SALE, "--coerce", "--quiet"), '{"share": "5%"}', {"revenue": 0, "notes": [], "share": 0.05}, ""),
        ((*SALE, "--coerce"), '{"revenue": "1,234"}', REFUSED, "can be read as 1.234 or as 1234"),
        (
            (*SALE, "--timeout", "0.001"),
            "[" + '{"a": "x "y" z", "b": 1, "c": 2},' * 2_000 + "]",
            REFUSED,
            "0.001",
        ),
        (SALES, LINES, REFUSED, "way: each line is an object of its own (JSON Lines)"),
        (VERDICT, "\n".join(SEVERAL.splitlines()[:2]), REFUSED, "at: <stdin>:2:1"),
        ((), TOOL_CALL, {"name": "f", "arguments": {"a": 1}}, "read_tool_calls of llm_output reads tool calls"),
        ((), '{"name": "Ada", "input": "x"}', {"name": "Ada", "input": "x"}, ""),
        (("--verbose",), "no", REFUSED, "level='warning' event='llm_json_parse_failed'"),
    ],
)
def test_text_comes_out_as_data_or_is_refused(arguments: tuple[str, ...], text: str, data: object, told: str) -> None:
    ended = invoke("parse", *arguments, text=text)

    code = ExitCode.PARSE_ERROR if data is REFUSED else ExitCode.OK
    assert (ended.code, ended.stdout and json.loads(ended.stdout)) == (code, "" if data is REFUSED else data)
    assert told in ended.stderr
    assert bool(told) == bool(ended.stderr)


@pytest.mark.parametrize(
    ("arguments", "text", "is_said"),
    [
        (("--finished", "yes"), '{"a": 1, "b": "tex', False),
        (("--finished", "no"), '{"a": 1, "b": "tex', False),
        ((), '{"a": 1, "b": "tex', True),
    ],
)
def test_finished_is_named_where_nobody_has_said_anything(
    arguments: tuple[str, ...], text: str, *, is_said: bool
) -> None:
    assert ("Hint: if the model stopped" in invoke("parse", *arguments, text=text).stderr) is is_said


def test_salvage_with_nothing_complete_does_not_name_salvage() -> None:
    ended = invoke("parse", "--salvage", text='{"a": "tex')

    assert (ended.code, ended.stdout, "--salvage" in ended.stderr) == (ExitCode.PARSE_ERROR, "", False)


def test_one_object_read_as_a_list_names_no_way() -> None:
    assert "JSON Lines" not in invoke("parse", *SALES, text='{"a": 1}').stderr


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_no_file_and_a_dash_both_read_stdin(arguments: tuple[str, ...]) -> None:
    ended = invoke("parse", *VERDICT, *arguments, text=Path(CLEAN_VERDICT).read_bytes())

    assert ended == invoke("parse", CLEAN_VERDICT, *VERDICT)
    assert (ended.code, ended.stderr, json.loads(ended.stdout)["action"]) == (ExitCode.OK, "", "BUY")


def test_number_json_does_not_know_keeps_its_value() -> None:
    ended = invoke("parse", text='{"x": NaN}')

    assert math.isnan(json.loads(ended.stdout)["x"])
    assert "non_finite_number" in ended.stderr


@pytest.mark.parametrize("arguments", [(), ("--coerce",)])
def test_agents_text_is_read_as_its_parser_reads_it(arguments: tuple[str, ...]) -> None:
    clean = json.loads(Path(CLEAN_VERDICT).read_text(encoding="utf-8"))
    text = json.dumps(clean | {"action": "BUY", "position_percent": 0})  # breaks a rule of the adapter

    ended = invoke("parse", *VERDICT, *arguments, text=text)

    assert (ended.code, json.loads(ended.stdout)["position_percent"]) == (ExitCode.OK, 0)


# --- lists that are cut, and places ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text", "line", "count", "last"),
    [
        ((), "{" + ", ".join(f"k{number}: 1" for number in range(25)) + "}", "repaired ", 10, "… and 15 more"),
        ((), SEVERAL, "  at: ", 5, "  … and 7 more"),
        (CLOSED, json.dumps({f"k{number}": 0 for number in range(60)}), "  field: ", 50, "  … and 10 more"),
    ],
)
def test_long_list_is_cut_and_the_rest_counted(
    arguments: tuple[str, ...], text: str, line: str, count: int, last: str
) -> None:
    lines = invoke("parse", *arguments, text=text).stderr.splitlines()

    assert (sum(one.startswith(line) for one in lines), lines[-1]) == (count, last)


@pytest.mark.parametrize(("text", "shown"), [('{"a": 1,\n\n', '  1 │ {"a": 1,␊'), ('{"a": 1,', '  1 │ {"a": 1,')])
def test_cut_is_shown_where_the_text_ends(text: str, shown: str) -> None:
    _, _, place, line, caret, *_ = invoke("parse", text=text).stderr.splitlines()

    assert (place.strip(), line) == ("at: <stdin>:1:9", shown)
    assert caret.index("^") == line.index(",") + 1


def test_places_are_named_as_an_editor_takes_them() -> None:
    file = str(RECORDINGS / "resolution/refused.txt")
    ended = invoke("parse", file, "--agent", "resolution")

    assert f"at: {file}:2:1" in ended.stderr
    assert f"at: {file}:17:1" in ended.stderr


def test_error_as_json_is_one_object_on_stderr_even_where_stages_are_asked_for() -> None:
    ended = invoke("parse", *VERDICT, "--error-format", "json", "--explain", text='{"confidence": "高"}')

    error = json.loads(ended.stderr)
    assert (error["code"], error["details"]["stage"]) == ("LLM_JSON_PARSE_ERROR", "validate")


# --- stages ------------------------------------------------------------------------------------------------


def stages(ended: Ended) -> dict[str, str]:
    """Stage → what is said of it first."""
    rows = [
        line.split(None, 2) for line in ended.stderr.splitlines() if line[:2].strip().isdecimal() and line[2] == " "
    ]
    return {name: said for _, name, said in rows}


def test_every_stage_is_named_in_its_order_and_hooks_by_their_names() -> None:
    file = str(RECORDINGS / "financial_auditor/wrapped.txt")
    found = stages(invoke("parse", file, "--agent", "financial_auditor", "--explain"))

    assert list(found) == [stage.__name__ for stage in STAGES]
    assert found["normalize"] == "ran fill_missing_text, let_score_decide_signal"


def test_type_without_hooks_is_named_with_the_root_it_asks_for() -> None:
    found = stages(invoke("parse", *SALES, "--explain", text="The sales: [{'revenue': 7}]"))

    assert (found["root"], found["normalize"], found["validate"]) == ("an array", "no hooks", "satisfies list[Sale]")


def test_long_list_of_placed_repairs_is_cut() -> None:
    file = str(RECORDINGS / "catalyst_detective/damaged.txt")
    ended = invoke("parse", file, "--agent", "catalyst_detective", "--explain")

    assert "    … and 41 more" in ended.stderr.splitlines()


@pytest.mark.parametrize(
    ("arguments", "text", "stage", "behind", "said"),
    [
        ((), '<think>x</think>\n[TOOL_CALLS]f[ARGS]{"path": "a"}', "tool_call", "control_chars", "read_tool_calls"),
        ((*SALE, "--accept", "wrapped"), "{'notes': []}", "accept", None, "single_quote"),
        ((), "nothing here", "extract", "repair", "Error: "),
    ],
)
def test_refusal_stands_in_its_stage_and_those_behind_it_were_not_reached(
    arguments: tuple[str, ...], text: str, stage: str, behind: str | None, said: str
) -> None:
    ended = invoke("parse", *arguments, "--explain", text=text)
    found = stages(ended)

    assert (found[stage], found.get(str(behind))) == ("failed", behind and "not reached")
    assert ended.stderr.index("10 ") < ended.stderr.rindex(said)


def test_trace_of_the_stages_is_what_explain_shows() -> None:
    assert invoke("parse", "--trace", "stages", text="{'a': 1}") == invoke("parse", "--explain", text="{'a': 1}")


# --- a user's own types ------------------------------------------------------------------------------------

_FIELD = (
    "from typing import Any\nfrom pydantic import BaseModel, field_validator\nclass Order(BaseModel):\n    id: {}\n"
)
_CHECK = _FIELD.format("int") + "    @field_validator('id')\n    @classmethod\n    def check(cls, value):\n        "


@pytest.mark.parametrize(
    ("source", "said"),
    [("print('said')\n" + _FIELD.format("int"), "said\n"), (_CHECK + "print('said')\n        return value", "said\n")],
    ids=["module", "validator"],
)
def test_what_a_types_code_prints_does_not_mix_with_the_result(folder: Path, source: str, said: str) -> None:
    (folder / "shop.py").write_text(source)
    ended = invoke("parse", "--dto", "shop:Order", text='{"id": "7"}')

    assert (json.loads(ended.stdout), ended.stderr) == ({"id": 7}, said)


@pytest.mark.parametrize(
    ("source", "arguments", "text", "why"),
    [
        (_FIELD.format("'Later'"), (), '{"id": 7}', "the DTO Order cannot be used"),
        (_FIELD.format("Any"), (), '{"id":' * 400 + "1" + "}" * 400, "cannot be used"),
        (_CHECK + "return 10 ** 5000", (), '{"id": 7}', "cannot be written"),
        (_CHECK + "return 10 ** 5000", ("--format", "table"), '{"id": 7}', "cannot be written"),
    ],
    ids=["not finished", "too deep to serialize", "no JSON", "no table"],
)
def test_type_that_cannot_be_used_is_an_error_of_one_line(
    folder: Path, source: str, arguments: tuple[str, ...], text: str, why: str
) -> None:
    (folder / "shop.py").write_text(source)
    ended = invoke("parse", "--dto", "shop:Order", *arguments, text=text)

    assert (ended.code, ended.stdout, ended.stderr.count("\n")) == (ExitCode.USAGE, "", 1)
    assert why in ended.stderr


# --- called wrongly ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--salvage", "--dto", "pydantic.fields:FieldInfo"), "FieldInfo is not a type that Pydantic reads"),
        (("--agent", "zzz"), "there is no agent 'zzz'. The agents are: "),
        (("--agnt", "x"), "Error: No such option: --agnt (Possible options: --agent)\n"),
        (("--finishd", "x"), "Error: No such option: --finishd (Possible options: --finished)\n"),
        (("--type", "x"), "Error: No such option: --type\n"),
    ],
)
def test_wrong_call_is_a_usage_error_that_names_what_is_near(arguments: tuple[str, ...], said: str) -> None:
    ended = invoke("parse", *arguments, text='{"a": 1}')

    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert said in ended.stderr


# --- where the result goes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("output_format", ["json", "table"])
def test_file_gets_what_a_pipe_gets_and_stdout_stays_empty(tmp_path: Path, output_format: str) -> None:
    file, arguments = tmp_path / "result", ("parse", CLEAN_VERDICT, *VERDICT, "--format", output_format)

    assert invoke(*arguments, "-o", str(file)) == Ended(0, "", "")
    assert file.read_text(encoding="utf-8") == invoke(*arguments).stdout


def test_table_takes_no_more_room_than_there_is() -> None:
    file = str(RECORDINGS / "technical_analyst/clean.txt")
    lines = invoke("parse", file, "--agent", "technical_analyst", "--format", "table", columns=70).stdout.splitlines()

    assert max(map(cell_len, lines)) <= 70
    assert any(line.startswith("$.key_technical_levels.support") for line in lines)


def test_file_stays_as_it_was_when_the_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "verdict.json"
    file.write_text("before", encoding="utf-8")

    assert invoke("parse", "-o", str(file), text='{"a": 1').code == ExitCode.PARSE_ERROR
    assert file.read_text(encoding="utf-8") == "before"


def test_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "verdict.json", tmp_path / "link"
    file.write_text("before", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    invoke("parse", "-o", str(link), text='{"a": 1}')

    assert (link.is_symlink(), json.loads(file.read_text(encoding="utf-8"))) == (True, {"a": 1})
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_new_file_has_the_mode_of_any_other_new_file(tmp_path: Path) -> None:
    file, other = tmp_path / "verdict.json", tmp_path / "other"
    other.touch()
    invoke("parse", "-o", str(file), text='{"a": 1}')

    assert file.stat().st_mode == other.stat().st_mode


@pytest.mark.parametrize("name", ["missing/verdict.json", "folder"])
def test_file_that_cannot_be_written_is_one_line_and_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    ended = invoke("parse", "-o", str(tmp_path / name), text='{"a": 1}')

    assert (ended.code, ended.stderr.count("\n")) == (ExitCode.USAGE, 1)
    assert ended.stderr.startswith("Error: cannot write ")
    assert os.listdir(tmp_path) == ["folder"]  # noqa: PTH208 - hidden ones, too


def test_device_is_written_as_it_is() -> None:
    assert invoke("parse", "-o", os.devnull, text='{"a": 1}').code == ExitCode.OK
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
