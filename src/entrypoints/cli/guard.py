"""How a command fails: one line on stderr and an exit code, never a traceback; none where nobody reads any more."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import typer

from src.entrypoints.cli.exit_codes import ExitCode, code_of
from src.entrypoints.cli.plain_output import spoken
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Language, Message, UnknownLanguageError, language, speaking

Command = TypeVar("Command", bound=Callable[..., None])


class CommandError(Exception):
    """A command cannot go on; `message` says why in one line, and what to do about it."""

    def __init__(self, what: str | Message, /, **values: object) -> None:
        """Say it as `spoken` does."""
        self.message = spoken(what, **values)
        super().__init__(self.message)


@contextlib.contextmanager
def os_errors_as(what: Message) -> Iterator[None]:
    """Within the block, what the operating system refuses is a `CommandError`: these words, and its own."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise CommandError("{what}: {why}", what=what, why=why) from error


def guarded(command: Command) -> Command:
    """Make a command end with a line and a code of ours where Python or typer would do otherwise."""

    @functools.wraps(command)
    def guard(*args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - whatever the command takes
        try:
            language()
            command(*args, **kwargs)
        except UnknownLanguageError as error:
            with speaking(Language.EN):
                raise _ending(str(error), ExitCode.USAGE) from None
        except CommandError as error:
            message, code = error.message, ExitCode.USAGE
        except AppException as error:
            message, code = error.message, code_of(error)
        except KeyboardInterrupt:
            message, code = spoken("interrupted"), ExitCode.INTERRUPTED
        except BrokenPipeError:  # there is no stdout, or its reader has gone
            message, code = spoken("stdout is closed") if sys.stdout is None else "", ExitCode.OUTPUT_CLOSED
        except OSError as error:  # files are read elsewhere: what is left is writing
            why = error.strerror or error
            message, code = spoken("cannot write the output: {why}", why=why), ExitCode.USAGE
        else:
            return
        raise _ending(message, code)

    return cast("Command", guard)


def _ending(message: str, code: ExitCode) -> typer.Exit:
    """The end with a code, after a line if there is something to say."""
    if message:
        from src.entrypoints.cli.screen import error_line  # noqa: PLC0415 - a command that goes well needs no rich

        error_line(message)
    return typer.Exit(code)
