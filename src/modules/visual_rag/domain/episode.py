"""An episode: a question, the turns it took, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.domain.ports import PageHit
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import LLMReply, TokenUsage


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        episode: number of the question in its batch, from 0.
        question: what is asked.
        number: of the turn, from 1.
        reply: what the model wrote; of a forced turn, what was written for it.
        parsed: the action in it, or why there is none.
        observation: what became of the action.
        replaced: what the model wrote where a forced search stands; None in every other turn.
    """

    episode: int
    question: str
    number: int
    reply: LLMReply
    parsed: ParsedAction
    observation: Observation
    replaced: LLMReply | None = None

    @property
    def written(self) -> LLMReply:
        """What the model itself wrote."""
        return self.replaced or self.reply

    @property
    def is_forced(self) -> bool:
        """Whether the turn was the forced first search."""
        return self.replaced is not None


@dataclass(slots=True)
class Episode:
    """A question and what has been done about it. One that has neither an answer nor an error is out of turns.

    Attributes:
        question: what is asked.
        number: of the question in its batch, from 0.
        turns: what has been done, in order.
        error: why the model could not be asked, if that ended the episode.
    """

    question: str
    number: int = 0
    turns: list[Turn] = field(default_factory=list)
    error: LLMError | None = None

    @property
    def answer(self) -> str | None:
        """The answer; None where there is none (yet)."""
        return self.turns[-1].observation.answer if self.turns else None

    @property
    def last_image(self) -> str | None:
        """The id of the image that was shown last: found, cropped or read; None where none was."""
        return next((shown for turn in reversed(self.turns) if (shown := turn.observation.image_id)), None)

    @property
    def searches(self) -> int:
        """How many searches have been made."""
        return sum(
            turn.parsed.action_type is ActionType.SEARCH and turn.observation.error is None for turn in self.turns
        )

    @property
    def attempt(self) -> int:
        """Which try at an action the next turn is: 1, and 2 after a turn without one."""
        return 1 + len(list(takewhile(lambda turn: turn.parsed.action is None, reversed(self.turns))))

    @property
    def is_over(self) -> bool:
        """Whether no turn can follow, whatever the budget."""
        return self.error is not None or self.answer is not None

    @property
    def usage(self) -> TokenUsage:
        """Tokens of all turns."""
        return sum((turn.written.usage for turn in self.turns), TokenUsage())

    @property
    def known(self) -> frozenset[str | PageHit]:
        """The ids of the pages and crops that were shown, and the pages that searches told of with a part of theirs."""
        seen = [turn.observation for turn in self.turns]
        return frozenset(image.image_id for one in seen for image in one.images).union(*(one.pages for one in seen))

    def unseen(self, hits: Sequence[PageHit]) -> list[PageHit]:
        """What of a search's pages the model has not been shown or told of, in the same order."""
        known = self.known
        return [hit for hit in hits if hit.image_id not in known and hit not in known]
