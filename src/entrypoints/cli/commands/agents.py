"""`llm-output agents` and `schema`: what texts are parsed into."""

from __future__ import annotations

from typing import Annotated

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli import options as flags
from src.entrypoints.cli.contract import contract_of
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout
from src.entrypoints.cli.screen import plain_table, print_table

EXAMPLES = {
    "agents": ("llm-output agents", "llm-output agents --format json"),
    "schema": (
        "llm-output schema --agent verdict",
        "llm-output schema --agent verdict --strict",
        "llm-output schema --dto shop.models:Order",
    ),
}


@flags.command()
def agents(
    output_format: Annotated[
        flags.Format, flags.option("json|table", "How the result is written to stdout.", "--format")
    ] = "table",
) -> None:
    """List the agents and their parsers.

    Each with its name, Chinese label, bounded context, the function that parses its output, and the DTO.
    """
    facts = [
        {
            "name": agent.name,
            "label": agent.output.label,
            "context": agent.context,
            "module": agent.module,
            "function": agent.parse.__name__,
            "dto": agent.dto,
        }
        for agent in AGENTS.values()
    ]
    if output_format == "json":
        write_stdout(json_text(facts))
        return
    table = plain_table(spoken("agent"), spoken("label"), spoken("context"), spoken("function → DTO"))
    for one in facts:
        table.add_row(one["name"], one["label"], one["context"], f"{one['function']}\n→ {one['dto']}")
    print_table(table)


@flags.command()
def schema(
    *,
    types: flags.TypeOptions,
    strict: Annotated[
        bool, flags.switch("--strict", "Write the schema that is sent where a provider is held strictly to it.")
    ] = False,
) -> None:
    """Write the JSON schema of a DTO to stdout.

    The DTO is the one of an agent, or your own type.
    """
    contract = contract_of(types)
    if contract is None:
        raise CommandError("name the type: --agent NAME, --dto MODULE:NAME or --schema FILE")
    write_stdout(json_text(contract.schema(strict=strict)))
