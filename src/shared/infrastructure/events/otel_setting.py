"""What goes to OpenTelemetry, by the environment variable `LLM_OTEL`; `.env` is read too."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError

VARIABLE = "LLM_OTEL"
_ENV_FILE = ".env"
"""As for the other settings: in the working directory; the environment wins over it."""


class OtelScope(StrEnum):
    """What goes to OpenTelemetry."""

    OFF = "off"
    """Nothing."""
    PARSES = "parses"
    """Parses and repairs: for an application whose client's package reports the requests already."""
    ON = "on"
    """Parses and repairs, and each request to a model as a span and in metrics."""

    @classmethod
    def _missing_(cls, value: object) -> OtelScope | None:
        """Other ways to say `on` and `off`."""
        return _ALSO.get(str(value).strip().lower())


_ALSO = {"true": OtelScope.ON, "1": OtelScope.ON, "false": OtelScope.OFF, "0": OtelScope.OFF, "": OtelScope.OFF}


def otel_scope(chosen: str | None = None) -> OtelScope:
    """What was chosen; else what the environment says, or `.env`; nothing where neither does.

    Raises:
        LLMConfigurationError: it is none of the values.
    """
    value = chosen if chosen is not None else os.environ.get(VARIABLE) or _in_env_file()
    try:
        return OtelScope(value)
    except ValueError:
        allowed = ", ".join(OtelScope)
        message = Message(f"{VARIABLE} 须为 {allowed} 之一", f"{VARIABLE} must be one of {allowed}")
        raise LLMConfigurationError(message.text(), {"variables": [VARIABLE]}) from None


def _in_env_file() -> str:
    """The value in `.env`; without the package that reads the file, no setting is taken from it."""
    if not Path(_ENV_FILE).is_file():
        return ""
    try:
        from dotenv import dotenv_values  # noqa: PLC0415 - comes with the extra `llm`, which may be missing
    except ModuleNotFoundError:
        return ""
    return dotenv_values(_ENV_FILE).get(VARIABLE) or ""
