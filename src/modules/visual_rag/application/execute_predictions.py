"""Doing what the model asked for: search, crop, OCR, answer.

Source: specification "JSON Output Format Adaptation", `execute_predictions` and error handling.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.actions import ActionType, AnswerAction, CropAction, OcrAction, SearchAction
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.images import ShownImage
from src.modules.visual_rag.domain.observations import HITS_LIMIT, Observation
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports.crop import CropPort
from src.modules.visual_rag.domain.ports.images import ImagesPort
from src.modules.visual_rag.domain.ports.ocr import OcrPort
from src.modules.visual_rag.domain.ports.search import PageHit, SearchPort
from src.modules.visual_rag.domain.problems import ActionProblem, unknown_action
from src.modules.visual_rag.domain.viewing import Viewing


@dataclass(frozen=True, slots=True)
class Tools:
    """What actions are done with, and how the model sees what comes of them."""

    search: SearchPort
    crop: CropPort
    ocr: OcrPort
    images: ImagesPort
    viewing: Viewing = field(default_factory=Viewing)


async def execute_predictions(predictions: Sequence[ParsedAction], tools: Tools) -> list[Observation]:
    """Do the actions of a batch; what became of each, in their order.

    All searches of the batch are one call of the search port; crops and OCRs run side by side. Pages that were found
    and crops are shown as images, unless the model takes text alone. An action that fails
    gives the message for that action with the reason, a text without an action the message for an invalid action;
    neither stops the others.

    Raises:
        VisualRagConfigurationError: something is missing that no action of the model's can make up for.
    """
    queries: dict[int, str] = {}
    others: dict[int, Awaitable[Observation]] = {}
    for at, one in enumerate(predictions):
        if isinstance(one.action, SearchAction):
            queries[at] = one.action.query
        else:
            others[at] = _act(one.action, one.problem, tools)
    found, done = await asyncio.gather(_search(list(queries.values()), tools), asyncio.gather(*others.values()))
    observed = dict(zip([*queries, *others], [*found, *done], strict=True))
    return [
        observations.after_one_of_several(observed[at]) if one.dropped else observed[at]
        for at, one in enumerate(predictions)
    ]


async def _search(queries: list[str], tools: Tools) -> list[Observation]:
    if not queries:
        return []
    try:
        hits = await tools.search.search(queries)
    except ActionError as error:
        return [observations.failed(ActionType.SEARCH, error.message, error.code)] * len(queries)
    return [await _found(pages[:HITS_LIMIT], tools) for pages in hits]


async def _found(pages: Sequence[PageHit], tools: Tools) -> Observation:
    """A page whose image cannot be shown is still found."""
    images: list[ShownImage] = []
    for page in pages if tools.viewing.shows_images else ():
        with suppress(ActionError):
            images.append(await tools.images.show(page.image_id))
    return observations.found(pages, images)


async def _act(
    action: CropAction | OcrAction | AnswerAction | None, problem: ActionProblem | None, tools: Tools
) -> Observation:
    if action is None:
        return observations.invalid(problem or unknown_action(), tools.viewing.coordinates)
    if isinstance(action, AnswerAction):
        return observations.answered(action.answer)
    try:
        return await _on_image(action, tools)
    except ActionError as error:
        return observations.failed(ActionType(action.type), error.message, error.code, tools.viewing.coordinates)


async def _on_image(action: CropAction | OcrAction, tools: Tools) -> Observation:
    viewing, size = tools.viewing, await tools.images.size(action.image_id)
    region = viewing.in_pixels(action.region, size)
    if isinstance(action, OcrAction):
        read = await tools.ocr.read(action.image_id, region)
        return observations.was_read(read, viewing.named(read.box, size))
    crop = await tools.crop.crop(action.image_id, region)
    shown = [await tools.images.show(crop.image_id)] if viewing.shows_images else []
    return observations.cropped(crop, viewing.named(crop.box, size), viewing.shown_size(crop.size), *shown)
