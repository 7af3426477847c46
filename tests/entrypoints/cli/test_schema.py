"""`llm-output schema` and `--schema FILE`, beside their transcripts."""

import json
import sys
from pathlib import Path

import pytest

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.answer_type import adapter_of
from src.shared.domain.strict_schema import strict_schema
from tests.entrypoints.cli.harness import invoke


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
    head = "from collections.abc import Callable\nfrom pydantic import BaseModel, Field\nclass Order(BaseModel):\n    "
    (folder / "shop.py").write_text(head + field)
    ended = invoke("schema", "--dto", "shop:Order")

    assert (ended.code, said in ended.stdout + ended.stderr, bool(ended.stdout)) == (code, True, code == ExitCode.OK)


@pytest.mark.parametrize("text", ["[" * 200_000, "1" * 5000])
def test_file_that_no_reader_of_json_takes_is_a_usage_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    ended = invoke("parse", "--schema", str(tmp_path / "x.json"), text='{"id": 7}')

    assert (ended.code, ended.stdout, "is not JSON: " in ended.stderr) == (ExitCode.USAGE, "", True)


def test_missing_extra_is_a_usage_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.json").write_text('{"type": "object"}')
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    ended = invoke("parse", "--schema", str(tmp_path / "x.json"), text='{"id": 7}')

    assert ended.code == ExitCode.USAGE
    assert 'pip install "jsonschema-rs>=0.60"' in " ".join(ended.stderr.split())
