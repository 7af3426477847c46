"""`python -m examples.visual_rag`: a folder of page images, a question, an answer."""

import base64
import io
import json
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag.__main__ import EXAMPLES, app
from examples.visual_rag.page_folder import PageFolder
from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import Ended, invoke
from tests.loopback.answers import ChatRequest, answer, status
from tests.loopback.server import ChatServer
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import needs_chinese, needs_tesseract
from tests.paths import ROOT

CHART = ROOT / "examples/visual_rag/chart/pages"
DICE = (100, 339, 220, 379)
"""Where the number of the North stands in the chart, on page 3."""
SEARCH = reply("search", {"query": "units sold by region"})
ANSWER = reply("answer", answer="463")


def crop(*region: float) -> str:
    return reply("crop", {"image_id": "image_03", "region": region})


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def ask(server: ChatServer, *options: str) -> Ended:
    model = ("--base-url", server.url, "--model", "m", "--languages", "eng")
    return invoke(str(CHART), "How many in the North?", *model, *options, columns=400, of=app)


def pixels_in(request: ChatRequest) -> dict[str, bytes]:
    """The images of a request, by the ids that stand before them."""
    contents = [message["content"] for message in request.body["messages"] if isinstance(message["content"], list)]
    shown = [(before["text"], part) for parts in contents for before, part in pairwise(parts) if "image_url" in part]
    files = {name.removesuffix(":"): part["image_url"]["url"].partition(",")[2] for name, part in shown}
    return {name: Image.open(io.BytesIO(base64.b64decode(file))).tobytes() for name, file in files.items()}


@needs_chinese
@pytest.mark.parametrize(("example", "answer"), [(EXAMPLES[0], "1.27 亿元"), (EXAMPLES[1], "463")])
def test_shipped_example_is_played_with_no_account(
    example: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    ended = invoke(*example.split()[3:], "--output", str(tmp_path), of=app)
    result = json.loads(ended.stdout)
    assert (ended.code, ended.stderr, result["answer"][: len(answer)]) == (ExitCode.OK, "", answer)
    assert [turn["error"] for turn in result["turns"]] == [None] * len(result["turns"])
    assert answer in (tmp_path / "transcript-001.jsonl").read_text(encoding="utf-8")


@needs_tesseract
def test_model_sees_the_pixels_of_the_page_that_was_found_and_of_its_crop(chat_server: ChatServer) -> None:
    chat_server.script([*map(answer, (SEARCH, crop(*DICE), ANSWER))])
    result = json.loads(ask(chat_server).stdout)
    chart, shown = PageFolder(CHART).image("image_03"), pixels_in(chat_server.requests[-1])
    assert (result["answer"], [turn["error"] for turn in result["turns"]]) == ("463", [None] * 3)
    assert shown["image_03"] == chart.tobytes()
    assert shown["image_03_crop_100_339_220_379"] == chart.crop(DICE).tobytes()


@needs_tesseract
def test_regions_may_have_another_unit_and_a_model_need_not_see(chat_server: ChatServer) -> None:
    x1, y1, x2, y2 = DICE
    chat_server.script([answer(crop(x1 / 1280, y1 / 720, x2 / 1280, y2 / 720)), answer(ANSWER)])
    ask(chat_server, "--coordinates", "fraction", "--text-only")
    assert [path.name for path in Path("visual-rag-run/crops").iterdir()] == ["image_03_crop_100_339_220_379.png"]
    assert pixels_in(chat_server.requests[-1]) == {}


@needs_tesseract
@pytest.mark.parametrize(("code", "advice"), [(200, "no answer within 2 turns"), (401, "LLM_API_KEY")])
def test_run_without_an_answer_names_its_transcript(code: int, advice: str, chat_server: ChatServer) -> None:
    chat_server.respond(lambda _: answer(SEARCH) if code == 200 else status(code))
    ended = ask(chat_server, "--max-turns", "2")
    assert (ended.code, ended.stdout) == (ExitCode.PARSE_ERROR if code == 200 else ExitCode.MODEL_ERROR, "")
    assert advice in ended.stderr
    assert "; transcript: visual-rag-run/transcript-001.jsonl" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ([str(CHART)], "name a QUESTION"),
        (["none", "Q?"], "none"),
        ([str(CHART), "--replay", "none.jsonl"], "none.jsonl"),
        ([str(CHART), "Q?"], "apt install tesseract-ocr tesseract-ocr-chi-sim"),
    ],
)
def test_what_is_missing_is_told_at_once(arguments: list[str], advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ended = invoke(*arguments, columns=400, of=app)
    assert (ended.code, ended.stdout, advice in ended.stderr) == (ExitCode.USAGE, "", True)
