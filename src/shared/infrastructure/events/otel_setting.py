"""What goes to OpenTelemetry, by the environment variable `LLM_OTEL`; `.env` is read too.

Every name that goes to OpenTelemetry: the GenAI semantic conventions', and our own under `llm_output.`.

Source of the first part: github.com/open-telemetry/semantic-conventions-genai, v0.1.0 (status: development), the pages
client-inference and gen-ai-token-metrics under docs/gen-ai. The conventions still change; when they do, this is the
file to change.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path

from src.shared.domain.language import Phrase
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
        message = Phrase("{variable} must be one of {allowed}", variable=VARIABLE, allowed=allowed)
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


GEN_AI_EVALUATION_NAME = "gen_ai.evaluation.name"
GEN_AI_EVALUATION_SCORE_VALUE = "gen_ai.evaluation.score.value"
GEN_AI_EVALUATION_SCORE_LABEL = "gen_ai.evaluation.score.label"
GEN_AI_EVALUATION_EXPLANATION = "gen_ai.evaluation.explanation"
GEN_AI_OPERATION_NAME = "gen_ai.operation.name"
GEN_AI_OUTPUT_TYPE = "gen_ai.output.type"
GEN_AI_PROVIDER_NAME = "gen_ai.provider.name"
GEN_AI_REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
GEN_AI_REQUEST_MODEL = "gen_ai.request.model"
GEN_AI_REQUEST_REASONING_LEVEL = "gen_ai.request.reasoning.level"
GEN_AI_REQUEST_STREAM = "gen_ai.request.stream"
GEN_AI_REQUEST_TEMPERATURE = "gen_ai.request.temperature"
GEN_AI_RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
GEN_AI_RESPONSE_ID = "gen_ai.response.id"
GEN_AI_RESPONSE_MODEL = "gen_ai.response.model"
GEN_AI_TOKEN_MODALITY = "gen_ai.token.modality"  # noqa: S105 - a name, not a secret
GEN_AI_USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
GEN_AI_USAGE_CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
GEN_AI_USAGE_REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
ERROR_TYPE = "error.type"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"

CLIENT_DURATION = "gen_ai.client.inference.duration"
CLIENT_INPUT_TOKENS = "gen_ai.client.inference.usage.input_tokens"
CLIENT_OUTPUT_TOKENS = "gen_ai.client.inference.usage.output_tokens"
CLIENT_CACHE_READ_TOKENS = "gen_ai.client.inference.usage.cache_read.input_tokens"
CLIENT_REASONING_TOKENS = "gen_ai.client.inference.usage.reasoning.output_tokens"
CLIENT_OPERATION_INPUT_TOKENS = "gen_ai.client.inference.operation.input_tokens"
CLIENT_OPERATION_OUTPUT_TOKENS = "gen_ai.client.inference.operation.output_tokens"

EVALUATION_EVENT = "gen_ai.evaluation.result"

OPERATION_CHAT = "chat"
OUTPUT_JSON = "json"
MODALITY_UNKNOWN = "unknown"
"""Of tokens that the provider does not break down."""
FINISH_REASON_ERROR = "error"
"""Where a finish reason was expected and none came."""
FINISH_REASON_REFUSED = "content_filter"
"""The providers' own word for a text that was taken away or declined."""

TOKEN_BUCKETS = tuple(4**power for power in range(14))
"""Bounds of the histograms of tokens, as the conventions advise."""
DURATION_BUCKETS = tuple(0.01 * 2**power for power in range(14))
"""Bounds of the histogram of seconds, as the conventions advise."""

SCOPE = "llm_output"
"""Name of our meter and our tracer."""
PARSES = "llm_output.parses"
REPAIRS = "llm_output.repairs"
ASKED = "llm_output.repair_agent.asked"
PARSED_EVENT = "llm_output.parsed"

CONTEXT_LABEL = "llm_output.context_label"
OUTCOME = "llm_output.outcome"
STAGE = "llm_output.stage"
REPAIR_KIND = "llm_output.repair.kind"
REPAIR_KINDS = "llm_output.repair.kinds"
REPAIR_COUNT = "llm_output.repair.count"
BY_REPAIR_AGENT = "llm_output.by_repair_agent"
RE_ASK = "llm_output.re_ask"
GRADE = "llm_output.grade"
PROMPT_ID = "llm_output.prompt_id"
ATTEMPT = "llm_output.attempt"
PURPOSE = "llm_output.purpose"

OTHER = "_OTHER"
"""What a name becomes when there are too many different ones, as elsewhere in the conventions."""
