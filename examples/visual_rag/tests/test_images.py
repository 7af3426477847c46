"""What the model sees, made of real image files: the page's own pixels where they fit, and bounded where not."""

import io
from pathlib import Path

import pytest
from PIL import Image

from examples.visual_rag import images
from examples.visual_rag.images import PillowImages
from examples.visual_rag.page_folder import PageFolder
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Size, Viewing
from src.shared.domain.llm_exchange import ImagePart, ImageType
from tests.modules.visual_rag.tools import page_image

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> PageFolder:
    page_image(tmp_path / "page.png", "Revenue 18.6")
    return PageFolder(tmp_path)


def decoded(part: ImagePart) -> Image.Image:
    return Image.open(io.BytesIO(part.data))


async def test_page_within_the_bounds_is_shown_by_its_very_pixels_whose_digest_is_told(
    folder: PageFolder, tmp_path: Path
) -> None:
    shown = PillowImages(folder, Viewing(), tmp_path)
    one, part = await shown.show("image_01"), await shown.part("image_01")
    assert decoded(part).tobytes() == folder.image("image_01").tobytes()
    assert (one.size, one.media_type, one.digest) == (Size(400, 300), ImageType.PNG, part.digest)


async def test_large_page_is_shown_smaller_or_as_a_jpeg_and_cropped_at_its_full_resolution(
    folder: PageFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = PillowImages(folder, Viewing(longest_side=200), tmp_path / "crops")
    crop = await small.crop("image_01", (30, 50, 200, 100))
    own = folder.image("image_01").crop((30, 50, 200, 100)).tobytes()
    assert decoded(await small.part(crop.image_id)).tobytes() == own
    assert PageFolder(tmp_path / "crops").image("image_01").tobytes() == own
    monkeypatch.setattr(images, "MOST_BYTES", 100)
    shown, part = await small.show("image_01"), await small.part("image_01")
    assert (shown.size, await small.size("image_01")) == (Size(200, 150), Size(400, 300))
    assert (part.media_type, decoded(part).format, decoded(part).size) == (ImageType.JPEG, "JPEG", (200, 150))


async def test_folder_that_cannot_be_written_ends_the_run(folder: PageFolder, tmp_path: Path) -> None:
    with pytest.raises(VisualRagConfigurationError, match="cannot be written"):
        await PillowImages(folder, Viewing(), tmp_path / "page.png").crop("image_01", (0, 0, 20, 20))
