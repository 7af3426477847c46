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
from tests.loopback.answers import Answer, answer, chunk, cut_stream, events
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


# --- chunks and ends of all kinds ------------------------------------------------------------------------


def scored(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "score": 5}


OTHER = '{"title": "other", "score": 1}'


def of_choices() -> Answer:
    """Chunks of another choice, without choices, and without a delta beside those of the first."""
    second: dict[str, Any] = chunk({"content": NO_SCORE}, "length")
    second["choices"][0]["index"] = 1
    without_delta: dict[str, Any] = chunk({})
    without_delta["choices"][0]["delta"] = None
    return events(second, chunk({"content": WHOLE}), without_delta, chunk({}, "stop"), {**chunk({}), "choices": []})


def calls(*pieces: dict[str, Any]) -> Answer:
    return events(*map(chunk, pieces), chunk({}, "tool_calls"))


READ: dict[str, tuple[Answer, Mode, dict[str, Any]]] = {
    "the first choice": (of_choices(), Mode.JSON, {}),
    "a finish reason before more chunks": (
        events(chunk({"content": WHOLE[:-1]}), chunk({}, "stop"), chunk({})),
        Mode.JSON,
        {},
    ),
    "a call beside content": (calls({"content": OTHER}, call_piece(WHOLE)), Mode.TOOLS, {}),
}
AT_THE_END: dict[str, tuple[Answer, Mode, dict[str, Any]]] = {
    "the content, where no call came": (answer(DAMAGED), Mode.TOOLS, {}),
    "what a normalizer makes": (streamed('{"title": "好书", "score": 1}'), Mode.JSON, {"normalizers": [scored]}),
    "what coercion makes": (streamed('{"title": "好书", "score": "0.0005万"}'), Mode.JSON, {"coerce": True}),
    "the last of several": (streamed(f"{OTHER}\n\n{WHOLE}"), Mode.JSON, {"several": "last"}),
}
REFUSED: dict[str, tuple[Answer, Mode, type[Exception], str, object]] = {
    "what does not satisfy the type": (streamed(NO_SCORE), Mode.JSON, ResponseParsingError, "stage", "validate"),
    "a whole text that was cut off": (
        streamed(WHOLE, finish_reason="length"),
        Mode.JSON,
        IncompleteOutputException,
        "truncated",
        True,
    ),
    "a stream that breaks off": (cut_stream(WHOLE, clean=True), Mode.JSON, ResponseParsingError, "truncated", True),
    "different calls": (
        calls(call_piece(WHOLE), call_piece(OTHER, 1)),
        Mode.TOOLS,
        ResponseParsingError,
        "stage",
        "extract",
    ),
    "calls that would run into each other": (
        calls(call_piece(WHOLE[:-1]), call_piece("5}", 1)),
        Mode.TOOLS,
        ResponseParsingError,
        "stage",
        "repair",
    ),
}


@pytest.mark.parametrize(
    ("streaming", "mode", "options"), [*READ.values(), *AT_THE_END.values()], ids=[*READ, *AT_THE_END]
)
def test_stream_is_read(chat_server: ChatServer, streaming: Answer, mode: Mode, options: dict[str, Any]) -> None:
    chat_server.script([streaming])
    client = client_of(chat_server, mode, **options)
    objects = [*client.chat.completions.create_partial(response_model=Review, messages=ASKED)]
    assert objects[-1] == GOOD
    assert {one.title for one in objects} <= {None, "好书"}
    if (streaming, mode, options) in AT_THE_END.values():
        assert objects == [GOOD]


@pytest.mark.parametrize(("streaming", "mode", "error", "fact", "value"), REFUSED.values(), ids=REFUSED)
def test_refused_stream_raises_and_is_not_asked_again(
    chat_server: ChatServer, streaming: Answer, mode: Mode, error: type[Exception], fact: str, value: object
) -> None:
    chat_server.script([streaming])
    client = client_of(chat_server, mode)
    with pytest.raises(error) as raised:
        [*client.chat.completions.create_partial(response_model=Review, messages=ASKED, max_retries=3)]
    assert (parse_error_of(raised.value).details[fact], len(chat_server.requests)) == (value, 1)


def test_elements_come_at_the_end_where_there_are_normalizers(chat_server: ChatServer) -> None:
    def all_scored(data: dict[str, Any]) -> dict[str, Any]:
        return {"tasks": [scored(task) for task in data["tasks"]]}

    chat_server.script([streamed(ROWS)])
    client = client_of(chat_server, normalizers=[all_scored])
    rows = [*client.chat.completions.create_iterable(response_model=Review, messages=ASKED)]
    assert [row.score for row in rows] == [5, 5]
