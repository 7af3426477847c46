"""The table of commands; each is imported only when it is called, so that it starts quickly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, cast

import typer
from typer.core import TyperGroup

_PACKAGE = "src.entrypoints.cli.commands"
COMMANDS = (
    "parse", "batch", "ask", "repair", "envelope", "check", "serve", "api-key", "rates", "alarms", "agents", "schema",
    "demo", "vendor", "new-agent",
)  # fmt: skip
GROUPS = {
    "committee": {
        "run": "committee",
        "dossier": "committee-dossier",
        "compare": "committee-compare",
        "index": "committee-index",
    },
    "visual-rag": {"run": "visual-rag"},
    "store": {"upgrade": "store"},
}
"""The module of each command of a group; the one with the group's name has its `HELP`."""
CONTEXT = {"help_option_names": ["-h", "--help"]}


def examples() -> dict[str, tuple[str, ...]]:
    """Each command's examples, which stand under its help and in the reference."""
    groups = {
        f"{group} {name}": _module(module).EXAMPLES
        for group, commands in GROUPS.items()
        for name, module in commands.items()
    }
    return {name: _module(name).EXAMPLES for name in COMMANDS} | groups


class LazyGroup(TyperGroup):
    """The root command: it knows its commands by name and imports the one that is called."""

    def __init__(self, **attrs: Any) -> None:  # noqa: ANN401 - typer's own arguments
        super().__init__(**attrs)
        self.commands = cast("MutableMapping[str, Any]", _Commands())  # nothing is ever added

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
    return import_module(f"{_PACKAGE}.{_identifier(name)}")


def _identifier(name: str) -> str:
    return name.replace("-", "_")


def _command(name: str) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    _add(app, _module(name), name)
    return app


def _group(name: str) -> typer.Typer:
    app = typer.Typer(
        name=name, help=_module(name).HELP, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
        context_settings=CONTEXT,
    )  # fmt: skip
    app.callback()(lambda: None)  # a group of one command is still a group
    for command, module in GROUPS[name].items():
        _add(app, _module(module), command)
    return app


def _add(app: typer.Typer, module: ModuleType, name: str) -> None:
    shown = "\n".join(("\b", "Examples:", *(f"  {line}" for line in module.EXAMPLES)))
    app.command(name, epilog=shown, context_settings=CONTEXT)(getattr(module, _identifier(name)))
