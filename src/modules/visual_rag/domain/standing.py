"""Where an episode stands when its next action is done: what it has been shown, and what it may still do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from src.modules.visual_rag.domain.actions import Action, AnswerAction, SearchAction
from src.modules.visual_rag.domain.exceptions import LastTurnError, SearchLimitError
from src.modules.visual_rag.domain.observations import Observation
from src.modules.visual_rag.domain.ports.search import PageHit
from src.shared.domain.language import Message


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an episode stands.

    Attributes:
        images: ids of the pages and crops it has been shown.
        pages: the pages that searches have told of, each with the part of its text.
        may_search: whether a search is left.
        must_answer: whether only an answer counts.
    """

    images: frozenset[str] = frozenset()
    pages: frozenset[PageHit] = frozenset()
    may_search: bool = True
    must_answer: bool = False

    @classmethod
    def after(cls, observed: Iterable[Observation], *, may_search: bool = True, must_answer: bool = False) -> Standing:
        """Where an episode stands after what it has observed."""
        observed = tuple(observed)
        images = frozenset(image.image_id for one in observed for image in one.images)
        return cls(images, frozenset(page for one in observed for page in one.pages), may_search, must_answer)

    def news(self, hits: Sequence[PageHit]) -> list[PageHit]:
        """What of a search's pages the model has not been shown, in the same order."""
        return [hit for hit in hits if hit.image_id not in self.images and hit not in self.pages]

    def bars(self, action: Action) -> SearchLimitError | LastTurnError | None:
        """Why an action may not be done any more; None where it may."""
        if self.must_answer and not isinstance(action, AnswerAction):
            return LastTurnError(Message("最后一轮只能给出答案", "only an answer counts in the last turn").text())
        if not self.may_search and isinstance(action, SearchAction):
            return SearchLimitError(Message("搜索次数已用完", "no search is left").text())
        return None
