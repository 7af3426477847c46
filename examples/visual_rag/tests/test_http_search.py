"""Search by a service, over a real socket."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from examples.visual_rag.page_folder import PageFolder
from examples.visual_rag.search import http_search, service_images
from examples.visual_rag.search.http_search import HttpSearch
from examples.visual_rag.search.service import Service
from examples.visual_rag.search.service_images import ServiceImages
from examples.visual_rag.tests.search_server import SearchServer, running_search_server
from src.modules.visual_rag.domain.exceptions import SearchError, VisualRagConfigurationError
from src.modules.visual_rag.domain.ports import PageHit

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with running_search_server() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> PageFolder:
    (tmp_path / "pages").mkdir()
    for number in (1, 2, 3):
        (tmp_path / "pages" / f"page-{number}.png").touch()
    return PageFolder(tmp_path / "pages")


def search_of(url: str, folder: PageFolder, timeout: float = 5, loaded: str = "loaded") -> HttpSearch:
    service = Service(url, timeout)
    return HttpSearch(service, ServiceImages(service, folder, folder.path("image_01").parents[1] / loaded))


def page(path: str, text: str = "t") -> dict[str, Any]:
    return {"idx": 0, "image_file": path, "text": text}


def picture(colour: int = 0) -> bytes:
    file = io.BytesIO()
    Image.new("L", (20, 30), colour).save(file, "PNG")
    return file.getvalue()


async def test_batch_is_one_request_and_each_query_gets_its_pages(server: SearchServer, folder: PageFolder) -> None:
    server.answer = [[page("./corpus/img/page-2.png", "甲"), page("page-1.png")], []]
    found = await search_of(server.url, folder).search(["一 & two", "two"], 3)
    assert server.requests == [["一 & two", "two"]]
    assert found == [(PageHit("image_02", "甲"), PageHit("image_01", "t")), ()]


async def test_image_may_be_a_path_alone_and_the_same_image_counts_once(
    server: SearchServer, folder: PageFolder
) -> None:
    server.answer = [["C:\\img\\page-2.png", {"image_file": "page-2.png"}, "page-1.png"]]
    assert await search_of(server.url, folder).search(["q"], 3) == [(PageHit("image_02", ""), PageHit("image_01", ""))]


async def test_no_more_pages_are_taken_than_asked_for(server: SearchServer, folder: PageFolder) -> None:
    server.answer = [[page(f"page-{number}.png") for number in (1, 2, 3)]]
    assert len((await search_of(server.url, folder).search(["q"], 2))[0]) == 2


async def test_lone_surrogate_in_a_query_is_sent_as_a_question_mark(server: SearchServer, folder: PageFolder) -> None:
    await search_of(server.url, folder).search(["a\ud800b"], 3)
    assert server.requests == [["a?b"]]


async def test_many_queries_are_several_requests_in_their_order(server: SearchServer, folder: PageFolder) -> None:
    queries = ["长" * 3_000, "b" * 2_000, "c" * 2_000, "d"]
    assert await search_of(server.url, folder).search(queries, 3) == [()] * 4
    assert server.requests == [queries[:1], queries[1:3], queries[3:]]


# --- images that are loaded from the service ---------------------------------------------------------------


async def test_image_that_is_not_in_the_folder_is_loaded_from_the_service(
    server: SearchServer, folder: PageFolder
) -> None:
    server.images = {"/corpus/slide.jpg": picture()}
    server.answer = [[page("./corpus/slide.jpg"), page("page-1.png")]]
    search = search_of(server.url, folder)
    for _ in range(2):
        assert await search.search(["q"], 3) == [(PageHit("image_04", "t"), PageHit("image_01", "t"))]
    assert server.loaded == ["/corpus/slide.jpg"]
    with Image.open(folder.path("image_04")) as loaded:
        assert loaded.size == (20, 30)


@pytest.mark.parametrize(
    "path",
    ["/none.png", "/text.png", "http://127.0.0.1:1/slide.png", "//other.example/slide.png", "file:///etc/passwd", ""],
)
async def test_image_that_cannot_be_loaded_is_left_out(server: SearchServer, folder: PageFolder, path: str) -> None:
    server.images = {"/text.png": b"no image", "/slide.png": picture()}
    server.answer = [[page(path), page("/slide.png")]]
    assert await search_of(server.url, folder).search(["q"], 3) == [(PageHit("image_04", "t"),)]
    assert len(list(folder.path("image_04").parent.iterdir())) == 1


async def test_path_of_the_services_never_becomes_one_of_ours(server: SearchServer, folder: PageFolder) -> None:
    server.images = {"/secret.png": picture()}
    server.answer = [[page("../../secret.png")]]
    await search_of(server.url, folder).search(["q"], 3)
    assert re.fullmatch(r"[0-9a-f]{32}\.image", folder.path("image_04").name)


async def test_pages_of_which_no_image_can_be_loaded_are_a_failed_search(
    server: SearchServer, folder: PageFolder
) -> None:
    server.answer = [[page("/none.png")]]
    with pytest.raises(SearchError, match="no image of the pages found"):
        await search_of(server.url, folder).search(["q"], 3)


async def test_no_more_pages_are_loaded_than_a_folder_may_hold(
    server: SearchServer, folder: PageFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_images, "MOST_PAGES", 4)
    server.images = {f"/{number}.png": picture(number) for number in (1, 2)}
    server.answer = [[page("/1.png"), page("/2.png")]]
    assert await search_of(server.url, folder).search(["q"], 3) == [(PageHit("image_04", "t"),)]


async def test_image_that_cannot_be_written_ends_the_run(server: SearchServer, folder: PageFolder) -> None:
    server.images, server.answer = {"/slide.png": picture()}, [[page("/slide.png")]]
    with pytest.raises(VisualRagConfigurationError, match="cannot be written"):
        await search_of(server.url, folder, loaded="pages/page-1.png").search(["q"], 3)


# --- failures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        ([[]], 500, "answered with an error"),
        ([[]], 302, "answered with an error"),
        (b"<html>", 200, "not what was agreed"),
        ([[], []], 200, "not what was agreed"),
        ([[{"text": "t"}]], 200, "not what was agreed"),
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
        await search_of(server.url, folder).search(["q"], 3)


async def test_answer_that_comes_too_late_is_a_failed_search(server: SearchServer, folder: PageFolder) -> None:
    server.delay = 30
    with pytest.raises(SearchError, match="in time"):
        await search_of(server.url, folder, 0.2).search(["q"], 3)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/search", "http://[::1"])
async def test_service_that_is_not_there_is_a_failed_search(folder: PageFolder, url: str) -> None:
    with pytest.raises(SearchError, match="not reached"):
        await search_of(url, folder).search(["q"], 3)
