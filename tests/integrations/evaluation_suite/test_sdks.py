"""Evaluations as Langfuse, Logfire and Phoenix send them, with their own SDKs, to a receiver on this machine."""

import gzip
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import langfuse
import logfire
import pytest
from opentelemetry.sdk.trace import TracerProvider
from phoenix.otel import register

from src.shared.infrastructure.events.otel_evaluations import OtelEvaluations
from tests.shared.event_samples import REFUSED

Receiver = tuple[str, list[bytes]]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """The address of a receiver of OTLP over HTTP, and the bodies it was sent."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    thread.join(10)
    server.server_close()


def check(provider: TracerProvider, bodies: list[bytes]) -> None:
    with provider.get_tracer("test").start_as_current_span("chat m-1", attributes={"gen_ai.request.model": "m-1"}):
        OtelEvaluations().publish(REFUSED)
    assert provider.force_flush(10_000)
    sent = b"".join(bodies)
    for part in (b"gen_ai.evaluation.result", b"gen_ai.evaluation.score.label", b"refused", b"llm_output.grade"):
        assert part in sent


def test_langfuse_sends_evaluations(receiver: Receiver) -> None:
    address, bodies = receiver
    provider = TracerProvider(shutdown_on_exit=False)
    langfuse.Langfuse(public_key="pk-lf-1", secret_key="sk-lf-1", base_url=address, tracer_provider=provider)  # noqa: S106 - no secret
    check(provider, bodies)


def test_logfire_sends_evaluations(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    address, bodies = receiver
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{address}/v1/traces")
    configured = logfire.configure(local=True, send_to_logfire=False, console=False)
    check(configured.config.get_tracer_provider(), bodies)


def test_phoenix_sends_evaluations(receiver: Receiver) -> None:
    address, bodies = receiver
    arguments = {"endpoint": f"{address}/v1/traces", "protocol": "http/protobuf", "set_global_tracer_provider": False}
    check(register(project_name="reviews", verbose=False, **arguments), bodies)
