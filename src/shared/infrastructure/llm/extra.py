"""The packages that only a real provider needs are an extra; who lacks them is told how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from src.shared.domain.language import Message
from src.shared.infrastructure.llm.provider_errors import configuration_error

INSTALL = 'pip install "unified-llm-output-parser[llm]"'


@contextmanager
def needs_extra() -> Iterator[None]:
    """Around the imports of vendors' packages.

    Raises:
        LLMConfigurationError: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        problem = Message(
            f"缺少软件包 {error.name}；请运行 {INSTALL}", f"the package {error.name} is missing; run {INSTALL}"
        )
        raise configuration_error(problem, package=error.name, install=INSTALL) from error
