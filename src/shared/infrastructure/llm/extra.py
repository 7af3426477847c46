"""The packages that only a real provider needs are an extra; who lacks them is told how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from src.shared.domain.language import Message
from src.shared.infrastructure.llm.provider_errors import configuration_error


@contextmanager
def needs_extra(extra: str = "llm") -> Iterator[None]:
    """Around the imports of vendors' packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        LLMConfigurationError: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        install = f'pip install "unified-llm-output-parser[{extra}]"'
        problem = Message(
            f"缺少软件包 {error.name}；请运行 {install}", f"the package {error.name} is missing; run {install}"
        )
        raise configuration_error(problem, package=error.name, install=install) from error
