"""What can go wrong between an action and the world, in this context's words.

The message of an `ActionError` goes into the model's next prompt: it never repeats the model's text, a page's text or a
path.
"""

from __future__ import annotations

from enum import StrEnum

from src.shared.domain.exceptions import AppException


class FailureCode(StrEnum):
    """Why an action could not be done: the `code` of an `ActionError`, and what an observation names."""

    UNKNOWN_IMAGE = "VISUAL_RAG_UNKNOWN_IMAGE"
    """There is no image of this id."""
    REGION = "VISUAL_RAG_REGION"
    """The region has no pixel in common with the image, or too few."""
    IMAGE = "VISUAL_RAG_IMAGE"
    """The image cannot be read, or is larger than allowed."""
    OCR = "VISUAL_RAG_OCR"
    """The text of a region could not be read."""
    SEARCH = "VISUAL_RAG_SEARCH"
    """The search could not be made; that nothing was found is no error."""
    SEARCH_LIMIT = "VISUAL_RAG_SEARCH_LIMIT"
    """The episode has no search left."""
    LAST_TURN = "VISUAL_RAG_LAST_TURN"
    """The episode is in its last turn, in which only an answer counts."""


class ActionError(AppException):
    """One action could not be done; the model is told why and may try again. Its `code` is a `FailureCode`."""

    default_code = "VISUAL_RAG_ACTION_ERROR"


class VisualRagConfigurationError(AppException):
    """A program, a package, a folder or a setting is missing or wrong: no action of the model's can help."""

    default_code = "VISUAL_RAG_CONFIGURATION"
