"""How large an image is shown, and which of its own pixels a region of what is shown means."""

import pytest

from src.modules.visual_rag.domain.pixels import Box, Size
from src.modules.visual_rag.domain.viewing import Viewing

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
