"""Settings of this context's adapters, by environment: `VISUAL_RAG_OCR_LANGUAGES` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from examples.visual_rag.tool_errors import wrong_settings
from src.modules.visual_rag.domain.viewing import Coordinates, Viewing
from src.shared.domain.budget import TOKENS_AN_IMAGE

PREFIX = "VISUAL_RAG_"


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0 or "@" in parts.netloc:
        message = "must be an http or https URL with a host and without credentials"
        raise ValueError(message)
    return url


Seconds = Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]


class VisualRagSettings(BaseModel):
    """How pages are read and searched. Each field is the variable `VISUAL_RAG_` and its name in upper case.

    Attributes:
        ocr_languages: Tesseract's names, joined by `+`.
        ocr_timeout: seconds for one region, all tries together; 0 to 600.
        search_url: of a search service; None searches the local index.
        search_timeout: seconds for one request to it, to the last byte of its answer; 0 to 600.
        search_pages: most pages one search finds; 1 to 10.
        show_images: whether the model is shown pages and crops; false for a model that takes text alone.
        image_side: pixels of a shown image's longer side at most; 256 to 8192.
        image_bytes: bytes of a shown image at most, encoded; 50,000 to 20 million. Ten of the default are 27 MB in
            a request, which providers take.
        image_tokens: tokens that the images of one request may take, 1,600 each; the oldest are left out first.
        coordinates: the unit of regions: `pixels` of the image as it is shown, `fraction` (0 to 1) or `thousandths`
            (0 to 1000) of its width and height.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    ocr_languages: str = Field("chi_sim+eng", pattern=r"^[A-Za-z_]{2,20}(\+[A-Za-z_]{2,20}){0,9}$")
    ocr_timeout: Seconds = 60.0
    search_url: Annotated[str, AfterValidator(_http_url)] | None = None
    search_timeout: Seconds = 10.0
    search_pages: int = Field(3, ge=1, le=10)
    show_images: bool = True
    image_side: int = Field(1_568, ge=256, le=8_192)
    image_bytes: int = Field(2_000_000, ge=50_000, le=20_000_000)
    image_tokens: int = Field(16_000, ge=TOKENS_AN_IMAGE, le=1_000_000)
    coordinates: Coordinates = Coordinates.PIXELS

    @property
    def viewing(self) -> Viewing:
        """How images are shown."""
        return Viewing(self.show_images, self.image_side, self.image_tokens, self.coordinates)


def settings_of(environment: Mapping[str, str]) -> VisualRagSettings:
    """The settings an environment describes; an empty variable counts as missing.

    Raises:
        VisualRagConfigurationError: a variable is wrong; names it, never its value.
    """
    given = {name: environment.get(PREFIX + name.upper()) for name in VisualRagSettings.model_fields}
    try:
        return VisualRagSettings.model_validate({name: value for name, value in given.items() if value})
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = {PREFIX + str(one["loc"][0]).upper(): one["msg"].removeprefix("Value error, ") for one in found}
    raise wrong_settings(problems)
