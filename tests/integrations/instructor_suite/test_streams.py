"""Streams of an instructor client: what is certain is shown as it comes, and nothing that is taken back."""

from decimal import Decimal
from typing import Any

import pytest
from instructor import Mode
from instructor.core.exceptions import IncompleteOutputException, ResponseParsingError
from pydantic import BaseModel, Field

from src.integrations.instructor import MODES
from tests.integrations.instructor_suite.clients import ASKED, ROWS, async_client_of, call_piece, client_of, streamed
from tests.integrations.reviews import DAMAGED, GOOD, NO_SCORE, WHOLE, Review, parse_error_of
from tests.loopback.answers import answer, chunk, cut_stream, events
from tests.loopback.server import ChatServer

pytestmark = pytest.mark.anyio

each_mode = pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])


def titles_of(objects: list[Review]) -> list[str | None]:
    """The titles as they came, each once."""
    return list(dict.fromkeys(one.title for one in objects))


# --- objects that grow ----------------------------------------------------------------------------------


@each_mode
def test_objects_grow_and_show_nothing_of_a_draft(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([streamed(DAMAGED, mode)])
    client = client_of(chat_server, mode)
    objects = [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert titles_of(objects) == [None, "好", "好书"]
    assert {one.score for one in objects} == {None, 5}
    assert objects[-1] == GOOD


async def test_objects_of_an_asynchronous_client_grow(chat_server: ChatServer) -> None:
    chat_server.script([streamed(DAMAGED)])
    async with async_client_of(chat_server) as client:
        shown = client.chat.completions.create_partial(response_model=Review, messages=ASKED)
        objects = [one async for one in shown]
    assert titles_of(objects) == [None, "好", "好书"]
    assert objects[-1] == GOOD


class Author(BaseModel):
    name: str
    city: str


class Book(BaseModel):
    title: str = Field(alias="book_title")
    author: Author
    editor: Author | None = None
    reviews: list[Review]
    tags: dict[str, list[str]] = {}


def test_objects_hold_objects_of_their_models(chat_server: ChatServer) -> None:
    text = (
        '{"book_title": "t", "author": {"name": "n", "city": "c"}, "editor": {"name": "e", "city": "d"},'
        f' "reviews": [{WHOLE}], "tags": {{"a": ["b"]}}}}'
    )
    chat_server.script([streamed(text)])
    client = client_of(chat_server)
    objects = [*client.chat.completions.create_partial(response_model=Book, messages=ASKED)]
    first = objects[0]
    assert (first.title, first.author.name, first.editor, first.reviews) == (None, None, None, None)
    assert [one.title for one in objects if one.title] == ["t"] * len([one for one in objects if one.title])
    assert len([one for one in objects if one.title]) > 1
    with_editor = [one.editor for one in objects if one.editor]
    assert {type(editor) for editor in with_editor} == {Author}
    with_reviews = [one.reviews[0] for one in objects if one.reviews]
    assert {type(review) for review in with_reviews} == {Review}
    assert objects[-1] == Book.model_validate_json(text)


def test_object_says_which_fields_were_there(chat_server: ChatServer) -> None:
    chat_server.script([streamed(WHOLE)])
    client = client_of(chat_server)
    objects = [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert [*dict.fromkeys(frozenset(one.model_fields_set) for one in objects)] == [
        frozenset(),
        frozenset({"title"}),
        frozenset({"title", "score"}),
    ]


# --- the elements of a list -----------------------------------------------------------------------------


@each_mode
def test_elements_come_one_by_one(chat_server: ChatServer, mode: Mode) -> None:
    chat_server.script([streamed(ROWS, mode)])
    client = client_of(chat_server, mode)
    rows = [*client.chat.completions.create_iterable(response_model=Review, messages=ASKED)]
    assert rows == [GOOD, Review(title="b", score=2)]


def test_element_is_there_before_the_answer_is_cut(chat_server: ChatServer) -> None:
    chat_server.script([streamed(ROWS, finish_reason="length")])
    client = client_of(chat_server)
    rows = client.chat.completions.create_iterable(response_model=Review, messages=ASKED)
    assert next(rows) == GOOD
    assert next(rows).score == 2
    with pytest.raises(IncompleteOutputException) as raised:
        next(rows)
    assert parse_error_of(raised.value).details["truncated"]


def test_element_that_does_not_fit_is_never_shown(chat_server: ChatServer) -> None:
    chat_server.script([streamed(f'{{"tasks": [{WHOLE}, {{"title": "b", "score": "2"}}, {WHOLE}]}}')])
    client = client_of(chat_server)
    rows = client.chat.completions.create_iterable(response_model=Review, messages=ASKED)
    assert next(rows) == GOOD
    with pytest.raises(ResponseParsingError, match=r"tasks\[1\]\.score"):
        next(rows)


class Price(BaseModel):
    amount: Decimal


def test_element_keeps_the_digits_of_a_decimal(chat_server: ChatServer) -> None:
    chat_server.script([streamed('{"tasks": [{"amount": 1.2345678901234567890}]}')])
    client = client_of(chat_server)
    (price,) = client.chat.completions.create_iterable(response_model=Price, messages=ASKED)
    assert str(price.amount) == "1.2345678901234567890"


# --- refused --------------------------------------------------------------------------------------------


def test_refused_stream_raises_and_is_not_asked_again(chat_server: ChatServer) -> None:
    chat_server.script([streamed(NO_SCORE)])
    client = client_of(chat_server)
    with pytest.raises(ResponseParsingError) as raised:
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED, max_retries=3)]
    assert parse_error_of(raised.value).details["stage"] == "validate"
    assert len(chat_server.requests) == 1


def test_cut_stream_is_refused_whatever_it_looks_like(chat_server: ChatServer) -> None:
    chat_server.script([streamed(WHOLE, finish_reason="length")])
    client = client_of(chat_server)
    with pytest.raises(IncompleteOutputException):
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]


def test_stream_that_breaks_off_is_refused(chat_server: ChatServer) -> None:
    chat_server.script([cut_stream(WHOLE, clean=True)])
    client = client_of(chat_server)
    with pytest.raises(ResponseParsingError) as raised:
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert parse_error_of(raised.value).details["truncated"]


# --- chunks of all kinds --------------------------------------------------------------------------------


def test_calls_are_kept_apart(chat_server: ChatServer) -> None:
    pieces = [call_piece(WHOLE), call_piece('{"title": "other", "score": 1}', 1)]
    chat_server.script([events(*map(chunk, pieces), chunk({}, "tool_calls"))])
    client = client_of(chat_server, Mode.TOOLS)
    with pytest.raises(ResponseParsingError):
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]


def test_calls_do_not_run_into_each_other(chat_server: ChatServer) -> None:
    pieces = [call_piece(WHOLE[:-1]), call_piece("5}", 1)]
    chat_server.script([events(*map(chunk, pieces), chunk({}, "tool_calls"))])
    client = client_of(chat_server, Mode.TOOLS)
    with pytest.raises(ResponseParsingError):
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]


def test_finish_reason_holds_where_more_chunks_follow_it(chat_server: ChatServer) -> None:
    chat_server.script([events(chunk({"content": WHOLE[:-1]}), chunk({}, "stop"), chunk({}))])
    client = client_of(chat_server)
    assert [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)][-1] == GOOD


def test_content_counts_where_no_call_came(chat_server: ChatServer) -> None:
    chat_server.script([answer(DAMAGED)])
    client = client_of(chat_server, Mode.TOOLS)
    assert [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)] == [GOOD]


def test_content_beside_a_call_is_not_read(chat_server: ChatServer) -> None:
    beside = '{"title": "other", "score": 1}'
    pieces = [chunk({"content": beside}), chunk(call_piece(WHOLE)), chunk({}, "tool_calls")]
    chat_server.script([events(*pieces)])
    client = client_of(chat_server, Mode.TOOLS)
    objects = [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert objects[-1] == GOOD
    assert {one.title for one in objects} <= {None, "好书"}


def test_only_the_first_choice_is_read(chat_server: ChatServer) -> None:
    second: dict[str, Any] = chunk({"content": NO_SCORE}, "length")
    second["choices"][0]["index"] = 1
    bare: dict[str, Any] = {**chunk({}), "choices": []}
    without_delta: dict[str, Any] = chunk({})
    without_delta["choices"][0]["delta"] = None
    chat_server.script([events(second, chunk({"content": WHOLE}), without_delta, chunk({}, "stop"), bare)])
    client = client_of(chat_server)
    assert [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)][-1] == GOOD


# --- normalizers ----------------------------------------------------------------------------------------


def scored(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "score": 5}


def test_nothing_is_shown_that_a_normalizer_changes(chat_server: ChatServer) -> None:
    chat_server.script([streamed('{"title": "好书", "score": 1}')])
    client = client_of(chat_server, normalizers=[scored])
    assert [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)] == [GOOD]


def test_nothing_is_shown_that_coercion_changes(chat_server: ChatServer) -> None:
    chat_server.script([streamed('{"title": "好书", "score": "0.5万"}')])
    client = client_of(chat_server, coerce=True)
    objects = [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert objects == [Review(title="好书", score=5_000)]


def test_last_of_several_answers_is_taken_where_that_is_asked_for(chat_server: ChatServer) -> None:
    chat_server.script([streamed(f'{{"title": "x", "score": 1}}\n\n{WHOLE}')])
    client = client_of(chat_server, several="last")
    assert [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)] == [GOOD]


def test_elements_come_at_the_end_where_there_are_normalizers(chat_server: ChatServer) -> None:
    def all_scored(data: dict[str, Any]) -> dict[str, Any]:
        return {"tasks": [scored(task) for task in data["tasks"]]}

    chat_server.script([streamed(ROWS)])
    client = client_of(chat_server, normalizers=[all_scored])
    rows = [*client.chat.completions.create_iterable(response_model=Review, messages=ASKED)]
    assert [row.score for row in rows] == [5, 5]
