"""The playground as `tools.playground` builds it, in a real Chromium: a person's session in it.

Python is loaded twice in it, once at the start and once after a reading was stopped.
"""

import json
from html import escape
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles

from tests.entrypoints.reports.chromium import opened
from tests.installed import AXE
from tests.loopback.asgi_server import AsgiServer
from tools.playground.__main__ import build

pytestmark = pytest.mark.browser("playground")

SCRIPT = (Path(__file__).parent / "watch_playground.js").read_text(encoding="utf-8")


class Session(NamedTuple):
    """What the page showed, what it asked its server for, and what it asked another one for."""

    seen: dict[str, Any]
    paths: set[str]
    elsewhere: list[str]


def watcher(site: Path, elsewhere: str, told: Queue[dict[str, Any]], paths: set[str]) -> FastAPI:
    """The playground, with a page around it that uses it."""
    app = FastAPI()

    @app.middleware("http")
    async def note(request: Request, call_next: Any) -> Response:  # noqa: ANN401 - FastAPI's own
        paths.add(request.url.path)
        answer: Response = await call_next(request)
        return answer

    @app.get("/watch", response_class=HTMLResponse)
    def watch() -> str:
        axe = "/axe.js" if AXE.is_file() else ""
        frame = '<iframe src="/" style="border:0; width:1280px; height:900px"></iframe>'
        data = f'data-axe="{escape(axe)}" data-elsewhere="{escape(elsewhere)}"'
        return f"<!doctype html><body {data}>{frame}<script>{SCRIPT}</script>"

    @app.get("/axe.js")
    def axe() -> FileResponse:
        return FileResponse(AXE)

    @app.post("/seen")
    async def tell(request: Request) -> None:
        told.put(await request.json())

    app.mount("/", StaticFiles(directory=site, html=True))
    return app


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    site = tmp_path_factory.mktemp("playground") / "site"
    build(site)
    told: Queue[dict[str, Any]] = Queue()
    paths: set[str] = set()
    reached: list[str] = []
    other = FastAPI()

    @other.get("/{path}")
    def reach(path: str) -> Response:
        reached.append(path)
        return Response(headers={"access-control-allow-origin": "*"})

    with (
        AsgiServer(other) as elsewhere,
        AsgiServer(watcher(site, elsewhere.root, told, paths)) as server,
        opened(f"{server.root}/watch", tmp_path_factory.mktemp("browser")),
    ):
        seen = told.get(timeout=300)
    return Session(seen, paths, reached)


def test_page_waits_for_python_and_says_so(session: Session) -> None:
    assert session.seen["atFirst"] == ["Python is loading …", True, True]


def test_damaged_text_shows_the_value_and_each_repair_at_its_place(session: Session) -> None:
    shown = session.seen["damaged"]

    assert shown["verdict"] == "Read, 7 repaired"
    assert json.loads(shown["first"]) == {
        "order": 1041,
        "status": "paid",
        "items": ["keyboard", "mouse"],
        "discount": 0.05,
    }
    assert ["chosen repaired", "'order'", "single quote: \"'order'\" → '\"order\"'"] in shown["marks"]
    assert ["trailing comma", "8:32", ",", "(nothing)"] in shown["rows"]
    assert ["think", "dropped: 84 characters from 0"] in shown["rows"]
    assert shown["marks"][0][0] == "dropped"
    assert "".join(text for kind, text, _ in shown["marks"] if "chosen" in kind).startswith("{\n  'order'")


def test_cut_text_is_refused_with_its_place_and_what_a_model_is_told(session: Session) -> None:
    shown = session.seen["cut"]

    assert shown["verdict"] == "Refused at the stage repair; line 1, column 57"
    assert shown["first"].startswith("not valid JSON: the text is cut off here\nat line 1, column 57\n")
    assert shown["marks"] == [["refused", "‸", ""]]
    assert ["repair", "failed"] in shown["rows"]
    assert ["validate", "not reached"] in shown["rows"]


def test_end_that_is_known_closes_what_is_open(session: Session) -> None:
    assert json.loads(session.seen["finished"]["first"]) == {"a": 1}


def test_fields_that_do_not_fit_are_marked(session: Session) -> None:
    shown = session.seen["unfit"]

    assert shown["verdict"].startswith("Refused at the stage validate; line 1, ")
    assert "- $.discount: Input should be less than or equal to 1" in shown["first"]
    assert [kind for kind, _, _ in shown["marks"] if "refused" in kind]


def test_values_in_another_spelling_are_told(session: Session) -> None:
    shown = session.seen["spelled"]

    assert shown["verdict"] == "Read, 5 in another spelling"
    assert json.loads(shown["first"])["market_value"] == 120_000_000
    assert ["percent", "$.confidence", '"85%"', "0.85"] in shown["rows"]


def test_text_of_a_stranger_is_shown_as_text(session: Session) -> None:
    shown = session.seen["hostile"]

    assert (shown["strange"], shown["owned"]) == (0, None)
    assert "<img src=x onerror=" in shown["all"]


def test_type_that_cannot_be_run_or_is_none_is_told_as_such(session: Session) -> None:
    assert session.seen["source"]["verdict"] == "The type cannot be used"
    assert "line 1: SyntaxError" in session.seen["source"]["first"]
    assert session.seen["empty"]["first"] == "define a Pydantic model, or a type named Answer"


def test_page_and_its_python_reach_no_other_origin(session: Session) -> None:
    assert session.seen["reaching"]["verdict"] == "Read"
    assert session.elsewhere == []


def test_page_asks_for_its_own_files_and_sends_nothing(session: Session) -> None:
    ours = {path for path in session.paths if path not in {"/watch", "/seen", "/axe.js", "/favicon.ico"}}

    assert {path.rpartition(".")[2] for path in ours} <= {"/", "css", "js", "mjs", "json", "wasm", "whl", "zip", "py"}


def test_reading_that_does_not_end_can_be_stopped_and_the_next_one_works(session: Session) -> None:
    assert session.seen["running"] == ["Reading …", True, False]
    assert session.seen["stopped"] == "Stopped. Python is loading again …"
    assert [item["name"] for item in json.loads(session.seen["list"]["first"])] == ["desk", "chair"]
    assert session.seen["list"]["busy"] == "false"


def test_page_and_messages_speak_chinese_when_asked(session: Session) -> None:
    shown = session.seen["chinese"]

    assert (shown["lang"], shown["title"]) == ("zh", "把模型的文本变成类型化对象")
    assert shown["verdict"] == "已读取，修复 3 处"
    assert "undefined" not in session.seen["words"]
    assert "" not in session.seen["words"]


def test_page_is_no_wider_than_the_window_in_light_and_in_dark(session: Session) -> None:
    looks = session.seen["looks"]

    assert [(look["width"], look["dark"]) for look in looks] == [
        (1280, False),
        (390, True),
        (768, True),
        (1600, False),
        (390, False),
    ]
    assert [look["needed"] for look in looks] == [look["width"] for look in looks]


@pytest.mark.browser("axe")
def test_page_has_no_violation(session: Session) -> None:
    assert [look["violations"] for look in session.seen["looks"]] == [[]] * 5
    assert min(look["passes"] for look in session.seen["looks"]) > 15
