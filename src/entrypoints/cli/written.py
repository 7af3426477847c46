"""A result on stdout, as JSON or as a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import Format
from src.entrypoints.cli.screen import json_text, print_table, write_stdout
from src.entrypoints.cli.tables import value_table


def value_writer(data: object, output_format: Format) -> Callable[[], None]:
    """How to write a result. Made before anything is said on stderr: what cannot be written is an error.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        if output_format is Format.TABLE:
            return partial(print_table, value_table(data))
        return partial(write_stdout, json_text(data))
    except (ValueError, RecursionError) as error:
        message = f"the object was read, but cannot be written: {error}"
        raise CommandError(message) from error
