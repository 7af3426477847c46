"""With excerpts turned off nothing of an answer is in any line of the log, whatever is wrong with the answer."""

import asyncio
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, NoReturn
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.application.reading import ObservedOutput
from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.domain.rules import Normalizer
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.events.library_log import EXCERPT_VARIABLE
from src.shared.infrastructure.events.log import LogEvents
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output
from src.shared.infrastructure.parsing.inspection import read_object
from tests.log_lines import standard_log
from tests.shared.scripted_llm import ScriptedLLM
from tests.thorough import at_length

LETTERS = "ᎠᎡᎢᎣᎤᎥ"
"""Cherokee: in no name, message or repair of ours."""
words = st.text(LETTERS, min_size=1, max_size=12)
numbers = st.integers(70_000_000, 79_999_999)
few = settings(max_examples=at_length(5, 20))


def quote(value: str) -> NoReturn:
    message = f"{value} is unknown"
    raise ValueError(message)


def quote_in_the_type(value: str) -> NoReturn:
    raise PydanticCustomError(f"no {value}", "{value} is unknown", {"value": value})  # noqa: EM102, TRY003 - a bad type, on purpose


def crash(value: str) -> NoReturn:
    raise KeyError(value)


class Account(BaseModel):
    """Fails in every way that quotes the answer: an unknown key, a key of a mapping, a message, a type."""

    model_config = ConfigDict(extra="forbid")

    holder: Annotated[str, AfterValidator(quote)]
    branch: Annotated[str, AfterValidator(quote_in_the_type)]
    entries: dict[str, bool]
    numbered: dict[int, bool]


class Crashing(BaseModel):
    holder: Annotated[str, AfterValidator(crash)]


def quoting_hook(data: dict[str, Any]) -> dict[str, Any]:
    raise ValueError(str(data))


ANSWERS = [
    "<think>W",
    "<think>W N</think>",
    "W N",
    '{"W": 1} {"W": N}',
    '{"W": {"a": N}, "holder": "W',
    '{"W": W(N}',
    '{"a": "W" "W" N : "W"}',
    '["W", N]',
    '"W"',
    '{"holder": "W", "branch": "W", "entries": {"W": N}, "numbered": {"W": "W", "N": "W"}, "W": N}',
    "{'holder': 'W', 'branch': 'W', 'entries': {'W': N},}",
    '```json\n{"holder": "W", "branch": N}\n```',
]
"""Texts that nothing reads as an account; W stands for a word of secret letters, N for a number."""

each_answer = pytest.mark.parametrize("answer", ANSWERS)


def filled(answer: str, word: str, number: int) -> str:
    return answer.replace("W", word).replace("N", str(number))


@contextmanager
def lines_without_excerpts() -> Iterator[list[str]]:
    """Every line, as text and with all attributes of its record, written in the block."""
    lines: list[str] = []
    with patch.dict(os.environ, {EXCERPT_VARIABLE: "0"}), standard_log() as records:
        yield lines
    lines += [f"{record.getMessage()} {vars(record)}" for record in records]


def fragments_in(lines: list[str], number: int) -> list[str]:
    """What of the answer is in the lines: a letter of its words, as it is or escaped, or its number."""
    told = [*LETTERS, *(ascii(letter)[1:-1] for letter in LETTERS), str(number)]
    return [fragment for fragment in told if any(fragment in line for line in lines)]


def stages_in(lines: list[str]) -> set[str]:
    return {match[1] for line in lines if (match := re.match(r"llm_json_parse_failed .*? stage='(\w+)'", line))}


def parse(text: str, dto_type: type[BaseModel] = Account, *normalizers: Normalizer) -> None:
    """Parse a text with and without a type; no value is fine."""
    with suppress(LLMJsonParseError):
        decode_llm_json(text)
    with suppress(LLMJsonParseError):
        parse_llm_json_output(text, dto_type, normalizers=normalizers)


def test_answers_are_refused_at_every_stage_that_looks_into_them() -> None:
    with lines_without_excerpts() as lines:
        for answer in ANSWERS:
            parse(filled(answer, LETTERS, 70_000_000))
    assert stages_in(lines) == {"think", "extract", "repair", "root", "validate"}


@each_answer
@few
@given(words, numbers)
def test_no_line_of_the_parser_holds_a_fragment(answer: str, word: str, number: int) -> None:
    with lines_without_excerpts() as lines:
        parse(filled(answer, word, number))
    assert fragments_in(lines, number) == []
    assert stages_in(lines)


@few
@given(words, numbers)
def test_no_line_holds_what_a_hook_or_a_crashing_validator_quotes(word: str, number: int) -> None:
    text = json.dumps({"holder": word, "number": number})
    with lines_without_excerpts() as lines:
        parse(text, Account, quoting_hook)
        parse(text, Crashing)
    assert fragments_in(lines, number) == []
    assert stages_in(lines) == {"normalize", "validate"}


def call(dto_type: type[BaseModel], *script: str | Exception) -> None:
    """Ask for a typed answer, with everything bound that writes a line; no answer is fine."""
    llm = ScriptedLLM(list(script))
    typed = TypedLLM(
        llm,
        output_of=plain_output,
        events=FanOut(LogEvents()),
        repair=RepairAgent(llm, LogEvents(), read_object),
        budget=Budget(max_retries=1),
    )
    with suppress(AppException):
        asyncio.run(typed.call_with_json("Read the account.", output_model=dto_type))


@each_answer
@pytest.mark.parametrize("dto_type", [Account, Crashing])
@few
@given(words, numbers)
def test_no_line_of_a_call_holds_a_fragment(dto_type: type[BaseModel], answer: str, word: str, number: int) -> None:
    text, repaired = filled(answer, word, number), json.dumps({word: word, "holder": number})
    with lines_without_excerpts() as lines:
        call(dto_type, text, f"{text} ", repaired)
    assert fragments_in(lines, number) == []
    assert any(line.startswith("LLM call failed") for line in lines)


@few
@given(words, numbers)
def test_no_line_holds_what_the_adapter_of_an_event_quotes(word: str, number: int) -> None:
    class Quoting:
        def publish(self, event: object) -> None:
            del event
            raise OSError(word, number)

    with lines_without_excerpts() as lines, suppress(AppException):
        ObservedOutput(plain_output(Account), FanOut(Quoting())).read(word)
    assert fragments_in(lines, number) == []
    assert any(line.startswith("llm_event_adapter_failed") for line in lines)


@each_answer
@few
@given(words, numbers)
def test_no_line_of_the_visual_agents_parser_holds_a_fragment(answer: str, word: str, number: int) -> None:
    with lines_without_excerpts() as lines:
        parse_action(filled(answer, word, number))
    assert fragments_in(lines, number) == []
    assert any(line.startswith("visual_rag_no_action") for line in lines)
