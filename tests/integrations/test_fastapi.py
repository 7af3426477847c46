"""A dependency of FastAPI, in a real application: with FastAPI's own client, and under uvicorn on loopback."""

from collections.abc import Iterator
from typing import Annotated, Any

import httpx2
import pytest
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel

from src.integrations.fastapi import LARGE, MAX_BYTES, ModelOutput
from src.shared.domain.exceptions import LLMJsonParseError
from tests.loopback.asgi_server import AsgiServer


class Review(BaseModel):
    title: str
    score: int


DAMAGED = "<think>{'score': 1}</think>Here it is:\n```json\n{title: 'Dune', \"score\": 5,}\n```"
GOOD = {"title": "Dune", "score": 5}
PLAIN = {"content-type": "text/plain; charset=utf-8"}


def app_of(review_of: ModelOutput[Review]) -> FastAPI:
    app = FastAPI()

    @app.post("/reviews", openapi_extra=review_of.openapi_extra)
    async def create(review: Annotated[Review, Depends(review_of)]) -> Review:
        return review

    return app


def client_of(**options: Any) -> TestClient:  # noqa: ANN401 - those of ModelOutput
    return TestClient(app_of(ModelOutput(Review, **options)))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as client:
        yield client


def post(client: TestClient, text: str | bytes, **headers: str) -> Any:  # noqa: ANN401 - the client's response
    return client.post("/reviews", content=text, headers={**PLAIN, **headers})


@pytest.mark.parametrize("filler", ["", "a" * LARGE])
def test_text_of_a_model_reaches_the_endpoint_as_an_object(client: TestClient, filler: str) -> None:
    response = post(client, filler + DAMAGED)

    assert (response.status_code, response.json()) == (200, GOOD)


@pytest.mark.parametrize("headers", [{}, {"content-type": "text/markdown"}])
def test_other_types_than_json_are_the_text_itself(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/reviews", content=DAMAGED, headers=headers).json() == GOOD


def test_text_may_stand_in_json_with_its_finish_reason(client: TestClient) -> None:
    cut = DAMAGED[: DAMAGED.index("}\n```")].replace(",", "")
    whole = '{"title": "Dune", "score": 5'

    assert client.post("/reviews", json={"text": DAMAGED}).json() == GOOD
    assert client.post("/reviews", json={"text": whole, "finish_reason": "stop"}).json() == GOOD
    assert client.post("/reviews", json={"text": whole, "finish_reason": "length"}).status_code == 422
    assert client.post("/reviews", json={"text": cut}).status_code == 422


def test_endpoint_may_know_that_its_texts_are_whole() -> None:
    assert post(client_of(finished=True), '{"title": "Dune", "score": 5').json() == GOOD


def test_text_that_is_cut_is_answered_with_its_place(client: TestClient) -> None:
    """The problems of fields stand in the transcript of the frameworks."""
    (problem,) = post(client, '{"title": "Du').json()["detail"]

    assert problem["ctx"]["truncated"] is True
    assert problem["ctx"]["position"] == {"line": 1, "column": 14, "offset": 13}


@pytest.mark.parametrize(
    ("body", "kind", "loc"),
    [
        (b"{", "json_invalid", ["body"]),
        (b"{}", "missing", ["body", "text"]),
        (b'{"text": 5}', "string_type", ["body", "text"]),
    ],
)
def test_wrong_json_around_the_text_is_a_problem_of_the_body(
    client: TestClient, body: bytes, kind: str, loc: list[str]
) -> None:
    response = post(client, body, **{"content-type": "application/json"})

    assert response.status_code == 422
    assert [(one["type"], one["loc"]) for one in response.json()["detail"]] == [(kind, loc)]


def test_body_that_is_no_utf_8_is_refused(client: TestClient) -> None:
    response = post(client, b"\xff\xfe")

    assert (response.status_code, response.json()["detail"][0]["type"]) == (422, "not_utf8")


def test_application_may_answer_a_refusal_in_its_own_way() -> None:
    app = app_of(ModelOutput(Review))

    @app.exception_handler(RequestValidationError)
    async def refused(_: Request, error: RequestValidationError) -> JSONResponse:
        cause = error.__cause__
        assert isinstance(cause, LLMJsonParseError)
        return JSONResponse({"again": cause.feedback()}, 409)

    response = post(TestClient(app), "no JSON")

    assert response.status_code == 409
    assert "JSON" in response.json()["again"]


@pytest.mark.parametrize(("size", "status"), [(0, 200), (1, 413)])
def test_body_is_read_up_to_its_bound(size: int, status: int) -> None:
    client = client_of(max_bytes=len(DAMAGED.encode()))

    assert post(client, DAMAGED + " " * size).status_code == status


def test_body_without_a_length_is_not_read_beyond_its_bound() -> None:
    """Under a real server, with a body that never ends by itself."""
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(1_000):
            sent += 65_536
            yield b"a" * 65_536

    with AsgiServer(app_of(ModelOutput(Review))) as server, httpx2.Client(base_url=server.root) as client:
        assert client.post("/reviews", content=DAMAGED.encode(), headers=PLAIN).json() == GOOD
        try:
            response = client.post("/reviews", content=endless(), headers=PLAIN)
        except httpx2.WriteError:
            return  # the server closed the connection while the body was still sent
        assert response.status_code == 413
        assert sent > MAX_BYTES


def test_documentation_shows_the_body_and_the_refusals(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/reviews"]["post"]

    assert set(operation["requestBody"]["content"]) == {"text/plain", "application/json"}
    assert "1,048,576 bytes" in operation["requestBody"]["content"]["text/plain"]["schema"]["description"]
    assert {"200", "413", "422"} <= set(operation["responses"])
