"""What an answer says to a browser."""

import pytest
from starlette.responses import Response

from src.entrypoints.http.security.guards import HEADERS, ResponseHeaders
from tests.entrypoints.http.security.asking import Answer, ask, scope_of

pytestmark = pytest.mark.anyio


async def answered(path: str = "/", **headers: str) -> Answer:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return await ask(ResponseHeaders(Response("x", headers=given)), scope_of(path=path))


async def test_every_header_is_there_once_as_we_say_it() -> None:
    answer = await answered(content_security_policy="default-src *", X_Content_Type_Options="else")

    assert [answer.header(name.decode()) for name, _ in HEADERS] == [[value.decode()] for _, value in HEADERS]


async def test_policy_allows_no_inline_script_or_style_and_no_other_source() -> None:
    (policy,) = (await answered()).header("content-security-policy")

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


async def test_nothing_is_stored_but_static_files() -> None:
    assert (await answered("/v1/rates")).header("cache-control") == ["no-store"]
    assert (await answered("/static/app.css")).header("cache-control") == []
    assert (await answered("/v1/agents", cache_control="max-age=60")).header("cache-control") == ["max-age=60"]


async def test_no_other_site_is_allowed_to_read() -> None:
    answer = await answered()

    assert [name for name, _ in answer.headers if name.startswith("access-control")] == []
