"""Who imports what an extra brings, and lacks it, is told how to get it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from src.shared.domain.language import Message, Phrase

Failure: TypeAlias = Callable[[Message, dict[str, str | None]], Exception]
"""Makes an error of what to say and of its details: the `package` that is missing, and the command to `install` it."""


def _not_found(message: Message, details: dict[str, str | None]) -> ModuleNotFoundError:
    return ModuleNotFoundError(message.text(), name=details["package"])


def install_command(extra: str) -> str:
    """The command that installs an extra: from a checkout, since the project is on no package index."""
    return f'pip install ".[{extra}]"'


@contextmanager
def needs_package(extra: str, failure: Failure = _not_found, install: str | None = None) -> Iterator[None]:
    """Around the imports of a library that an extra of `pyproject.toml` brings.

    Args:
        extra: its name.
        failure: makes the error of who has one of their own.
        install: the command, where it is another one than the extra's.

    Raises:
        Exception: what `failure` makes, `ModuleNotFoundError` if nothing else is said: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        install = install or install_command(extra)
        message = Phrase(
            "the package {name} is missing; run {install} in a checkout of llm-output", name=error.name, install=install
        )
        raise failure(message, {"package": error.name, "install": install}) from error
