"""The root command, and the table of its commands; each is imported when it is called, so that it starts quickly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.plain_output import write_stdout
from src.shared.infrastructure.distribution import installed_version

_PACKAGE = f"{__name__.rpartition('.')[0]}.commands"
COMMANDS = {
    "parse": "parse",
    "batch": "batch",
    "learn": "learn",
    "ask": "ask",
    "repair": "repair",
    "envelope": "envelope",
    "check": "check",
    "serve": "serve",
    "api-key": "serve",
    "rates": "outcomes",
    "alarms": "outcomes",
    "agents": "agents",
    "schema": "agents",
    "demo": "demo",
    "vendor": "vendor",
}
"""Each command, in the order of the help, and the module of its function."""
GROUPS = {"store": ("Look after the store of outcomes.", {"upgrade": "outcomes"})}
"""Each group of commands, with its help."""
_NEAR = 0.75
"""How much of two names of options has to be equal; difflib's own measure, from 0 to 1."""
CONTEXT = {"help_option_names": ["-h", "--help"]}


def examples() -> dict[str, tuple[str, ...]]:
    """Each command's examples, which stand under its help and in the reference."""
    found = {name: _examples(_module(module), name) for name, module in COMMANDS.items()}
    for group, (_, commands) in GROUPS.items():
        found |= {f"{group} {name}": _examples(_module(module), name) for name, module in commands.items()}
    return found


class LazyGroup(TyperGroup):
    """The root command: it knows its commands by name and imports the one that is called."""

    def __init__(self, **attrs: Any) -> None:  # noqa: ANN401 - typer's own arguments
        super().__init__(**attrs)
        self.commands = cast("MutableMapping[str, Any]", _Commands())  # nothing is ever added

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run the command; of an option that there is not, name those alone that are nearly written so."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            near = getattr(error, "possibilities", None)
            if near:
                error.possibilities = get_close_matches(error.option_name, near, cutoff=_NEAR)  # type: ignore[attr-defined]  # has it
            raise

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # typer's Context is a click one
        """The names, in the order of the help."""
        del ctx
        return list(self.commands)


class _Commands(Mapping[str, Any]):
    def __init__(self) -> None:
        self._loaded: dict[str, Any] = dict.fromkeys((*COMMANDS, *GROUPS))

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a command or a group, as typer makes it
        if self._loaded[name] is None:
            self._loaded[name] = typer.main.get_command(_group(name) if name in GROUPS else _command(name))
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


def _module(name: str) -> ModuleType:
    return import_module(f"{_PACKAGE}.{name}")


def _examples(module: ModuleType, name: str) -> tuple[str, ...]:
    """A command's examples: those of its module, which has them by name where it has several commands."""
    found: Mapping[str, tuple[str, ...]] | tuple[str, ...] = module.EXAMPLES
    return found[name] if isinstance(found, Mapping) else found


def _command(name: str) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    add_command(app, _module(COMMANDS[name]), name)
    return app


def _group(name: str) -> typer.Typer:
    told, commands = GROUPS[name]
    app = typer.Typer(
        name=name, help=told, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
        context_settings=CONTEXT,
    )  # fmt: skip
    app.callback()(lambda: None)  # a group of one command is still a group
    for command, module in commands.items():
        add_command(app, _module(module), command)
    return app


def add_command(app: typer.Typer, module: ModuleType, name: str) -> None:
    """Add the function of a module that is called as the command is, with its examples under its help."""
    shown = "\n".join(("\b", "Examples:", *(f"  {line}" for line in _examples(module, name))))
    app.command(name, epilog=shown, context_settings=CONTEXT)(getattr(module, name.replace("-", "_")))


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
