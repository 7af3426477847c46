"""A model whose requests are spans and metrics of OpenTelemetry, as its GenAI conventions have them.

The only place that reports requests there: nothing is counted twice. No prompt, no answer and no error's words go out.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from src.shared.domain.caller import current_caller, event_code, event_name
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest, TokenUsage
from src.shared.infrastructure.events import otel_setting as names
from src.shared.infrastructure.events.otel import FewNames, known, otel_api
from src.shared.infrastructure.llm.provider import ModelAddress

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

_ON_A_SPAN = {
    names.GEN_AI_USAGE_INPUT_TOKENS: "prompt_tokens",
    names.GEN_AI_USAGE_OUTPUT_TOKENS: "completion_tokens",
    names.GEN_AI_USAGE_CACHE_READ_TOKENS: "cached_tokens",
    names.GEN_AI_USAGE_REASONING_TOKENS: "reasoning_tokens",
}
"""Attributes, and the tokens that each has."""
_COUNTED = {
    names.CLIENT_INPUT_TOKENS: ("prompt_tokens", "Input tokens used, cached ones included."),
    names.CLIENT_OUTPUT_TOKENS: ("completion_tokens", "Output tokens used, reasoning included."),
    names.CLIENT_CACHE_READ_TOKENS: ("cached_tokens", "Input tokens that the provider's cache served."),
    names.CLIENT_REASONING_TOKENS: ("reasoning_tokens", "Output tokens used for reasoning."),
}
"""Counters, and what each counts; the first two also where the provider did not say, as the conventions want it."""
_OF_ONE = {
    names.CLIENT_OPERATION_INPUT_TOKENS: ("prompt_tokens", "Input tokens of one operation."),
    names.CLIENT_OPERATION_OUTPUT_TOKENS: ("completion_tokens", "Output tokens of one operation."),
}
"""Histograms, of requests whose tokens are known."""
_FINISH_REASONS = {FinishReason.UNKNOWN: "", FinishReason.REFUSED: names.FINISH_REASON_REFUSED}


class TracedLLM:
    """Makes each request a span `chat {model}`, which is the current one while it lasts.

    Metrics: `gen_ai.client.inference.duration`, and tokens as counters and histograms; failures have `error.type`, the
    error's code. Label, purpose, prompt and attempt are those of the `Caller` in whose name the model is asked. What
    OpenTelemetry or a part of it raises never costs an answer. The model is its owner's to close.
    """

    def __init__(
        self,
        inner: LLMPort,
        address: ModelAddress,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        """Create the instruments.

        Args:
            inner: the model that is asked.
            address: its name, and where it is.
            tracer_provider: where spans go; the application's global one if not given.
            meter_provider: where metrics go; as above.

        Raises:
            OpenTelemetryMissingError: `opentelemetry-api` is not installed.
        """
        metrics, self._trace = otel_api()
        self._inner, self._address = inner, address
        self._tracer = self._trace.get_tracer(names.SCOPE, tracer_provider=tracer_provider)
        meter = metrics.get_meter(names.SCOPE, meter_provider=meter_provider)
        self._seconds = meter.create_histogram(
            names.CLIENT_DURATION,
            "s",
            "GenAI client inference operation duration.",
            explicit_bucket_boundaries_advisory=names.DURATION_BUCKETS,
        )
        self._counted = {name: meter.create_counter(name, "{token}", text) for name, (_, text) in _COUNTED.items()}
        buckets = names.TOKEN_BUCKETS
        self._of_one = {
            name: meter.create_histogram(name, "{token}", text, explicit_bucket_boundaries_advisory=buckets)
            for name, (_, text) in _OF_ONE.items()
        }
        varying = (names.CONTEXT_LABEL, names.GEN_AI_RESPONSE_MODEL, names.ERROR_TYPE)
        self._few = {name: FewNames() for name in varying}

    @property
    def model(self) -> str:
        """The model's name, as it is asked for."""
        return self._address.model

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: the model's.
        """
        is_streaming = self._address.is_streaming or request.progress is not None
        span, started = self._started(request, is_streaming=is_streaming), time.perf_counter()
        try:
            with self._trace.use_span(span, record_exception=False, set_status_on_exception=False):
                reply = await self._inner.generate(request)
        except BaseException as error:
            usage = error.usage if isinstance(error, LLMError) else TokenUsage()
            self._end(span, started, usage, {names.ERROR_TYPE: event_code(error)}, names.FINISH_REASON_ERROR)
            raise
        finish = _FINISH_REASONS.get(reply.finish_reason, reply.finish_reason.value)
        said = known({names.GEN_AI_RESPONSE_MODEL: event_name(reply.model)})
        self._end(span, started, reply.usage, said, finish)
        return reply

    def _started(self, request: LLMRequest, *, is_streaming: bool) -> Span:
        streams = known({names.GEN_AI_REQUEST_STREAM: is_streaming})
        kind, attributes = self._trace.SpanKind.CLIENT, self._address.facts() | self._asked(request) | streams
        span: Span = self._trace.INVALID_SPAN
        with suppress(Exception):
            span = self._tracer.start_span(
                f"{names.OPERATION_CHAT} {self._address.model}", kind=kind, attributes=attributes
            )
        return span

    def _asked(self, request: LLMRequest) -> dict[str, Any]:
        """What the request says of itself, without its texts, and who asks."""
        caller, temperature = current_caller(), request.temperature
        where_known = {
            names.GEN_AI_OUTPUT_TYPE: names.OUTPUT_JSON if request.output_schema else "",
            names.GEN_AI_REQUEST_MAX_TOKENS: request.max_tokens,
            names.GEN_AI_REQUEST_REASONING_LEVEL: request.reasoning_effort,
            names.CONTEXT_LABEL: caller.context_label,
            names.PROMPT_ID: caller.prompt_id,
            names.PURPOSE: caller.purpose.value,
            names.ATTEMPT: caller.attempt,
        }
        asked = {} if temperature is None else {names.GEN_AI_REQUEST_TEMPERATURE: float(temperature)}
        return known(where_known) | asked

    def _end(self, span: Span, started: float, usage: TokenUsage, said: dict[str, str], finish_reason: str) -> None:
        """Record a request, and end its span; `said` are the attributes that both have."""
        seconds = time.perf_counter() - started
        reported = TokenUsage() if usage.is_estimated else usage
        with suppress(Exception):
            few = {name: self._few[name].of(value) for name, value in said.items()}
            self._record({**self._address.facts(), **self._who(), **few}, reported, seconds)
        with suppress(Exception):
            finish = [finish_reason] if finish_reason else []
            spent = known({name: getattr(reported, tokens) for name, tokens in _ON_A_SPAN.items()})
            span.set_attributes(said | known({names.GEN_AI_RESPONSE_FINISH_REASONS: finish}) | spent)
            if names.ERROR_TYPE in said:
                span.set_status(self._trace.StatusCode.ERROR)
            span.end()

    def _who(self) -> dict[str, Any]:
        caller = current_caller()
        label = self._few[names.CONTEXT_LABEL].of(caller.context_label)
        return known({names.CONTEXT_LABEL: label, names.PURPOSE: caller.purpose.value})

    def _record(self, who: dict[str, Any], usage: TokenUsage, seconds: float) -> None:
        """Record one request in the metrics."""
        self._seconds.record(seconds, who)
        counted = {**who, names.GEN_AI_TOKEN_MODALITY: names.MODALITY_UNKNOWN}
        for name, (kind, _) in _COUNTED.items():
            tokens = getattr(usage, kind)
            if tokens or name in {names.CLIENT_INPUT_TOKENS, names.CLIENT_OUTPUT_TOKENS}:
                self._counted[name].add(tokens, counted)
        for name, (kind, _) in _OF_ONE.items() if usage.total_tokens else ():
            self._of_one[name].record(getattr(usage, kind), who)
