"""A transcript holds every turn, keeps no secret, and can be played again."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from examples.visual_rag.transcript.json_lines import JsonLinesTranscript
from examples.visual_rag.transcript.replayed_models import TranscriptModels
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager, OneModel
from src.modules.visual_rag.domain.episode import EndReason
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError
from src.modules.visual_rag.domain.messages import forced_first_search
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import NO_ACTION, FakeModels, FakeOcr, pixels_of, tools
from tests.shared.scripted_llm import ScriptedLLM
from tests.shared.scripted_llm import reply as model_reply

pytestmark = pytest.mark.anyio

OCR, ANSWER = reply("ocr", ON_IMAGE), reply("answer", answer="42")
PARSER = VisualRagActionParser()


async def recorded(folder: Path, question: str = "Q?", *script: str | LLMReply) -> tuple[Path, list[dict[str, Any]]]:
    """Play an episode and read its transcript."""
    transcript = JsonLinesTranscript(folder)
    model = ScriptedLLM([NO_ACTION, *(script or (OCR, "neither", ANSWER))])
    await LLMGenerationManager(OneModel(model), PARSER, tools(), transcript).run([question])
    lines = transcript.path.read_text(encoding="utf-8").splitlines()
    return transcript.path, [json.loads(line) for line in lines]


async def test_every_turn_is_a_line(tmp_path: Path) -> None:
    _, lines = await recorded(tmp_path)
    assert [(line["turn"], line["forced"], line["action"], line["error"], line["answer"]) for line in lines] == [
        (1, True, "search", None, None),
        (2, False, "ocr", None, None),
        (3, False, None, "unreadable", None),
        (4, False, "answer", None, "42"),
    ]
    assert "1.27" in lines[1]["observation"]
    assert lines[2]["problem"]
    assert lines[3]["usage"]["completion_tokens"] == 10


async def test_replay_plays_the_same_turns(tmp_path: Path) -> None:
    path, lines = await recorded(tmp_path)
    replayed = JsonLinesTranscript(tmp_path)
    (episode,) = await LLMGenerationManager(TranscriptModels(path), PARSER, tools(), replayed).run(["Q?"])
    assert episode.answer == "42"
    assert [json.loads(line) for line in replayed.path.read_text().splitlines()] == lines


async def test_replay_does_not_depend_on_what_is_read(tmp_path: Path) -> None:
    path, _ = await recorded(tmp_path)
    other = tools(ocr=FakeOcr("l.Z7"))
    (episode,) = await LLMGenerationManager(TranscriptModels(path), PARSER, other).run(["Q?"])
    assert (episode.answer, "l.Z7" in episode.turns[1].observation.text) == ("42", True)


async def test_turn_that_the_forced_search_took_the_place_of_is_kept_and_replayed(tmp_path: Path) -> None:
    _, lines = await recorded(tmp_path)
    assert (lines[0]["response"], lines[0]["model"]) == (forced_first_search("Q?"), "forced")
    assert (lines[0]["replaced"]["response"], lines[0]["replaced"]["usage"]["completion_tokens"]) == (NO_ACTION, 10)
    assert [line["replaced"] for line in lines[1:]] == [None] * 3


async def test_forced_search_of_a_line_that_names_no_reply_is_forced_again(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    lines = [{"question": "Q?", "forced": True, "response": forced_first_search("Q?")}]
    path.write_text("\n".join(map(json.dumps, [*lines, {"question": "Q?", "response": ANSWER}])))
    (episode,) = await LLMGenerationManager(TranscriptModels(path), PARSER, tools()).run(["Q?"])
    assert [turn.is_forced for turn in episode.turns] == [True, False]


async def test_batch_is_replayed_episode_by_episode(tmp_path: Path) -> None:
    transcript = JsonLinesTranscript(tmp_path)
    models = {"A?": ScriptedLLM([NO_ACTION, OCR, ANSWER]), "B?": ScriptedLLM([reply("answer", answer="43")])}
    await LLMGenerationManager(FakeModels(models), PARSER, tools(), transcript).run(["A?", "B?"])
    models_again = TranscriptModels(transcript.path)
    assert models_again.questions == ("A?", "B?")
    episodes = await LLMGenerationManager(models_again, PARSER, tools()).run(["B?", "A?"])
    assert [episode.answer for episode in episodes] == ["43", "42"]


async def test_answer_that_was_cut_off_is_cut_off_in_the_replay(tmp_path: Path) -> None:
    path, _ = await recorded(tmp_path, "Q?", LLMReply(ANSWER, FinishReason.LENGTH), OCR, OCR, OCR, OCR, OCR, OCR)
    (episode,) = await LLMGenerationManager(TranscriptModels(path), PARSER, tools()).run(["Q?"])
    assert episode.ended is EndReason.OUT_OF_TURNS


async def test_line_written_by_hand_needs_question_and_response_only(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_text('\ufeff{"question": "2+2?", "response": "<answer>4</answer>"}\n\n', encoding="utf-8")
    (episode,) = await LLMGenerationManager(TranscriptModels(path), PARSER, tools()).run(["2+2?"])
    assert episode.answer == "4"


async def test_turn_without_a_finish_reason_is_not_one_that_had_ended(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_text('{"question": "2+2?", "response": "<answer>4"}\n', encoding="utf-8")
    reply = await TranscriptModels(path).for_question("2+2?").generate(LLMRequest.of(""))
    assert reply.finish_reason is FinishReason.UNKNOWN


async def test_images_that_were_shown_are_named_with_their_digests_and_without_their_pixels(tmp_path: Path) -> None:
    path, lines = await recorded(tmp_path)
    (image,) = lines[0]["images"]
    digest = pixels_of("image_01").digest
    assert image == {"image_id": "image_01", "size": [1000, 1400], "media_type": "image/png", "digest": digest}
    assert base64.b64encode(pixels_of("image_01").data).decode() not in path.read_text()
    assert lines[1]["images"] == []


# --- what is written ----------------------------------------------------------------------------------------


async def test_each_run_has_a_file_of_its_own_for_its_owner_alone(tmp_path: Path) -> None:
    paths = [JsonLinesTranscript(tmp_path / "run").path for _ in range(2)]
    assert [path.name for path in paths] == ["transcript-001.jsonl", "transcript-002.jsonl"]
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}


async def test_keys_are_redacted_and_the_episode_is_still_found(tmp_path: Path) -> None:
    question = "Is sk-abcdefghijklmnopqrstuvwx a key?"
    path, _ = await recorded(tmp_path, question, reply("answer", answer="yes: sk-abcdefghijklmnopqrstuvwx"))
    assert "abcdefghij" not in path.read_text()
    assert (await LLMGenerationManager(TranscriptModels(path), PARSER, tools()).run([question]))[0].answer


async def test_lone_surrogate_is_written_as_a_question_mark(tmp_path: Path) -> None:
    _, lines = await recorded(tmp_path, "Q?", reply("answer", answer="x") + "\ud800")
    assert lines[1]["response"].endswith("?")


async def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(VisualRagConfigurationError, match="file"):
        JsonLinesTranscript(tmp_path / "file" / "run")


async def test_full_disk_leaves_whole_lines_and_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = JsonLinesTranscript(tmp_path)
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:10]))
    with pytest.raises(VisualRagConfigurationError, match="disk is full"):
        await LLMGenerationManager(OneModel(ScriptedLLM([ANSWER])), PARSER, tools(), transcript).run(["Q?"])
    assert transcript.path.read_bytes() == b""


# --- transcripts that cannot be replayed --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no turn"),
        ('{"question": "Q?"}', "line 1"),
        ('{"question": "Q?", "response": "x"}\n{"question"', "line 2"),
        ('{"question": "Q?", "response": "x", "other": 1}', "other"),
        (None, "cannot read"),
    ],
)
def test_transcript_that_cannot_be_read_says_where(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "t.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(LLMConfigurationError, match=message):
        TranscriptModels(path)


async def test_question_that_is_not_in_the_transcript_is_refused(tmp_path: Path) -> None:
    path, _ = await recorded(tmp_path)
    models = TranscriptModels(path)
    models.for_question("Q?")
    for question in ("Q?", "Other?"):
        with pytest.raises(LLMConfigurationError, match="no \\(further\\) episode"):
            models.for_question(question)


async def test_transcript_of_an_interrupted_run_says_that_it_ends(tmp_path: Path) -> None:
    path, _ = await recorded(tmp_path, "Q?", model_reply(OCR), model_reply(ANSWER))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(LLMConfigurationError, match="ends here"):
        await LLMGenerationManager(TranscriptModels(path), PARSER, tools(), rules=EpisodeRules()).run(["Q?"])
