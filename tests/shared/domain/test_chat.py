"""Messages and requests, as their makers meet them."""

import pytest

from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role, TextPart
from src.shared.domain.ports.llm import FinishReason, LLMRequest, TokenUsage

IMAGE = ImagePart(b"pixels", name="page 1")


def test_message_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        ChatMessage(Role.USER, ())


def test_request_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one message"):
        LLMRequest(())


def test_text_of_a_message_leaves_its_images_out() -> None:
    message = ChatMessage(Role.USER, (TextPart("a"), IMAGE, TextPart("b")))

    assert (message.text, message.images) == ("a\nb", (IMAGE,))


def test_image_shows_its_name_and_not_its_bytes() -> None:
    assert "pixels" not in repr(LLMRequest((ChatMessage.of(Role.USER, "看", IMAGE),)))


def test_request_in_other_words_keeps_the_images_of_its_last_message() -> None:
    request = LLMRequest.of("?", "system", max_tokens=5)
    request = LLMRequest((*request.messages, ChatMessage.of(Role.USER, "看", IMAGE)), max_tokens=5)

    again = request.with_prompt("再看")

    assert (again.prompt, again.system_message, again.max_tokens) == ("再看", "system", 5)
    assert again.messages == (*request.messages[:-1], ChatMessage.of(Role.USER, "再看", IMAGE))


def test_request_without_a_system_message_has_none() -> None:
    assert LLMRequest.of("?").system_message is None


def test_one_estimate_makes_the_sum_one() -> None:
    assert TokenUsage(1, 2, 0, 1) + TokenUsage(1, 1, is_estimated=True) == TokenUsage(2, 3, 0, 1, is_estimated=True)


def test_reason_of_an_older_recording_is_still_known() -> None:
    assert FinishReason("content_filter") is FinishReason.REFUSED
