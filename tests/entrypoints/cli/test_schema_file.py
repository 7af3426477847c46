"""`--schema FILE`: a JSON Schema as the type, where `--agent` and `--dto` name one."""

import json
import sys
from pathlib import Path

import pytest

from src.entrypoints.cli.contract import json_schema_file
from tests.entrypoints.cli.harness import invoke

ORDER = {"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "order.schema.json"
    path.write_text(json.dumps(ORDER), encoding="utf-8")
    return str(path)


def test_text_is_parsed_into_the_schemas_type(file: str) -> None:
    ended = invoke("parse", "--schema", file, text="Here: {'id': 7,}")

    assert (ended.code, json.loads(ended.stdout)) == (0, {"id": 7})
    assert "trailing_comma" in ended.stderr


def test_text_that_does_not_satisfy_it_is_refused_with_the_place(file: str) -> None:
    ended = invoke("parse", "--schema", file, text='{"id": "7"}')

    assert (ended.code, ended.stdout) == (1, "")
    assert "不符合契约 Order" in ended.stderr
    assert "$.id: 须是整数 (should be an integer) (<stdin>:1:8)" in ended.stderr


def test_reading_is_explained_for_a_schema(file: str) -> None:
    assert "satisfies Order" in invoke("parse", "--schema", file, "--explain", text='{"id": 7}').stderr


def test_envelopes_payload_may_be_of_a_schema(file: str) -> None:
    ended = invoke("envelope", "--schema", file, text='{"meta": {"type": "x"}, "payload": {"id": 7}}')

    assert json.loads(ended.stdout)["payload"] == {"id": 7}


def test_schema_command_writes_it_and_its_strict_form(file: str) -> None:
    assert json.loads(invoke("schema", "--schema", file).stdout) == ORDER
    assert json.loads(invoke("schema", "--schema", file, "--strict").stdout)["additionalProperties"] is False


def test_model_is_asked_for_it(file: str, tmp_path: Path) -> None:
    question = tmp_path / "question.md"
    question.write_text("Which?", encoding="utf-8")
    ended = invoke("ask", str(question), "--schema", file, "--replay", str(tmp_path / "none.jsonl"))

    assert ended.code == 2
    assert "none.jsonl" in ended.stderr


@pytest.mark.parametrize("others", [("--agent", "verdict"), ("--dto", "shop:Order")])
def test_it_excludes_the_other_types(file: str, others: tuple[str, str]) -> None:
    ended = invoke("parse", "--schema", file, *others, text="{}")

    assert ended.code == 2
    assert "exclude each other" in ended.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not JSON", ":1:1 is not JSON: Expecting value"),
        ("[" * 200_000, "is not JSON: "),
        ("1" * 5000, "is not JSON: "),
        ("[]", "cannot be used as a type: #: a schema has to be an object, not list"),
        ('{"type": "string"}', "cannot be used as a type: #: what it describes is neither an object nor an array"),
        ('{"items": {"$ref": "http://x/y"}}', "cannot be used as a type: #/items: the $ref http://x/y leads elsewhere"),
        ('{"type": "object", "x": NaN}', "cannot be used as a type: #/x: not JSON: nan"),
    ],
)
def test_file_that_is_no_schema_is_a_usage_error_of_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    ended = invoke("parse", "--schema", str(path), text='{"id": 7}')

    assert (ended.code, ended.stdout) == (2, "")
    assert why in " ".join(ended.stderr.split())


@pytest.mark.parametrize(("name", "why"), [("none.json", "there is no file"), ("-", "takes a file, not stdin")])
def test_schema_that_is_no_file_is_a_usage_error(name: str, why: str) -> None:
    ended = invoke("parse", "--schema", name, text='{"id": 7}')

    assert (ended.code, ended.stdout) == (2, "")
    assert why in ended.stderr


def test_missing_extra_is_a_usage_error_that_says_what_to_install(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    ended = invoke("parse", "--schema", file, text='{"id": 7}')

    assert ended.code == 2
    assert 'pip install "jsonschema-rs>=0.60"' in " ".join(ended.stderr.split())


def test_type_without_a_title_has_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "invoice.json"
    path.write_text('{"type": "object"}', encoding="utf-8")

    assert json_schema_file(str(path)).name == "invoice"
