"""What our two ways to OpenTelemetry share: its API, which is an extra, and bounds on what goes there.

Only the API is used: without an SDK set up by the application nothing is sent.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from src.shared.infrastructure.events import otel_setting as names
from src.shared.infrastructure.extras import install_command

MOST_NAMES = 200
"""Different labels, models and stages, each, that metrics tell apart: a metric's memory grows with each."""


class OpenTelemetryMissingError(AppException):
    """The package the adapters need is not installed; `details["missing"]` names it."""

    default_code = "OPENTELEMETRY_MISSING"


def otel_api() -> tuple[ModuleType, ModuleType]:
    """The metrics and the trace module of the API.

    Raises:
        OpenTelemetryMissingError: `opentelemetry-api` is not installed.
    """
    try:
        from opentelemetry import metrics, trace  # noqa: PLC0415 - an extra, which may be missing
    except ModuleNotFoundError as error:
        install = install_command("otel")
        zh, en = (
            "缺少 OpenTelemetry，请安装 otel 扩展",
            f"OpenTelemetry is not installed: {install} in a checkout; missing: {error.name}",
        )
        message = Message(f"{zh}：{install}；缺少的是 {error.name}", en, f"{zh} ({en})")
        raise OpenTelemetryMissingError(message.text(), {"missing": error.name}) from error
    return metrics, trace


class FewNames:
    """Lets the first `MOST_NAMES` different names through; every other one becomes `_OTHER`."""

    def __init__(self) -> None:
        self._seen = {""}

    def of(self, name: str) -> str:
        """The name, or `_OTHER`."""
        if name not in self._seen:
            if len(self._seen) > MOST_NAMES:
                return names.OTHER
            self._seen.add(name)
        return name


def known(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without unknown ones: None, empty names and lists, zero tokens and seconds."""
    return {name: value for name, value in facts.items() if value}
