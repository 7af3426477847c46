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

from llm_output.instructor import MODES
from src.integrations.instructor import options_of_call
from tests.integrations.instructor_suite.clients import ASKED, ROWS, async_client_of, client_of, openai_client, reply
from tests.integrations.reviews import DAMAGED, FEEDBACK, GOOD, NO_SCORE, WHOLE, Review, parse_error_of
from tests.loopback.answers import Answer, answer, events, raw, tool_call
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


def called(*calls: str) -> Answer:
    """A reply of calls with these arguments."""
    return answer(None, tool_calls=[tool_call("Review", arguments) for arguments in calls])


def with_arguments(arguments: object) -> Answer:
    call: dict[str, Any] = {**tool_call("Review", ""), "function": {"name": "Review", "arguments": arguments}}
    return answer(None, tool_calls=[call])


def scored(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "score": 5}


SEVERAL = f'First {{"title": "x", "score": 1}} and then {WHOLE}'
PAGE = raw(b"<html>busy</html>", "text/html")
READ: dict[str, tuple[Mode, list[Answer], dict[str, Any]]] = {
    "the content, where no call came": (Mode.TOOLS, [answer(DAMAGED)], {}),
    "equal calls": (Mode.TOOLS, [called(WHOLE, WHOLE)], {}),
    "arguments that are an object": (Mode.TOOLS, [with_arguments(GOOD.model_dump())], {}),
    "the reply behind a page of a gateway": (Mode.JSON, [PAGE, reply(WHOLE)], {}),
    "the reply behind one that was filtered": (
        Mode.JSON,
        [reply(WHOLE, finish_reason="content_filter"), reply(WHOLE)],
        {},
    ),
    "no bracket, but the model stopped by itself": (Mode.JSON, [reply(WHOLE[:-1])], {}),
    "what a normalizer makes": (Mode.JSON, [reply(NO_SCORE)], {"normalizers": [scored]}),
    "a value in words": (Mode.JSON, [reply('{"title": "好书", "score": "0.0005万"}')], {"coerce": True}),
    "the last of several objects": (Mode.JSON, [reply(SEVERAL)], {"several": "last"}),
    "the reply behind one that is less sure than accepted": (
        Mode.JSON,
        [reply(DAMAGED), reply(WHOLE)],
        {"accept": "wrapped", "timeout": 60},
    ),
}


@pytest.mark.parametrize(("mode", "replies", "options"), READ.values(), ids=READ)
def test_reply_is_read(chat_server: ChatServer, mode: Mode, replies: list[Answer], options: dict[str, Any]) -> None:
    chat_server.script(replies)
    client = client_of(chat_server, mode, **options)
    review = client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=len(replies) - 1)
    assert (review.model_dump(), len(chat_server.requests)) == (GOOD.model_dump(), len(replies))
    assert options_of_call.get(None) is None


REFUSED = {
    "different calls": (Mode.TOOLS, called(WHOLE, '{"title": "other", "score": 1}'), "extract"),
    "calls that would run into each other": (Mode.TOOLS, called(WHOLE[:-1], "5}"), "repair"),
    "a call without arguments": (Mode.TOOLS, with_arguments(None), "empty"),
    "no bracket, and nobody knows the end": (Mode.JSON, reply(WHOLE[:-1], finish_reason=None), "repair"),
    "several objects": (Mode.JSON, reply(SEVERAL), "extract"),
    "another spelling of a value": (Mode.JSON, reply('{"title": "a", "score": "5分"}'), "validate"),
}


@pytest.mark.parametrize(("mode", "refused", "stage"), REFUSED.values(), ids=REFUSED)
def test_reply_is_refused_and_logged_by_its_label(
    chat_server: ChatServer, caplog: pytest.LogCaptureFixture, mode: Mode, refused: Answer, stage: str
) -> None:
    chat_server.script([refused])
    client = client_of(chat_server, mode, context_label="critic")
    with caplog.at_level(logging.WARNING, "llm_output"), pytest.raises(InstructorRetryException) as raised:
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=0)
    assert parse_error_of(raised.value).details["stage"] == stage
    assert [record for record in caplog.records if "critic" in record.getMessage()]


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


# --- asking again ---------------------------------------------------------------------------------------


@each_mode
def test_refused_reply_is_asked_again_with_the_feedback(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([reply(NO_SCORE, mode), reply(DAMAGED, mode)])
    client = client_of(chat_server, mode)
    review = client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=1)
    assert review.score == 5
    assert FEEDBACK in asked_last(chat_server)


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


def test_model_that_declines_is_not_asked_again(chat_server: ChatServer) -> None:
    chat_server.script([answer(None, refusal="I will not.")])
    client = client_of(chat_server)
    with pytest.raises(InstructorRetryException, match="I will not"):
        client.chat.completions.create(response_model=Review, messages=ASKED, max_retries=3)
    assert len(chat_server.requests) == 1


# --- what the call asks of the validation ---------------------------------------------------------------


def test_strictness_is_that_of_the_call(chat_server: ChatServer) -> None:
    in_words = '{"title": "a", "score": "5"}'
    chat_server.script([reply(in_words), reply(in_words)])
    client = client_of(chat_server)
    assert client.chat.completions.create(response_model=Review, messages=ASKED, strict=False).score == 5
    with pytest.raises(InstructorRetryException, match="valid integer"):
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
