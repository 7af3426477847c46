"""The chart example live: a server on loopback that answers from the pixels of the request, and from nothing else."""

import base64
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from examples.visual_rag.make_chart import CHART_PAGE, DIE, PAGES, UNITS, bars
from examples.visual_rag.tests.harness import invoke
from examples.visual_rag.tests.search_server import running_search_server
from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import Ended
from tests.loopback.answers import Answer, ChatRequest, answer
from tests.loopback.server import ChatServer
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import needs_tesseract

pytestmark = needs_tesseract

QUESTION = (PAGES.parent / "question.txt").read_text(encoding="utf-8").strip()
NORTH = next(bars())
DARK = 128


def images_of(request: ChatRequest) -> dict[str, Image.Image]:
    """The images of a request, by the ids that stand before them."""
    found: dict[str, Image.Image] = {}
    for message in request.body["messages"]:
        parts: list[dict[str, Any]] = message["content"] if isinstance(message["content"], list) else []
        for before, part in pairwise(parts):
            if part["type"] == "image_url":
                head, _, data = part["image_url"]["url"].partition(",")
                assert head == "data:image/png;base64"
                found[before["text"].removesuffix(":")] = Image.open(io.BytesIO(base64.b64decode(data)))
    return found


def page_pixels() -> Image.Image:
    with Image.open(PAGES / CHART_PAGE) as page:
        page.load()
        return page


def dots(die: Image.Image) -> int:
    """Count the dark spots of a die inside its outline."""
    inner = die.crop((2, 2, DIE - 2, DIE - 2))
    pixels = ((x, y) for x in range(inner.width) for y in range(inner.height))
    dark = {at for at in pixels if int(inner.getpixel(at)) < DARK}  # type: ignore[arg-type]  # a grey is one number
    count = 0
    while dark:
        count += 1
        spot = [dark.pop()]
        while spot:
            x, y = spot.pop()
            near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & dark
            dark -= near
            spot += near
    return count


def number_on(label: Image.Image) -> str:
    return "".join(str(dots(label.crop((left, 0, left + DIE, DIE)))) for left in range(0, label.width, DIE))


def seeing(request: ChatRequest) -> Answer:
    """Search, zoom in on the bar of the chart it sees, and read the dice it sees."""
    chart = page_pixels().tobytes()
    images = images_of(request)
    page = next((name for name, image in images.items() if image.tobytes() == chart), None)
    crop = next((image for name, image in images.items() if "_crop_" in name), None)
    if crop:
        return answer(reply("answer", answer=number_on(crop)))
    if page:
        return answer(reply("crop", {"image_id": page, "region": NORTH.label}))
    if len(request.body["messages"]) == 2:
        return answer(reply("search", {"query": "units sold by region 2025"}))
    return answer("I see no chart.")


def run(server: ChatServer, *options: str) -> Ended:
    server.respond(seeing)
    return invoke(str(PAGES), QUESTION, "--base-url", server.url, "--model", "m", *options)


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A service that finds the chart: no page is read for an index."""
    monkeypatch.setenv("VISUAL_RAG_OCR_LANGUAGES", "eng")
    monkeypatch.chdir(tmp_path)
    with running_search_server() as service:
        service.answer = [[{"idx": 0, "image_file": f"./corpus/img/{CHART_PAGE}"}]]
        monkeypatch.setenv("VISUAL_RAG_SEARCH_URL", service.url)
        yield


def test_answer_is_read_from_the_pixels_that_arrive(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the local index: the chart is found by its title."""
    monkeypatch.delenv("VISUAL_RAG_SEARCH_URL")
    ended = run(chat_server)
    result = json.loads(ended.stdout)
    assert (ended.code, result["answer"]) == (ExitCode.OK, str(UNITS["North"]))
    assert [turn["action"] for turn in result["turns"]] == ["search", "crop", "answer"]


def test_page_and_crop_arrive_as_images_whose_pixels_are_the_files(chat_server: ChatServer) -> None:
    run(chat_server)
    images = images_of(chat_server.requests[-1])
    assert images["image_03"].tobytes() == page_pixels().tobytes()
    crop = images["image_03_crop_100_339_220_379"]
    assert (crop.size, crop.tobytes()) == ((120, 40), page_pixels().crop(NORTH.label).tobytes())
    with Image.open("visual-rag-run/crops/image_03_crop_100_339_220_379.png") as file:
        assert crop.tobytes() == file.tobytes()


def test_messages_have_the_roles_of_those_who_speak(chat_server: ChatServer) -> None:
    run(chat_server)
    messages = chat_server.requests[-1].body["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert messages[1]["content"] == f"Question: {QUESTION}"
    assert chat_server.requests[-1].body["stop"] == ["</answer>\n", "</bbox>\n", "</search>\n", "</tools_call>\n"]


def test_no_pixels_stand_in_the_transcript(chat_server: ChatServer) -> None:
    transcript = Path(json.loads(run(chat_server).stdout)["transcript"]).read_text(encoding="utf-8")
    assert len(transcript) < 10_000
    crops = [image for line in transcript.splitlines() for image in json.loads(line)["images"]][-1:]
    assert [(image["image_id"], len(image["digest"])) for image in crops] == [("image_03_crop_100_339_220_379", 64)]


def test_without_images_there_is_no_answer(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL_RAG_SHOW_IMAGES", "false")
    ended = run(chat_server, "--max-turns", "3")
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR, "")
    assert all(images_of(request) == {} for request in chat_server.requests)


@pytest.mark.parametrize(("unit", "whole"), [("fraction", 1), ("thousandths", 1000)])
def test_same_part_is_cut_out_in_other_units(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch, unit: str, whole: int
) -> None:
    monkeypatch.setenv("VISUAL_RAG_COORDINATES", unit)
    width, height = page_pixels().size
    x1, y1, x2, y2 = NORTH.label
    region = [x1 * whole / width, y1 * whole / height, x2 * whole / width, y2 * whole / height]
    script = [reply("search", {"query": "units"}), reply("crop", {"image_id": "image_03", "region": region})]
    chat_server.script([*map(answer, script), answer(reply("answer", answer="463"))])
    ended = invoke(str(PAGES), QUESTION, "--base-url", chat_server.url, "--model", "m")
    assert [turn["error"] for turn in json.loads(ended.stdout)["turns"]] == [None] * 3
    (crop,) = (image for name, image in images_of(chat_server.requests[-1]).items() if "_crop_" in name)
    assert crop.tobytes() == page_pixels().crop(NORTH.label).tobytes()
