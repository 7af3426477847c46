"""The streaming page: its events over loopback, and what stands in it in a real Chromium while an answer comes."""

import json
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from queue import Queue
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse

from examples.streaming_page.app import RECORDED, Answer, create_app
from tests.entrypoints.reports.chromium import opened
from tests.installed import AXE
from tests.loopback.asgi_server import AsgiServer

SCRIPT = (Path(__file__).parent / "watch_streaming_page.js").read_text(encoding="utf-8")
DRAFT = "DRAFT"
OWNED = "document.documentElement.dataset.owned='yes'"
FIELDS: dict[str, Any] = {
    "title": f'<img src="x" onerror="{OWNED}">',
    "score": 78,
    "summary": f"Good. </p></script><script>{OWNED}</script> It goes on for a while, so that one can see it grow.",
    "findings": [{"point": f'"><svg onload="{OWNED}"></svg>', "weight": 4}],
}
"""A report whose texts would be markup wherever one is not shown as text."""
HOSTILE_KEY = f'<b onclick="{OWNED}">["k'
_TEXT = f'<think>{{"title": "{DRAFT}"}}</think>Here it is:\n' + json.dumps({**FIELDS, HOSTILE_KEY: "a key of its own"})
ANSWERS = RECORDED | {  # type: ignore[operator]
    "hostile": Answer("hostile", _TEXT),
    "refused": Answer("refused", _TEXT.replace("78", '"rather high"')),
    "long": Answer("endless", '{"title": "' + "a" * 100_000),
}


@pytest.fixture
def server() -> Iterator[AsgiServer]:
    with AsgiServer(create_app(ANSWERS, pause=0.0)) as running:
        yield running


def events(server: AsgiServer, name: str) -> list[tuple[str, Any]]:
    """The name and the data of each server-sent event."""
    blocks = httpx2.get(f"{server.root}/answers/{name}/events").raise_for_status().text.split("\n\n")
    lines = [block.split("\n") for block in blocks if block.startswith("event: ")]
    return [(one[0].removeprefix("event: "), json.loads(one[1].removeprefix("data: "))) for one in lines]


def test_each_character_of_the_answer_is_sent_once_and_nothing_of_the_draft(server: AsgiServer) -> None:
    *snapshots, last = events(server, "hostile")
    parts = [part for _, data in snapshots for part in data["parts"] if part["path"] == "$.summary"]
    assert (last, "".join(part["text"] for part in parts)) == (("accepted", {"value": FIELDS}), FIELDS["summary"])
    assert len(parts) > 3
    assert DRAFT not in str(snapshots)


@pytest.mark.parametrize(
    ("name", "end", "told"),
    [("damaged", "accepted", "score"), ("wrong", "refused", "valid integer"), ("cut", "refused", "was cut off")],
)
def test_recorded_answer_ends_as_its_label_says(name: str, end: str, told: str, server: AsgiServer) -> None:
    last = events(server, name)[-1]
    assert (last[0], told in str(last[1])) == (end, True)


def test_nothing_goes_on_for_a_reader_who_has_left(server: AsgiServer) -> None:
    with httpx2.stream("GET", f"{server.root}/answers/long/events") as response:
        assert '"text": "aaaaaa", "whole": false' in "".join(islice(response.iter_lines(), 20))
    assert server.rests()


def test_page_names_the_answers_and_allows_no_script_but_its_own(server: AsgiServer) -> None:
    page = httpx2.get(server.root)
    assert all(f'<option value="{name}">{answer.label}</option>' in page.text for name, answer in ANSWERS.items())
    assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
    assert httpx2.get(f"{server.root}/answers/other/events").status_code == 404


FRAME = '<iframe src="/" data-answer="{}" style="border:0; width:{}px; color-scheme:{}"></iframe>'
FRAMES = FRAME.format("hostile", 390, "light") + FRAME.format("refused", 1280, "dark")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a script around the frames has seen in each."""
    app, told = FastAPI(), Queue[list[dict[str, Any]]]()

    @app.get("/watch", response_class=HTMLResponse)
    def watch() -> str:
        axe = "/axe.js" if AXE.is_file() else ""
        return f'<!doctype html><body data-axe="{axe}">{FRAMES}<script>{SCRIPT}</script>'

    @app.get("/axe.js")
    def axe() -> FileResponse:
        return FileResponse(AXE)

    @app.post("/seen")
    async def tell(request: Request) -> None:
        told.put(await request.json())

    app.mount("/", create_app(ANSWERS, pause=0.005))
    with AsgiServer(app) as server, opened(f"{server.root}/watch", tmp_path_factory.mktemp("browser")):
        return told.get(timeout=60)


@pytest.mark.browser
def test_page_shows_what_grows_and_says_how_it_ended(seen: list[dict[str, Any]]) -> None:
    hostile, refused = seen
    texts = hostile["texts"]["$.summary"]
    assert len(texts) > 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert (texts[-1], hostile["object"], refused["object"]) == (FIELDS["summary"], FIELDS, None)
    assert (hostile["states"][-1], refused["states"][-1], hostile["removed"]) == ("accepted", "refused", 0)
    assert "score: Input should be a valid integer" in refused["end"]


@pytest.mark.browser
def test_text_of_the_model_is_never_markup_and_the_page_fits_the_window(seen: list[dict[str, Any]]) -> None:
    for found, width, scheme in zip(seen, (390, 1280), ("light", "dark"), strict=True):
        assert [html for html in found["html"] if DRAFT in html] == []
        assert (found["markup"], found["owned"], HOSTILE_KEY in found["names"]) == (0, None, True)
        assert (found["width"], found["needed"], found["scheme"]) == (width, width, scheme)


@pytest.mark.browser("axe")
def test_page_has_no_violation(seen: list[dict[str, Any]]) -> None:
    assert [(found["violations"], found["passes"] > 10) for found in seen] == [([], True)] * 2
