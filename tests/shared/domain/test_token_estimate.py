"""Tokens that nobody has counted: rather too many than too few."""

import pytest

from src.shared.domain.budget import (
    TOKENS_A_MESSAGE,
    TOKENS_AN_IMAGE,
    TokenPrice,
    prompt_tokens,
    tokens_of,
    usage_of_failure,
    with_usage,
)
from src.shared.domain.llm_errors import LLMConnectionError, LLMError, LLMReplyError, LLMTimeoutError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import LLMReply, LLMRequest, TokenUsage


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
