"""`llm-output agents` and the registry behind it."""

import json
from pathlib import Path

from src.entrypoints.agents import AGENTS
from tests.entrypoints.cli.harness import ROOT, invoke
from tests.modules.all_contracts import CONTRACTS


def test_every_agent_of_the_three_contexts_is_registered_under_its_folders_name() -> None:
    folders = {
        parser.parent.name
        for context in ("research", "debate", "judge")
        for parser in Path(ROOT / "src/modules" / context / "infrastructure/agents").glob("*/output_parser.py")
    }

    assert set(AGENTS) == folders
    assert all(name == agent.name for name, agent in AGENTS.items())


def test_the_registry_says_what_the_contracts_say() -> None:
    for contract in CONTRACTS:
        agent = AGENTS[contract.agent]

        assert agent.output is contract.output
        assert agent.parse is contract.parse


def test_the_table_shows_label_context_function_and_dto_of_each_agent() -> None:
    ended = invoke("agents", columns=200)

    assert (ended.code, ended.stderr) == (0, "")
    for agent in AGENTS.values():
        for shown in (agent.name, agent.output.label, agent.context, agent.parse.__name__, agent.dto):
            assert shown in ended.stdout


def test_the_table_fits_eighty_columns_uncut() -> None:
    lines = invoke("agents", columns=80).stdout.splitlines()

    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)


def test_json_gives_where_to_import_each_function_from() -> None:
    agents = json.loads(invoke("agents", "--format", "json").stdout)

    assert next(agent for agent in agents if agent["name"] == "verdict") == {
        "name": "verdict",
        "label": "裁决",
        "context": "judge",
        "module": "src.modules.judge.infrastructure.agents.verdict.output_parser",
        "function": "parse_verdict_result",
        "dto": "VerdictResult",
    }
    assert [agent["name"] for agent in agents] == list(AGENTS)
