"""The packages that only a real provider needs are an extra; who lacks them is told how to get them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm.provider_errors import configuration_error


def needs_extra(extra: str = "llm") -> AbstractContextManager[None]:
    """Around the imports of vendors' packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        LLMConfigurationError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: configuration_error(message, **details))
