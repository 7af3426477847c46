"""`llm-output agents`."""

from __future__ import annotations

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import Format, FormatOption
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout
from src.entrypoints.cli.screen import plain_table, print_table

EXAMPLES = ("llm-output agents", "llm-output agents --format json")


@guarded
def agents(output_format: FormatOption = Format.TABLE) -> None:
    """List the agents and their parsers.

    Each with its name, Chinese label, bounded context, the function that parses its output, and the DTO.
    """
    if output_format is Format.JSON:
        write_stdout(
            json_text(
                [
                    {
                        "name": agent.name,
                        "label": agent.output.label,
                        "context": agent.context,
                        "module": agent.module,
                        "function": agent.function,
                        "dto": agent.dto,
                    }
                    for agent in AGENTS.values()
                ]
            )
        )
        return
    table = plain_table(
        spoken("智能体", "agent"),
        spoken("名称", "label"),
        spoken("上下文", "context"),
        spoken("函数 → DTO", "function → DTO"),
    )
    for agent in AGENTS.values():
        table.add_row(agent.name, agent.output.label, agent.context, f"{agent.function}\n→ {agent.dto}")
    print_table(table)
