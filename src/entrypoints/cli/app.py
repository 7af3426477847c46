"""The root command, and the table of its commands; each is imported when it is called, so that it starts quickly."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import write_stdout
from src.shared.infrastructure.distribution import installed_version

COMMANDS = {
    "parse": "parse",
    "batch": "batch",
    "learn": "learn",
    "ask": "ask",
    "repair": "repair",
    "envelope": "envelope",
    "check": "check",
    "serve": "serve",
    "gateway": "gateway",
    "api-key": "serve",
    "rates": "outcomes",
    "alarms": "outcomes",
    "agents": "agents",
    "schema": "agents",
    "demo": "demo",
    "vendor": "vendor",
    "store upgrade": "outcomes",
}
"""Each command, in the order of the help, and the module of its function."""
GROUPS = {"store": "Look after the store of outcomes."}
"""The first word of commands that have two, and its help."""
NAMES = tuple(dict.fromkeys(name.partition(" ")[0] for name in COMMANDS))
"""The first words of all commands."""
CONTEXT = {"help_option_names": ["-h", "--help"]}
_NEAR = 0.75
"""How much of two names of options has to be equal; difflib's own measure, from 0 to 1."""
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None}


def examples() -> dict[str, tuple[str, ...]]:
    """Each command's examples, which stand under its help and in the reference."""
    return {name: _examples(_module_of(name), name.rpartition(" ")[2]) for name in COMMANDS}


def _module_of(command: str) -> ModuleType:
    return import_module(f"{__package__}.commands.{COMMANDS[command]}")


def _examples(module: ModuleType, name: str) -> tuple[str, ...]:
    """A command's examples: those of its module, which has them by name where it has several commands."""
    found: Mapping[str, tuple[str, ...]] | tuple[str, ...] = module.EXAMPLES
    return found[name] if isinstance(found, Mapping) else found


def add_command(app: typer.Typer, module: ModuleType, name: str) -> None:
    """Add the function of a module that is called as the command is, with its examples under its help."""
    shown = "\n".join(("\b", "Examples:", *(f"  {line}" for line in _examples(module, name))))
    app.command(name, epilog=shown, context_settings=CONTEXT)(getattr(module, name.replace("-", "_")))


class LazyGroup(TyperGroup):
    """The root command: it knows its commands by name and imports the one that is called."""

    def __init__(self, **attrs: Any) -> None:  # noqa: ANN401 - typer's own arguments
        super().__init__(**attrs)
        self.commands = dict.fromkeys(NAMES, typer.core.TyperCommand("not imported"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer's own types
        """The command or group of this name; None where there is none."""
        del ctx
        if cmd_name not in NAMES:
            return None
        app = typer.Typer(**_PLAIN)
        if cmd_name in GROUPS:
            app = typer.Typer(help=GROUPS[cmd_name], no_args_is_help=True, context_settings=CONTEXT, **_PLAIN)
            app.callback()(lambda: None)  # a group of one command is still a group
        for name in COMMANDS:
            if name.partition(" ")[0] == cmd_name:
                add_command(app, _module_of(name), name.rpartition(" ")[2])
        return typer.main.get_command(app)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run the command; of an option that there is not, name those alone that are nearly written so."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            near = getattr(error, "possibilities", None)
            if near:
                error.possibilities = get_close_matches(error.option_name, near, cutoff=_NEAR)  # type: ignore[attr-defined]  # has it
            raise


app = typer.Typer(
    name="llm-output",
    cls=LazyGroup,
    context_settings=CONTEXT,
    no_args_is_help=True,
    rich_markup_mode=None,  # the help reads the same in a terminal, a pipe and the reference
    pretty_exceptions_enable=False,
)


@guarded
def _version(is_wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the option's value
    if is_wanted:
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
