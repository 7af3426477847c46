"""Every name that goes to OpenTelemetry: the GenAI semantic conventions', and our own under `llm_output.`.

Source of the first part: github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai (status: development).
The conventions still change; when they do, this is the file to change.
"""

from __future__ import annotations

GEN_AI_OPERATION_NAME = "gen_ai.operation.name"
GEN_AI_PROVIDER_NAME = "gen_ai.provider.name"
GEN_AI_RESPONSE_MODEL = "gen_ai.response.model"
GEN_AI_TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - a name, not a secret
GEN_AI_USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
GEN_AI_USAGE_REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
GEN_AI_CLIENT_TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105 - as above
GEN_AI_CLIENT_OPERATION_DURATION = "gen_ai.client.operation.duration"

OPERATION_CHAT = "chat"
TOKEN_INPUT = "input"  # noqa: S105 - as above
TOKEN_OUTPUT = "output"  # noqa: S105 - as above

TOKEN_BUCKETS = tuple(4**power for power in range(14))
"""Bounds of `gen_ai.client.token.usage`, as the conventions advise."""
DURATION_BUCKETS = tuple(0.01 * 2**power for power in range(14))
"""Bounds of `gen_ai.client.operation.duration` in seconds, as the conventions advise."""

METER = "llm_output"
PARSES = "llm_output.parses"
REPAIRS = "llm_output.repairs"
PARSED_EVENT = "llm_output.parsed"

CONTEXT_LABEL = "llm_output.context_label"
OUTCOME = "llm_output.outcome"
STAGE = "llm_output.stage"
STAGES = "llm_output.stages"
REPAIR_KIND = "llm_output.repair.kind"
REPAIR_KINDS = "llm_output.repair.kinds"
REPAIR_COUNT = "llm_output.repair.count"
RAW_LENGTH = "llm_output.raw_length"
PROMPT_ID = "llm_output.prompt_id"
ATTEMPT = "llm_output.attempt"
LATENCY = "llm_output.latency"

OTHER = "_OTHER"
"""What a name becomes when there are too many different ones, as elsewhere in the conventions."""
UNKNOWN_PROVIDER = "unknown"
"""The provider's name if none was given; the conventions require the attribute."""
