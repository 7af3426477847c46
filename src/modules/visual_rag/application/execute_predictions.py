"""Doing what the model asked for: search, crop, OCR, answer.

Source: specification "JSON Output Format Adaptation", `execute_predictions` and error handling.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.actions import ActionType, AnswerAction, CropAction, OcrAction, SearchAction
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports.crop import CropPort
from src.modules.visual_rag.domain.ports.ocr import OcrPort
from src.modules.visual_rag.domain.ports.search import PageHit, SearchPort
from src.modules.visual_rag.domain.problems import ActionProblem, unknown_action


@dataclass(frozen=True, slots=True)
class Tools:
    """What actions are done with."""

    search: SearchPort
    crop: CropPort
    ocr: OcrPort


async def execute_predictions(predictions: Sequence[ParsedAction], tools: Tools) -> list[Observation]:
    """Do the actions of a batch; what became of each, in their order.

    All searches of the batch are one call of the search port; crops and OCRs run side by side. An action that fails
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
    found, done = await asyncio.gather(_search(list(queries.values()), tools.search), asyncio.gather(*others.values()))
    observed = dict(zip([*queries, *others], [*found, *done], strict=True))
    return [observed[at] for at in range(len(predictions))]


async def _search(queries: list[str], port: SearchPort) -> list[Observation]:
    if not queries:
        return []
    try:
        hits: list[tuple[PageHit, ...]] = await port.search(queries)
    except ActionError as error:
        return [observations.failed(ActionType.SEARCH, error.message, error.code)] * len(queries)
    return [observations.found(pages) for pages in hits]


async def _act(
    action: CropAction | OcrAction | AnswerAction | None, problem: ActionProblem | None, tools: Tools
) -> Observation:
    if action is None:
        return observations.invalid(problem or unknown_action())
    if isinstance(action, AnswerAction):
        return observations.answered(action.answer)
    try:
        if isinstance(action, CropAction):
            return observations.cropped(await tools.crop.crop(action.image_id, action.region))
        return observations.was_read(await tools.ocr.read(action.image_id, action.region))
    except ActionError as error:
        return observations.failed(ActionType(action.type), error.message, error.code)
