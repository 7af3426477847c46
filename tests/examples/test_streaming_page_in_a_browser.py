"""The streaming page in a real Chromium: what stands in it at each moment of an answer, and how it looks at each width.

Four frames show it at once, in real time. A script around them starts an answer in each, notes what the page holds
after each of its changes, and sends what it saw.
"""

from html import escape
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse

from examples.streaming_page.app import create_app
from examples.streaming_page.events import events_of
from examples.streaming_page.report import Report
from tests.entrypoints.reports.chromium import opened
from tests.examples.streaming_answers import ANSWERS, DRAFT, FIELDS, HOSTILE, HOSTILE_KEY, SIZE, without_pauses
from tests.installed import AXE
from tests.loopback.asgi_server import AsgiServer

pytestmark = pytest.mark.browser

SCRIPT = (Path(__file__).parent / "watch_streaming_page.js").read_text(encoding="utf-8")


class Shown(NamedTuple):
    answer: str
    width: int
    scheme: str


SHOWN = [
    Shown("hostile", 390, "light"),
    Shown("hostile", 1280, "dark"),
    Shown("refused", 768, "light"),
    Shown("refused", 390, "dark"),
]


def watcher(seen: Queue[list[dict[str, Any]]]) -> FastAPI:
    """The streaming page, with a page around it that watches."""
    app = FastAPI()
    frames = "".join(
        f'<iframe src="/" data-answer="{shown.answer}" style="border:0; height:900px; width:{shown.width}px; '
        f'color-scheme:{shown.scheme}"></iframe>'
        for shown in SHOWN
    )

    @app.get("/watch", response_class=HTMLResponse)
    def watch() -> str:
        axe = "/axe.js" if AXE.is_file() else ""
        return f'<!doctype html><body data-axe="{escape(axe)}">{frames}<script>{SCRIPT}</script>'

    @app.get("/axe.js")
    def axe() -> FileResponse:
        return FileResponse(AXE)

    @app.post("/seen")
    async def tell(request: Request) -> None:
        seen.put(await request.json())

    app.mount("/", create_app(ANSWERS, size=SIZE, pause=0.005))
    return app


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[Shown, dict[str, Any]]:
    told: Queue[list[dict[str, Any]]] = Queue()
    with AsgiServer(watcher(told)) as server, opened(f"{server.root}/watch", tmp_path_factory.mktemp("browser")):
        found = told.get(timeout=60)
    return dict(zip(SHOWN, found, strict=True))


each = pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: f"{shown.answer}-{shown.width}-{shown.scheme}")
each_hostile = pytest.mark.parametrize("shown", SHOWN[:2], ids=lambda shown: f"{shown.width}-{shown.scheme}")
each_refused = pytest.mark.parametrize("shown", SHOWN[2:], ids=lambda shown: f"{shown.width}-{shown.scheme}")


@each_hostile
def test_fields_grow_and_nothing_of_them_is_taken_back(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    texts: dict[str, list[str]] = seen[shown]["texts"]
    for path, final in {"$.title": FIELDS["title"], "$.summary": FIELDS["summary"]}.items():
        assert len(texts[path]) > 3
        assert all(later.startswith(earlier) for earlier, later in zip(texts[path], texts[path][1:], strict=False))
        assert texts[path][-1] == final
    assert texts["$.score"] == ["78"]
    assert seen[shown]["removed"] == 0


@each
def test_draft_of_the_reasoning_is_never_in_the_page(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    moments: list[str] = seen[shown]["html"]
    assert len(moments) > 40
    assert [html for html in moments if DRAFT in html] == []


@each
def test_text_of_the_model_becomes_no_markup(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    found = seen[shown]
    assert found["markup"] == 0
    assert found["owned"] is None
    assert HOSTILE_KEY in found["names"]


async def paths_of_events() -> list[set[str]]:
    events = [event async for event in events_of(without_pauses(HOSTILE.text), Report, finished=True)]
    return [{part.path for part in event.data["parts"]} if event.event == "snapshot" else set() for event in events]


@pytest.mark.anyio
@each_hostile
async def test_an_event_changes_the_elements_it_names_and_no_other(
    shown: Shown, seen: dict[Shown, dict[str, Any]]
) -> None:
    started, *touched = (set(paths) for paths in seen[shown]["touched"])
    named = await paths_of_events()
    assert started == set()
    assert len(touched) == len(named)
    assert [paths - told for paths, told in zip(touched, named, strict=True) if paths - told] == []
    assert set().union(*touched) == set().union(*named)


@each_hostile
def test_state_is_told_and_the_object_stands_at_the_end(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    assert list(dict.fromkeys(seen[shown]["states"])) == ["waiting", "reading", "done", "accepted"]
    assert seen[shown]["object"] == FIELDS


@each_refused
def test_refused_answer_says_why(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    assert seen[shown]["states"][-1] == "refused"
    assert "score: Input should be a valid integer" in seen[shown]["end"]
    assert seen[shown]["object"] is None


@each
def test_page_is_no_wider_than_the_window_in_light_and_in_dark(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    found = seen[shown]
    assert (found["width"], found["needed"], found["scheme"]) == (shown.width, shown.width, shown.scheme)


@pytest.mark.browser("axe")
@each
def test_page_has_no_violation(shown: Shown, seen: dict[Shown, dict[str, Any]]) -> None:
    assert seen[shown]["passes"] > 10
    assert seen[shown]["violations"] == []
