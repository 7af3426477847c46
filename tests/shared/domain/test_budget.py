"""What is left of a budget decides whether a request is sent, and how much may be written."""

from typing import Any

import pytest

from src.shared.domain.budget import (
    LIMIT_TAKEN_EVERYWHERE,
    TOKENS_A_MESSAGE,
    TOKENS_AN_IMAGE,
    Budget,
    Spending,
    Stop,
    TokenPrice,
    prompt_tokens,
    tokens_of,
    usage_of_failure,
    with_usage,
)
from src.shared.domain.llm_errors import LLMBudgetError, LLMConnectionError, LLMError, LLMReplyError, LLMTimeoutError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import LLMReply, LLMRequest, TokenUsage

REQUEST = LLMRequest.of("a question")
READ = prompt_tokens(REQUEST)
PRICE = TokenPrice(1_000_000, 1_000_000)
"""One unit of money a token."""


class Clock:
    """A clock that stands still until it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def limit(budget: Budget, max_tokens: int | None = None, usage: TokenUsage | None = None) -> int | None:
    """The limit that a request gets once this was spent."""
    spending = Spending(budget)
    spending.usage += usage or TokenUsage()
    return spending.fit(LLMRequest.of("a question", max_tokens=max_tokens)).max_tokens


@pytest.mark.parametrize("max_tokens", [None, 7])
def test_request_without_a_bound_is_sent_as_it_is(max_tokens: int | None) -> None:
    assert limit(Budget(), max_tokens) == max_tokens


@pytest.mark.parametrize("budget", [Budget(max_tokens=READ + 10), Budget(max_cost=READ + 10, price=PRICE)])
@pytest.mark.parametrize(("max_tokens", "sent"), [(None, 10), (7, 7), (99, 10)])
def test_answer_is_limited_to_what_is_left(budget: Budget, max_tokens: int | None, sent: int) -> None:
    assert limit(budget, max_tokens) == sent


def test_least_of_all_bounds_counts() -> None:
    assert limit(Budget(max_tokens=READ + 10, max_cost=READ + 9, price=PRICE)) == 9


@pytest.mark.parametrize(
    ("left", "sent"), [(LIMIT_TAKEN_EVERYWHERE, LIMIT_TAKEN_EVERYWHERE), (LIMIT_TAKEN_EVERYWHERE + 1, None)]
)
def test_limit_that_a_provider_may_refuse_is_not_invented(left: int, sent: int | None) -> None:
    assert limit(Budget(max_tokens=READ + left)) == sent
    assert limit(Budget(max_tokens=READ + left), LIMIT_TAKEN_EVERYWHERE + 2) == left


@pytest.mark.parametrize(
    ("budget", "stop"),
    [
        (Budget(max_tokens=READ), Stop.TOKENS_SPENT),
        (Budget(max_cost=READ, price=PRICE), Stop.COST_SPENT),
        (Budget(max_seconds=0), Stop.SECONDS_SPENT),
    ],
)
def test_request_for_which_too_little_is_left_is_not_sent(budget: Budget, stop: Stop) -> None:
    with pytest.raises(LLMBudgetError, match="was not sent") as caught:
        Spending(budget).fit(REQUEST)

    assert caught.value.details == {"stop": stop.value, "spent_tokens": 0}


def test_what_was_spent_counts_with_the_prompt_that_is_to_be_read() -> None:
    assert limit(Budget(max_tokens=READ + 10), usage=TokenUsage(4, 3)) == 3


@pytest.mark.parametrize(
    ("budget", "usage", "stop"),
    [
        (Budget(), TokenUsage(10**9), None),
        (Budget(max_retries=0), TokenUsage(), Stop.RETRIES_SPENT),
        (Budget(max_tokens=10), TokenUsage(5, 5), Stop.TOKENS_SPENT),
        (Budget(max_tokens=10), TokenUsage(5, 4), None),
        (Budget(max_cost=10, price=PRICE), TokenUsage(5, 5), Stop.COST_SPENT),
        (Budget(max_cost=10, price=PRICE), TokenUsage(5, 4), None),
        (Budget(max_seconds=0), TokenUsage(), Stop.SECONDS_SPENT),
        (Budget(max_seconds=10), TokenUsage(), None),
    ],
)
def test_model_is_asked_again_while_something_is_left_of_every_bound(
    budget: Budget, usage: TokenUsage, stop: Stop | None
) -> None:
    spending = Spending(budget)
    spending.answers = 1
    spending.usage += usage

    assert spending.reached() is stop


def test_seconds_run_from_the_beginning_and_never_below_none() -> None:
    clock = Clock()
    spending = Spending(Budget(max_seconds=5), clock)
    clock.now += 2
    left = spending.seconds_left
    clock.now += 9

    assert (left, spending.seconds_left) == (3.0, 0.0)


def test_bound_in_money_needs_a_price() -> None:
    with pytest.raises(ValueError, match="price"):
        Budget(max_cost=1)


@pytest.mark.parametrize("bound", ["max_retries", "max_tokens", "max_seconds", "max_cost"])
def test_bound_below_nothing_is_refused(bound: str) -> None:
    negative: dict[str, Any] = {bound: -1}
    with pytest.raises(ValueError, match=bound):
        Budget(**negative, price=PRICE)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abc", 1), ("abcdef", 2), ("买入", 2), ("买入 BUY", 3), ('{"a": 1234}\n  x', 10)],
)
def test_text_is_estimated_by_its_pieces(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


def test_prompt_is_all_its_messages_and_images() -> None:
    seen = ChatMessage.of(Role.USER, "abc", ImagePart(b""), ImagePart(b""))
    request = LLMRequest((ChatMessage.of(Role.SYSTEM, "abc"), seen))

    assert prompt_tokens(request) == 2 * TOKENS_A_MESSAGE + 2 + 2 * TOKENS_AN_IMAGE


def test_usage_that_the_provider_gives_is_left_as_it_is() -> None:
    reply = LLMReply("abc", usage=TokenUsage(1, 0))

    assert with_usage(reply, LLMRequest.of("?")) is reply


def test_usage_that_nobody_gives_is_estimated_and_says_so() -> None:
    reply = with_usage(LLMReply("abc", reasoning="abcdef"), LLMRequest.of("?"))

    assert reply.usage == TokenUsage(TOKENS_A_MESSAGE + 1, 3, 2, is_estimated=True)


@pytest.mark.parametrize("kind", [LLMTimeoutError, LLMReplyError])
def test_failed_request_that_was_read_is_estimated(kind: type[LLMError]) -> None:
    assert usage_of_failure(kind("too late"), LLMRequest.of("?")) == TokenUsage(TOKENS_A_MESSAGE + 1, is_estimated=True)


def test_failed_request_that_was_not_read_costs_nothing() -> None:
    assert usage_of_failure(LLMConnectionError("not reached"), LLMRequest.of("?")) == TokenUsage()


def test_failed_request_costs_what_the_provider_says() -> None:
    error = LLMReplyError("no text")
    error.usage = TokenUsage(7, 2)

    assert usage_of_failure(error, LLMRequest.of("?")) == TokenUsage(7, 2)


@pytest.mark.parametrize(
    ("price", "cost"),
    [(TokenPrice(2, 8), 2 * 0.5 + 8 * 0.25), (TokenPrice(2, 8, cached=1), 2 * 0.3 + 1 * 0.2 + 8 * 0.25)],
)
def test_cached_tokens_cost_what_their_price_says(price: TokenPrice, cost: float) -> None:
    assert price.cost(TokenUsage(500_000, 250_000, cached_tokens=200_000)) == pytest.approx(cost)


@pytest.mark.parametrize(
    ("price", "money", "tokens"),
    [
        (TokenPrice(2, 8), 8, 1_000_000),
        (TokenPrice(2, 8), -1, 0),
        (TokenPrice(2, 0), 1, 1_000_000),
        (TokenPrice(2, 0), 0, 0),
    ],
)
def test_money_buys_tokens(price: TokenPrice, money: float, tokens: int) -> None:
    assert price.tokens_for(money) == tokens


def test_bounds_that_are_not_given_stay() -> None:
    budget = Budget(max_retries=1, max_seconds=30.0, max_tokens=100)

    assert budget.bounded() == budget
    assert budget.bounded(max_retries=0) == Budget(max_retries=0, max_seconds=30.0, max_tokens=100)
    assert budget.bounded(max_seconds=20.0) == Budget(max_retries=1, max_seconds=20.0, max_tokens=100)
