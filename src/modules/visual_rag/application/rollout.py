"""The agent's world for a loop that trains a model and generates its turns by itself.

Source: specification "JSON Output Format Adaptation", `postprocess_predictions` and `execute_predictions`; what a step
gives back is what the loops of its code base read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from src.modules.visual_rag.application.execute_predictions import Tools, TurnPlayer
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.episode import Episode
from src.modules.visual_rag.domain.messages import EOS
from src.modules.visual_rag.domain.ports import ActionParserPort
from src.shared.domain.llm_exchange import ImagePart
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.llm import FinishReason, LLMReply


@dataclass(frozen=True, slots=True)
class RolloutStep:
    """What becomes of a batch of turns: lists as long as the batch.

    Attributes:
        responses: what of each turn is kept, with the EOS token at its end; empty for an episode that was not active.
        next_obs: what each model is told, as a turn of the user's in the chat template; empty where nothing is.
        images: what each model is shown beside it, in order; empty where nothing is.
        dones: whether an episode has ended, with this turn or before.
        valid_action: whether the model's turn had an action that could be tried.
        is_search: whether a search was the turn's action, a forced one included.
    """

    responses: list[str]
    next_obs: list[str]
    images: list[list[ImagePart]]
    dones: list[bool]
    valid_action: list[bool]
    is_search: list[bool]


class Rollout:
    """A batch of episodes. It keeps what each has been shown; tokens, masks and padding are the caller's."""

    def __init__(
        self,
        parser: ActionParserPort,
        tools: Tools,
        questions: Sequence[str],
        *,
        eos_token: str = EOS,
        forces_first_search: bool = True,
        events: EventPort | None = None,
    ) -> None:
        """Begin an episode for each question.

        Args:
            parser: reads the turns.
            tools: what actions are done with.
            questions: one for each episode.
            eos_token: what ends a turn in the tokenizer of the model.
            forces_first_search: whether a first turn without an action becomes a search for the question.
            events: told of every turn that was read; None: nobody is.
        """
        self._turns = TurnPlayer(parser, tools, events, forces_first_search)
        self._episodes = [Episode(question, number) for number, question in enumerate(questions)]
        self._eos_token = eos_token

    async def step(
        self, responses: Sequence[str], active_mask: Sequence[int] | None = None, *, do_search: bool = True
    ) -> RolloutStep:
        """Do what the models wrote.

        Args:
            responses: one turn for each episode; one that ends with the EOS token is known to be whole, and any other
                is read by what shows its end. Those that are not active may be empty.
            active_mask: which episodes go on, as truth values; None: all.
            do_search: False in the last step: only answers count, and nothing is searched for.

        Raises:
            ValueError: there are not as many turns, or as long a mask, as there are episodes.
            VisualRagConfigurationError: something is missing that no action can make up for.
        """
        active = [True] * len(self._episodes) if active_mask is None else [bool(one) for one in active_mask]
        rows = list(zip(self._episodes, responses, active, strict=True))  # before a turn is read, and told of
        replies = [self._reply(text) for _, text, is_active in rows if is_active]
        going_on = [episode for episode, _, is_active in rows if is_active]
        await self._turns.play(going_on, replies, is_last=not do_search)
        turns = [episode.turns[-1] if is_active else None for episode, _, is_active in rows]
        part = self._turns.tools.images.part
        return RolloutStep(
            [turn.parsed.kept + self._eos_token if turn else "" for turn in turns],
            [turn.observation.text if turn else "" for turn in turns],
            [[await part(image.image_id) for image in turn.observation.images] if turn else [] for turn in turns],
            [turn is None or turn.observation.is_done for turn in turns],
            [turn is not None and not turn.is_forced and turn.parsed.action is not None for turn in turns],
            [turn is not None and turn.parsed.action_type is ActionType.SEARCH for turn in turns],
        )

    def _reply(self, text: str) -> LLMReply:
        """A turn without the EOS token, which shows that it is whole."""
        text = text.rstrip()
        reason = FinishReason.STOP if text.endswith(self._eos_token) else FinishReason.UNKNOWN
        return LLMReply(text.removesuffix(self._eos_token), reason)
