"""Turns of a batch: read what the models wrote, force a first search, and do it: search, crop, OCR, answer.

Source: specification "JSON Output Format Adaptation", `execute_predictions` and error handling.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.actions import (
    ON_IMAGE,
    ActionType,
    AnswerAction,
    LookAction,
    SearchAction,
)
from src.modules.visual_rag.domain.episode import Episode, Turn
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.messages import forced_first_search
from src.modules.visual_rag.domain.observations import HITS_LIMIT, Observation
from src.modules.visual_rag.domain.parsed_action import ActionProblem, ParsedAction, ProblemKind, no_action
from src.modules.visual_rag.domain.ports import ActionParserPort, ImagesPort, OcrPort, PageHit, SearchPort, ShownImage
from src.modules.visual_rag.domain.viewing import Viewing
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase
from src.shared.domain.ports.events import EventPort, parsed_event
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.domain.ports.output import ParsedText

_ONE_ACTION = (
    "\n\nWhat you wrote behind your first action was not read. Write one action each turn, and wait for its result."
)


@dataclass(frozen=True, slots=True)
class Tools:
    """What actions are done with, and how the model sees what comes of them; `pages`: most that one search gives."""

    search: SearchPort
    ocr: OcrPort
    images: ImagesPort
    viewing: Viewing = field(default_factory=Viewing)
    pages: int = 3


async def execute_predictions(
    predictions: Sequence[ParsedAction],
    tools: Tools,
    *,
    episodes: Sequence[Episode] | None = None,
    active_mask: Sequence[bool] | None = None,
    max_searches: int | None = None,
    answers_only: bool = False,
) -> list[Observation]:
    """Do the actions of a batch; what became of each, in their order.

    All searches of the batch are one call of the search port; crops and OCRs run side by side. Pages that were found
    and crops are shown as images, unless the model takes text alone. An action that fails gives the message for that
    action with the reason, a text without an action the message for an invalid action; neither stops the others.

    Args:
        predictions: the actions.
        tools: what they are done with.
        episodes: what each has been shown before, one for each prediction; None: all are at their beginning.
        active_mask: which episodes go on, one for each prediction; nothing is done for the others. None: all.
        max_searches: most searches of an episode; None: any number.
        answers_only: whether only an answer counts.

    Raises:
        ValueError: there are not as many episodes, or as long a mask, as there are predictions.
        VisualRagConfigurationError: something is missing that no action of the model's can make up for.
    """
    where = list(episodes) if episodes is not None else [Episode("")] * len(predictions)
    active = [True] * len(predictions) if active_mask is None else active_mask
    observed: dict[int, Observation] = {}
    searches: dict[int, tuple[str, Episode]] = {}
    looks: dict[int, LookAction] = {}
    for at, (parsed, episode, is_active) in enumerate(zip(predictions, where, active, strict=True)):
        action = parsed.action
        if not is_active:
            observed[at] = observations.NOT_ACTIVE
        elif action is None:
            observed[at] = _without_action(parsed.problem, tools.viewing)
        elif isinstance(action, AnswerAction):
            observed[at] = Observation("", answer=action.answer)
        elif answers_only:
            observed[at] = observations.ONLY_AN_ANSWER
        elif not isinstance(action, SearchAction):
            looks[at] = action
        elif max_searches is not None and episode.searches >= max_searches:
            observed[at] = observations.NO_SEARCH
        else:
            searches[at] = action.query, episode
    found, seen = await asyncio.gather(
        _search(list(searches.values()), tools), asyncio.gather(*(_look(action, tools) for action in looks.values()))
    )
    observed |= zip([*searches, *looks], [*found, *seen], strict=True)
    for at, parsed in enumerate(predictions):
        if parsed.dropped and observed[at].words:  # an answer ends the episode all the same
            observed[at] = replace(observed[at], words=observed[at].words + _ONE_ACTION)
    return [observed[at] for at in range(len(predictions))]


def _without_action(problem: ActionProblem | None, viewing: Viewing) -> Observation:
    """A crop or an OCR with wrong arguments gets the message of a crop or an OCR that failed."""
    problem = problem or ActionProblem(ProblemKind.UNREADABLE, "")
    action = problem.action if problem.action in ON_IMAGE else None
    return observations.describe_failure(action, problem.message, problem.kind.value, viewing.coordinates)


async def _search(searches: list[tuple[str, Episode]], tools: Tools) -> list[Observation]:
    if not searches:
        return []
    most = tools.pages + max(len(episode.known) for _, episode in searches)
    try:
        hits = await tools.search.search([query for query, _ in searches], most)
        pictures = await tools.search.hardly_any_text()
    except ActionError as error:
        return [observations.describe_failure(ActionType.SEARCH, error.message, error.code)] * len(searches)
    return [await _show_unseen(pages, pictures, one, tools) for pages, (_, one) in zip(hits, searches, strict=True)]


async def _show_unseen(
    hits: Sequence[PageHit], pictures: Sequence[PageHit], episode: Episode, tools: Tools
) -> Observation:
    """What of the pages has not been shown before; where there is room, pages that no words find come behind.

    A page whose image cannot be shown is still found.
    """
    room = min(tools.pages, HITS_LIMIT)
    pages = episode.unseen(hits)[:room]
    found = {page.image_id for page in pages}
    others = [page for page in episode.unseen(pictures) if page.image_id not in found]
    shown: list[ShownImage] = []
    for page in [*pages, *others][:room] if tools.viewing.shows_images else ():
        with suppress(ActionError):
            shown.append(await tools.images.show(page.image_id))
    named = [replace(page, size=page.size and tools.viewing.shown_size(page.size)) for page in others]
    return observations.describe_search(pages, shown, named, has_known=len(hits) > len(pages))


async def _look(action: LookAction, tools: Tools) -> Observation:
    viewing, images = tools.viewing, tools.images
    try:
        size = await images.size(action.image_id)
        region = viewing.in_pixels(action.region, size)
        if action.type == "ocr":
            read = await tools.ocr.read(action.image_id, region)
            first = (
                "The OCR read this text; single characters may be misread." if read.text else "The OCR found no text."
            )
            place = {"image_id": read.image_id, "region": viewing.in_unit(read.box, size)}
            return observations.describe_data(first, place | observations.clip_text(read.text), read.image_id)
        crop = await images.crop(action.image_id, region)
        shown = [await images.show(crop.image_id)] if viewing.shows_images else []
        side = viewing.shown_size(crop.size)
        source = {"source": crop.source_id, "source_region": viewing.in_unit(crop.box, size)}
        data = {"image_id": crop.image_id, "size": [side.width, side.height], **source}
        return observations.describe_data("The crop is a new image.", data, crop.image_id, *shown)
    except ActionError as error:
        return observations.describe_failure(ActionType(action.type), error.message, error.code, viewing.coordinates)


@dataclass(frozen=True, slots=True)
class TurnPlayer:
    """Plays turns.

    Attributes:
        parser: reads what the models wrote.
        tools: what actions are done with.
        events: told of every turn that a model wrote; None: nobody is.
        forces_first_search: whether a first turn without an action becomes a search for the question.
        max_searches: searches of one episode at most, the forced one included; None: any number.
    """

    parser: ActionParserPort
    tools: Tools
    events: EventPort | None = None
    forces_first_search: bool = True
    max_searches: int | None = None

    async def play(self, episodes: Sequence[Episode], replies: Sequence[LLMReply], *, is_last: bool) -> None:
        """Add a turn to each episode, which the model of it has written.

        Raises:
            ValueError: a first search is forced for a question that is blank.
            VisualRagConfigurationError: something is missing that no action of the model's can make up for.
        """
        turns = [self._read(episode, reply, is_last=is_last) for episode, reply in zip(episodes, replies, strict=True)]
        observed = await execute_predictions(
            [turn.parsed for turn in turns],
            self.tools,
            episodes=episodes,
            max_searches=self.max_searches,
            answers_only=is_last,
        )
        for episode, turn, observation in zip(episodes, turns, observed, strict=True):
            episode.turns.append(replace(turn, observation=observation))

    def _read(self, episode: Episode, reply: LLMReply, *, is_last: bool) -> Turn:
        """The turn before anything is done: what the model wrote, or the forced search in its place."""
        parsed = self._parse(reply, episode)
        if self.events:
            label, attempt = self.parser.label, episode.attempt
            self.events.publish(parsed_event(label, reply.text, _result(parsed), reply=reply, attempt=attempt))
        turn = Turn(episode.number, episode.question, len(episode.turns) + 1, reply, parsed, observations.NOT_ACTIVE)
        is_first = turn.number == 1 and not is_last
        if not (self.forces_first_search and is_first and parsed.attempted is None):
            return turn
        forced = LLMReply(forced_first_search(episode.question), FinishReason.STOP, "forced")  # which cost nothing
        return replace(turn, reply=forced, parsed=self._parse(forced, episode), replaced=reply)

    def _parse(self, reply: LLMReply, episode: Episode) -> ParsedAction:
        finished = reply.finish_reason.finished
        parsed = self.parser.parse(reply.text, finished=finished, last_image=episode.last_image)
        if reply.finish_reason is not FinishReason.LENGTH:
            return parsed
        message = Phrase("the answer was cut off at the length limit; write a shorter one")
        return replace(parsed, problem=no_action(ProblemKind.TRUNCATED, message).problem)


def _result(parsed: ParsedAction) -> ParsedText[object] | AppException:
    """A turn as the event of a parse tells of it."""
    problem = parsed.problem
    if problem is None:
        return ParsedText(parsed.action, parsed.repairs, parsed.stages)
    kinds = [repair.kind.value for repair in parsed.repairs]
    return AppException(problem.message, {"stage": problem.stage, "repairs": list(dict.fromkeys(kinds))})
