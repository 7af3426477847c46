"""A region is clipped to the image, and refused where nothing of it is left, or too little."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.viewing import LEAST_SIDE, Box, Size, box_in

SIZE = Size(100, 50)
EDGE = st.floats(0, 200, allow_nan=False) | st.sampled_from([1e-300, 99.999999, 100.0, 1e308])


@pytest.mark.parametrize(
    ("region", "box"),
    [
        ((10, 20, 30, 40), Box(10, 20, 30, 40)),
        ((0, 0, 100, 50), Box(0, 0, 100, 50)),
        ((80, 30, 120, 60), Box(80, 30, 100, 50)),
        ((0, 0, 1e308, 1e308), Box(0, 0, 100, 50)),
        ((10.9, 20.9, 30.1, 40.1), Box(10, 20, 31, 41)),
        ((10, 20, 26, 36), Box(10, 20, 26, 36)),
        ((10.9, 20.9, 25.1, 35.1), Box(10, 20, 26, 36)),
    ],
    ids=[
        "inside",
        "all of it",
        "overshooting",
        "far overshooting",
        "every pixel it touches",
        "the least there may be",
        "the least there may be, touched",
    ],
)
def test_region_becomes_whole_pixels_of_the_image(region: Region, box: Box) -> None:
    assert box_in(region, SIZE) == box


@pytest.mark.parametrize("region", [(100, 0, 120, 10), (0, 50, 10, 60), (1e300, 1e300, 1e301, 1e301)])
def test_region_outside_the_image_is_refused(region: Region) -> None:
    with pytest.raises(ActionError, match="100x50") as caught:
        box_in(region, SIZE)
    assert (caught.value.code, caught.value.details) == (FailureCode.REGION, {"size": (100, 50)})


@pytest.mark.parametrize(
    ("region", "inside"),
    [
        ((10, 20, 25, 40), "15x20"),
        ((10, 20, 40, 35), "30x15"),
        ((10.2, 20.2, 10.3, 20.3), "1x1"),
        ((85, 0, 200, 50), "15x50"),
        ((0, 35, 100, 200), "100x15"),
    ],
    ids=["narrow", "flat", "part of one pixel", "narrow where clipped", "flat where clipped"],
)
def test_region_with_a_side_of_less_than_16_pixels_is_refused(region: Region, inside: str) -> None:
    with pytest.raises(ActionError) as caught:
        box_in(region, SIZE)
    assert f"the region has {inside} pixels inside the image" in caught.value.message
    assert caught.value.code == FailureCode.REGION
    assert "16 at least" in caught.value.message
    assert caught.value.details["size"] == (100, 50)


@given(st.tuples(EDGE, EDGE, EDGE, EDGE).filter(lambda r: r[0] < r[2] and r[1] < r[3]))
def test_box_lies_inside_the_image_and_is_not_too_small(region: Region) -> None:
    try:
        box = box_in(region, SIZE)
    except ActionError:
        assert SIZE.width - region[0] < LEAST_SIDE or SIZE.height - region[1] < LEAST_SIDE or _is_small(region)
        return
    assert 0 <= box.x1 <= box.x2 - LEAST_SIDE <= SIZE.width - LEAST_SIDE
    assert 0 <= box.y1 <= box.y2 - LEAST_SIDE <= SIZE.height - LEAST_SIDE


def _is_small(region: Region) -> bool:
    x1, y1, x2, y2 = region
    return min(x2 - x1, y2 - y1) < LEAST_SIDE
