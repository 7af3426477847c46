"""Names and codes in events, and the caller they are of."""

import asyncio
import contextvars

import pytest

from src.shared.domain.caller import (
    NAME_LIMIT,
    NOBODY,
    Caller,
    asking_as,
    current_caller,
    event_code,
    event_name,
)
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMTimeoutError


@pytest.mark.parametrize(
    ("name", "shown"), [("裁决", "裁决"), ("x" * (NAME_LIMIT + 1), "x" * NAME_LIMIT), ("a\ud800", r"a\ud800")]
)
def test_name_is_bounded_and_can_be_written_to_any_log(name: str, shown: str) -> None:
    assert event_name(name) == shown


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LLMTimeoutError("x"), "LLM_TIMEOUT"),
        (AppException("x", code="MINE"), "MINE"),
        (asyncio.CancelledError(), "LLM_CALL_CANCELLED"),
        (KeyError("secret"), "KeyError"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
def test_code_is_the_errors_own_or_its_type_and_holds_nothing_of_its_words(error: BaseException, code: str) -> None:
    assert event_code(error) == code


def test_names_of_a_caller_are_bounded_too() -> None:
    caller = Caller("名" * 1_000, "p\ud800")
    assert (len(caller.context_label), caller.prompt_id) == (NAME_LIMIT, r"p\ud800")


def test_caller_is_known_in_its_block_and_to_tasks_begun_there() -> None:
    async def seen() -> list[Caller]:
        async def look() -> Caller:
            return current_caller()

        with asking_as(Caller("a")), asking_as(Caller("b")):
            task = asyncio.create_task(look())
        return [await task, current_caller()]

    assert contextvars.copy_context().run(asyncio.run, seen()) == [Caller("b"), NOBODY]
