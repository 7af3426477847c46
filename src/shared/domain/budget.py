"""What asking may cost: bounds on it, what tokens cost, how many a request has, and what was spent.

The one place that holds a budget: every request of an answer asks here before it is sent, the repair agent's too, and
tells what it has cost. Where nobody has counted tokens they are estimated, rather too many than too few; `python -m
benchmarks.tokens` prints the estimate beside real tokenizers.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import LLMBudgetError, LLMError, LLMReplyError, LLMTimeoutError
from src.shared.domain.llm_exchange import LLMReply, LLMRequest, TokenUsage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a provider charges.

    Attributes:
        prompt: for a million tokens read.
        completion: for a million tokens written, reasoning included.
        currency: of all prices.
        cached: for a million tokens read from the provider's cache; None where they cost as much as the others.
    """

    prompt: float
    completion: float
    currency: str = "CNY"
    cached: float | None = None

    def cost(self, usage: TokenUsage) -> float:
        """What these tokens cost, in `currency`."""
        cached = usage.cached_tokens if self.cached is not None else 0
        read = (usage.prompt_tokens - cached) * self.prompt + cached * (self.cached or 0)
        return (read + usage.completion_tokens * self.completion) / _MILLION

    def tokens_for(self, money: float) -> int:
        """How many tokens may be written for so much money; a million where they cost nothing."""
        if money <= 0:
            return 0
        return int(money * _MILLION / self.completion) if self.completion else _MILLION


_BOUNDS = ("max_retries", "max_tokens", "max_seconds", "max_cost")


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on all attempts at one answer together, the repair agent's included; the first that is reached ends them.

    Attributes:
        max_retries: re-asks after the first answer; 0 turns them off. The repair agent's request is none.
        max_tokens: tokens read and written; None: no bound.
        max_seconds: seconds from the first request on; a call that is still running then is given up. None: no bound.
        max_cost: money, in the price's currency; None: no bound.
        price: what tokens cost; needed for `max_cost`.
    """

    max_retries: int = 2
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    price: TokenPrice | None = None

    def bounded(self, *, max_retries: int | None = None, max_seconds: float | None = None) -> Budget:
        """The same budget with other bounds in place of those that are given."""
        return replace(
            self,
            max_retries=self.max_retries if max_retries is None else max_retries,
            max_seconds=self.max_seconds if max_seconds is None else max_seconds,
        )

    def __post_init__(self) -> None:
        """Refuse bounds that mean nothing."""
        wrong = [name for name in _BOUNDS if (getattr(self, name) or 0) < 0]
        if wrong:
            message = f"{wrong[0]} must not be negative"
            raise ValueError(message)
        if self.max_cost is not None and self.price is None:
            message = "max_cost needs a price"
            raise ValueError(message)


TOKENS_A_MESSAGE = 8
"""What a chat's template adds to a message."""
TOKENS_AN_IMAGE = 1_600
"""What providers charge for one of a megapixel, at most."""

_WAS_READ = (LLMTimeoutError, LLMReplyError)
"""After these the provider has read the prompt, and charges for it whatever it says."""

_PIECE = re.compile(
    r"""
    [A-Za-z]{1,5}       # a word, or a part of one
    | [0-9]{1,3}        # digits
    | [^\sA-Za-z0-9]    # a sign, a character of another script
    | \n\s*+            # a line's end, with the blanks of the next one
    """,
    re.VERBOSE,
)
"""About what tokenizers make one token of; they make less of longer words, and one of a usual pair of signs."""


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return sum(1 for _ in _PIECE.finditer(text))


def prompt_tokens(request: LLMRequest) -> int:
    """About how many tokens a request's messages are."""
    return sum(
        TOKENS_A_MESSAGE + tokens_of(message.text) + TOKENS_AN_IMAGE * len(message.images)
        for message in request.messages
    )


def with_usage(reply: LLMReply, request: LLMRequest) -> LLMReply:
    """The reply, with an estimate in place of a usage that the provider did not give."""
    if reply.usage.total_tokens:
        return reply
    reasoning = tokens_of(reply.reasoning)
    written = tokens_of(reply.text) + reasoning
    return replace(reply, usage=TokenUsage(prompt_tokens(request), written, reasoning, is_estimated=True))


def usage_of_failure(error: LLMError, request: LLMRequest) -> TokenUsage:
    """What a failed request cost, with an estimate where the provider has read the prompt and gave no usage."""
    if isinstance(error, _WAS_READ) and not error.usage.total_tokens:
        return TokenUsage(prompt_tokens(request), is_estimated=True)
    return error.usage


LIMIT_TAKEN_EVERYWHERE = 4_096
"""Tokens: where a request has no limit of its own, one up to this is sent. Some providers refuse a higher one."""

_TOO_LITTLE = Phrase(
    "too little of the budget is left for this request, which was not sent: raise the budget, or shorten the prompt"
)


class Stop(StrEnum):
    """Why no further attempt at an answer was made."""

    ANSWERED = "answered"
    PROVIDER_ERROR = "provider_error"
    RETRIES_SPENT = "retries_spent"
    TOKENS_SPENT = "tokens_spent"
    COST_SPENT = "cost_spent"
    SECONDS_SPENT = "seconds_spent"
    SAME_ANSWER = "same_answer"
    """The model gave the same unusable answer twice."""
    CUT_OFF = "cut_off"
    """The answer reached the model's own limit, and one with a higher limit was not longer."""


class Spending:
    """The budget of one answer, and what is left of it.

    Attributes:
        budget: the bounds.
        usage: tokens spent so far.
        answers: answers that came so far; a repair is none.
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

    def spent(self) -> Stop | None:
        """What nothing is left of; None where something is left of all."""
        return next((stop for stop, room in self._rooms(TokenUsage()).items() if room < 1), None)

    def reached(self) -> Stop | None:
        """What keeps the model from being asked again; None where it may be."""
        return Stop.RETRIES_SPENT if self.answers > self.budget.max_retries else self.spent()

    def fit(self, request: LLMRequest) -> LLMRequest:
        """Put a limit on what a request may write that keeps it within what is left.

        A request without a limit of its own gets one only up to `LIMIT_TAKEN_EVERYWHERE`: where more is left, an
        answer that is longer than that may exceed the budget, once.

        Raises:
            LLMBudgetError: what is left is not enough for the prompt and one token.
        """
        if not self._rooms(TokenUsage()):  # no bound: nothing to count
            return request
        rooms = self._rooms(TokenUsage(prompt_tokens(request)))
        stop, room = min(rooms.items(), key=lambda item: item[1])
        if room < 1:
            facts = {"stop": stop.value, "spent_tokens": self.usage.total_tokens}
            raise LLMBudgetError(_TOO_LITTLE.text(), facts)
        if request.max_tokens is None and room > LIMIT_TAKEN_EVERYWHERE:
            return request
        return replace(request, max_tokens=min(room, request.max_tokens or room))

    def _rooms(self, needed: TokenUsage) -> dict[Stop, int]:
        """How many tokens may still be written, by each bound that there is, if so much is read before."""
        budget, spent = self.budget, self.usage + needed
        rooms = {}
        if budget.max_tokens is not None:
            rooms[Stop.TOKENS_SPENT] = budget.max_tokens - spent.total_tokens
        if budget.max_cost is not None and budget.price is not None:
            rooms[Stop.COST_SPENT] = budget.price.tokens_for(budget.max_cost - budget.price.cost(spent))
        if self.seconds_left == 0:
            rooms[Stop.SECONDS_SPENT] = 0
        return rooms
