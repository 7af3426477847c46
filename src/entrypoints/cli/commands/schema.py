"""`llm-output schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from src.entrypoints.cli.contract import contract_of
from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.options import AgentOption, DtoOption, SchemaOption
from src.entrypoints.cli.plain_output import json_text, write_stdout

EXAMPLES = (
    "llm-output schema --agent verdict",
    "llm-output schema --agent verdict --strict",
    "llm-output schema --dto shop.models:Order",
)


@guarded
def schema(
    agent: AgentOption = None,
    dto: DtoOption = None,
    schema_file: SchemaOption = None,
    strict: Annotated[  # noqa: FBT002 - an option of the command line
        bool, typer.Option("--strict", help="Write the schema that is sent where a provider is held strictly to it.")
    ] = False,
) -> None:
    """Write the JSON schema of a DTO to stdout.

    The DTO is the one of an agent, or your own type.
    """
    contract = contract_of(agent, dto, schema_file)
    if contract is None:
        raise CommandError(
            "请指定类型：--agent NAME、--dto MODULE:NAME 或 --schema FILE",
            "name the type: --agent NAME, --dto MODULE:NAME or --schema FILE",
        )
    write_stdout(json_text(contract.strict_schema() if strict else contract.schema()))
