"""Search by a service, over a real socket."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from src.modules.visual_rag.domain.exceptions import SearchError
from src.modules.visual_rag.domain.ports.search import PageHit
from src.modules.visual_rag.infrastructure.page_folder import PageFolder
from src.modules.visual_rag.infrastructure.search import http_search
from src.modules.visual_rag.infrastructure.search.http_search import HttpSearch
from tests.modules.visual_rag.search_server import SearchServer, running_search_server

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with running_search_server() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> PageFolder:
    for number in (1, 2, 3):
        (tmp_path / f"page-{number}.png").touch()
    return PageFolder(tmp_path)


def page(name: str, text: str = "t") -> dict[str, Any]:
    return {"file": name, "text": text}


async def test_batch_is_one_request_and_each_query_gets_its_pages(server: SearchServer, folder: PageFolder) -> None:
    server.answer = {"results": [[page("page-2.png", "甲"), page("page-1.png")], []]}
    found = await HttpSearch(server.url, folder, 3, 5).search(["一", "two"])
    assert server.requests == [{"queries": ["一", "two"], "pages": 3}]
    assert found == [(PageHit("image_02", "甲"), PageHit("image_01", "t")), ()]


async def test_file_that_is_not_in_the_folder_is_left_out(server: SearchServer, folder: PageFolder) -> None:
    server.answer = {"results": [[page("../../etc/passwd"), page("page-9.png"), page("page-3.png")]]}
    assert await HttpSearch(server.url, folder, 3, 5).search(["q"]) == [(PageHit("image_03", "t"),)]


async def test_no_more_pages_are_taken_than_asked_for(server: SearchServer, folder: PageFolder) -> None:
    server.answer = {"results": [[page(f"page-{number}.png") for number in (1, 2, 3)]]}
    assert len((await HttpSearch(server.url, folder, 2, 5).search(["q"]))[0]) == 2


async def test_lone_surrogate_in_a_query_is_sent_as_a_question_mark(server: SearchServer, folder: PageFolder) -> None:
    server.answer = {"results": [[]]}
    await HttpSearch(server.url, folder, 3, 5).search(["a\ud800b"])
    assert server.requests[0]["queries"] == ["a?b"]


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        ({"results": [[]]}, 500, "answered with an error"),
        ({"results": [[]]}, 302, "answered with an error"),
        (b"<html>", 200, "not what was agreed"),
        ({"results": [[], []]}, 200, "not what was agreed"),
        ({"results": [[{"text": "t"}]]}, 200, "not what was agreed"),
        (b" " * 5_000, 200, "too large"),
    ],
    ids=["a server's error", "a redirection", "no JSON", "too many results", "no file", "too large"],
)
async def test_answer_that_cannot_be_used_is_a_failed_search(
    server: SearchServer,
    folder: PageFolder,
    answer: object,
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_search, "MOST_BYTES", 4_000)
    server.answer, server.status = answer, status
    with pytest.raises(SearchError, match=message):
        await HttpSearch(server.url, folder, 3, 5).search(["q"])


async def test_answer_that_comes_too_late_is_a_failed_search(server: SearchServer, folder: PageFolder) -> None:
    server.delay = 30
    with pytest.raises(SearchError, match="in time"):
        await HttpSearch(server.url, folder, 3, 0.2).search(["q"])


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/search", "http://[::1"])
async def test_service_that_is_not_there_is_a_failed_search(folder: PageFolder, url: str) -> None:
    with pytest.raises(SearchError, match="not reached"):
        await HttpSearch(url, folder, 3, 5).search(["q"])
