"""The parser's errors in each language: the same facts, whole sentences, feedback that says each problem once."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, field_validator
from structlog.testing import capture_logs

from src.modules.cowriting.domain import Part, envelope_error
from src.modules.judge.domain.exceptions import LLMOutputParseError
from src.modules.judge.infrastructure.agents.verdict.output_parser import parse_verdict_result
from src.shared.domain.exceptions import FEEDBACK_LIMIT, LLMJsonParseError, problems_of
from src.shared.domain.language import VARIABLE, Language, UnknownLanguageError
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output

CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


class Row(BaseModel):
    name: str
    score: int


class Optional(BaseModel):
    retries: int = 3


class Crashing(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def _crash(cls, name: str) -> str:
        raise KeyError(name)


def no_object(_: dict[str, Any]) -> dict[str, Any]:
    return [1]  # type: ignore[return-value]


def failed(raw: str, dto: Any = Row, **options: Any) -> Callable[..., object]:  # noqa: ANN401 - any type
    return lambda **more: parse_llm_json_output(raw, dto, **options, **more)


FAILURES: dict[str, tuple[Callable[..., object], str]] = {
    "empty": (failed(" "), "为空"),
    "not JSON": (failed("nothing here"), "不是合法 JSON"),
    "cut off": (failed('{"name": "x'), "不是合法 JSON"),
    "root": (failed("[1]"), "根节点须为对象"),
    "root of a list": (failed('{"name": "x"}', list[int]), "根节点须为数组"),
    "normalizer": (failed('{"name": "x", "score": 1}', normalizers=[no_object]), "归一化钩子"),
    "contract": (failed('{"name": 1, "score": "x"}'), "不符合契约"),
    "contract, many": (failed('[{"name": 1}, {"name": 2}, {"score": "x"}]', list[Row]), "不符合契约"),
    "none of the fields": (failed('{"other": 1}', Optional), "不符合契约"),
    "validator": (failed('{"name": "x"}', Crashing), "不符合契约"),
    "coercion": (failed('{"name": "x", "score": "5-7"}', coerce=True), "不符合契约"),
    "several, one broken": (failed('{"name": 1} or {"name": "x", "score": 1}'), "不是合法 JSON"),
}


SAID = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))["said"]


def failure(name: str, spoken: str, monkeypatch: pytest.MonkeyPatch) -> LLMJsonParseError:
    monkeypatch.setenv(VARIABLE, spoken)
    with pytest.raises(LLMJsonParseError) as caught:
        FAILURES[name][0]()
    return caught.value


# --- the language of one call --------------------------------------------------------------------------------


@pytest.mark.parametrize("spoken", [*Language])
@pytest.mark.parametrize("name", FAILURES)
def test_call_has_the_error_that_another_program_has_in_its_language(
    name: str, spoken: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = failure(name, spoken, monkeypatch)
    problems, feedback = problems_of(expected), expected.feedback()
    monkeypatch.setenv(VARIABLE, "fr")
    with pytest.raises(LLMJsonParseError) as caught:
        FAILURES[name][0](language=spoken.value)
    error = caught.value
    assert (error.message, error.feedback(), problems_of(error)) == (expected.message, feedback, problems)
    assert [one["msg"] for one in error.details.get("validation_errors", ())] == problems
    assert error.details.keys() == expected.details.keys()


def test_text_is_decoded_in_a_language_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    with pytest.raises(LLMJsonParseError, match=r"\Anot valid JSON: no JSON object in the text\Z") as caught:
        decode_llm_json("nothing", language=Language.EN)
    assert not CHINESE.search(caught.value.feedback())


def test_other_calls_speak_the_language_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    for options in ({"language": "en"}, {"language": None}, {}):
        with pytest.raises(LLMJsonParseError) as caught:
            FAILURES["not JSON"][0](**options)
        assert bool(CHINESE.search(caught.value.message)) == (options.get("language") is None)


def test_error_of_an_agent_speaks_the_language_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    with pytest.raises(LLMJsonParseError) as caught:
        plain_output(Row).parse_with_trace("nothing", language="en")
    assert not CHINESE.search(caught.value.message + caught.value.feedback())


# --- messages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAILURES)
def test_failure_is_told_in_each_language_with_the_same_details(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In English without Chinese; with it, in the terms that callers match on; each problem once."""
    errors = {spoken: failure(name, spoken, monkeypatch) for spoken in Language}
    assert [error.details for error in errors.values()] == [errors[Language.EN].details] * len(errors)
    for spoken, error in errors.items():
        monkeypatch.setenv(VARIABLE, spoken)
        said = error.feedback()
        if spoken is Language.EN:
            assert not CHINESE.search(error.message + said)
        else:
            assert FAILURES[name][1] in error.message
        headline, *rest = said.splitlines()
        problems = [line for line in rest if line.startswith("- ")]
        assert len(set(problems)) == len(problems)
        assert [line for line in problems if line.split(": ", 1)[1] in headline] == []
        assert len(said) < FEEDBACK_LIMIT


@pytest.mark.parametrize("row", SAID, ids=lambda row: f"{row['failure']}, {row['language']}")
def test_error_says_this_in_whole_sentences(row: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """In one language without a gloss; feedback begins with the kind of failure and ends with what to do."""
    error = failure(row["failure"], row["language"], monkeypatch)
    assert row.get("message", error.message) == error.message
    assert row.get("feedback", error.feedback()) == error.feedback()


# --- feedback ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoken", "place", "more"),
    [
        ("zh", "位置：第 1 行第 1 列", "… 另有 2 处"),
        ("en", "at line 1, column 1", "… 2 more"),
        ("both", "位置 at line 1, column 1", "… 另有 2 处 (2 more)"),
    ],
)
def test_feedback_keeps_the_place_and_says_how_many_problems_it_left_out(
    spoken: str, place: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failure("not JSON", spoken, monkeypatch).feedback().splitlines()[1] == place
    with pytest.raises(LLMJsonParseError) as caught:
        parse_llm_json_output("[" + ", ".join(['{"name": 1}'] * 5) + "]", list[Row])
    assert more in caught.value.feedback().splitlines()


# --- errors made of the parser's ---------------------------------------------------------------------------


def test_agents_feedback_is_the_parsers() -> None:
    with pytest.raises(LLMOutputParseError) as caught:
        parse_verdict_result('{"action": "MAYBE"}')
    error = caught.value
    assert isinstance(error.__cause__, LLMJsonParseError)
    assert (error.message, error.feedback()) == (error.__cause__.message, error.__cause__.feedback())


@pytest.mark.parametrize(
    ("spoken", "headline"),
    [
        ("zh", "payload在第 3 层（解析）失败：不符合契约 Row"),
        ("en", "the payload failed in layer parse: does not match the contract Row"),
    ],
)
def test_envelopes_feedback_begins_with_part_and_layer(
    spoken: str, headline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = envelope_error(Part.PAYLOAD, failure("contract", spoken, monkeypatch))
    assert error.feedback().splitlines()[0] == headline


# --- a language nobody speaks ------------------------------------------------------------------------------


def test_unknown_language_is_an_error_of_the_program_with_the_first_text_that_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "tlh")
    with pytest.raises(UnknownLanguageError, match="LLM_OUTPUT_LANG is 'tlh'; it must be one of zh, en, both"):
        parse_llm_json_output("", Row)


def test_text_that_is_read_says_nothing_of_an_unknown_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "qya")
    with capture_logs() as logs:
        parse_llm_json_output('{"name": "x", "score": 1}', Row)
    assert logs == []
