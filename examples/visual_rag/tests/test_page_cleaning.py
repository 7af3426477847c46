"""What a part of a page looks like when it is read: no ruled lines, dark letters on white, of one height."""

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageOps

from examples.visual_rag.ocr import page_cleaning
from examples.visual_rag.ocr.page_cleaning import (
    LARGEST_SCALE,
    LETTERS,
    MOST_READ,
    USUAL_LETTERS,
    clean,
    scaled,
)
from tests.thorough import at_length

SIZE = (600, 240)
INK = 128
"""A pixel that is darker belongs to a letter or a line."""


def lines_of_text(height: int, paper: int = 255, ink: int = 0) -> Image.Image:
    page = Image.new("L", SIZE, paper)
    pen = ImageDraw.Draw(page)
    for top in (50, 150):
        pen.text((40, top), "HHEHH 186240 HHEHH", font_size=height, fill=ink)
    return page


def with_grid(page: Image.Image, ink: int = 0) -> Image.Image:
    ruled = page.copy()
    pen = ImageDraw.Draw(ruled)
    for x in (20, 580):
        pen.line((x, 30, x, 220), fill=ink, width=3)
    for y in (30, 125, 220):
        pen.line((20, y, 580, y), fill=ink, width=3)
    return ruled


def ink_of(image: Image.Image) -> Image.Image:
    return image.point(lambda shade: 255 if shade < INK else 0)


def differing(left: Image.Image, right: Image.Image) -> int:
    """How many pixels are ink in one of the two images only."""
    return ImageChops.difference(ink_of(left), ink_of(right)).histogram()[-1]


@pytest.mark.parametrize("angle", [0.0, 0.6])
def test_ruled_lines_go_and_letters_stay(angle: float) -> None:
    page, ruled = (
        one.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
        for one in (lines_of_text(28), with_grid(lines_of_text(28)))
    )
    assert differing(page, ruled) > 5_000
    assert differing(page, clean(ruled).image) < 20


def test_letters_without_ruled_lines_stay_as_they_are() -> None:
    assert differing(lines_of_text(28), clean(lines_of_text(28)).image) == 0


@pytest.mark.parametrize(("paper", "ink"), [(205, 0), (255, 90), (30, 235), (60, 255)])
def test_letters_become_dark_on_white_paper(paper: int, ink: int) -> None:
    page = clean(lines_of_text(28, paper, ink)).image
    assert page.getpixel((5, 5)) == 255
    assert differing(lines_of_text(28), ImageOps.autocontrast(page)) < 100


def test_dark_head_of_a_table_becomes_light() -> None:
    page = lines_of_text(28)
    head = Image.new("L", (600, 60), 60)
    ImageDraw.Draw(head).text((40, 15), "SEGMENT REVENUE", font_size=28, fill=255)
    page.paste(head, (0, 40))
    letters = Image.new("L", SIZE, 255)
    ImageDraw.Draw(letters).text((40, 55), "SEGMENT REVENUE", font_size=28, fill=0)
    box = (30, 45, 570, 95)
    assert differing(letters.crop(box), ImageOps.autocontrast(clean(page).image.crop(box))) < 100


@pytest.mark.parametrize("height", [14, 28, 56])
def test_letters_are_brought_to_one_height(height: int) -> None:
    part = clean(lines_of_text(height))
    first_line = scaled(part.image.crop((0, 0, 600, 125)), part.scale)
    _, top, _, bottom = ink_of(first_line).getbbox() or (0, 0, 0, 0)
    assert bottom - top == pytest.approx(LETTERS, abs=6)


def test_ruled_lines_do_not_count_as_letters() -> None:
    assert clean(with_grid(lines_of_text(28))).letters == clean(lines_of_text(28)).letters


@pytest.mark.parametrize(("page", "is_ruled"), [(lines_of_text(28), False), (with_grid(lines_of_text(28)), True)])
def test_ruled_lines_are_told(page: Image.Image, is_ruled: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert clean(page).is_ruled is is_ruled


def test_strokes_are_letters_alone() -> None:
    page = with_grid(lines_of_text(28))
    ImageDraw.Draw(page).rectangle((500, 140, 519, 159), fill=0)
    assert clean(page).strokes.getbbox() == pytest.approx(ink_of(lines_of_text(28)).getbbox(), abs=1)


def test_empty_part_has_letters_of_the_usual_height() -> None:
    part = clean(Image.new("RGB", SIZE, "white"))
    assert (part.letters, part.is_ruled, part.strokes.getbbox()) == (USUAL_LETTERS, False, None)


def test_tiny_letters_are_enlarged_up_to_a_bound() -> None:
    assert clean(lines_of_text(9)).scale == LARGEST_SCALE


def test_smallest_part_can_be_read() -> None:
    assert clean(Image.new("L", (16, 16), 0)).image.size == (16, 16)


def test_huge_part_is_reduced_before_anything_is_done_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    most = at_length(MOST_READ // 20, MOST_READ)
    monkeypatch.setattr(page_cleaning, "MOST_READ", most)
    part = clean(Image.new("L", (most // 1_000, 4_000), 255))
    assert part.image.width * part.image.height <= most
    assert part.strokes.size == part.image.size


def test_enlarged_part_has_no_more_pixels_than_are_read() -> None:
    image = scaled(Image.new("L", (5_000, 3_000), 255), LARGEST_SCALE)
    assert 0.99 * MOST_READ < image.width * image.height <= MOST_READ


@pytest.mark.parametrize(("scale", "size"), [(1.05, (100, 50)), (0.95, (100, 50)), (1.5, (150, 75)), (0.001, (1, 1))])
def test_change_of_size_that_would_only_blur_is_left_out(scale: float, size: tuple[int, int]) -> None:
    assert scaled(Image.new("L", (100, 50)), scale).size == size


@pytest.mark.parametrize("dpi", [72, 100, 150, 200, 300, 400])
def test_print_of_ten_points_is_read_at_200_dpi_or_better(dpi: int) -> None:
    assert clean(lines_of_text(10 * dpi // 72)).scale * dpi >= 200
