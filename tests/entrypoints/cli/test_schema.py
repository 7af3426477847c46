"""`llm-output schema` and `--schema FILE`, beside their transcripts."""

import json
import sys
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import json_schema_file
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.answer_type import adapter_of
from src.shared.domain.strict_schema import strict_schema
from tests.entrypoints.cli.harness import invoke

_MODEL = "from collections.abc import Callable\nfrom pydantic import BaseModel, Field\nclass Order(BaseModel):\n    "
ORDER = {"title": "Order", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


@pytest.mark.parametrize("agent", AGENTS)
def test_schema_of_an_agent_is_that_of_its_dto_and_the_strict_one_what_is_sent(agent: str) -> None:
    output = AGENTS[agent].output
    plain, strict = (invoke("schema", "--agent", agent, *more) for more in ((), ("--strict",)))

    assert json.loads(plain.stdout) == adapter_of(output.dto_type).json_schema()
    assert json.loads(strict.stdout) == strict_schema(adapter_of(output.checked_type).json_schema())


@pytest.mark.parametrize(
    ("field", "code", "said"),
    [
        ("id: int = Field(alias='orderId')", ExitCode.OK, '"orderId"'),
        ("call: Callable[[], None]", ExitCode.USAGE, "the DTO Order cannot be used"),
    ],
)
def test_schema_of_a_type_of_ones_own(folder: Path, field: str, code: ExitCode, said: str) -> None:
    (folder / "shop.py").write_text(_MODEL + field)
    ended = invoke("schema", "--dto", "shop:Order")

    assert (ended.code, said in ended.stdout + ended.stderr, bool(ended.stdout)) == (code, True, code == ExitCode.OK)


# --- a file as the type ------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "order.schema.json"
    path.write_text(json.dumps(ORDER), encoding="utf-8")
    return str(path)


def test_reading_is_explained_for_a_schema(file: str) -> None:
    assert "satisfies Order" in invoke("parse", "--schema", file, "--explain", text='{"id": 7}').stderr


def test_envelopes_payload_may_be_of_a_schema(file: str) -> None:
    ended = invoke("envelope", "--schema", file, text='{"meta": {"type": "x"}, "payload": {"id": 7}}')

    assert json.loads(ended.stdout)["payload"] == {"id": 7}


@pytest.mark.parametrize("other", [("--agent", "verdict"), ("--dto", "shop:Order")])
def test_it_excludes_the_other_types(file: str, other: tuple[str, str]) -> None:
    ended = invoke("parse", "--schema", file, *other, text="{}")

    assert (ended.code, "exclude each other" in ended.stderr) == (ExitCode.USAGE, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not JSON", ":1:1 is not JSON: Expecting value"),
        ("[" * 200_000, "is not JSON: "),
        ("1" * 5000, "is not JSON: "),
        ("[]", "cannot be used as a type: #: a schema has to be an object, not list"),
        ('{"type": "string"}', "cannot be used as a type: #: what it describes is neither an object nor an array"),
        ('{"type": "object", "x": NaN}', "cannot be used as a type: #/x: not JSON: nan"),
        (None, "--schema takes a file, not stdin"),
    ],
)
def test_file_that_is_no_schema_is_a_usage_error_of_one_line(tmp_path: Path, text: str | None, why: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text or "", encoding="utf-8")
    ended = invoke("parse", "--schema", "-" if text is None else str(path), text='{"id": 7}')

    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert why in " ".join(ended.stderr.split())


def test_missing_extra_is_a_usage_error_that_says_what_to_install(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    ended = invoke("parse", "--schema", file, text='{"id": 7}')

    assert ended.code == ExitCode.USAGE
    assert 'pip install "jsonschema-rs>=0.60"' in " ".join(ended.stderr.split())


def test_type_without_a_title_has_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "invoice.json"
    path.write_text('{"type": "object"}', encoding="utf-8")

    assert json_schema_file(str(path)).name == "invoice"
