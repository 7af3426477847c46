"""The registry of agents, and their table."""

import json
from pathlib import Path

from rich.cells import cell_len

from src.entrypoints.agents import AGENTS
from tests.entrypoints.cli.harness import ROOT, invoke
from tests.modules.all_contracts import CONTRACTS


def test_every_agent_of_the_three_contexts_is_registered_under_its_folders_name() -> None:
    folders = {
        parser.parent.name
        for context in ("research", "debate", "judge")
        for parser in Path(ROOT / "src/modules" / context / "infrastructure/agents").glob("*/output_parser.py")
    }

    assert {name: agent.name for name, agent in AGENTS.items()} == {name: name for name in folders}


def test_registry_says_what_the_contracts_say() -> None:
    found = {contract.agent: (contract.output, contract.parse) for contract in CONTRACTS}

    assert found == {name: (agent.output, agent.parse) for name, agent in AGENTS.items()}


def test_json_says_where_to_import_each_function_from() -> None:
    for one in json.loads(invoke("agents", "--format", "json").stdout):
        agent = AGENTS[one["name"]]
        assert (one["module"], one["function"]) == (agent.parse.__module__, agent.parse.__name__)


def test_table_fits_eighty_columns_uncut() -> None:
    lines = invoke("agents", columns=80).stdout.splitlines()

    assert max(map(cell_len, lines)) <= 80
    assert not any("…" in line for line in lines)
