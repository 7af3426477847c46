from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.llm_errors import only_tools_error

EMPTY = LLMJsonParseError("empty", {"stage": "empty", "raw_length": 0})


def test_an_answer_of_tool_calls_alone_is_told_by_their_names() -> None:
    error = only_tools_error(["search", "crop"], EMPTY)

    assert "the model called tools (search, crop) and wrote no text" in error.message
    assert error.details == EMPTY.details


def test_names_of_tools_are_one_line_of_bounded_length() -> None:
    message = only_tools_error(["a\n# Heading" * 100], EMPTY).message

    assert "\n" not in message
    assert len(message) < 400
