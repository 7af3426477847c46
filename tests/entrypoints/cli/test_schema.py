"""`llm-output schema`."""

import json
from pathlib import Path

from src.entrypoints.agents import AGENTS
from src.shared.domain.answer_type import adapter_of
from src.shared.domain.strict_schema import strict_schema
from tests.entrypoints.cli.harness import invoke


def test_every_agents_schema_is_that_of_its_dto() -> None:
    for name, agent in AGENTS.items():
        ended = invoke("schema", "--agent", name)

        assert (ended.code, ended.stderr) == (0, "")
        assert json.loads(ended.stdout) == adapter_of(agent.output.dto_type).json_schema()


def test_chinese_stays_readable_in_a_schema() -> None:
    assert "Favorable (有利)" in invoke("schema", "--agent", "macro_intelligence").stdout


def test_a_dto_of_ones_own_has_its_schema_written_with_its_aliases(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from pydantic import BaseModel, Field\nclass Order(BaseModel):\n    id: int = Field(alias='orderId')\n"
    )

    assert json.loads(invoke("schema", "--dto", "shop:Order").stdout)["required"] == ["orderId"]


def test_strict_schema_is_what_is_sent_to_a_provider() -> None:
    ended = invoke("schema", "--agent", "verdict", "--strict")

    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == strict_schema(adapter_of(AGENTS["verdict"].output.checked_type).json_schema())


def test_dto_that_strict_mode_cannot_take_is_a_usage_error_with_the_place_and_the_reason() -> None:
    ended = invoke("schema", "--dto", "src.modules.workbench.domain.response_formats:DataLoadingGuide", "--strict")

    assert (ended.code, ended.stdout) == (2, "")
    assert "DataLoadingGuide: $.files[].suggested_parameters: an object with free keys" in " ".join(
        ended.stderr.split()
    )


def test_a_schema_of_nothing_is_a_usage_error() -> None:
    ended = invoke("schema")

    assert (ended.code, ended.stdout) == (2, "")
    assert "--agent NAME, --dto MODULE:NAME or --schema FILE" in ended.stderr


def test_a_dto_without_a_json_schema_is_a_usage_error(folder: Path) -> None:
    (folder / "shop.py").write_text(
        "from collections.abc import Callable\nfrom pydantic import BaseModel\n"
        "class Order(BaseModel):\n    call: Callable[[], None]\n"
    )

    ended = invoke("schema", "--dto", "shop:Order")

    assert (ended.code, ended.stdout) == (2, "")
    assert "the DTO Order cannot be used" in ended.stderr
