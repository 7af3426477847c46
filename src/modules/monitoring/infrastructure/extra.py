"""The packages of the store and the webhook are extras; who lacks them is told how to get them."""

from __future__ import annotations

from contextlib import AbstractContextManager

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.infrastructure.extras import needs_package


def needs_extra(extra: str = "serve") -> AbstractContextManager[None]:
    """Around the imports of its packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        MonitoringSettingsError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: MonitoringSettingsError(message.text(), details))
