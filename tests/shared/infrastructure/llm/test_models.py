"""The models of one application: what stands around each adapter."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.models import ModelFactory
from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
from src.shared.infrastructure.llm.replay import ReplayLLM
from src.shared.infrastructure.llm.traced import TracedLLM

pytestmark = pytest.mark.anyio

SETTINGS = {"base_url": "http://127.0.0.1:9/v1", "model": "first"}


async def test_model_is_traced_where_that_is_asked_for() -> None:
    async with AsyncExitStack() as open_things:
        assert isinstance(ModelFactory(open_things, SETTINGS, None, None, "on").first(), TracedLLM)
        assert isinstance(ModelFactory(open_things, SETTINGS, None, None, "off").first(), OpenAICompatibleLLM)


async def test_model_is_recorded_in_every_file_that_is_named(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    async with AsyncExitStack() as open_things:
        model = ModelFactory(open_things, SETTINGS, None, files, "off").first()

    assert isinstance(model, RecordingLLM)
    assert all(file.exists() for file in files)


async def test_recording_answers_for_every_model(tmp_path: Path) -> None:
    recording = tmp_path / "recording.jsonl"
    recording.write_text('{"prompt": "?", "reply": {"text": "{}"}}\n', encoding="utf-8")
    async with AsyncExitStack() as open_things:
        models = ModelFactory(open_things, None, recording, None, None)

        assert isinstance(models.first(), ReplayLLM)
        assert models.other("other") is None
