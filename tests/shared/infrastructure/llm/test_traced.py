"""Requests as spans and metrics of OpenTelemetry, seen through the real SDK's exporters in memory."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from src.shared.domain.caller import Caller, asking_as
from src.shared.domain.llm_errors import LLMReplyError, LLMTimeoutError
from src.shared.domain.ports.llm import (
    FinishReason,
    LLMPort,
    LLMReply,
    LLMRequest,
    OutputSchema,
    TextProgress,
    TokenUsage,
)
from src.shared.infrastructure.llm.provider import ModelAddress
from src.shared.infrastructure.llm.traced import TracedLLM
from tests.shared.scripted_llm import HangingLLM, ScriptedLLM

pytestmark = pytest.mark.anyio

PRIVATE = "账户6222-0001"
ADDRESS = ModelAddress("m-1", "deepseek", "api.deepseek.com", 443)
WHERE = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "deepseek",
    "gen_ai.request.model": "m-1",
    "server.address": "api.deepseek.com",
    "server.port": 443,
}
CALLER = Caller("裁决", "p-1", 2)
WHO = {"llm_output.context_label": "裁决", "llm_output.purpose": "answer"}
SAID = {**WHO, "llm_output.prompt_id": "p-1", "llm_output.attempt": 2}
REQUEST = LLMRequest.of(
    PRIVATE,
    PRIVATE,
    temperature=0,
    max_tokens=100,
    reasoning_effort="low",
    stop=(PRIVATE,),
    output_schema=OutputSchema("Grade", {}),
)
REPLY = LLMReply(PRIVATE, FinishReason.STOP, "m-1-2026", TokenUsage(30, 20, 5, 8), 0.5, PRIVATE)


class Telemetry:
    """Providers of the real SDK, and what came out of them."""

    def __init__(self) -> None:
        self._reader, self._exporter = InMemoryMetricReader(), InMemorySpanExporter()
        self.meters = MeterProvider([self._reader], shutdown_on_exit=False)
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))

    def traced(self, *answers: str | LLMReply | Exception, address: ModelAddress = ADDRESS) -> TracedLLM:
        return self.around(ScriptedLLM(list(answers)), address)

    def around(self, llm: LLMPort, address: ModelAddress = ADDRESS) -> TracedLLM:
        return TracedLLM(llm, address, tracer_provider=self.tracers, meter_provider=self.meters)

    async def ask(self, answer: str | LLMReply | Exception, request: LLMRequest = REQUEST) -> ReadableSpan:
        """The span of one request."""
        with asking_as(CALLER), suppress(LLMReplyError, LLMTimeoutError, KeyError):
            await self.traced(answer).generate(request)
        return self.span

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    @property
    def span(self) -> ReadableSpan:
        """The only one."""
        (span,) = self.spans
        return span

    def points(self) -> dict[str, list[NumberDataPoint | HistogramDataPoint]]:
        data = self._reader.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data else []
        return {m.name: list(m.data.data_points) for scope in scopes for m in scope.metrics}  # type: ignore[arg-type]  # no exponential histograms here

    def of(self, name: str) -> list[tuple[dict[str, Any], float]]:
        """Attributes and value (a histogram's sum) of each series of a metric."""
        points = self.points().get(name, [])
        return [(dict(p.attributes or {}), p.value if isinstance(p, NumberDataPoint) else p.sum) for p in points]


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    telemetry = Telemetry()
    yield telemetry
    telemetry.meters.shutdown()
    telemetry.tracers.shutdown()


# --- the span -------------------------------------------------------------------------------------------


async def test_request_is_a_clients_span_with_the_attributes_of_the_conventions_and_who_asked(
    telemetry: Telemetry,
) -> None:
    span = await telemetry.ask(REPLY)
    assert (span.name, span.kind, span.status.status_code) == ("chat m-1", SpanKind.CLIENT, StatusCode.UNSET)
    assert dict(span.attributes or {}) == {
        **WHERE,
        **SAID,
        "gen_ai.output.type": "json",
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.reasoning.level": "low",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.response.model": "m-1-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 8,
        "gen_ai.usage.reasoning.output_tokens": 5,
    }


async def test_span_leaves_out_what_nobody_said(telemetry: Telemetry) -> None:
    await telemetry.traced(LLMReply("x"), address=ModelAddress("m-1", "openai")).generate(LLMRequest.of("?"))
    assert dict(telemetry.span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m-1",
        "llm_output.purpose": "answer",
        "llm_output.attempt": 1,
    }


@pytest.mark.parametrize(("is_streaming", "progress"), [(True, None), (False, TextProgress())])
async def test_streamed_request_says_so(
    telemetry: Telemetry,
    progress: TextProgress | None,
    *,
    is_streaming: bool,
) -> None:
    """That of a model that always streams, and one that somebody follows."""
    llm = telemetry.traced(REPLY, address=replace(ADDRESS, is_streaming=is_streaming))
    await llm.generate(replace(REQUEST, progress=progress))
    assert (telemetry.span.attributes or {})["gen_ai.request.stream"] is True


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (FinishReason.LENGTH, ("length",)),
        (FinishReason.TOOL_CALLS, ("tool_calls",)),
        (FinishReason.REFUSED, ("content_filter",)),
        (FinishReason.UNKNOWN, None),
    ],
)
async def test_finish_reason_is_told_in_the_providers_words(
    telemetry: Telemetry, reason: FinishReason, told: tuple[str, ...] | None
) -> None:
    span = await telemetry.ask(replace(REPLY, finish_reason=reason))
    assert (span.attributes or {}).get("gen_ai.response.finish_reasons") == told
    assert span.status.status_code is StatusCode.UNSET


async def test_span_is_the_current_one_while_the_request_lasts(telemetry: Telemetry) -> None:
    class Instrumented:
        async def generate(self, request: LLMRequest) -> LLMReply:
            del request
            with telemetry.tracers.get_tracer("http").start_as_current_span("POST"):
                return REPLY

    await telemetry.around(Instrumented()).generate(REQUEST)
    inner, outer = telemetry.spans
    assert inner.parent is not None
    assert outer.context is not None
    assert (inner.name, inner.parent.span_id) == ("POST", outer.context.span_id)


async def test_span_is_a_child_of_the_callers(telemetry: Telemetry) -> None:
    with telemetry.tracers.get_tracer("app").start_as_current_span("review") as review:
        await telemetry.traced(REPLY).generate(REQUEST)
    assert telemetry.spans[0].parent == review.get_span_context()


async def test_no_text_of_prompt_answer_or_error_goes_out(telemetry: Telemetry) -> None:
    await telemetry.ask(REPLY)
    with suppress(LLMTimeoutError):
        await telemetry.traced(LLMTimeoutError(PRIVATE, {"reason": PRIVATE})).generate(REQUEST)
    sent = "".join(span.to_json(indent=None) for span in telemetry.spans)
    points = [point.to_json() for points in telemetry.points().values() for point in points]
    escaped = PRIVATE.encode("unicode_escape").decode()
    assert [text for text in [sent, *points] if PRIVATE in text or escaped in text or "6222-0001" in text] == []


# --- failures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"), [(LLMTimeoutError("x"), "LLM_TIMEOUT"), (KeyError("x"), "KeyError")], ids=["ours", "a bug"]
)
async def test_failed_request_is_an_error_of_its_code(telemetry: Telemetry, error: Exception, code: str) -> None:
    span = await telemetry.ask(error)
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    attributes = dict(span.attributes or {})
    assert (attributes["error.type"], attributes["gen_ai.response.finish_reasons"]) == (code, ("error",))


async def test_error_is_the_callers_to_see_and_its_tokens_are_told(telemetry: Telemetry) -> None:
    error = LLMReplyError("no text")
    error.usage = TokenUsage(9, 4)
    with pytest.raises(LLMReplyError) as caught:
        await telemetry.traced(error).generate(REQUEST)
    assert caught.value is error
    assert (telemetry.span.attributes or {})["gen_ai.usage.input_tokens"] == 9
    assert [value for _, value in telemetry.of("gen_ai.client.inference.usage.input_tokens")] == [9]


async def test_cancelled_request_is_an_error_of_its_own(telemetry: Telemetry) -> None:
    task = asyncio.create_task(telemetry.around(HangingLLM()).generate(REQUEST))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert telemetry.span.status.status_code is StatusCode.ERROR
    assert (telemetry.span.attributes or {})["error.type"] == "LLM_CALL_CANCELLED"


# --- metrics --------------------------------------------------------------------------------------------

ANSWERED = {**WHERE, **WHO, "gen_ai.response.model": "m-1-2026"}
COUNTED = {**ANSWERED, "gen_ai.token.modality": "unknown"}


async def test_tokens_are_counted_under_the_conventions_names_and_seconds_are_those_of_the_span(
    telemetry: Telemetry,
) -> None:
    span = await telemetry.ask(REPLY)
    of_all = "gen_ai.client.inference."
    assert {name: telemetry.of(name) for name in telemetry.points() if not name.endswith("duration")} == {
        f"{of_all}usage.input_tokens": [(COUNTED, 30)],
        f"{of_all}usage.output_tokens": [(COUNTED, 20)],
        f"{of_all}usage.cache_read.input_tokens": [(COUNTED, 8)],
        f"{of_all}usage.reasoning.output_tokens": [(COUNTED, 5)],
        f"{of_all}operation.input_tokens": [(ANSWERED, 30)],
        f"{of_all}operation.output_tokens": [(ANSWERED, 20)],
    }
    ((attributes, seconds),) = telemetry.of(f"{of_all}duration")
    assert attributes == ANSWERED
    assert span.start_time is not None
    assert span.end_time is not None
    assert seconds == pytest.approx((span.end_time - span.start_time) / 1e9, abs=0.1)


async def test_failure_is_counted_by_its_code_with_no_tokens(telemetry: Telemetry) -> None:
    await telemetry.ask(LLMTimeoutError("x"))
    failed = {**WHERE, **WHO, "error.type": "LLM_TIMEOUT"}
    assert [attributes for attributes, _ in telemetry.of("gen_ai.client.inference.duration")] == [failed]
    counted = {**failed, "gen_ai.token.modality": "unknown"}
    assert telemetry.of("gen_ai.client.inference.usage.output_tokens") == [(counted, 0)]
    assert telemetry.of("gen_ai.client.inference.operation.output_tokens") == []


async def test_tokens_that_were_estimated_here_are_not_the_providers_count(telemetry: Telemetry) -> None:
    span = await telemetry.ask(replace(REPLY, usage=TokenUsage(30, 20, is_estimated=True)))
    assert [value for _, value in telemetry.of("gen_ai.client.inference.usage.input_tokens")] == [0]
    assert "gen_ai.usage.input_tokens" not in (span.attributes or {})


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("gen_ai.client.inference.duration", 0.01, 81.92),
        ("gen_ai.client.inference.operation.input_tokens", 1, 67_108_864),
        ("gen_ai.client.inference.operation.output_tokens", 1, 67_108_864),
    ],
)
async def test_buckets_are_those_the_conventions_advise(
    telemetry: Telemetry, name: str, first: float, last: float
) -> None:
    await telemetry.ask(REPLY)
    (point,) = telemetry.points()[name]
    assert isinstance(point, HistogramDataPoint)
    assert (len(point.explicit_bounds), point.explicit_bounds[0], point.explicit_bounds[-1]) == (14, first, last)


# --- what cannot cost an answer ---------------------------------------------------------------------------


class Breaking(SpanProcessor):
    """Raises when a span starts, or when it ends."""

    def __init__(self, *, at_start: bool) -> None:
        self._at_start = at_start

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        del span, parent_context
        if self._at_start:
            raise OSError

    def on_end(self, span: ReadableSpan) -> None:
        del span
        raise OSError


@pytest.mark.parametrize("at_start", [True, False])
async def test_broken_telemetry_costs_no_answer(telemetry: Telemetry, *, at_start: bool) -> None:
    telemetry.tracers.add_span_processor(Breaking(at_start=at_start))
    assert await telemetry.traced(REPLY).generate(REQUEST) == REPLY


async def test_without_an_sdk_nothing_is_sent_and_nothing_fails() -> None:
    llm = TracedLLM(ScriptedLLM([REPLY]), ADDRESS)
    assert (await llm.generate(REQUEST), llm.model, trace.get_current_span()) == (REPLY, "m-1", trace.INVALID_SPAN)


# --- where a request goes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base_url", "provider", "host", "port"),
    [
        ("https://api.openai.com/v1", "openai", "api.openai.com", 443),
        ("https://api.deepseek.com", "deepseek", "api.deepseek.com", 443),
        ("https://x.openai.azure.com/openai/v1", "azure.ai.openai", "x.openai.azure.com", 443),
        ("https://bedrock-runtime.eu.amazonaws.com/v1", "aws.bedrock", "bedrock-runtime.eu.amazonaws.com", 443),
        ("http://localhost:11434/v1", "openai", "localhost", 11434),
        ("http://[::1]/v1", "openai", "::1", 80),
        ("http://notopenai.com.example:8000", "openai", "notopenai.com.example", 8000),
    ],
)
def test_address_is_read_from_the_base_url(base_url: str, provider: str, host: str, port: int) -> None:
    assert ModelAddress.of(base_url, "m") == ModelAddress("m", provider, host, port)
