"""Whole episodes for a batch of questions: ask, parse, act, feed back, until each has its answer or its last turn.

Source: specification "JSON Output Format Adaptation", the generation manager.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from src.modules.visual_rag.application.execute_predictions import Tools, TurnPlayer
from src.modules.visual_rag.domain.episode import Episode, Turn
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.messages import LAST_TURN, disarm, system_message
from src.modules.visual_rag.domain.ports import ActionParserPort, ImagesPort, ShownImage
from src.shared.domain.caller import Caller, asking_as
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.llm_exchange import ChatMessage, MessagePart, Role, TextPart
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest

KEPT_LIMIT = 4_000
"""Most characters of one of its turns that the model is shown again; longer ones are cut in the middle."""
NOTHING_SAID = "(no text)"
"""Stands for a turn without a text, which no provider takes."""
_HIDDEN = "not shown any more; crop a part of it to see it"


async def conversation(episode: Episode, tools: Tools, *, is_last: bool = False) -> tuple[ChatMessage, ...]:
    """The messages of an episode's next turn, which may be its last.

    What the model wrote is kept as the specification says. Marks of a chat template are taken apart in it and in the
    question: they could open somebody else's turn where a server reads them in a text. Of the images the newest are
    shown, as many as their tokens allow; in place of an older one stands its id.
    """
    question = f"Question: {disarm(episode.question)}"
    messages = [ChatMessage.of(Role.SYSTEM, system_message(tools.viewing)), ChatMessage.of(Role.USER, question)]
    left = sum(len(turn.observation.images) for turn in episode.turns) - tools.viewing.most_images
    for turn in episode.turns:
        observed = turn.observation
        images = await _images(observed.images, tools.images, hidden=max(0, left))
        left -= len(observed.images)
        messages.append(ChatMessage.of(Role.ASSISTANT, _kept(turn.parsed.kept)))
        messages.append(ChatMessage(Role.USER, (TextPart(observed.words), *images)))
    if is_last:
        messages[-1] = ChatMessage(Role.USER, (*messages[-1].parts, TextPart(LAST_TURN)))
    return tuple(messages)


async def _images(images: Sequence[ShownImage], port: ImagesPort, *, hidden: int) -> list[MessagePart]:
    """Each image after its id; the first `hidden` of them by their id alone."""
    parts: list[MessagePart] = [TextPart(f"{image.image_id}: {_HIDDEN}") for image in images[:hidden]]
    for image in images[hidden:]:
        try:
            part = await port.part(image.image_id)
        except ActionError:
            parts.append(TextPart(f"{image.image_id}: cannot be shown any more"))
        else:
            parts += [TextPart(f"{image.image_id}:"), part]
    return parts


def _kept(text: str) -> str:
    if not text.strip():
        return NOTHING_SAID
    half = KEPT_LIMIT // 2
    return disarm(text if len(text) <= KEPT_LIMIT else f"{text[:half]} [...] {text[-half:]}")


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """How episodes are played.

    Attributes:
        max_turns: turns of one episode at most; at least 1. In the last one only an answer counts, and the model is
            told so.
        forces_first_search: whether a first turn without an action becomes a search for the question.
        max_searches: searches of one episode at most, the forced one included.
        temperature: of every turn; 0 to 2.
        max_tokens: most tokens of one turn; None leaves it to the provider.
        concurrency: most requests to the model at a time; at least 1.
    """

    max_turns: int = 8
    forces_first_search: bool = True
    max_searches: int = 5
    temperature: float = 0.0
    max_tokens: int | None = 4_096
    concurrency: int = 8

    def __post_init__(self) -> None:
        """Refuse rules by which nothing could be played."""
        if min(self.max_turns, self.max_searches, self.concurrency) < 1:
            message = Phrase("max_turns, max_searches and concurrency must be at least 1")
            raise ValueError(message.text())


class LLMGenerationManager:
    """Plays episodes side by side, a turn of each at a time, so that their searches go out together."""

    def __init__(
        self,
        models: Callable[[str], LLMPort],
        parser: ActionParserPort,
        tools: Tools,
        *followers: Callable[[Turn], None],
        rules: EpisodeRules | None = None,
        events: EventPort | None = None,
    ) -> None:
        """Followers are told of every turn when it is done, and the events of each when it was read.

        Args:
            models: gives the model of the episode with a question: always the same, or one for each. A `FallbackLLM`
                that is made for each goes on with another one where the provider fails.
            parser: reads the turns.
            tools: what actions are done with.
            followers: a transcript, a progress line; called in the order in which turns are done. What one raises ends
                the run.
            rules: how episodes are played.
            events: told of every turn that was read; None: nobody is.
        """
        self._models = models
        self._followers = followers
        self._rules = rules or EpisodeRules()
        forces, searches = self._rules.forces_first_search, self._rules.max_searches
        self._turns = TurnPlayer(parser, tools, events, forces_first_search=forces, max_searches=searches)

    async def run(self, questions: Sequence[str]) -> list[Episode]:
        """Play an episode for each question; they come back in the order of the questions.

        An episode that has ended drops out; the others go on. A model that fails ends its own episode only.

        Raises:
            ValueError: a question is blank.
            LLMConfigurationError: a model cannot be asked at all.
            VisualRagConfigurationError: something is missing that no action can make up for.
        """
        if not all(question.strip() for question in questions):
            message = Phrase("a question must not be blank")
            raise ValueError(message.text())
        episodes = [Episode(question, number) for number, question in enumerate(questions)]
        models = [self._models(question) for question in questions]
        for number in range(1, self._rules.max_turns + 1):
            active = [episode for episode in episodes if not episode.is_over]
            if active:
                await self._play(active, models, is_last=number == self._rules.max_turns)
        return episodes

    async def _play(self, episodes: list[Episode], models: list[LLMPort], *, is_last: bool) -> None:
        """A turn of each episode; one whose model failed is over."""
        free = asyncio.Semaphore(self._rules.concurrency)
        asked = (self._ask(episode, models[episode.number], free, is_last=is_last) for episode in episodes)
        replies = await asyncio.gather(*asked)
        going_on = [episode for episode in episodes if not episode.is_over]
        await self._turns.play(going_on, [reply for reply in replies if reply], is_last=is_last)
        for episode in going_on:
            for follower in self._followers:
                follower(episode.turns[-1])

    async def _ask(
        self, episode: Episode, model: LLMPort, free: asyncio.Semaphore, *, is_last: bool
    ) -> LLMReply | None:
        """What the model of an episode answered; None where it failed, and the episode is over."""
        rules, parser = self._rules, self._turns.parser
        messages = await conversation(episode, self._turns.tools, is_last=is_last)
        request = LLMRequest(messages, temperature=rules.temperature, max_tokens=rules.max_tokens, stop=parser.stop)
        try:
            with asking_as(Caller(parser.label, attempt=episode.attempt)):
                async with free:
                    return await model.generate(request)
        except LLMConfigurationError:
            raise
        except LLMError as error:
            episode.error = error
            return None
