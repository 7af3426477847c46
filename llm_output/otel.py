"""Events and calls in OpenTelemetry, under a short name; needs the extra `otel`."""

from __future__ import annotations

from src.shared.infrastructure.events.otel import OtelEvents
from src.shared.infrastructure.events.otel_evaluations import OtelEvaluations
from src.shared.infrastructure.llm.provider import ModelAddress
from src.shared.infrastructure.llm.traced import TracedLLM

__all__ = [
    "ModelAddress",
    "OtelEvaluations",
    "OtelEvents",
    "TracedLLM",
]
