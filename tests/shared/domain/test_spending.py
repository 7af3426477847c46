"""What is left of a budget decides whether a request is sent, and how much may be written."""

from typing import Any

import pytest

from src.shared.domain.budget import LIMIT_TAKEN_EVERYWHERE, Budget, Spending, Stop, TokenPrice, prompt_tokens
from src.shared.domain.llm_errors import LLMBudgetError
from src.shared.domain.ports.llm import LLMRequest, TokenUsage

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
    return spending.fitted(LLMRequest.of("a question", max_tokens=max_tokens)).max_tokens


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
        Spending(budget).fitted(REQUEST)

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
