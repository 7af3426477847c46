"""`llm-output new-agent`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from src.entrypoints.agents import CONTEXTS
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.scaffolding import MOST_CHARACTERS, NewAgent, checkout, write
from src.entrypoints.cli.screen import stderr

EXAMPLES = (
    "llm-output new-agent sentiment_analyst --context research --label 舆情分析师",
    "llm-output new-agent risk_officer --context judge --root ~/src/checkout",
)


@guarded
def new_agent(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"Its name in snake_case, at most {MOST_CHARACTERS} characters.")
    ],
    *,
    context: Annotated[
        str, typer.Option("--context", metavar="|".join(CONTEXTS), help="The bounded context it belongs to.")
    ],
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="TITLE",
            help=f"Its title in prompts, logs and reports, at most {MOST_CHARACTERS} characters; "
            "without it, the name in words.",
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="The checkout of this project to write into; without it, the one around the current folder.",
        ),
    ] = None,
) -> None:
    """Write the files of a new agent into a checkout of this project.

    The type of its answer, its parser, adapter and prompts, recorded answers, and the tests of them all. They work as
    they are, and the paths on stdout are where to fill in. No file that is there is changed.
    """
    agent = NewAgent.checked(name, context, label)
    folder = checkout(root)
    for path in write(agent, folder):
        write_stdout(path)
    stderr().print(f"written into {visible(str(folder))}; what to fill in: docs/how-to/add-an-agent.md", soft_wrap=True)
