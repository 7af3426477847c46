"""The packages of the store and the webhook are extras; who lacks them is told how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.domain.language import Message


@contextmanager
def needs_extra(extra: str = "serve") -> Iterator[None]:
    """Around the imports of its packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        MonitoringSettingsError: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        install = f'pip install "unified-llm-output-parser[{extra}]"'
        zh, en = f"缺少软件包 {error.name}；请运行 {install}", f"the package {error.name} is missing; run {install}"
        details = {"package": error.name, "install": install}
        raise MonitoringSettingsError(Message.glossed(zh, en, "a package is missing").text(), details) from error
