"""What the OCR reads of pages whose text is known, and how that is counted."""

from pathlib import Path

import pytest
from PIL import Image

from benchmarks.ocr import Reading, distance, read_samples, table
from benchmarks.ocr_pages import (
    BALANCE,
    SANS,
    SEGMENTS,
    SERIF,
    Sample,
    chart,
    print_page,
    ruled_table,
    scanned,
    slide,
    three_rules,
)
from tests.thorough import at_length

pytestmark = pytest.mark.anyio

needs_chinese = pytest.mark.tesseract("eng", "chi_sim")
needs_fonts = pytest.mark.noto_cjk


@needs_chinese
@needs_fonts
@pytest.mark.parametrize("font", [SERIF, SANS], ids=["serif", "sans"])
async def test_chinese_print_of_nine_points_at_200_dpi_is_read(font: Path) -> None:
    (reading,) = await read_samples([print_page(font, 200)])
    assert reading.characters >= 0.97


@needs_chinese
@needs_fonts
async def test_cells_of_ruled_tables_are_read() -> None:
    samples = [
        ruled_table(BALANCE, 200),
        ruled_table(BALANCE, 100),
        ruled_table(SEGMENTS, 150, header="dark"),
        ruled_table(BALANCE, 200, header="grey"),
        scanned(ruled_table(BALANCE, 200)),
        scanned(ruled_table(SEGMENTS, 150, header="grey")),
        three_rules(BALANCE, 200),
    ]
    for reading in await read_samples(samples[:: at_length(3, 1)]):
        assert reading.cells >= 0.95 * len(reading.sample.cells), reading.sample.name


@needs_chinese
@needs_fonts
async def test_slides_scans_and_labels_of_a_chart_are_read() -> None:
    pages = at_length([slide("dark")], [slide("white"), slide("dark"), scanned(print_page(SERIF, 200))])
    *texts, labels = await read_samples([*pages, chart()])
    for reading in texts:
        assert reading.characters >= 0.97, reading.sample.name
    assert labels.cells >= 0.8 * len(labels.sample.cells)


@pytest.mark.parametrize(
    ("expected", "read", "edits"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("abc", "xabd", 2), ("kitten", "sitting", 3)],
)
def test_distance_is_the_fewest_edits(expected: str, read: str, edits: int) -> None:
    assert distance(expected, read) == edits


def reading(text: str, cells: tuple[str, ...] = ()) -> Reading:
    return Reading(Sample("ruled table", Image.new("L", (1, 1)), ("净利润", "（1.5）"), cells), text, 1.25)


def test_blanks_and_full_width_forms_do_not_count_as_characters() -> None:
    assert reading("净 利 润\n(1.5)").characters == 1
    assert reading("净利润(1,5)").characters == 0.875


def test_cell_counts_once_for_each_time_it_stands_there() -> None:
    assert reading("1.5 2.5 1.5", ("1.5", "1.5", "1.5", "3")).cells == 2


def test_table_has_a_line_for_each_page_and_one_for_all_cells() -> None:
    assert list(table([reading("净利润（1.5）", ("净利润", "1.5"))])) == [
        "characters     cells   seconds  page",
        "    100.0%       0/2       1.2  ruled table",
        "                0.0%            cells of all ruled tables",
    ]
