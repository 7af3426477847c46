"""The console script `llm-output`; also `python -m llm_output`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.plain_output import discard, reader_is_gone, whole_stdout

_EXTRA = frozenset({"typer", "rich", "jinja2"})
_MISSING = 'Error: the command line needs its extra: pip install ".[cli]" in a checkout (missing: {name})\n'


def run() -> None:
    """Run the command line and leave the process with one of `ExitCode`."""
    with whole_process():
        _run()


@contextmanager
def whole_process() -> Iterator[None]:
    """Within the block a command line runs: the process ends with one of `ExitCode`, whatever its streams do.

    Ctrl-C stops it, also where SIGINT was ignored when it started: shells do so to what they run in the background.
    """
    with suppress(ValueError):  # not the main thread, which alone hears signals
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - else click writes errors to stdout
    with whole_stdout():
        try:
            yield
        except SystemExit:
            if not reader_is_gone(sys.stdout):
                raise
            discard(sys.stdout)  # typer ends with a code of its own where it cannot write the help
            raise SystemExit(ExitCode.OUTPUT_CLOSED) from None
        except KeyboardInterrupt:  # before a command has begun: importing takes a moment
            sys.stderr.write("Error: interrupted\n")
            raise SystemExit(ExitCode.INTERRUPTED) from None
        except OSError as error:  # the help could not be written
            sys.stderr.write(f"Error: cannot write the output: {error.strerror}\n")
            discard(sys.stdout)
            raise SystemExit(ExitCode.USAGE) from None


def _run() -> None:
    try:
        from src.entrypoints.cli.app import app  # noqa: PLC0415 - it needs the extra, which may be missing

        app(prog_name="llm-output")
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        sys.stderr.write(_MISSING.format(name=error.name))
        raise SystemExit(ExitCode.USAGE) from None


if __name__ == "__main__":
    run()
