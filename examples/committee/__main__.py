"""The command line: `python -m examples.committee`."""

from __future__ import annotations

import typer

from examples.committee.commands import compare, dossier, index, run
from src.entrypoints.cli.app import CONTEXT, add_command
from src.entrypoints.cli.exit_codes import ExitCode, add_codes
from src.entrypoints.cli.main import whole_process

NAME = "python -m examples.committee"
CODES = {
    "COMMITTEE_SETTINGS": ExitCode.USAGE,
    "DOSSIER_INVALID": ExitCode.USAGE,
    "RUN_UNREADABLE": ExitCode.USAGE,
    "RUN_UNFINISHED": ExitCode.USAGE,
    "COMMITTEE_DEADLINE": ExitCode.MODEL_ERROR,
    "COMMITTEE_INTERRUPTED": ExitCode.INTERRUPTED,
    "MARKET_DATA_SETTINGS": ExitCode.USAGE,
    "MARKET_DATA_UNKNOWN_STOCK": ExitCode.USAGE,
    "MARKET_DATA_NOT_OFFERED": ExitCode.MODEL_ERROR,
    "MARKET_DATA_UNAVAILABLE": ExitCode.MODEL_ERROR,
}
"""Exit codes by the errors' own codes."""


def _app() -> typer.Typer:
    app = typer.Typer(
        name=NAME, help=run.HELP, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
        context_settings=CONTEXT, pretty_exceptions_enable=False,
    )  # fmt: skip
    app.callback()(lambda: None)
    for name, module in (("run", run), ("dossier", dossier), ("compare", compare), ("index", index)):
        add_command(app, module, name)
    add_codes(CODES)
    return app


app = _app()

if __name__ == "__main__":
    with whole_process():
        app(prog_name=NAME)
