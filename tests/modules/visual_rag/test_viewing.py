"""How large an image is shown, and which of its own pixels a region of what is shown means."""

import pytest

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.viewing import Box, Coordinates, Size, Viewing, box_in

PAGE = Size(2000, 3000)


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (Size(1500, 1000), Size(1500, 1000)),
        (PAGE, Size(1000, 1500)),
        (Size(3000, 1), Size(1500, 1)),
    ],
    ids=["one that fits", "one that is too large", "a line"],
)
def test_larger_image_is_shown_smaller(size: Size, shown: Size) -> None:
    assert Viewing(longest_side=1500).shown_size(size) == shown


def test_image_that_is_not_shown_keeps_its_size() -> None:
    assert Viewing(shows_images=False, longest_side=1500).shown_size(PAGE) == PAGE


def test_region_of_what_is_shown_is_one_of_the_image_itself() -> None:
    viewing = Viewing(longest_side=1500)
    assert viewing.in_pixels((10, 20, 30, 40.5), PAGE) == (20, 40, 60, 81)
    assert viewing.named(Box(20, 40, 60, 81), PAGE) == (10, 20, 30, 40)


@pytest.mark.parametrize(("tokens", "images"), [(1_600, 1), (3_199, 1), (16_000, 10)])
def test_tokens_say_how_many_images_a_request_holds(tokens: int, images: int) -> None:
    assert Viewing(image_tokens=tokens).most_images == images


UNITS = {
    Coordinates.FRACTION: ((0.1, 0.1, 0.25, 1), (0.1, 0.1, 0.25, 1.0)),
    Coordinates.THOUSANDTHS: ((100, 100, 250, 1000), (100, 100, 250, 1000)),
    Coordinates.PIXELS: ((100, 150, 250, 1500), (100, 150, 250, 1500)),
}


@pytest.mark.parametrize("unit", Coordinates)
def test_same_part_is_named_in_every_unit(unit: Coordinates) -> None:
    viewing = Viewing(longest_side=1500, coordinates=unit)
    region, named = UNITS[unit]
    assert viewing.in_pixels(region, PAGE) == (200, 300, 500, 3000)
    assert viewing.named(Box(200, 300, 500, 3000), PAGE) == named


@pytest.mark.parametrize(
    ("unit", "region", "whole"),
    [
        (Coordinates.FRACTION, (0.1, 0.1, 0.2, 1.001), 1),
        (Coordinates.FRACTION, (100, 50, 400, 300), 1),
        (Coordinates.THOUSANDTHS, (100, 50, 1001, 300), 1000),
    ],
)
def test_region_of_another_unit_is_refused(unit: Coordinates, region: Region, whole: int) -> None:
    with pytest.raises(ActionError, match=f"must be 0 to {whole},") as caught:
        Viewing(coordinates=unit).in_pixels(region, PAGE)
    assert caught.value.code == FailureCode.REGION


@pytest.mark.parametrize("unit", [Coordinates.PIXELS, Coordinates.THOUSANDTHS])
def test_fractions_are_too_small_in_any_other_unit(unit: Coordinates) -> None:
    region = Viewing(coordinates=unit).in_pixels((0.1, 0.1, 0.9, 0.9), PAGE)
    with pytest.raises(ActionError, match="choose a larger one"):
        box_in(region, PAGE)


def test_what_a_division_leaves_is_no_pixel_more() -> None:
    viewing = Viewing(coordinates=Coordinates.FRACTION)
    assert box_in(viewing.in_pixels((0.1, 0.07, 0.29, 0.57), Size(100, 100)), Size(100, 100)) == Box(10, 7, 29, 57)
