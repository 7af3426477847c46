"""The agent's world for a loop that trains a model and generates its turns by itself.

Source: specification "JSON Output Format Adaptation", `postprocess_predictions` and `execute_predictions`; what a step
gives back is what the loops of its code base read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from src.modules.visual_rag.application.execute_predictions import Tools, action_event, execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.messages import EOS, forced_first_search
from src.modules.visual_rag.domain.observations import Observation, Standing
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports import ActionParserPort
from src.shared.domain.llm_exchange import ImagePart
from src.shared.domain.ports.events import EventPort


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
        self._parser = parser
        self._tools = tools
        self._questions = list(questions)
        self._eos_token = eos_token
        self._forces_first_search = forces_first_search
        self._events = events
        self._observed: list[list[Observation]] = [[] for _ in questions]
        self._in_vain = [0] * len(self._questions)

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
        active = [True] * len(self._questions) if active_mask is None else [bool(one) for one in active_mask]
        rows = list(zip(self._questions, responses, active, strict=True))  # before a turn is read, and told of
        texts = [text.rstrip() for _, text, _ in rows]
        parsed = [
            self._read(text, at) if is_active else ParsedAction(None, None)
            for at, (text, is_active) in enumerate(zip(texts, active, strict=True))
        ]
        valid = [one.action is not None for one in parsed]
        for at, is_active in enumerate(active):
            is_first = do_search and self._forces_first_search and not self._observed[at]
            if is_active and is_first and parsed[at].attempted is None:
                texts[at] = forced_first_search(self._questions[at])
                parsed[at] = self._parse(texts[at], at)
        self._in_vain = [
            0 if one.action else count + is_active
            for one, count, is_active in zip(parsed, self._in_vain, active, strict=True)
        ]
        observed = await self._observe(parsed, active, do_search=do_search)
        return RolloutStep(
            [self._kept(text) if is_active else "" for text, is_active in zip(texts, active, strict=True)],
            [one.text for one in observed],
            await asyncio.gather(*map(self._parts, observed)),
            [one.is_done for one in observed],
            valid,
            [one.action_type is ActionType.SEARCH for one in parsed],
        )

    def _read(self, text: str, at: int) -> ParsedAction:
        """Read a turn of the policy's and tell of it."""
        parsed = self._parse(text, at)
        if self._events:
            attempt = self._in_vain[at] + 1
            self._events.publish(action_event(self._parser.label, self._ended(text)[0], parsed, attempt=attempt))
        return parsed

    def _parse(self, text: str, at: int) -> ParsedAction:
        named = (one.image_id for one in reversed(self._observed[at]) if one.image_id)
        text, finished = self._ended(text)
        return self._parser.parse(text, finished=finished, last_image=next(named, None))

    def _kept(self, text: str) -> str:
        text, finished = self._ended(text)
        return self._parser.kept(text, self._eos_token, finished=finished)

    def _ended(self, text: str) -> tuple[str, bool | None]:
        """The text without the EOS token, and whether it had one."""
        return text.removesuffix(self._eos_token), True if text.endswith(self._eos_token) else None

    async def _observe(
        self, parsed: Sequence[ParsedAction], active: Sequence[bool], *, do_search: bool
    ) -> list[Observation]:
        standings = [Standing.after(observed, must_answer=not do_search) for observed in self._observed]
        observed = await execute_predictions(parsed, self._tools, standings=standings, active_mask=active)
        for before, observation in zip(self._observed, observed, strict=True):
            before.append(observation)
        return observed

    async def _parts(self, observed: Observation) -> list[ImagePart]:
        return [await self._tools.images.part(image.image_id) for image in observed.images]
