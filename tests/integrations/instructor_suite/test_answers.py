"""Answers of an instructor client: read, refused, asked again; a real client of openai against a server on loopback."""

import logging
import sys
from importlib import import_module
from typing import Any

import instructor
import pytest
from instructor import Mode
from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException, ModeError
from pydantic import BaseModel, ValidationInfo, field_validator
from tenacity import Retrying, stop_after_attempt

from llm_output.instructor import MODES
from src.integrations.instructor import options_of_call
from tests.integrations.instructor_suite.clients import ASKED, ROWS, async_client_of, client_of, openai_client, reply
from tests.integrations.reviews import DAMAGED, FEEDBACK, GOOD, NO_SCORE, WHOLE, Review, parse_error_of
from tests.loopback.answers import answer, events, raw, tool_call
from tests.loopback.server import ChatServer

pytestmark = pytest.mark.anyio

each_mode = pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])


def asked_last(chat_server: ChatServer) -> str:
    return chat_server.requests[-1].prompt


# --- one answer -----------------------------------------------------------------------------------------


@each_mode
def test_damaged_reply_is_read_on_the_first_try(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([reply(DAMAGED, mode)])
    client = client_of(chat_server, mode)
    review = client.chat.completions.create(response_model=Review, messages=ASKED)
    assert isinstance(review, Review)
    assert review.model_dump() == GOOD.model_dump()
    assert len(chat_server.requests) == 1


@each_mode
async def test_damaged_reply_is_read_by_an_asynchronous_client(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([reply(DAMAGED, mode)])
    async with async_client_of(chat_server, mode) as client:
        review = await client.chat.completions.create(response_model=Review, messages=ASKED)
    assert review.model_dump() == GOOD.model_dump()


def test_other_clients_of_the_process_stay_as_they_are(chat_server: ChatServer) -> None:
    chat_server.script([reply(DAMAGED)])
    built_in = instructor.from_openai(openai_client(chat_server.url), mode=Mode.JSON, model="m")
    with pytest.raises(InstructorRetryException, match="Invalid JSON"):
        built_in.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)


@each_mode
def test_request_has_the_schema(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([reply(WHOLE, mode)])
    client = client_of(chat_server, mode)
    client.chat.completions.create(response_model=Review, messages=ASKED)
    assert "score" in str(chat_server.requests[0].body)


def test_reply_without_a_call_is_read_from_its_content(chat_server: ChatServer) -> None:
    chat_server.script([answer(DAMAGED)])
    client = client_of(chat_server, Mode.TOOLS)
    assert client.chat.completions.create(response_model=Review, messages=ASKED).title == "好书"


def test_equal_calls_are_one_answer_and_different_ones_none(chat_server: ChatServer) -> None:
    same = [tool_call("Review", WHOLE), tool_call("Review", WHOLE)]
    other = [tool_call("Review", WHOLE), tool_call("Review", '{"title": "other", "score": 1}')]
    chat_server.script([answer(None, tool_calls=same), answer(None, tool_calls=other)])
    client = client_of(chat_server, Mode.TOOLS)
    assert client.chat.completions.create(response_model=Review, messages=ASKED).score == 5
    with pytest.raises(InstructorRetryException):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)


def test_calls_do_not_run_into_each_other(chat_server: ChatServer) -> None:
    calls = [tool_call("Review", WHOLE[:-1]), tool_call("Review", "5}")]
    chat_server.script([answer(None, tool_calls=calls)])
    client = client_of(chat_server, Mode.TOOLS)
    with pytest.raises(InstructorRetryException):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)


def test_arguments_may_be_an_object(chat_server: ChatServer) -> None:
    call: dict[str, Any] = {**tool_call("Review", ""), "function": {"name": "Review", "arguments": GOOD.model_dump()}}
    chat_server.script([answer(None, tool_calls=[call])])
    client = client_of(chat_server, Mode.TOOLS)
    assert client.chat.completions.create(response_model=Review, messages=ASKED).score == 5


def test_call_without_arguments_is_refused_as_empty(chat_server: ChatServer) -> None:
    call: dict[str, Any] = {**tool_call("Review", ""), "function": {"name": "Review", "arguments": None}}
    chat_server.script([answer(None, tool_calls=[call])])
    client = client_of(chat_server, Mode.TOOLS)
    with pytest.raises(InstructorRetryException) as raised:
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)
    assert parse_error_of(raised.value).details["stage"] == "empty"


def test_page_of_a_gateway_is_no_answer(chat_server: ChatServer) -> None:
    chat_server.script([raw(b"<html>busy</html>", "text/html"), reply(WHOLE)])
    client = client_of(chat_server)
    assert client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1).score == 5
    assert "为空" in asked_last(chat_server)


@each_mode
def test_response_without_choices_is_refused_as_empty(chat_server: ChatServer, mode: Mode) -> None:
    bare = raw(b'{"id": "1", "object": "chat.completion", "choices": [], "created": 0, "model": "m"}')
    chat_server.script([bare, reply(WHOLE, mode)])
    client = client_of(chat_server, mode)
    assert client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1).score == 5
    assert "为空" in asked_last(chat_server)


def test_list_and_number_can_be_asked_for(chat_server: ChatServer) -> None:
    chat_server.script([reply(ROWS), reply('{"content": 5,}')])
    client = client_of(chat_server)
    rows = client.chat.completions.create(response_model=list[Review], messages=ASKED)
    assert [row.score for row in rows] == [5, 2]
    assert client.chat.completions.create(response_model=int, messages=ASKED) == 5


def test_completion_comes_with_the_object(chat_server: ChatServer) -> None:
    chat_server.script([reply(DAMAGED)])
    client = client_of(chat_server)
    review, completion = client.chat.completions.create_with_completion(response_model=Review, messages=ASKED)
    assert review.score == 5
    assert completion.choices[0].message.content == DAMAGED


# --- asking again ---------------------------------------------------------------------------------------


@each_mode
def test_refused_reply_is_asked_again_with_the_feedback(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([reply(NO_SCORE, mode), reply(DAMAGED, mode)])
    client = client_of(chat_server, mode)
    review = client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert review.score == 5
    assert FEEDBACK in asked_last(chat_server)


async def test_asynchronous_client_asks_again_with_the_feedback(chat_server: ChatServer) -> None:
    chat_server.script([reply(NO_SCORE), reply(DAMAGED)])
    async with async_client_of(chat_server) as client:
        review = await client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert review.score == 5
    assert FEEDBACK in asked_last(chat_server)


def test_retries_of_tenacity_are_heeded(chat_server: ChatServer) -> None:
    chat_server.script([reply(NO_SCORE), reply(NO_SCORE), reply(WHOLE)])
    client = client_of(chat_server)
    retries = Retrying(stop=stop_after_attempt(3))
    assert client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=retries).score == 5


def test_refusal_after_the_last_try_has_the_parse_error_as_its_cause(chat_server: ChatServer) -> None:
    chat_server.script([reply(NO_SCORE), reply(NO_SCORE)])
    client = client_of(chat_server)
    with pytest.raises(InstructorRetryException) as raised:
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert raised.value.n_attempts == 2
    assert raised.value.__cause__.raw_response.choices[0].message.content == NO_SCORE
    assert parse_error_of(raised.value).details["stage"] == "validate"


def test_hooks_see_what_is_refused(chat_server: ChatServer) -> None:
    chat_server.script([reply(NO_SCORE), reply(WHOLE)])
    seen: list[Exception] = []
    client = client_of(chat_server)
    client.on("parse:error", seen.append)
    client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert [str(error).startswith("不符合契约") for error in seen] == [True]


# --- the end of the text --------------------------------------------------------------------------------


@pytest.mark.parametrize("finish_reason", ["length", "max_tokens"])
@each_mode
def test_cut_reply_is_refused_whatever_it_looks_like(chat_server: ChatServer, mode: Mode, finish_reason: str) -> None:
    chat_server.script([reply(WHOLE, mode, finish_reason)])
    client = client_of(chat_server, mode)
    with pytest.raises(IncompleteOutputException) as raised:
        client.chat.completions.create(response_model=Review, messages=ASKED)
    assert parse_error_of(raised.value).details["truncated"]
    assert raised.value.last_completion.choices[0].finish_reason == finish_reason
    assert len(chat_server.requests) == 1


def test_filtered_reply_is_refused_and_asked_again(chat_server: ChatServer) -> None:
    chat_server.script([reply(WHOLE, finish_reason="content_filter"), reply(WHOLE)])
    client = client_of(chat_server)
    assert client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1).score == 5
    assert len(chat_server.requests) == 2


def test_model_that_declines_is_not_asked_again(chat_server: ChatServer) -> None:
    chat_server.script([answer(None, refusal="I will not.")])
    client = client_of(chat_server)
    with pytest.raises(InstructorRetryException, match="I will not"):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=3)
    assert len(chat_server.requests) == 1


def test_missing_bracket_is_closed_only_where_the_model_stopped_by_itself(chat_server: ChatServer) -> None:
    chat_server.script([reply(WHOLE[:-1]), reply(WHOLE[:-1], finish_reason=None)])
    client = client_of(chat_server)
    assert client.chat.completions.create(response_model=Review, messages=ASKED).score == 5
    with pytest.raises(InstructorRetryException):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)


# --- options --------------------------------------------------------------------------------------------


def test_options_are_those_of_the_client(chat_server: ChatServer) -> None:
    several = f'First {{"title": "x", "score": 1}} and then {WHOLE}'
    chat_server.script([reply(several), reply(several)])
    last, refusing = client_of(chat_server, several="last"), client_of(chat_server)
    assert last.chat.completions.create(response_model=Review, messages=ASKED).score == 5
    with pytest.raises(InstructorRetryException):
        refusing.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)
    assert options_of_call.get(None) is None


def test_normalizers_run_before_validation(chat_server: ChatServer) -> None:
    def scored(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "score": 5}

    chat_server.script([reply(NO_SCORE)])
    client = client_of(chat_server, normalizers=[scored])
    assert client.chat.completions.create(response_model=Review, messages=ASKED).score == 5


def test_value_in_words_is_read_where_that_is_asked_for(chat_server: ChatServer) -> None:
    chat_server.script([reply('{"title": "好书", "score": "0.5万"}')])
    client = client_of(chat_server, coerce=True)
    assert client.chat.completions.create(response_model=Review, messages=ASKED).score == 5_000


def test_label_is_in_the_log(chat_server: ChatServer, caplog: pytest.LogCaptureFixture) -> None:
    chat_server.script([reply(NO_SCORE)])
    client = client_of(chat_server, context_label="critic")
    with caplog.at_level(logging.WARNING, "llm_output"), pytest.raises(InstructorRetryException):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)
    assert [record for record in caplog.records if "critic" in record.getMessage()]


def test_strictness_is_that_of_the_call(chat_server: ChatServer) -> None:
    in_words = '{"title": "a", "score": "5"}'
    chat_server.script([reply(in_words), reply(in_words)])
    client = client_of(chat_server)
    assert client.chat.completions.create(response_model=Review, messages=ASKED, strict=False).score == 5
    with pytest.raises(InstructorRetryException):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)


class Cited(BaseModel):
    quote: str

    @field_validator("quote")
    @classmethod
    def _stands_in_the_source(cls, quote: str, info: ValidationInfo) -> str:
        if quote not in (info.context or {})["source"]:
            message = "is not in the source"
            raise ValueError(message)
        return quote


def test_context_of_the_call_reaches_the_validators(chat_server: ChatServer) -> None:
    chat_server.script([reply("{'quote': 'b'}"), reply("{'quote': 'x'}"), reply('{"quote": "c",}')])
    client = client_of(chat_server)
    for quote in ("b", "c"):
        cited = client.chat.completions.create(
            response_model=Cited, messages=ASKED, context={"source": "abc"}, max_retries=1
        )
        assert cited.quote == quote
    assert "is not in the source" in asked_last(chat_server)


def test_python_objects_of_a_normalizer_are_validated_as_asked_for_too(chat_server: ChatServer) -> None:
    def quoted(_: dict[str, Any]) -> dict[str, Any]:
        return {"quote": type("Word", (str,), {})("b"), "more": {1, 2}}

    chat_server.script([reply("{'quote': 'x'}")])
    client = client_of(chat_server, normalizers=[quoted])
    cited = client.chat.completions.create(response_model=Cited, messages=ASKED, context={"source": "abc"})
    assert cited.quote == "b"


# --- errors of the program ------------------------------------------------------------------------------


def test_other_modes_are_refused(chat_server: ChatServer) -> None:
    with pytest.raises(ModeError, match="json_mode"):
        client_of(chat_server, Mode.PARALLEL_TOOLS)


def test_stream_of_bare_chunks_is_a_plain_error(chat_server: ChatServer) -> None:
    chat_server.script([events()])
    client = client_of(chat_server)
    with pytest.raises(InstructorRetryException, match="create_partial"):
        client.chat.completions.create(response_model=Review, messages=ASKED, stream=True, max_retries=3)
    assert len(chat_server.requests) == 1


def test_whoever_lacks_the_library_is_told_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("src.integrations.instructor")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "instructor", None)
    with pytest.raises(ModuleNotFoundError, match=r"\.\[instructor\]"):
        import_module("src.integrations.instructor")


def test_result_that_is_less_sure_than_accepted_is_asked_for_again(chat_server: ChatServer) -> None:
    chat_server.script([reply(DAMAGED), reply(WHOLE)])
    client = client_of(chat_server, accept="wrapped", timeout=60)
    review = client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert (review.model_dump(), len(chat_server.requests)) == (GOOD.model_dump(), 2)
