"""The shipped example of the visual RAG agent is whole and small."""

import pytest
from PIL import Image

from examples.visual_rag.make_pages import PAGES, REPORT, SIZE
from examples.visual_rag.record import HERE, TRANSCRIPT
from src.modules.visual_rag.infrastructure.transcript.replayed_models import TranscriptModels

LARGEST = 100_000


def test_folder_holds_the_pages_the_script_draws() -> None:
    assert sorted(path.name for path in PAGES.iterdir()) == sorted(REPORT)


@pytest.mark.parametrize("name", REPORT)
def test_page_is_an_image_of_a_page_and_small(name: str) -> None:
    with Image.open(PAGES / name) as page:
        assert page.size == SIZE
    assert (PAGES / name).stat().st_size < LARGEST


def test_transcript_answers_the_question_by_the_written_replies() -> None:
    question = (HERE / "question.txt").read_text(encoding="utf-8").strip()
    assert TranscriptModels(TRANSCRIPT).questions == (question,)
    transcript = TRANSCRIPT.read_text(encoding="utf-8").splitlines()
    assert len(transcript) == len(list((HERE / "replies").iterdir()))


def test_answer_stands_in_the_small_print_of_one_page_alone() -> None:
    holding = [(name, height) for name, lines in REPORT.items() for height, text in lines if "1.27 亿元" in text]
    assert len(holding) == 1
    assert holding[0][1] == min(height for lines in REPORT.values() for height, _ in lines)
