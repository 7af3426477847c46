"""The exit codes of the command line, defined only here."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Self

from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMError


class ExitCode(IntEnum):
    """How a command ended; `meaning` is what the reference prints."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """A code and what it means."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    OK = 0, "The text was parsed; stdout holds the result."
    PARSE_ERROR = 1, "The text could not be parsed (`batch`: not one of them)."
    USAGE = 2, "The command was called wrongly, or a file, a DTO or the output could not be used."
    MODEL_ERROR = 3, "The model could not be asked, or did not answer (`alarms`: the webhook)."
    NOT_AS_RECORDED = 4, "A recorded output does not read as recorded, or nothing is recorded of it (`check`, `demo`)."
    INTERRUPTED = 130, "Stopped by Ctrl-C (128 + SIGINT)."
    OUTPUT_CLOSED = 141, "The reader of stdout stopped reading (128 + SIGPIPE)."


_CODES = dict.fromkeys(
    (
        "LLM_CONFIGURATION_ERROR",
        "OPENTELEMETRY_MISSING",
        "BATCH_FOLDER",
        "BATCH_INPUT",
        "BATCH_READER",
        "MONITORING_SETTINGS",
        "SERVICE_SETTINGS",
        "STORE_MISSING",
        "STORE_UNAVAILABLE",
        "STORE_VERSION",
    ),
    ExitCode.USAGE,
)
"""By the errors' own codes, so that no context is imported for its exceptions."""


def add_codes(codes: Mapping[str, ExitCode]) -> None:
    """Add the codes of an application's own errors."""
    _CODES.update(codes)


def code_of(error: AppException) -> ExitCode:
    """The exit code of a command that ends with an error of the application."""
    return _CODES.get(error.code) or (ExitCode.MODEL_ERROR if isinstance(error, LLMError) else ExitCode.PARSE_ERROR)
