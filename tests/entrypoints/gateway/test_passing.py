"""What passes through the gateway as it is, what does not, and what is said of an upstream that fails."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import httpx2
import pytest

from tests.entrypoints.gateway.gateways import ASKED, CLEAN, FORMAT, KEY, ask, client, gateway
from tests.loopback.answers import (
    Answer,
    ChatRequest,
    Connection,
    answer,
    completion,
    cut_body,
    drip,
    hang,
)
from tests.loopback.asgi_server import AsgiServer
from tests.loopback.server import ChatServer

READ = {"model": "m", "messages": ASKED, "response_format": FORMAT}


class Echo:
    """An upstream that tells what it was asked, and sets what it should not.

    Attributes:
        seen: method, path with query, headers and body of each request.
        answer: status, headers and body of the next answers.
    """

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, list[tuple[bytes, bytes]], bytes]] = []
        self.answer: tuple[int, dict[str, str], bytes] = (200, {}, b"{}")

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI
        body = (await receive()).get("body", b"")
        path = scope["raw_path"].decode() + ("?" + scope["query_string"].decode() if scope["query_string"] else "")
        self.seen.append((scope["method"], path, list(scope["headers"]), body))
        code, headers, content = self.answer
        lines = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": code, "headers": lines})
        await send({"type": "http.response.body", "body": content})


@pytest.fixture(scope="module")
def echoing() -> Iterator[tuple[Echo, str, str]]:
    echo = Echo()
    with AsgiServer(echo) as server, gateway(f"{server.root}/base/v1", max_answer=100_000) as url:
        yield echo, url.removesuffix("/v1"), server.root


@pytest.fixture
def echo(echoing: tuple[Echo, str, str]) -> Echo:
    echoing[0].seen.clear()
    echoing[0].answer = 200, {}, b"{}"
    return echoing[0]


@pytest.fixture
def root(echoing: tuple[Echo, str, str]) -> str:
    return echoing[1]


def raw_request(root: str, target: str, *headers: str) -> bytes:
    """The answer to a request line that no client would send."""
    host, _, port = root.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        lines = (f"GET {target} HTTP/1.1", f"Host: {host}", "Connection: close", *headers, "", "")
        connection.sendall("\r\n".join(lines).encode())
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_everything_else_passes_as_it_is(echo: Echo, root: str) -> None:
    packed = gzip.compress(b'{"data": []}')
    echo.answer = 201, {"content-encoding": "gzip", "x-own": "1", "x-request-id": "r-1", "content-type": "a/b"}, packed
    with httpx2.stream("PUT", f"{root}/v1/models/a%2Fb?x=1&y=%20", content=b"body", headers={"X-Own": "2"}) as got:
        body = b"".join(got.iter_raw())
    assert (got.status_code, body, got.headers["x-own"]) == (201, packed, "1")
    assert got.headers.get_list("x-request-id") == ["r-1"]
    method, path, headers, sent = echo.seen[0]
    assert (method, path, sent) == ("PUT", "/base/v1/models/a%2Fb?x=1&y=%20", b"body")
    assert (b"x-own", b"2") in headers
    assert httpx2.get(f"{root}/tokenize").status_code == 201
    assert echo.seen[1][1] == "/base/tokenize"


def test_a_clean_answer_passes_byte_for_byte(echo: Echo, root: str) -> None:
    body = json.dumps(completion(CLEAN), indent=3).encode() + b"\n "
    echo.answer = 200, {"content-type": "application/json"}, body
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ)
    assert (got.content, got.headers["x-llm-output-grade"]) == (body, "clean")
    echo.answer = 200, {"content-encoding": "gzip"}, gzip.compress(body)
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ)
    assert (got.content, got.headers.get("content-encoding")) == (body, None)


def test_keys_pass_and_what_is_of_one_connection_does_not(echo: Echo, root: str) -> None:
    given = {
        "authorization": f"Bearer {KEY}",
        "api-key": KEY,
        "connection": "keep-alive, x-hop",
        "x-hop": "1",
        "te": "trailers",
        "proxy-authorization": "Basic eA==",
        "x-llm-output-key": "of the gateway",
        "accept-encoding": "br",
    }
    echo.answer = 200, {"connection": "x-back", "x-back": "1", "keep-alive": "5", "set-cookie": "a=b"}, b"{}"
    for path in ("models", "chat/completions"):
        got = httpx2.post(f"{root}/v1/{path}", json=READ, headers=given)
        assert not {"x-back", "keep-alive"} & {*got.headers}
    for (_, _, headers, _), encoding in zip(echo.seen, (b"br", b"gzip"), strict=True):
        sent = dict(headers)
        assert (sent[b"authorization"], sent[b"api-key"]) == (f"Bearer {KEY}".encode(), KEY.encode())
        assert not {b"x-hop", b"te", b"proxy-authorization", b"x-llm-output-key", b"cookie"} & {*sent}
        assert sent[b"accept-encoding"] == encoding
        assert len([name for name, _ in headers if name == b"content-length"]) == 1


@pytest.mark.parametrize(
    "path",
    ["/v1/../secret", "/v1/%2e%2e/secret", "/v1/%252e%252e/x", "/v1/..%2fx", "/v1/..;/x", "/v1/a\\b", "/v1/%00", "*"],
)
def test_a_path_that_leaves_the_upstream_is_refused(path: str, echo: Echo, root: str) -> None:
    got = raw_request(root, path)
    assert got.startswith(b"HTTP/1.1 400")
    assert echo.seen == []


def test_no_request_leads_to_another_host(echo: Echo, root: str) -> None:
    for target in ("http://example.com/v1/models", "//example.com/v1/models", "/v1/@example.com/"):
        raw_request(root, target, "X-Forwarded-Host: example.com")
    assert [path for _, path, _, _ in echo.seen][-1] == "/base/v1/@example.com/"
    assert all(
        b"example.com" not in value for _, _, headers, _ in echo.seen for name, value in headers if name == b"host"
    )


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(code: int, echo: Echo, root: str, echoing: tuple[Echo, str, str]) -> None:
    echo.answer = code, {"location": f"{echoing[2]}/elsewhere"}, b""
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ, headers={"authorization": KEY}, follow_redirects=True)
    assert got.status_code == 502
    assert len(echo.seen) == 1
    assert httpx2.get(f"{root}/v1/models", follow_redirects=False).status_code == code
    assert len(echo.seen) == 2


@pytest.mark.parametrize(
    ("headers", "content", "code"),
    [
        ({}, b"[" * 100_000, "upstream_no_completion"),
        ({}, b'{"choices": [' + b"[" * 40_000 + b"]" * 40_000 + b"]}", "upstream_no_completion"),
        ({}, b" " * 100_001, "upstream_too_large"),
        ({"content-encoding": "gzip"}, gzip.compress(b" " * 30_000_000), "upstream_too_large"),
        ({"content-encoding": "gzip"}, b"no gzip", "upstream_broken"),
        ({"content-encoding": "gzip"}, gzip.compress(b"{}", mtime=0)[:-9], "upstream_broken"),
        ({"content-encoding": "br"}, b"{}", "upstream_encoding"),
        ({}, b"<html></html>", "upstream_no_completion"),
        ({}, b'{"choices": {}}', "upstream_no_completion"),
        ({}, b'{"choices": []}', "upstream_no_completion"),
        ({}, b'{"choices": [7]}', "upstream_no_completion"),
        ({}, b'{"choices": [{"message": {"content": 7}}]}', "upstream_no_completion"),
        ({}, b'{"choices": [{"message": {"content": [{"type": "audio"}]}}]}', "upstream_no_completion"),
        ({}, b'{"choices": [{"message": {"tool_calls": 7}}]}', "upstream_no_completion"),
        ({}, b'{"choices": [{"message": {"tool_calls": [{"function": {}}]}}]}', "upstream_no_completion"),
        ({}, b'{"choices": [{"message": {"content": NaN}}]}', "upstream_no_completion"),
        (
            {},
            json.dumps(completion("{'item': 'tea', 'price': 1}")).replace("0", "1e999", 1).encode(),
            "upstream_no_completion",
        ),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_the_api(
    headers: dict[str, str], content: bytes, code: str, echo: Echo, root: str
) -> None:
    echo.answer = 200, headers, content
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ)
    assert (got.status_code, got.json()["error"]["code"]) == (502, code)
    assert got.json()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize("code", [400, 401, 429, 500, 503])
def test_an_error_of_the_upstream_passes_with_its_body(code: int, echo: Echo, root: str) -> None:
    for stream in (False, True):
        echo.answer = code, {"retry-after": "7", "content-type": "text/html"}, b"<html>busy</html>"
        got = httpx2.post(f"{root}/v1/chat/completions", json={**READ, "stream": stream})
        assert (got.status_code, got.content, got.headers["retry-after"]) == (code, b"<html>busy</html>", "7")
    echo.answer = 200, {}, b'{"error": {"message": "no credit"}}'
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ)
    assert (got.status_code, got.json()) == (502, {"error": {"message": "no credit"}})


@pytest.mark.parametrize(
    ("content", "headers", "code"),
    [
        (json.dumps({**READ, "tools": [1]}).replace('"model"', '"tools": [], "model"').encode(), {}, "given_twice"),
        (json.dumps({**READ, "tools": [{"function": {"name": "f"}}] * 2}).encode(), {}, "tool_named_twice"),
        (json.dumps(READ).encode(), {"content-encoding": "gzip"}, "body_packed"),
        (b'{"tools": [' + b"1," * 1_000_001 + b"1]}", {}, "body_too_complex"),
    ],
)
def test_a_request_that_two_would_read_in_two_ways_is_refused(
    content: bytes, headers: dict[str, str], code: str, echo: Echo, root: str
) -> None:
    got = httpx2.post(f"{root}/v1/chat/completions", content=content, headers=headers)
    assert got.json()["error"]["code"] == code
    assert echo.seen == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-be"])
def test_a_request_is_read_in_each_encoding_of_json(encoding: str, echo: Echo, root: str) -> None:
    echo.answer = 200, {}, json.dumps(completion("{'item': 'tea', 'price': 1}")).encode()
    got = httpx2.post(f"{root}/v1/chat/completions", content=json.dumps(READ).encode(encoding))
    assert got.headers["x-llm-output-grade"] == "lossless"


@pytest.mark.parametrize(
    "content", [b'{"tools": nonsense', b'["tools"]', b'{"tools": 7, "messages": []}', b'{"tools": []}']
)
def test_a_request_that_is_none_is_for_the_upstream_to_refuse(content: bytes, echo: Echo, root: str) -> None:
    echo.answer = 400, {}, b"its own words"
    assert httpx2.post(f"{root}/v1/chat/completions", content=content).content == b"its own words"
    assert echo.seen[0][3] == content


@pytest.mark.parametrize(
    ("broken", "code", "status_"),
    [
        (hang(20), "upstream_timeout", 504),
        (cut_body(text=CLEAN), "upstream_broken", 502),
        (drip(), "answer_timeout", 504),
    ],
)
def test_an_upstream_that_does_not_come_to_an_end(
    broken: Answer, code: str, status_: int, chat_server: ChatServer
) -> None:
    chat_server.script([broken])
    with gateway(chat_server.url, first_byte_timeout=0.3, answer_timeout=1) as url, client(url) as asking:
        assert ask(asking, response_format=FORMAT).error == (status_, code)


def test_an_upstream_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with gateway(f"http://127.0.0.1:{port}/v1") as url, client(url) as asking:
        assert ask(asking, response_format=FORMAT).error == (502, "upstream_unreachable")
        assert httpx2.get(f"{url}/models").json()["error"]["code"] == "upstream_unreachable"


@pytest.mark.parametrize("asked", [READ, {**READ, "stream": True}, {"model": "m", "messages": ASKED}])
def test_a_client_that_leaves_takes_the_request_along(
    asked: dict[str, Any], asking_once: str, chat_server: ChatServer
) -> None:
    gone = threading.Event()

    async def wait(_: ChatRequest, connection: Connection) -> None:
        await connection.wait(20)
        gone.set()

    chat_server.script([wait])
    with pytest.raises(httpx2.ReadTimeout, match=r"timed out|^$"):
        httpx2.post(f"{asking_once}/chat/completions", json=asked, timeout=0.3)
    assert gone.wait(5)


def test_a_body_that_breaks_in_the_middle_does_not_look_whole(chat_server: ChatServer, asking_once: str) -> None:
    chat_server.script([cut_body()])
    with pytest.raises(httpx2.HTTPError, match=r"peer closed|incomplete|disconnected"):
        httpx2.post(f"{asking_once}/chat/completions", json={"model": "m", "messages": ASKED})


def test_many_clients_beside_hostile_bodies(chat_server: ChatServer, asking_once: str) -> None:
    """Short clean answers come quickly while texts that take long are read in processes."""
    hostile = '{"a": "b "c" d", ' * 3_000

    def choose(request: ChatRequest) -> Answer:
        return answer(hostile if request.prompt == "hostile" else CLEAN)

    chat_server.respond(choose)

    async def all_of_them() -> list[tuple[str, int, float, bytes]]:
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(timeout=60, limits=limits) as asking:

            async def one(prompt: str) -> tuple[str, int, float, bytes]:
                began = time.monotonic()
                body = {**READ, "messages": [{"role": "user", "content": prompt}]}
                got = await asking.post(f"{asking_once}/chat/completions", json=body)
                return prompt, got.status_code, time.monotonic() - began, got.content

            return await asyncio.gather(*(one("hostile" if at % 20 == 0 else "clean") for at in range(200)))

    seen = asyncio.run(all_of_them())
    assert {code for prompt, code, _, _ in seen if prompt == "clean"} == {200}
    assert {code for prompt, code, _, _ in seen if prompt == "hostile"} <= {422, 503, 504}
    assert all(CLEAN in json.loads(body)["choices"][0]["message"]["content"] for p, _, _, body in seen if p == "clean")


def test_nobody_else_tells_of_a_reading(echo: Echo, root: str) -> None:
    marks = {"x-llm-output-grade": "clean", "x-llm-output-refused": "no"}
    echo.answer = 200, marks, json.dumps(completion("{'item': 'tea', 'price': 1}")).encode()
    got = httpx2.post(f"{root}/v1/chat/completions", json=READ)
    assert got.headers.get_list("x-llm-output-grade") == ["lossless"]
    assert "x-llm-output-refused" not in got.headers


def test_completions_are_read_at_any_path(echo: Echo, root: str) -> None:
    echo.answer = 200, {}, json.dumps(completion("{'item': 'tea', 'price': 1}")).encode()
    got = httpx2.post(f"{root}/openai/deployments/m/chat/completions?api-version=1", json=READ)
    assert got.headers["x-llm-output-grade"] == "lossless"
    assert echo.seen[0][1] == "/base/openai/deployments/m/chat/completions?api-version=1"


@pytest.mark.parametrize("asked", [READ, {"model": "m", "messages": ASKED}])
def test_what_comes_behind_an_answer_is_never_the_next_one(asked: dict[str, Any]) -> None:
    """A length that is told too small would give each client the rest of the answer before."""
    bodies = [json.dumps(completion(CLEAN.replace("tea", name))).encode() for name in ("first", "behind", "second")]
    first, behind, second = (b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(one), one) for one in bodies)
    answers = iter((first + behind, second))

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            for line in iter(self.request.makefile("rb").readline, b""):
                if line.startswith(b"{"):
                    self.request.sendall(next(answers))

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            with gateway(f"http://127.0.0.1:{server.server_address[1]}/v1") as url:
                ends = [httpx2.post(f"{url}/chat/completions", content=json.dumps(asked) + "\n") for _ in range(2)]
        finally:
            server.shutdown()
    assert [got.content for got in ends] == [bodies[0], bodies[2]]
