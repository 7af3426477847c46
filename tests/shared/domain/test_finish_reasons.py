"""Why a model stopped, by every word that providers have for it, and what that says of the end of the text."""

from enum import Enum, IntEnum, StrEnum

import pytest

from src.shared.domain.finish_reasons import SPELLINGS, finish_reason_of
from src.shared.domain.ports.llm import FinishReason, LLMReply

R = FinishReason
WORDS = [(word, reason) for reason, words in SPELLINGS.items() for word in words]


@pytest.mark.parametrize(
    ("reason", "finished"),
    [
        (R.STOP, True),
        (R.LENGTH, False),
        (R.REFUSED, False),
        (R.ERROR, False),
        (R.TOOL_CALLS, None),
        (R.UNKNOWN, None),
    ],
)
def test_reason_says_whether_the_text_is_whole(reason: FinishReason, finished: bool | None) -> None:  # noqa: FBT001 - three values
    assert reason.finished is finished


def test_only_a_model_that_stopped_by_itself_has_finished() -> None:
    assert [reason for reason in FinishReason if reason.finished] == [R.STOP]


@pytest.mark.parametrize(
    "respelled",
    [
        str.upper,
        str.title,
        lambda word: word.replace("_", "-"),
        lambda word: word.title().replace("_", ""),
        lambda word: f"FinishReason.{word.upper()}",
        lambda word: f" {word}\n",
    ],
    ids=["capitals", "title", "hyphens", "no separators", "an enumeration's", "white space"],
)
@pytest.mark.parametrize(("word", "reason"), WORDS)
def test_case_and_separators_do_not_matter(word: str, reason: FinishReason, respelled: object) -> None:
    assert callable(respelled)
    assert (finish_reason_of(word), finish_reason_of(respelled(word))) == (reason, reason)


def test_no_word_stands_in_the_table_twice() -> None:
    plain = [word.replace("_", "") for word, _ in WORDS]
    assert len(plain) == len(set(plain))


@pytest.mark.parametrize("reason", [reason for reason in FinishReason if reason is not R.UNKNOWN])
def test_reasons_own_name_is_one_of_its_words(reason: FinishReason) -> None:
    assert (finish_reason_of(reason), finish_reason_of(reason.value)) == (reason, reason)


class OfText(StrEnum):
    """Like google-genai's."""

    MAX_TOKENS = "MAX_TOKENS"


class OfNumbers(IntEnum):
    """Like the protocol buffers of Vertex AI."""

    STOP = 1


class Plain(Enum):
    """One that is neither text nor number."""

    SAFETY = object()


@pytest.mark.parametrize(
    ("member", "reason"), [(OfText.MAX_TOKENS, R.LENGTH), (OfNumbers.STOP, R.STOP), (Plain.SAFETY, R.REFUSED)]
)
def test_member_of_an_enumeration_counts_by_its_word(member: Enum, reason: FinishReason) -> None:
    assert finish_reason_of(member) is reason


@pytest.mark.parametrize(
    "said",
    [
        *(None, "", " ", "null", "none", "unknown", "other", "OTHER", "FINISH_REASON_UNSPECIFIED", "load", "unload"),
        *("in_progress", "stopped early", "stop2", "stop!", "stop, length", "do not stop", "succeeded", "。"),
        *(0, 1, True, False, b"stop", ["stop"], {"reason": "stop"}, ...),
    ],
    ids=repr,
)
def test_what_is_not_in_the_table_is_unknown(said: object) -> None:
    assert finish_reason_of(said) is R.UNKNOWN


def test_reply_that_says_nothing_of_its_end_is_not_one_that_stopped() -> None:
    assert LLMReply("x").finish_reason is R.UNKNOWN
