"""The debate context's exceptions."""

from src.shared.domain.exceptions import AppException


class LLMOutputParseError(AppException):
    """A debate agent's text could not be turned into its result.

    `message` and `details` are those of the parser's `LLMJsonParseError`, which is the `__cause__`.
    """

    default_code = "LLM_OUTPUT_PARSE_ERROR"
