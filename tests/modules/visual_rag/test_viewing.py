"""How large an image is shown, which of its own pixels a region of it means, and what is left of it inside."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.viewing import LEAST_SIDE, Box, Coordinates, Size, Viewing, box_in

PAGE, SMALL = Size(2000, 3000), Size(100, 50)
EDGE = st.floats(0, 200, allow_nan=False) | st.sampled_from([1e-300, 99.999999, 100.0, 1e308])


@pytest.mark.parametrize(
    ("viewing", "size", "shown"),
    [
        (Viewing(longest_side=1500), Size(1500, 1000), Size(1500, 1000)),
        (Viewing(longest_side=1500), PAGE, Size(1000, 1500)),
        (Viewing(longest_side=1500), Size(3000, 1), Size(1500, 1)),
        (Viewing(shows_images=False, longest_side=1500), PAGE, PAGE),
    ],
    ids=["one that fits", "one that is too large", "a line", "one that is not shown"],
)
def test_larger_image_is_shown_smaller(viewing: Viewing, size: Size, shown: Size) -> None:
    assert viewing.shown_size(size) == shown


@pytest.mark.parametrize(("tokens", "images"), [(1_600, 1), (3_199, 1), (16_000, 10)])
def test_tokens_say_how_many_images_a_request_holds(tokens: int, images: int) -> None:
    assert Viewing(image_tokens=tokens).most_images == images


@pytest.mark.parametrize(
    ("unit", "region", "named"),
    [
        (Coordinates.FRACTION, (0.1, 0.1, 0.25, 1), (0.1, 0.1, 0.25, 1.0)),
        (Coordinates.THOUSANDTHS, (100, 100, 250, 1000), (100, 100, 250, 1000)),
        (Coordinates.PIXELS, (100, 150, 250, 1500), (100, 150, 250, 1500)),
    ],
)
def test_same_part_is_named_in_every_unit(unit: Coordinates, region: Region, named: Region) -> None:
    viewing = Viewing(longest_side=1500, coordinates=unit)
    assert viewing.in_pixels(region, PAGE) == (200, 300, 500, 3000)
    assert viewing.in_unit(Box(200, 300, 500, 3000), PAGE) == named


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
    with pytest.raises(ActionError, match="choose a larger one"):
        box_in(Viewing(coordinates=unit).in_pixels((0.1, 0.1, 0.9, 0.9), PAGE), PAGE)


# --- the pixels of a region ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("region", "box"),
    [
        pytest.param((10, 20, 30, 40), Box(10, 20, 30, 40), id="inside"),
        pytest.param((0, 0, 100, 50), Box(0, 0, 100, 50), id="all of it"),
        pytest.param((80, 30, 120, 60), Box(80, 30, 100, 50), id="overshooting"),
        pytest.param((0, 0, 1e308, 1e308), Box(0, 0, 100, 50), id="far overshooting"),
        pytest.param((10.9, 20.9, 30.1, 40.1), Box(10, 20, 31, 41), id="every pixel it touches"),
        pytest.param((10, 20, 26, 36), Box(10, 20, 26, 36), id="the least there may be"),
        pytest.param((10.9, 20.9, 25.1, 35.1), Box(10, 20, 26, 36), id="the least there may be, touched"),
    ],
)
def test_region_becomes_whole_pixels_of_the_image(region: Region, box: Box) -> None:
    assert box_in(region, SMALL) == box


def test_what_a_division_leaves_is_no_pixel_more() -> None:
    viewing = Viewing(coordinates=Coordinates.FRACTION)
    assert box_in(viewing.in_pixels((0.1, 0.07, 0.29, 0.57), Size(100, 100)), Size(100, 100)) == Box(10, 7, 29, 57)


@pytest.mark.parametrize(
    ("region", "words", "edges"),
    [
        pytest.param((100, 0, 120, 10), "图像为 100x50 像素 .the region lies outside", None, id="beside"),
        pytest.param((0, 50, 10, 60), "图像为 100x50 像素 .the region lies outside", None, id="below"),
        pytest.param((1e300, 1e300, 1e301, 1e301), "图像为 100x50 像素 .the region lies outside", None, id="far away"),
        pytest.param((10, 20, 25, 40), "the region has 15x20 pixels inside the image", (10, 20, 25, 40), id="narrow"),
        pytest.param((10, 20, 40, 35), "the region has 30x15 pixels inside the image", (10, 20, 40, 35), id="flat"),
        pytest.param((10.2, 20.2, 10.3, 20.3), "the region has 1x1 pixels inside", (10, 20, 11, 21), id="in one pixel"),
        pytest.param((85, 0, 200, 50), "has 15x50 pixels inside the image", (85, 0, 100, 50), id="narrow when clipped"),
        pytest.param((0, 35, 100, 200), "has 100x15 pixels inside the image", (0, 35, 100, 50), id="flat when clipped"),
    ],
)
def test_region_of_which_too_little_lies_inside_is_refused(
    region: Region, words: str, edges: tuple[int, ...] | None
) -> None:
    with pytest.raises(ActionError, match=words) as caught:
        box_in(region, SMALL)
    assert caught.value.code == FailureCode.REGION
    assert caught.value.details == {"size": (100, 50), **({"region": edges} if edges else {})}
    assert ("16 at least" in caught.value.message) is (edges is not None)


@given(st.tuples(EDGE, EDGE, EDGE, EDGE).filter(lambda r: r[0] < r[2] and r[1] < r[3]))
def test_box_lies_inside_the_image_and_is_not_too_small(region: Region) -> None:
    x1, y1, x2, y2 = region
    try:
        box = box_in(region, SMALL)
    except ActionError:
        assert min(SMALL.width - x1, SMALL.height - y1, x2 - x1, y2 - y1) < LEAST_SIDE
        return
    assert 0 <= box.x1 <= box.x2 - LEAST_SIDE <= SMALL.width - LEAST_SIDE
    assert 0 <= box.y1 <= box.y2 - LEAST_SIDE <= SMALL.height - LEAST_SIDE
