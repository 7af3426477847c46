"""What a heading says of the object under it, and which sentences are none."""

import pytest

from src.shared.infrastructure.parsing.remarks import (
    HEADING_LIMIT,
    LOOK_BACK,
    PARAGRAPH_LIMIT,
    Heading,
    heading_of,
    is_taken_back,
)

SHOWN = [
    *(
        "Example: ",
        "Format:\n",
        "## Example\n\n",
        "**Draft**\n",
        "[Draft] ",
        "Expected output format:\n",
        "JSON schema:\n",
    ),
    *("First draft: ", "First try: ", "Old version:\n", "Before: ", "Previous answer: ", "Example 1: ", "Example -> "),
    *(
        "示例：",
        "输出格式：\n",
        "旧版：",
        "e.g. ",
        "such as ",
        "For example, ",
        "例如：",
        "as in ",
        "Example:\n```json\n",
    ),
    *("It is done. Draft: ", "模板：\n```\n"),
]


@pytest.mark.parametrize("before", SHOWN)
def test_heading_says_that_the_object_is_only_shown(before: str) -> None:
    assert heading_of(before + "{", len(before)) is Heading.SHOWN


@pytest.mark.parametrize("before", ["Input: ", "Given:\n", "输入：", "<example>", "<template>\n", "<old>"])
def test_input_and_tags_say_that_the_object_is_given(before: str) -> None:
    assert heading_of(before + "{", len(before)) is Heading.GIVEN


CALLED = [
    *("Example of the format: ", "Here's an example of such an object:\n", "The expected format is: "),
    *("**An example of a valid response:**\n", "For reference, the template I used:\n", "Samples for you to compare: "),
    *("The schema was:\n```json\n", "Here is the template I followed:\n", "输出格式示例：", "以下是一个 JSON 示例："),
]


@pytest.mark.parametrize("before", CALLED)
def test_sentence_calls_the_object_an_example(before: str) -> None:
    assert heading_of(before + "{", len(before)) is Heading.CALLED


NEITHER = [
    *(
        "",
        "Answer: ",
        "Final answer:\n",
        "Note: ",
        "Here is the answer in the format you asked for:\n",
        "Action Input: ",
    ),
    *("Here is the format you asked for:\n", "Here is the JSON format:\n", "The answer follows the template:\n"),
    *("My answer, as an exemplary object:\n", "格式如下：", "以下是 JSON 格式的结果：", "An example which I like:\n"),
    *("In JSON format:\n", "An example\n", "Now format JSON: ", "</example>"),
    *(
        "Example: {} and then ",
        "the draft is ",
        "format ",
        "Corrected version:\n",
        "示例之后的回答：",
        "Draft of the plan: ",
    ),
]


@pytest.mark.parametrize("before", NEITHER)
def test_other_words_say_nothing(before: str) -> None:
    assert heading_of(before + "{", len(before)) is None


def test_heading_is_looked_for_within_a_bound() -> None:
    fits, too_far = "Example:" + " " * (LOOK_BACK - 8), "Example:" + " " * LOOK_BACK
    assert [heading_of(text, len(text)) for text in (fits, too_far)] == [Heading.SHOWN, None]


def test_heading_has_a_bound_of_its_own() -> None:
    fits, too_long = "a " * (HEADING_LIMIT // 2 - 4) + "example:", "a " * (HEADING_LIMIT // 2) + "example:"
    assert [heading_of(text, len(text)) for text in (fits, too_long)] == [Heading.SHOWN, None]


def test_heading_of_reasoning_is_looked_for_within_a_bound() -> None:
    fits, too_far = ("Thought: " + "a" * (PARAGRAPH_LIMIT - 9 + more) for more in (0, 1))
    assert [heading_of(text, len(text)) for text in (fits, too_far)] == [Heading.SHOWN, None]


def test_a_correction_counts_for_any_object_while_its_data_are_not_known() -> None:
    behind = "{} Correction: the first word was missing."
    assert [is_taken_back(behind, 2), is_taken_back(behind, 2, {"score": 1})] == [True, False]
