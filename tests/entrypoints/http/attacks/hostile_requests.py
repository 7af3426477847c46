"""Requests that no honest client sends, and the statuses that may answer them: 0 is a closed connection."""

from __future__ import annotations

import gzip
import json
from typing import Any

from tests.entrypoints.http.attacks.wire import parse_body, request

BAD = {0, 400}
_GOOD = parse_body()
_NESTED = 60_000


def _text(text: str, schema: object = None) -> bytes:
    return request(body=json.dumps({"text": text, "schema": schema or {"type": "object"}}).encode())


def _posted(body: bytes, **headers: Any) -> bytes:  # noqa: ANN401 - str | None
    return request(body=body, **headers)


HOSTS: dict[str, tuple[bytes, set[int]]] = {
    "another host": (request(host="attacker.example"), {421}),
    "another host with our port": (request(host="attacker.example:8421"), {421}),
    "no host": (request(host=None), {400}),
    "two hosts": (request("POST", "/", host="127.0.0.1\r\nHost: attacker.example"), {400}),
    "a host with a user": (request(host="127.0.0.1@attacker.example"), {421}),
    "an absolute address": (request("POST", "http://attacker.example/v1/parse", host="attacker.example"), {421}),
}
CROSS_SITE: dict[str, tuple[bytes, set[int]]] = {
    "posted by another site": (request(body=_GOOD, sec_fetch_site="cross-site"), {403}),
    "posted by a neighbour": (request(body=_GOOD, sec_fetch_site="same-site"), {403}),
    "posted from an origin": (request(body=_GOOD, origin="http://attacker.example"), {403}),
    "posted from a sandbox": (request(body=_GOOD, origin="null"), {403}),
    "a form as text": (request(body=_GOOD, origin="null", content_type="text/plain"), {403}),
    "a preflight": (
        request("OPTIONS", origin="http://attacker.example", access_control_request_method="POST"),
        {200, 204, 404, 405},
    ),
}
HEADS: dict[str, tuple[bytes, set[int]]] = {
    "a header of a megabyte": (request(x="a" * 1_000_000), BAD),
    "a thousand headers": (request(x="1" + "\r\nX: 1" * 1_000), BAD),
    "a path of a megabyte": (request("POST", "/" + "a" * 1_000_000), BAD),
    "two lengths": (request(body=_GOOD, content_length="5\r\nContent-Length: 6"), BAD),
    "a length and chunks": (request(body=_GOOD, transfer_encoding="chunked"), BAD),
    "a negative length": (request(content_length="-1"), BAD),
    "a length that is no number": (request(content_length="0x10"), BAD),
    "a length of forty digits": (request(content_length="9" * 40), BAD),
    "an unknown encoding": (request(content_length=None, transfer_encoding="gzip"), BAD),
    "chunks twice": (request(content_length=None, transfer_encoding="chunked, chunked") + b"0\r\n\r\n", BAD),
    "a blank before the colon": (b"GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n", BAD),
    "a folded header": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n", BAD | {401, 421}),
    "a zero byte": (request(x="a\x00b"), BAD),
    "a bare line feed": (b"GET / HTTP/1.1\nHost: 127.0.0.1\n\n", BAD | {401}),
    "no protocol": (b"GET /\r\n\r\n", BAD),
    "another protocol": (b"GET / HTTP/9.9\r\n\r\n", BAD),
    "the first version": (b"GET /v1/agents HTTP/1.0\r\n\r\n", BAD),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD | {405}),
    "a handshake of TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500, BAD),
    "an unknown method": (request("BREW"), BAD),
    "a tunnel": (b"CONNECT attacker.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", BAD | {401, 404, 405, 421}),
    "a trace": (request("TRACE", "/"), {400, 404, 405}),
    "a websocket": (
        request("GET", "/", upgrade="websocket", connection="Upgrade", sec_websocket_key="AAAAAAAAAAAAAAAAAAAAAA=="),
        {200, 400, 404},
    ),
    "a name in other letters": (request("POST", "/\xe9\xff"), BAD),
}
PATHS: dict[str, tuple[bytes, set[int]]] = {
    path: (request("GET", path, body=b""), {400, 404})
    for path in (
        "/../../etc/passwd",
        "/static/../../../../etc/passwd",
        "/static/%2e%2e/%2e%2e/%2e%2e/pyproject.toml",
        "/static/..%5c..%5cpyproject.toml",
        "/static/%00",
        "/%00",
        "/static//etc/passwd",
        "/v1/agents/../../x",
        "/docs",
        "/redoc",
        "/%ff%fe",
        "/__debug__",
    )
}
BODIES: dict[str, tuple[bytes, set[int]]] = {
    "nothing": (_posted(b""), {400, 422}),
    "no JSON": (_posted(b"\x00" * 1_000), {400}),
    "no UTF-8": (_posted(b'{"text": "\xff", "schema": true}'), {400, 422}),
    "deep lists": (_posted(b"[" * _NESTED), {400, 422}),
    "deep objects": (_posted(b'{"a":' * _NESTED), {400, 422}),
    "deep lists that end": (_posted(b"[" * _NESTED + b"]" * _NESTED), {400, 422}),
    "deep and beside a text": (
        _posted(b'{"text": "{}", "schema": ' + b"[" * _NESTED + b"]" * _NESTED + b"}"),
        {400, 422},
    ),
    "a number of many digits": (_posted(b'{"text": ' + b"9" * _NESTED + b', "schema": true}'), {400, 422}),
    "a member a thousand times": (_posted(b"{" + b'"text": "{}",' * 1_000 + b'"schema": {}}'), {200, 400, 422}),
    "a packed body": (_posted(gzip.compress(_GOOD), content_encoding="gzip"), {400, 415, 422}),
    "half of a pair": (_posted(b'{"text": "{\\"a\\": \\"\\\\ud800\\"}", "schema": {}}'), {200, 400, 422}),
    "another media type": (_posted(_GOOD, content_type="text/xml"), {400, 415}),
    "a text of brackets": (_text("[" * _NESTED), {422}),
    "a text of braces": (_text('{"a":' * _NESTED), {422}),
    "a text of quotes": (_text('{"a": ' + "\"'" * (_NESTED // 2)), {422, 200}),
    "a text of markup": (_text("<script>alert(1)</script>" * 1_000), {422}),
    "a schema that names itself": (_text("{}", {"$ref": "#"}), {200, 400, 422}),
    "a schema from elsewhere": (_text("{}", {"$ref": "http://127.0.0.1:9/x"}), {400, 422}),
    "a schema from a file": (_text("{}", {"$ref": "file:///etc/passwd"}), {400, 422}),
    "a schema with a slow pattern": (
        _text(json.dumps({"a": "a" * 40 + "!"}), {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}),
        {200, 400, 422},
    ),
    "an agent that is a path": (
        _posted(json.dumps({"text": "{}", "agent": "../../etc/passwd"}).encode()),
        {400, 404, 422},
    ),
    "an agent that is a module": (_posted(json.dumps({"text": "{}", "agent": "os:system"}).encode()), {400, 404, 422}),
}
EVERY = {
    f"{kind}: {name}": one
    for kind, table in (
        ("host", HOSTS),
        ("site", CROSS_SITE),
        ("head", HEADS),
        ("path", PATHS),
        ("body", BODIES),
    )
    for name, one in table.items()
}
