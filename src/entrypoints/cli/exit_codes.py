"""The exit codes of the command line, defined only here."""

from __future__ import annotations

from enum import IntEnum

from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMError


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    PARSE_ERROR = 1
    USAGE = 2
    MODEL_ERROR = 3
    NOT_AS_RECORDED = 4
    INTERRUPTED = 130
    OUTPUT_CLOSED = 141


MEANINGS = {
    ExitCode.OK: "The text was parsed; stdout holds the result.",
    ExitCode.PARSE_ERROR: "The text could not be parsed (`batch`: not one of them).",
    ExitCode.USAGE: "The command was called wrongly, or a file, a DTO or the output could not be used.",
    ExitCode.MODEL_ERROR: "The model could not be asked, or did not answer (`alarms`: the webhook).",
    ExitCode.NOT_AS_RECORDED: (
        "A recorded output does not read as recorded, or nothing is recorded of it (`check`, `demo`)."
    ),
    ExitCode.INTERRUPTED: "Stopped by Ctrl-C (128 + SIGINT).",
    ExitCode.OUTPUT_CLOSED: "The reader of stdout stopped reading (128 + SIGPIPE).",
}
"""What each means; the reference shows them."""
USAGE_CODES = {
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
}
"""The errors that are `ExitCode.USAGE`, by their own codes, so that no context is imported for its exceptions.

An application adds those of its own.
"""


def code_of(error: AppException) -> ExitCode:
    """The exit code of a command that ends with an error of the application."""
    if error.code in USAGE_CODES:
        return ExitCode.USAGE
    return ExitCode.MODEL_ERROR if isinstance(error, LLMError) else ExitCode.PARSE_ERROR
