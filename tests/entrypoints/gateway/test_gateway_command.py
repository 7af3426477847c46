"""`llm-output gateway`: its settings, who may ask, and a process of its own."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.http.service_settings import ServiceSettings, ServiceSettingsError
from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX
from tests.entrypoints.cli.harness import invoke
from tests.entrypoints.gateway.gateways import ASKED, CLEAN, FORMAT, KEY, ask, client, gateway
from tests.entrypoints.http.processes import served
from tests.loopback.answers import answer, hang
from tests.loopback.server import ChatServer
from tests.paths import ROOT

UPSTREAM = "http://127.0.0.1:1/v1"
HASH = "ops:sha256:2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"
"""Of the key `key`."""
COMMAND = (sys.executable, "-m", "src.entrypoints.cli.main", "gateway", "--port", "0")


@pytest.mark.parametrize(
    ("wrong", "variable"),
    [
        ({}, "OUTPUT_UPSTREAM"),
        ({"upstream": "example.com/v1"}, "OUTPUT_UPSTREAM"),
        ({"upstream": "ftp://example.com/v1"}, "OUTPUT_UPSTREAM"),
        ({"upstream": "https://user:password@example.com/v1"}, "OUTPUT_UPSTREAM"),
        ({"upstream": "https://example.com/v1?key=1"}, "OUTPUT_UPSTREAM"),
        ({"upstream": UPSTREAM, "tries": 0}, "OUTPUT_TRIES"),
        ({"upstream": UPSTREAM, "on_refusal": "guess"}, "OUTPUT_ON_REFUSAL"),
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not(wrong: dict[str, Any], variable: str) -> None:
    with pytest.raises(ServiceSettingsError, match=variable) as caught:
        GatewaySettings(**wrong)
    assert "password" not in caught.value.message


def test_nobody_else_may_ask_unless_that_is_meant() -> None:
    with pytest.raises(ServiceSettingsError, match="OUTPUT_OPEN=1"):
        GatewaySettings(upstream=UPSTREAM, host="0.0.0.0").check_reach()  # noqa: S104 - it is refused
    allowed: tuple[dict[str, Any], ...] = ({"open": True}, {"api_keys": (HASH,)}, {"host": "::1"})
    for more in allowed:
        settings: dict[str, Any] = {"upstream": UPSTREAM, "host": "0.0.0.0", **more}  # noqa: S104 - not listened at
        GatewaySettings(**settings).check_reach()


def test_the_command_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OUTPUT_UPSTREAM", raising=False)
    run = invoke("gateway")
    assert run.code
    assert "--upstream" in run.stderr
    refused = invoke("gateway", "--upstream", UPSTREAM, "--host", "0.0.0.0")  # noqa: S104 - as above
    assert "OUTPUT_OPEN=1" in refused.stderr


def test_the_page_has_the_settings_of_the_code() -> None:
    page = (ROOT / "docs/how-to/run-the-gateway.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `(OUTPUT_\w+)` \| (?:`([^`]*)`)? ?\|", page, re.MULTILINE))
    fields = GatewaySettings.model_fields
    others = {
        PREFIX + name.upper(): "" if field.is_required() else str(field.default)
        for name, field in fields.items()
        if name not in ServiceSettings.model_fields or field.default != ServiceSettings.model_fields[name].default
    }
    assert shown == {name: value.removesuffix(".0") for name, value in others.items()}


def test_with_keys_of_its_own_each_request_brings_one(chat_server: ChatServer) -> None:
    with gateway(chat_server.url, api_keys=(HASH,)) as url:
        body = {"model": "m", "messages": ASKED}
        for headers, code in (({}, "key_needed"), ({"x-llm-output-key": "other"}, "key_wrong")):
            refused = httpx2.post(f"{url}/chat/completions", json=body, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, code)
            assert refused.json()["error"]["type"] == "authentication_error"
        chat_server.script([answer("tea")])
        given = httpx2.post(f"{url}/chat/completions", json=body, headers={"x-llm-output-key": "key"})
        assert given.status_code == 200
        assert "x-llm-output-key" not in chat_server.requests[0].headers


def test_guards_refuse_in_the_shape_of_the_api(asking_once: str, chat_server: ChatServer) -> None:
    root = asking_once.removesuffix("/v1")
    for headers, code in (
        ({"host": "evil.example"}, "unknown_host"),
        ({"origin": "http://evil.example"}, "cross_site"),
    ):
        refused = httpx2.post(f"{asking_once}/chat/completions", content=b"{}", headers=headers)
        assert refused.json()["error"]["code"] == code
    large = httpx2.post(f"{asking_once}/files", content=b"x" * 17_000_000)
    assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")
    assert httpx2.request("TRACE", f"{asking_once}/models").json()["error"]["code"] == "method_not_allowed"
    assert chat_server.requests == []
    assert httpx2.get(f"{root}/healthz").json() == {"status": "ok"}
    assert httpx2.get(f"{root}/readyz").json() == {"status": "ready"}
    assert "llm_output_http_requests_total" in httpx2.get(f"{root}/metrics").text


def test_a_process_of_two_workers_reads_logs_no_key_and_stops(chat_server: ChatServer, tmp_path: Path) -> None:
    options = ("--upstream", chat_server.url, "--workers", "2", "--tries", "1", "--on-refusal", "pass")
    chat_server.respond(lambda request: answer("no" if request.prompt == "no" else f"```\n{CLEAN}\n```"))
    with served(tmp_path, *options, command=COMMAND) as process:
        url = f"http://127.0.0.1:{process.port}/v1"
        with client(url) as asking:
            assert ask(asking, response_format=FORMAT).facts["grade"] == "wrapped"
            told = asking.chat.completions.with_raw_response.create(
                model="m", messages=[{"role": "user", "content": "no"}], response_format=FORMAT
            )
            assert told.headers["x-llm-output-refused"] == "extract"
        chat_server.script([hang(20)])
        with pytest.raises(httpx2.TimeoutException, match=r"timed out|^$"):
            httpx2.post(f"{url}/chat/completions", json={"model": "m", "messages": ASKED}, timeout=0.3)
    log = process.log.read_text("utf-8")
    assert KEY not in log
    assert "tea" not in log
    lines = [json.loads(line) for line in log.splitlines()]
    assert {line["route"] for line in lines if line["event"] == "llm_http_request"} == {"/v1/chat/completions"}
    assert process.process.returncode == 0
