"""Settings come from the environment; a wrong one is named, its value never repeated."""

import pytest

from examples.visual_rag.visual_rag_settings import VisualRagSettings, settings_of
from src.modules.visual_rag.domain.exceptions import VisualRagConfigurationError
from src.modules.visual_rag.domain.viewing import Coordinates, Viewing


def test_nothing_set_is_the_default() -> None:
    assert settings_of({"VISUAL_RAG_OCR_LANGUAGES": ""}) == VisualRagSettings()


def test_every_setting_is_read() -> None:
    settings = settings_of(
        {
            "VISUAL_RAG_OCR_LANGUAGES": "eng",
            "VISUAL_RAG_OCR_TIMEOUT": "5",
            "VISUAL_RAG_SEARCH_URL": "http://127.0.0.1:8000/search",
            "VISUAL_RAG_SEARCH_TIMEOUT": "2.5",
            "VISUAL_RAG_SEARCH_PAGES": "7",
            "VISUAL_RAG_SHOW_IMAGES": "false",
            "VISUAL_RAG_IMAGE_SIDE": "1024",
            "VISUAL_RAG_IMAGE_BYTES": "500000",
            "VISUAL_RAG_IMAGE_TOKENS": "3200",
            "VISUAL_RAG_COORDINATES": "thousandths",
        }
    )
    reading, viewing = (
        ["eng", 5.0, "http://127.0.0.1:8000/search", 2.5, 7],
        [False, 1024, 500_000, 3_200, "thousandths"],
    )
    assert list(settings.model_dump().values()) == [*reading, *viewing]
    assert settings.viewing == Viewing(False, 1024, 3_200, Coordinates.THOUSANDTHS)  # noqa: FBT003 - in the order of the settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OCR_LANGUAGES", "eng --psm 0"),
        ("OCR_LANGUAGES", "eng\n"),
        ("OCR_TIMEOUT", "-0.125"),
        ("OCR_TIMEOUT", "nan"),
        ("SEARCH_URL", "file:///etc/passwd"),
        ("SEARCH_URL", "http://user:geheim@host/"),
        ("SEARCH_URL", "http://[broken"),
        ("SEARCH_URL", "http://127.0.0.1:99999/"),
        ("SEARCH_PAGES", "11"),
        ("SHOW_IMAGES", "perhaps"),
        ("IMAGE_SIDE", "255"),
        ("IMAGE_BYTES", "49999"),
        ("IMAGE_TOKENS", "1599"),
        ("COORDINATES", "percent"),
    ],
)
def test_wrong_variable_is_named(name: str, value: str) -> None:
    with pytest.raises(VisualRagConfigurationError, match=f"VISUAL_RAG_{name}: ") as caught:
        settings_of({f"VISUAL_RAG_{name}": value})
    assert value not in caught.value.message
