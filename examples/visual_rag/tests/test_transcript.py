"""A transcript holds every turn, keeps no secret, and can be played again."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from examples.visual_rag.transcript import JsonLinesTranscript, RecordedModel
from src.modules.visual_rag.application.generation_manager import LLMGenerationManager
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.domain.ports.llm import LLMPort
from tests.modules.visual_rag.playing import ANSWER, OCR
from tests.modules.visual_rag.tools import NO_ACTION, pixels_of, tools
from tests.shared.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.anyio

SECRET = "sk-abcdefghijklmnopqrstuvwx"  # noqa: S105 - of this test


async def played(folder: Path, model: LLMPort | None = None) -> tuple[Path, list[dict[str, Any]]]:
    """Play an episode; its transcript and the lines of it."""
    model = model or ScriptedLLM([NO_ACTION, OCR, f"neither {SECRET} \ud800", ANSWER])
    path = (transcript := JsonLinesTranscript(folder)).path
    manager = LLMGenerationManager(lambda _: model, VisualRagActionParser(), tools(), transcript.add)
    await manager.run([f"Is {SECRET} a key?"])
    return path, [json.loads(line) for line in path.read_text().splitlines()]


async def test_every_turn_is_a_line_without_keys_pixels_and_lone_surrogates(tmp_path: Path) -> None:
    path, lines = await played(tmp_path)
    assert [(line["turn"], line["forced"], line["action"], line["error"], line["answer"]) for line in lines] == [
        (1, True, "search", None, None),
        (2, False, "ocr", None, None),
        (3, False, None, "unreadable", None),
        (4, False, "answer", None, "42"),
    ]
    assert [line["reply"]["text"] for line in lines] == [NO_ACTION, OCR, "neither [REDACTED] ?", ANSWER]
    assert [image["digest"] for image in lines[0]["images"]] == [pixels_of("image_01").digest]
    assert (SECRET in path.read_text(), path.stat().st_mode & 0o777) == (False, 0o600)


async def test_replay_plays_the_same_turns_into_a_file_of_its_own(tmp_path: Path) -> None:
    path, lines = await played(tmp_path)
    model = RecordedModel(path)
    again, same = await played(tmp_path, model)
    assert (model.question, again.name, same) == ("Is [REDACTED] a key?", "transcript-002.jsonl", lines)
    with pytest.raises(LLMConfigurationError, match="ends here"):
        await played(tmp_path, model)


@pytest.mark.parametrize(("content", "message"), [('{"question": "Q?"}', "line 1"), (None, "cannot read")])
def test_transcript_that_cannot_be_read_says_where(tmp_path: Path, content: str | None, message: str) -> None:
    if content:
        (tmp_path / "t.jsonl").write_text(content)
    with pytest.raises(LLMConfigurationError, match=message):
        RecordedModel(tmp_path / "t.jsonl")


async def test_folder_or_disk_that_takes_nothing_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(VisualRagConfigurationError, match="file"):
        JsonLinesTranscript(tmp_path / "file" / "run")
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:10]))
    with pytest.raises(VisualRagConfigurationError, match="disk is full"):
        await played(tmp_path)
    assert (tmp_path / "transcript-001.jsonl").read_bytes() == b""
