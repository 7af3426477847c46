"""What can go wrong between an action and the world, in this context's words.

The message of an `ActionError` goes into the model's next prompt: it never repeats the model's text, a page's text or a
path.
"""

from __future__ import annotations

from src.shared.domain.exceptions import AppException


class VisualRagError(AppException):
    """Base of this context's errors."""

    default_code = "VISUAL_RAG_ERROR"


class ActionError(VisualRagError):
    """One action could not be done; the model is told why and may try again."""

    default_code = "VISUAL_RAG_ACTION_ERROR"


class UnknownImageError(ActionError):
    """There is no image of this id."""

    default_code = "VISUAL_RAG_UNKNOWN_IMAGE"


class RegionError(ActionError):
    """The region has no pixel in common with the image, or too few."""

    default_code = "VISUAL_RAG_REGION"


class ImageError(ActionError):
    """The image cannot be read, or is larger than allowed."""

    default_code = "VISUAL_RAG_IMAGE"


class OcrError(ActionError):
    """The text of a region could not be read."""

    default_code = "VISUAL_RAG_OCR"


class SearchError(ActionError):
    """The search could not be made; that nothing was found is no error."""

    default_code = "VISUAL_RAG_SEARCH"


class SearchLimitError(ActionError):
    """The episode has no search left."""

    default_code = "VISUAL_RAG_SEARCH_LIMIT"


class LastTurnError(ActionError):
    """The episode is in its last turn, in which only an answer counts."""

    default_code = "VISUAL_RAG_LAST_TURN"


class VisualRagConfigurationError(VisualRagError):
    """A program, a package, a folder or a setting is missing or wrong: no action of the model's can help."""

    default_code = "VISUAL_RAG_CONFIGURATION"
