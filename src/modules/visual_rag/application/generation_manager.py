"""Whole episodes for a batch of questions: ask, parse, act, feed back, until each has its answer or its last turn.

Source: specification "JSON Output Format Adaptation", the generation manager.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from src.modules.visual_rag.application.conversation import conversation
from src.modules.visual_rag.application.execute_predictions import Tools, execute_predictions
from src.modules.visual_rag.domain.episode import Episode, Turn, forced_reply
from src.modules.visual_rag.domain.messages import forced_first_search
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports.action_parser import ActionParserPort
from src.modules.visual_rag.domain.ports.episode_models import EpisodeModelsPort
from src.modules.visual_rag.domain.ports.turns import TurnsPort
from src.modules.visual_rag.domain.problems import too_long
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """How episodes are played.

    Attributes:
        max_turns: turns of one episode at most, the forced one included; at least 1.
        forces_first_search: whether each episode begins with a search for its question, which no model is asked for.
        temperature: of every turn; 0 to 2.
        max_tokens: most tokens of one turn; None leaves it to the provider.
        concurrency: most requests to the model at a time; at least 1.
    """

    max_turns: int = 8
    forces_first_search: bool = True
    temperature: float = 0.0
    max_tokens: int | None = 4_096
    concurrency: int = 8

    def __post_init__(self) -> None:
        """Refuse rules by which nothing could be played."""
        if self.max_turns < 1 or self.concurrency < 1:
            message = Message("max_turns 与 concurrency 至少为 1", "max_turns and concurrency must be at least 1")
            raise ValueError(message.text())


class LLMGenerationManager:
    """Plays episodes side by side, a turn of each at a time, so that their searches go out together."""

    def __init__(
        self,
        models: EpisodeModelsPort,
        parser: ActionParserPort,
        tools: Tools,
        *followers: TurnsPort,
        rules: EpisodeRules | None = None,
    ) -> None:
        """Followers are told of every turn when it is done."""
        self._models = models
        self._parser = parser
        self._tools = tools
        self._followers = followers
        self._rules = rules or EpisodeRules()

    async def run(self, questions: Sequence[str]) -> list[Episode]:
        """Play an episode for each question; they come back in the order of the questions.

        An episode that has ended drops out; the others go on. A model that fails ends its own episode only.

        Raises:
            ValueError: a question is blank.
            LLMConfigurationError: a model cannot be asked at all.
            VisualRagConfigurationError: something is missing that no action can make up for.
        """
        if not all(question.strip() for question in questions):
            message = Message("问题不能为空", "a question must not be blank")
            raise ValueError(message.text())
        episodes = [Episode(number, question) for number, question in enumerate(questions)]
        models = [self._models.for_question(question) for question in questions]
        for number in range(1, self._rules.max_turns + 1):
            active = [episode for episode in episodes if not episode.is_over]
            if not active:
                break
            await self._play(number, active, models)
        return episodes

    async def _play(self, number: int, episodes: list[Episode], models: list[LLMPort]) -> None:
        is_forced = self._rules.forces_first_search and number == 1
        if is_forced:
            replies = [forced_reply(forced_first_search(episode.question)) for episode in episodes]
        else:
            replies = await self._replies(episodes, models)
            episodes = [episode for episode in episodes if not episode.is_over]
        parsed = [self._parse(reply, episode) for reply, episode in zip(replies, episodes, strict=True)]
        observations = await execute_predictions(parsed, self._tools)
        for episode, reply, action, observation in zip(episodes, replies, parsed, observations, strict=True):
            turn = Turn(episode.number, episode.question, number, reply, is_forced, action, observation)
            episode.turns.append(turn)
            for follower in self._followers:
                follower.add(turn)

    async def _replies(self, episodes: list[Episode], models: list[LLMPort]) -> list[LLMReply]:
        """The replies of the episodes whose model answered; the others are over."""
        free = asyncio.Semaphore(self._rules.concurrency)
        asked = (self._ask(episode, models[episode.number], free) for episode in episodes)
        return [reply for reply in await asyncio.gather(*asked) if reply]

    async def _ask(self, episode: Episode, model: LLMPort, free: asyncio.Semaphore) -> LLMReply | None:
        rules = self._rules
        messages = await conversation(episode, self._parser, self._tools)
        request = LLMRequest(
            messages, temperature=rules.temperature, max_tokens=rules.max_tokens, stop=self._parser.stop
        )
        try:
            async with free:
                return await model.generate(request)
        except LLMConfigurationError:
            raise
        except LLMError as error:
            episode.error = error
            return None

    def _parse(self, reply: LLMReply, episode: Episode) -> ParsedAction:
        if reply.finish_reason is FinishReason.LENGTH:
            return ParsedAction.invalid(too_long())
        return self._parser.parse(reply.text, finished=reply.finish_reason.finished, last_image=episode.last_image)
