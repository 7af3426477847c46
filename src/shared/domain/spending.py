"""What one answer has cost so far, and whether another request fits: the one place that holds a budget.

Every request of an answer asks here before it is sent, the repair agent's too, and tells what it has cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from src.shared.domain.budget import Budget
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMBudgetError
from src.shared.domain.ports.llm import LLMRequest, TokenUsage
from src.shared.domain.token_estimate import prompt_tokens

LIMIT_TAKEN_EVERYWHERE = 4_096
"""Tokens: where a request has no limit of its own, one up to this is sent. Some providers refuse a higher one."""

_TOO_LITTLE = Message(
    "预算余额不足以再次提问，未发出请求；请调大预算，或缩短提示词",
    "too little of the budget is left for this request, which was not sent: raise the budget, or shorten the prompt",
)


class Bound(StrEnum):
    """What a budget bounds."""

    RETRIES = "retries"
    TOKENS = "tokens"
    COST = "cost"
    SECONDS = "seconds"


class Spending:
    """The budget of one answer, and what is left of it.

    Attributes:
        budget: the bounds.
        usage: tokens spent so far.
        answers: answers that came so far; a repair is none.
        is_ended: whether the time was ended before it was up.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.usage = TokenUsage()
        self.answers = 0
        self.is_ended = False
        self._clock = clock
        self._deadline = None if budget.max_seconds is None else clock() + budget.max_seconds

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is up; None without a bound."""
        if self.is_ended:
            return 0.0
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def end(self) -> None:
        """Let the time be up from now on."""
        self.is_ended = True

    def add(self, usage: TokenUsage) -> None:
        """Count what a request has cost."""
        self.usage += usage

    def spent(self) -> Bound | None:
        """Of which bound nothing is left; None where something is left of all."""
        return next((bound for bound, room in self._rooms(TokenUsage()).items() if room < 1), None)

    def reached(self) -> Bound | None:
        """Which bound keeps the model from being asked again; None where it may be."""
        return Bound.RETRIES if self.answers > self.budget.max_retries else self.spent()

    def fitted(self, request: LLMRequest) -> LLMRequest:
        """The request with a limit on what is written that keeps it within what is left.

        A request without a limit of its own gets one only up to `LIMIT_TAKEN_EVERYWHERE`: where more is left, an
        answer that is longer than that may exceed the budget, once.

        Raises:
            LLMBudgetError: what is left is not enough for the prompt and one token.
        """
        if not self._rooms(TokenUsage()):  # no bound: nothing to count
            return request
        rooms = self._rooms(TokenUsage(prompt_tokens(request)))
        bound, room = min(rooms.items(), key=lambda item: item[1])
        if room < 1:
            facts = {"stop": f"{bound}_spent", "spent_tokens": self.usage.total_tokens}
            raise LLMBudgetError(_TOO_LITTLE.text(), facts)
        if request.max_tokens is None and room > LIMIT_TAKEN_EVERYWHERE:
            return request
        return replace(request, max_tokens=min(room, request.max_tokens or room))

    def _rooms(self, needed: TokenUsage) -> dict[Bound, int]:
        """How many tokens may still be written, by each bound that there is, if so much is read before."""
        rooms = {bound: check(self, needed) for bound, check in _CHECKS.items()}
        return {bound: room for bound, room in rooms.items() if room is not None}


def _tokens(spending: Spending, needed: TokenUsage) -> int | None:
    bound = spending.budget.max_tokens
    return None if bound is None else bound - (spending.usage + needed).total_tokens


def _cost(spending: Spending, needed: TokenUsage) -> int | None:
    bound, price = spending.budget.max_cost, spending.budget.price
    if bound is None or price is None:
        return None
    return price.tokens_for(bound - price.cost(spending.usage + needed))


def _seconds(spending: Spending, needed: TokenUsage) -> int | None:  # noqa: ARG001 - as the others
    return 0 if spending.seconds_left == 0 else None


_CHECKS: dict[Bound, Callable[[Spending, TokenUsage], int | None]] = {
    Bound.TOKENS: _tokens,
    Bound.COST: _cost,
    Bound.SECONDS: _seconds,
}
"""How many tokens may still be written; None where there is no such bound, or it does not say."""
