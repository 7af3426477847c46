"""An answer of one value is in the text, plainly: no value is invented, no doubt, denial or second value read over."""

import re
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import parse_llm_json_output, parse_llm_json_output_with_trace

ENUMS: list[list[str]] = [
    ["BUY", "SELL", "HOLD"],
    ["买入", "卖出", "持有"],
    ["yes", "no"],
    ["positive", "negative", "neutral"],
    ["A", "B", "C", "D"],
    ["STRONG BUY", "BUY", "SELL"],
]
DOUBTS = (
    *("not {}", "never {}", "maybe {}", "perhaps {}", "probably {}", "likely {}", "{}?", "{} or not", "almost {}"),
    *("rather {}", "anything but {}", "neither {}", "{} if needed", "{}, I think", "{} (probably)", "{}...", "no {}"),
    *("不是{}", "不{}", "非{}", "可能{}", "也许{}", "大概{}", "{}吧", "{}？", "或许{}", "不要{}"),
    *("{} rather than {}", "{} or {}", "{}/{}", "{}, not {}", "{} and {}", "{}、{}", "{}或{}", "{} {}", "{}\n{}"),
)
LABELS = (
    "{}",
    "Answer: {}",
    "The answer is {}.",
    "**Final answer:** {}",
    "答案：{}",
    "最终答案是{}。",
    "So the answer is {}",
    "> {}",
)
DOUBTED = (
    *(
        "I doubt the answer is {}.",
        "Is the answer {}?",
        "If so, the answer is {}.",
        "It is false that the answer is {}.",
    ),
    *(
        "They say: answer: {}",
        "Example:\nAnswer: {}",
        "我不认为答案是{}。",
        "She asked whether the answer is {}",
        "答案不是{}",
    ),
    *("The answer is not {}.", "The answer may be {}.", "The wrong answer: {}", "Not the answer: {}", "我怀疑答案是{}"),
)
FRAGMENTS = (
    *(
        "BUY",
        "SELL",
        "buy",
        "not ",
        "maybe ",
        "Answer: ",
        "answer: ",
        "The answer is ",
        "Final answer:\n",
        "答案：",
        "答案是",
    ),
    *(
        "**",
        "*",
        "`",
        "```\n",
        '"',
        "“",
        "”",
        "(",
        ")",
        ".",
        "。",
        "?",
        "!",
        "…",
        "\n",
        "\n\n",
        " ",
        ", ",
        ": ",
        " or ",
        "/",
    ),
    *(
        "I think ",
        "Example:\n",
        "<answer>",
        "</answer>",
        "<think>",
        "</think>",
        "42",
        "-",
        "%",
        "{",
        "}",
        "[",
        "]",
        "$",
        "# ",
    ),
    *("> ", "\\boxed{", "So ", "e.g. ", "result: ", "is ", "true", "null", "不", "<|im_end|>", '{"answer": "BUY"}'),
)
_AFTER = re.compile(r"(?:[\W_]|</(?:answer|final_answer|b|strong|s)>|<\|im_end\|>)*")
_BEFORE_ALONE = re.compile(
    r"(?:[\W_]|<(?:answer|final_answer|b|strong)>|boxed|text|<think>.*</think>|.*</think>)*", re.DOTALL
)


def member_type(members: list[str]) -> Any:  # noqa: ANN401 - a type
    return Literal[tuple(members)]


def refused(text: str, dto_type: Any, **options: Any) -> bool:  # noqa: ANN401 - any type
    try:
        parse_llm_json_output(text, dto_type, scalar=True, finished=True, **options)
    except LLMJsonParseError:
        return True
    return False


@given(st.sampled_from(ENUMS), st.data(), st.sampled_from(DOUBTS), st.sampled_from(LABELS))
def test_doubt_denial_or_second_value_is_refused(
    members: list[str], data: st.DataObject, doubt: str, label: str
) -> None:
    one, other = data.draw(st.permutations(members))[:2]
    said = doubt.format(one, other)
    text = label.format(said)
    if said not in members:
        assert refused(text, member_type(members)), text


@given(st.sampled_from(ENUMS), st.data(), st.sampled_from(DOUBTED))
def test_sentence_that_does_not_state_it_is_refused(members: list[str], data: st.DataObject, sentence: str) -> None:
    assert refused(sentence.format(data.draw(st.sampled_from(members))), member_type(members))


@given(st.sampled_from(ENUMS), st.data(), st.sampled_from(LABELS[1:-1]), st.sampled_from(LABELS[1:-1]))
def test_value_that_changes_its_mind_is_refused(members: list[str], data: st.DataObject, first: str, last: str) -> None:
    one, other = data.draw(st.permutations(members))[:2]
    text = f"{first.format(one)}\n\n{last.format(other)}"

    assert refused(text, member_type(members)), text
    assert parse_llm_json_output(text, member_type(members), scalar=True, finished=True, several="last") == other


@given(
    st.sampled_from(ENUMS),
    st.data(),
    st.sampled_from(LABELS),
    st.sampled_from(["{}", "**{}**", "`{}`", '"{}"', "“{}”"]),
)
def test_value_that_is_stated_is_read(members: list[str], data: st.DataObject, label: str, marks: str) -> None:
    one = data.draw(st.sampled_from(members))
    text = label.format(marks.format(one))
    assert parse_llm_json_output(text, member_type(members), scalar=True, finished=True) == one


@pytest.mark.parametrize(
    "dto_type", [Literal["BUY", "SELL"], int, bool, Literal["BUY"] | int | bool | None, date, Decimal]
)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
@example('Answer: "BUY" or "SELL"')
@example("Answer: BUY\n\n**SELL**")
def test_nothing_is_invented(dto_type: Any, text: str) -> None:  # noqa: ANN401 - a type
    try:
        parsed = parse_llm_json_output_with_trace(text, dto_type, scalar=True)
    except LLMJsonParseError:
        return
    (at,) = [note for note in parsed.decoded.notes if note.action == "chosen"]
    word = text[slice(*at.span)]

    assert str(parsed.value).casefold() in {word.casefold(), word.casefold().replace("null", "none")}
    assert _AFTER.fullmatch(text, at.span.end), text
    if any(note.action == "is the text" for note in parsed.decoded.notes):
        assert _BEFORE_ALONE.fullmatch(text, 0, at.span.start), text
    assert parsed.decoded.grade != "clean"


@given(
    st.text(max_size=80) | st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join), st.booleans(), st.booleans()
)
def test_any_text_is_read_or_refused(text: str, coerce: bool, unwrap: bool) -> None:  # noqa: FBT001 - drawn
    dto_type: Any = Literal["BUY", "SELL", 1] | float | bool | date | None
    refused(text, dto_type, coerce=coerce, unwrap=unwrap)


@given(st.integers() | st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_number_is_the_number_of_the_text(number: int | Decimal) -> None:
    written = f"{number:f}" if isinstance(number, Decimal) else str(number)
    for label in LABELS[:-1]:
        assert parse_llm_json_output(label.format(written), Decimal, scalar=True, finished=True) == Decimal(written)
