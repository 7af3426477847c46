"""The context put together: whole episodes with real search, crop and OCR."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from dependency_injector import providers
from PIL import Image

from examples.visual_rag.container import VisualRag
from examples.visual_rag.record import HERE
from examples.visual_rag.tests.search_server import running_search_server
from examples.visual_rag.transcript.replayed_models import TranscriptModels
from src.shared.domain.llm_errors import LLMServerError
from src.shared.domain.ports.events import CallEnded, EventPort
from src.shared.domain.ports.llm import LLMPort
from src.shared.infrastructure.events.fan_out import FanOut, MemoryEvents
from tests.modules.visual_rag.tools import NO_ACTION, fake_tesseract, needs_chinese, needs_tesseract, page_image
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio

SEARCH = "<search>provision</search>"
CROP = '<tools_call>{"name": "crop", "arguments": {"image_id": "image_02", "region": [30, 50, 900, 120]}}</tools_call>'
OCR = (
    '<tools_call>{"name": "ocr", "arguments": {"image_id": "image_02_crop_30_50_400_120", '
    '"region": [0, 0, 370, 70]}}</tools_call>'
)


def visual_rag(
    open_things: AsyncExitStack,
    tmp_path: Path,
    model: LLMPort,
    replay: Path | None = None,
    events: EventPort | None = None,
) -> VisualRag:
    rag = VisualRag(open_things=open_things, model=providers.Object(model), events=events or FanOut())
    rag.config.from_dict({"pages": tmp_path / "pages", "output": tmp_path / "run", "replay": replay})
    return rag


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VISUAL_RAG_OCR_LANGUAGES", "eng")
    (tmp_path / "pages").mkdir()
    page_image(tmp_path / "pages" / "1.png", "Revenue 18.6")
    page_image(tmp_path / "pages" / "2.png", "Provision 38.1")
    return tmp_path


@needs_tesseract
async def test_whole_episode_of_tags_with_real_search_crop_and_ocr(pages: Path) -> None:
    model = ScriptedLLM([NO_ACTION, SEARCH, CROP, OCR, "<answer>38.1</answer>"])
    async with AsyncExitStack() as open_things:
        rag = visual_rag(open_things, pages, model)
        (episode,) = await rag.manager().run(["How high is the provision?"])
    assert [turn.observation.error for turn in episode.turns] == [None] * 5
    assert '"image_id": "image_02", "size": [400, 300], "text": "Provision 38.1"' in episode.turns[0].observation.text
    assert '"text": "Provision 38.1"' in episode.turns[3].observation.text
    assert episode.answer == "38.1"
    with Image.open(pages / "run" / "crops" / "image_02_crop_30_50_400_120.png") as crop:
        assert crop.size == (370, 70)


async def test_every_request_of_an_episode_is_told_and_none_of_a_replay(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tesseract(pages, "say 95 read", monkeypatch)
    events = MemoryEvents()
    async with AsyncExitStack() as open_things:
        model = ScriptedLLM([CROP, "<answer>38.1</answer>"])
        await visual_rag(open_things, pages, model, events=events).manager().run(["Q?"])
        transcript = next((pages / "run").glob("*.jsonl"))
        await visual_rag(open_things, pages, ScriptedLLM([]), transcript, events).manager().run(["Q?"])
    told = [(call.caller.context_label, call.usage.total_tokens) for call in events.of(CallEnded)]
    assert told == [("视觉检索", 20)] * 2


async def test_each_episode_turns_to_the_other_model_for_itself(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages, "say 95 read", monkeypatch)
    first = ScriptedLLM([LLMServerError("down"), "<answer>first</answer>"])
    async with AsyncExitStack() as open_things:
        rag = visual_rag(open_things, pages, first)
        rag.fallback.override(providers.Object(ScriptedLLM(["<answer>other</answer>"])))
        episodes = await rag.manager().run(["Q?", "R?"])
    assert [episode.answer for episode in episodes] == ["other", "first"]


async def test_replay_makes_no_model(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages, "say 95 read", monkeypatch)
    async with AsyncExitStack() as open_things:
        rag = visual_rag(open_things, pages, ScriptedLLM([]), HERE / "transcript.jsonl")
        for made in (rag.model, rag.fallback):
            made.override(providers.Callable(pytest.fail))
        assert isinstance(rag.models(), TranscriptModels)


async def test_transcript_of_the_run_can_be_replayed(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages, "say 95 read", monkeypatch)
    async with AsyncExitStack() as open_things:
        rag = visual_rag(open_things, pages, ScriptedLLM([CROP, OCR, "<answer>38.1</answer>"]))
        await rag.manager().run(["Q?"])
    async with AsyncExitStack() as open_things:
        again = visual_rag(open_things, pages, ScriptedLLM([]), replay=rag.transcript().path)
        (episode,) = await again.manager().run(["Q?"])
    assert episode.answer == "38.1"


async def test_service_is_searched_where_one_is_set(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tesseract(pages, "", monkeypatch)
    with running_search_server() as server:
        monkeypatch.setenv("VISUAL_RAG_SEARCH_URL", server.url)
        server.answer = [[{"idx": 0, "image_file": "./corpus/2.png", "text": "from the service"}]]
        async with AsyncExitStack() as open_things:
            rag = visual_rag(open_things, pages, ScriptedLLM([NO_ACTION, "<answer>1</answer>"]))
            (episode,) = await rag.manager().run(["Q?"])
    assert "from the service" in episode.turns[0].observation.text
    assert not (pages / "run" / "index.sqlite").exists()


@needs_chinese
async def test_small_print_of_the_shipped_example_is_found_and_read_in_a_crop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL_RAG_OCR_LANGUAGES", raising=False)
    async with AsyncExitStack() as open_things:
        rag = visual_rag(open_things, tmp_path, ScriptedLLM([]), replay=HERE / "transcript.jsonl")
        rag.config.pages.from_value(HERE / "pages")
        (question,) = TranscriptModels(HERE / "transcript.jsonl").questions
        (episode,) = await rag.manager().run([question])
    searched, cropped, read, _ = (turn.observation for turn in episode.turns)
    assert "image_03" in searched.text
    assert cropped.error is None
    assert "1.27" in read.text
    assert str(episode.answer).startswith("1.27")
