"""Who imports an integration without its library is told how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from src.shared.domain.language import Message


@contextmanager
def needs_package(extra: str) -> Iterator[None]:
    """Around the imports of a library that an extra of `pyproject.toml` brings.

    Raises:
        ModuleNotFoundError: it is not installed; the message has the command.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        install = f'pip install "unified-llm-output-parser[{extra}]"'
        message = Message(
            f"缺少软件包 {error.name}；请运行 {install}", f"the package {error.name} is missing; run {install}"
        )
        raise ModuleNotFoundError(message.text(), name=error.name) from error
