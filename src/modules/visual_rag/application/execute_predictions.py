"""Doing what the model asked for: search, crop, OCR, answer.

Source: specification "JSON Output Format Adaptation", `execute_predictions` and error handling.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.actions import ActionType, AnswerAction, CropAction, OcrAction, SearchAction
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.observations import HITS_LIMIT, Observation, Standing
from src.modules.visual_rag.domain.parsed_action import ParsedAction, ProblemKind, unknown_action
from src.modules.visual_rag.domain.ports import CropPort, ImagesPort, OcrPort, PageHit, SearchPort, ShownImage
from src.modules.visual_rag.domain.viewing import Viewing
from src.shared.domain.exceptions import AppException
from src.shared.domain.ports.events import OutputParsed, parsed_event
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.ports.output import ParsedText


@dataclass(frozen=True, slots=True)
class Tools:
    """What actions are done with, and how the model sees what comes of them; `pages`: most that one search gives."""

    search: SearchPort
    crop: CropPort
    ocr: OcrPort
    images: ImagesPort
    viewing: Viewing = field(default_factory=Viewing)
    pages: int = 3


async def execute_predictions(
    predictions: Sequence[ParsedAction],
    tools: Tools,
    *,
    standings: Sequence[Standing] | None = None,
    active_mask: Sequence[bool] | None = None,
) -> list[Observation]:
    """Do the actions of a batch; what became of each, in their order.

    All searches of the batch are one call of the search port; crops and OCRs run side by side. Pages that were found
    and crops are shown as images, unless the model takes text alone. An action that fails gives the message for that
    action with the reason, a text without an action the message for an invalid action; neither stops the others.

    Args:
        predictions: the actions.
        tools: what they are done with.
        standings: where each episode stands, one for each prediction; None: all are at their beginning.
        active_mask: which episodes go on, one for each prediction; nothing is done for the others. None: all.

    Raises:
        ValueError: there are not as many standings, or as long a mask, as there are predictions.
        VisualRagConfigurationError: something is missing that no action of the model's can make up for.
    """
    where = list(standings) if standings is not None else [Standing()] * len(predictions)
    active = [True] * len(predictions) if active_mask is None else [bool(one) for one in active_mask]
    observed: dict[int, Observation] = {}
    searches: dict[int, tuple[str, Standing]] = {}
    looks: dict[int, CropAction | OcrAction] = {}
    for at, (one, standing, is_active) in enumerate(zip(predictions, where, active, strict=True)):
        step = _step(one, standing, tools) if is_active else observations.not_active()
        if isinstance(step, Observation):
            observed[at] = step
        elif isinstance(step, SearchAction):
            searches[at] = step.query, standing
        else:
            looks[at] = step
    found, seen = await asyncio.gather(
        _search(list(searches.values()), tools), asyncio.gather(*(_look(action, tools) for action in looks.values()))
    )
    observed |= zip([*searches, *looks], [*found, *seen], strict=True)
    told = observations.after_one_of_several
    return [told(observed[at]) if one.dropped else observed[at] for at, one in enumerate(predictions)]


def _step(
    parsed: ParsedAction, standing: Standing, tools: Tools
) -> Observation | SearchAction | CropAction | OcrAction:
    """What can be said at once, or the action that is to be done."""
    action = parsed.action
    if action is None:
        return observations.invalid(parsed.problem or unknown_action(), tools.viewing.coordinates)
    barred = standing.bars(action)
    if barred:
        return observations.barred(barred)
    return observations.answered(action.answer) if isinstance(action, AnswerAction) else action


async def _search(searches: list[tuple[str, Standing]], tools: Tools) -> list[Observation]:
    if not searches:
        return []
    most = tools.pages + max(len(standing.images) + len(standing.pages) for _, standing in searches)
    try:
        hits = await tools.search.search([query for query, _ in searches], most)
        pictures = await tools.search.hardly_any_text()
    except ActionError as error:
        return [observations.failed(ActionType.SEARCH, error.message, error.code)] * len(searches)
    told = zip(hits, searches, strict=True)
    return [await _news(pages, pictures, standing, tools) for pages, (_, standing) in told]


async def _news(hits: Sequence[PageHit], pictures: Sequence[PageHit], standing: Standing, tools: Tools) -> Observation:
    """What of the pages has not been shown before; where there is room, pages that no words find come behind."""
    room = min(tools.pages, HITS_LIMIT)
    news = standing.news(hits)[:room]
    found = {hit.image_id for hit in news}
    unseen = [page for page in standing.news(pictures) if page.image_id not in found]
    shown = await _shown([*news, *unseen][:room], tools)
    named = [replace(page, size=page.size and tools.viewing.shown_size(page.size)) for page in unseen]
    return observations.found(news, shown, named, has_known=len(hits) > len(news))


async def _shown(pages: Sequence[PageHit], tools: Tools) -> list[ShownImage]:
    """The images of pages; a page whose image cannot be shown is still found."""
    images: list[ShownImage] = []
    for page in pages if tools.viewing.shows_images else ():
        with suppress(ActionError):
            images.append(await tools.images.show(page.image_id))
    return images


async def _look(action: CropAction | OcrAction, tools: Tools) -> Observation:
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


_STAGES = {
    ProblemKind.SEVERAL: "extract",
    ProblemKind.INVENTED: "extract",
    ProblemKind.TAGS: "extract",
    ProblemKind.UNKNOWN_ACTION: "validate",
    ProblemKind.ARGUMENTS: "validate",
}
"""The stage that a refusal belongs to where the JSON reader did not refuse; a text that was cut off has none."""


def action_event(
    label: str, text: str, parsed: ParsedAction, *, reply: LLMReply | None = None, attempt: int = 1
) -> OutputParsed:
    """The event of a turn that was read. Holds no part of the text.

    Args:
        label: the parser's.
        text: what the model wrote; only its length is kept.
        parsed: the action in it, or why there is none.
        reply: the reply that the text came in, for its model; None where a trainer generated it.
        attempt: 1, and 2 for the turn after one without an action.
    """
    return parsed_event(label, text, _result(parsed), reply=reply, attempt=attempt)


def _result(parsed: ParsedAction) -> ParsedText[object] | AppException:
    if parsed.problem is None:
        return ParsedText(parsed.action, parsed.repairs, parsed.stages)
    stage = parsed.problem.details.get("stage") or _STAGES.get(parsed.problem.kind)
    kinds = [repair.kind.value for repair in parsed.repairs]
    return AppException(parsed.problem.message, {"stage": stage, "repairs": list(dict.fromkeys(kinds))})
