"""The console script `llm-output`; also `python -m llm_output`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.plain_output import whole_streams

_EXTRA = frozenset({"typer", "rich", "jinja2"})


def run() -> None:
    """Run the command line and leave the process with one of `ExitCode`."""
    with whole_process():
        try:
            from src.entrypoints.cli.app import app  # noqa: PLC0415 - it needs the extra, which may be missing

            app(prog_name="llm-output")
        except ModuleNotFoundError as error:
            if error.name not in _EXTRA:
                raise
            install = f'pip install ".[cli]" in a checkout (missing: {error.name})'
            sys.stderr.write(f"Error: the command line needs its extra: {install}\n")
            raise SystemExit(ExitCode.USAGE) from None


@contextmanager
def whole_process() -> Iterator[None]:
    """Within the block a command line runs: the process ends with one of `ExitCode`, whatever its streams do.

    Ctrl-C stops it, also where SIGINT was ignored when it started: shells do so to what they run in the background.
    """
    with suppress(ValueError):  # not the main thread, which alone hears signals
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - else click writes errors to stdout
    with whole_streams():
        try:
            yield
        except KeyboardInterrupt:  # before a command has begun: importing takes a moment
            sys.stderr.write("Error: interrupted\n")
            raise SystemExit(ExitCode.INTERRUPTED) from None
        except OSError as error:  # the help could not be written
            sys.stderr.write(f"Error: cannot write the output: {error.strerror}\n")
            raise SystemExit(ExitCode.USAGE) from None


if __name__ == "__main__":
    run()
