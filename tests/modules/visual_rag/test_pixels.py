"""A region is clipped to the image, and refused where nothing of it is left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.modules.visual_rag.domain.actions import Region
from src.modules.visual_rag.domain.exceptions import RegionError
from src.modules.visual_rag.domain.pixels import Box, Size, box_in

SIZE = Size(100, 50)
EDGE = st.floats(0, 200, allow_nan=False) | st.sampled_from([1e-300, 99.999999, 100.0, 1e308])


@pytest.mark.parametrize(
    ("region", "box"),
    [
        ((10, 20, 30, 40), Box(10, 20, 30, 40)),
        ((0, 0, 100, 50), Box(0, 0, 100, 50)),
        ((90, 40, 120, 60), Box(90, 40, 100, 50)),
        ((0, 0, 1e308, 1e308), Box(0, 0, 100, 50)),
        ((10.9, 20.9, 11.1, 21.1), Box(10, 20, 12, 22)),
        ((10.2, 20.2, 10.3, 20.3), Box(10, 20, 11, 21)),
    ],
    ids=["inside", "all of it", "overshooting", "far overshooting", "every pixel it touches", "part of one pixel"],
)
def test_region_becomes_whole_pixels_of_the_image(region: Region, box: Box) -> None:
    assert box_in(region, SIZE) == box


@pytest.mark.parametrize("region", [(100, 0, 120, 10), (0, 50, 10, 60), (1e300, 1e300, 1e301, 1e301)])
def test_region_outside_the_image_is_refused(region: Region) -> None:
    with pytest.raises(RegionError, match="100x50") as caught:
        box_in(region, SIZE)
    assert caught.value.details == {"size": (100, 50)}


@given(st.tuples(EDGE, EDGE, EDGE, EDGE).filter(lambda r: r[0] < r[2] and r[1] < r[3]))
def test_box_has_an_area_inside_the_image(region: Region) -> None:
    try:
        box = box_in(region, SIZE)
    except RegionError:
        assert region[0] >= SIZE.width or region[1] >= SIZE.height
        return
    assert 0 <= box.x1 < box.x2 <= SIZE.width
    assert 0 <= box.y1 < box.y2 <= SIZE.height
