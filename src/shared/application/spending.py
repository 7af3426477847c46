"""What one answer has cost so far, and whether another request fits: the one place that holds a budget.

Every request of an answer asks here before it is sent, the repair agent's too, and tells what it has cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from src.shared.application.outcome import Stop
from src.shared.domain.budget import Budget
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMBudgetError, LLMError
from src.shared.domain.ports.llm import LLMReply, LLMRequest, TokenUsage
from src.shared.domain.token_estimate import prompt_tokens, usage_of_failure, with_usage

LIMIT_TAKEN_EVERYWHERE = 4_096
"""Tokens: where a request has no limit of its own, one up to this is sent. Some providers refuse a higher one."""


class Spending:
    """The budget of one answer, and what is left of it.

    Attributes:
        usage: tokens spent so far.
        answers: how often the model was asked for an answer; a repair is none.
    """

    def __init__(self, budget: Budget, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.usage = TokenUsage()
        self.answers = 0
        self._clock = clock
        self._deadline = None if budget.max_seconds is None else clock() + budget.max_seconds

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time is up; None without a bound."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def why_no_reask(self) -> Stop | None:
        """Which bound keeps the model from being asked again; None where another question may be asked."""
        if self.answers > self.budget.max_retries:
            return Stop.RETRIES_SPENT
        return next((stop for stop, room in self._rooms(TokenUsage()).items() if room < 1), None)

    def fitted(self, request: LLMRequest) -> LLMRequest:
        """The request with a limit on what is written that keeps it within what is left.

        A request without a limit of its own gets one only up to `LIMIT_TAKEN_EVERYWHERE`: above it, an answer that is
        longer than what is left may exceed the budget, once.

        Raises:
            LLMBudgetError: what is left is not enough for the prompt and one token.
        """
        rooms = self._rooms(TokenUsage(prompt_tokens(request)))
        stop, room = min(rooms.items(), key=lambda item: item[1], default=(None, None))
        if stop is None or room is None:
            return request
        if room < 1:
            raise self._too_little(stop)
        if request.max_tokens is None and room > LIMIT_TAKEN_EVERYWHERE:
            return request
        return replace(request, max_tokens=min(room, request.max_tokens or room))

    def counted(self, reply: LLMReply, request: LLMRequest) -> LLMReply:
        """Count a reply; where the provider gives no usage, it is returned with an estimate."""
        told = with_usage(reply, request)
        self.usage += told.usage
        return told

    def count_failure(self, error: LLMError, request: LLMRequest) -> None:
        """Count a failed request; it gets an estimate where the provider gives no usage for what it has read."""
        error.usage = usage_of_failure(error, request)
        self.usage += error.usage

    def _rooms(self, needed: TokenUsage) -> dict[Stop, int]:
        """How many tokens may still be written by each bound that there is, if so much is read before."""
        rooms = {stop: check(self, needed) for stop, check in _CHECKS.items()}
        return {stop: room for stop, room in rooms.items() if room is not None}

    def _too_little(self, stop: Stop) -> LLMBudgetError:
        facts = {"stop": stop.value, "spent_tokens": self.usage.total_tokens}
        return LLMBudgetError(_TOO_LITTLE.text(), facts)


_TOO_LITTLE = Message(
    "预算余额不足以再次提问，未发出请求；请调大预算，或缩短提示词",
    "too little of the budget is left for this request, which was not sent: raise the budget, or shorten the prompt",
)


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


_Check: TypeAlias = Callable[[Spending, TokenUsage], int | None]
_CHECKS: dict[Stop, _Check] = {
    Stop.TOKENS_SPENT: _tokens,
    Stop.COST_SPENT: _cost,
    Stop.SECONDS_SPENT: _seconds,
}
"""How many tokens may still be written, by each bound; None where there is no such bound."""
