"""The root command."""

from __future__ import annotations

from typing import Annotated

import typer

from src.entrypoints.cli.command_table import CONTEXT, LazyGroup
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import write_stdout
from src.entrypoints.distribution import installed_version

app = typer.Typer(
    name="llm-output",
    cls=LazyGroup,
    context_settings=CONTEXT,
    no_args_is_help=True,
    rich_markup_mode=None,  # the help reads the same in a terminal, a pipe and the reference
    pretty_exceptions_enable=False,
)


@guarded
def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it with the option's value
    if asked:
        write_stdout(f"llm-output {installed_version()}")
        raise typer.Exit


@app.callback()
def main(
    *,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Write the version and stop.")
    ] = False,
) -> None:
    """Turn what a language model wrote into a typed object, or say exactly why not.

    The text may be wrapped in reasoning, Markdown and prose, and its JSON may be damaged: whatever can be read
    without guessing is read, every repair is reported, and everything else is refused.
    """
