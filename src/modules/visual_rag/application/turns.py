"""One turn of each episode of a batch: read what the model wrote, force a first search, act, and remember it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from src.modules.visual_rag.application.execute_predictions import Tools, execute_predictions
from src.modules.visual_rag.domain.episode import Episode, Turn
from src.modules.visual_rag.domain.messages import forced_first_search
from src.modules.visual_rag.domain.observations import NOT_ACTIVE
from src.modules.visual_rag.domain.parsed_action import ParsedAction, ProblemKind, no_action
from src.modules.visual_rag.domain.ports import ActionParserPort
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase
from src.shared.domain.ports.events import EventPort, parsed_event
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.domain.ports.output import ParsedText


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
        turn = Turn(episode.number, episode.question, len(episode.turns) + 1, reply, parsed, NOT_ACTIVE)
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
