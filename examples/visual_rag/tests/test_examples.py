"""The shipped examples of the visual RAG agent are whole and small."""

from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag import make_chart
from examples.visual_rag.make_chart import CHART, SLIDES
from examples.visual_rag.make_pages import PAGES, REPORT, SIZE
from examples.visual_rag.record import HERE, TRANSCRIPT
from examples.visual_rag.transcript.replayed_models import TranscriptModels

LARGEST = 100_000


@pytest.mark.parametrize(("folder", "names"), [(PAGES, REPORT), (make_chart.PAGES, SLIDES)])
def test_folder_holds_the_pages_the_script_draws(folder: Path, names: dict[str, object]) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


@pytest.mark.parametrize("name", REPORT)
def test_page_is_an_image_of_a_page_and_small(name: str) -> None:
    with Image.open(PAGES / name) as page:
        assert page.size == SIZE
    assert (PAGES / name).stat().st_size < LARGEST


def test_chart_has_the_dice_that_the_script_draws() -> None:
    drawn = make_chart.slide(make_chart.CHART_PAGE)
    with Image.open(make_chart.PAGES / make_chart.CHART_PAGE) as page:
        for bar in make_chart.bars():
            assert page.crop(bar.label).tobytes() == drawn.crop(bar.label).tobytes()


@pytest.mark.parametrize("name", SLIDES)
def test_slide_is_small(name: str) -> None:
    assert (make_chart.PAGES / name).stat().st_size < LARGEST


def test_no_number_of_the_chart_stands_in_a_text() -> None:
    said = "\n".join(line for lines in SLIDES.values() for line in lines)
    assert not any(str(units) in said for units in make_chart.UNITS.values())


@pytest.mark.parametrize("example", [HERE, CHART])
def test_transcript_answers_the_question_by_the_written_replies(example: Path) -> None:
    question = (example / "question.txt").read_text(encoding="utf-8").strip()
    assert TranscriptModels(example / TRANSCRIPT).questions == (question,)
    transcript = (example / TRANSCRIPT).read_text(encoding="utf-8").splitlines()
    assert len(transcript) == len(list((example / "replies").iterdir()))


def test_answer_stands_in_the_small_print_of_one_page_alone() -> None:
    holding = [(name, height) for name, lines in REPORT.items() for height, text in lines if "1.27 亿元" in text]
    assert len(holding) == 1
    assert holding[0][1] == min(height for lines in REPORT.values() for height, _ in lines)
