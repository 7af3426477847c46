"""The commands put together."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from src.entrypoints.cli.commands import agents, ask, committee, demo, parse, repair, schema, visual_rag
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.screen import write_stdout

DISTRIBUTION = "unified-llm-output-parser"

app = typer.Typer(
    name="llm-output",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,  # the help reads the same in a terminal, a pipe and the reference
    pretty_exceptions_enable=False,
)


@guarded
def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it with the option's value
    if asked:
        write_stdout(f"llm-output {_installed_version()}")
        raise typer.Exit


def _installed_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "(not installed)"


@app.callback()
def main(
    *,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Write the version and stop.")
    ] = False,
) -> None:
    """Turn what a language model wrote into a typed object, or say exactly why not.

    The text may be wrapped in reasoning, Markdown and prose, and its JSON may be damaged: what can be read without
    a guess is read, what was repaired is reported, and the rest is refused.
    """


_COMMANDS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "parse": (parse.parse, parse.EXAMPLES),
    "ask": (ask.ask, ask.EXAMPLES),
    "repair": (repair.repair, repair.EXAMPLES),
    "agents": (agents.agents, agents.EXAMPLES),
    "schema": (schema.schema, schema.EXAMPLES),
    "demo": (demo.demo, demo.EXAMPLES),
}
_GROUPS: dict[str, tuple[str, dict[str, tuple[Callable[..., None], tuple[str, ...]]]]] = {
    "committee": (committee.HELP, {"run": (committee.run, committee.EXAMPLES)}),
    "visual-rag": (visual_rag.HELP, {"run": (visual_rag.run, visual_rag.EXAMPLES)}),
}
EXAMPLES = {
    **{name: examples for name, (_, examples) in _COMMANDS.items()},
    **{
        f"{group} {name}": examples
        for group, (_, commands) in _GROUPS.items()
        for name, (_, examples) in commands.items()
    },
}
"""Each command's examples, which stand under its help and in the reference."""


def _add(to: typer.Typer, commands: dict[str, tuple[Callable[..., None], tuple[str, ...]]]) -> None:
    for name, (command, examples) in commands.items():
        to.command(name, epilog="\n".join(("\b", "Examples:", *(f"  {line}" for line in examples))))(command)


_add(app, _COMMANDS)
for _name, (_help, _commands) in _GROUPS.items():
    _group = typer.Typer(name=_name, help=_help, no_args_is_help=True, rich_markup_mode=None)
    _group.callback()(lambda: None)  # a group of one command is still a group
    _add(_group, _commands)
    app.add_typer(_group)
