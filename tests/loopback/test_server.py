"""The scripted server is a real one: other tests rely on what it does on the wire."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.loopback.answers import (
    MODEL,
    Answer,
    answer,
    chunk,
    cut_body,
    cut_stream,
    events,
    hang,
    raw,
    status,
)
from tests.loopback.server import EXHAUSTED, ChatServer


def ask(server: ChatServer, *, stream: bool = False, path: str = "/chat/completions") -> http.client.HTTPResponse:
    host = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(host.hostname), host.port, timeout=5)
    body = {
        "messages": [{"role": "user", "content": "问"}],
        "stream": stream,
        "stream_options": {"include_usage": True},
    }
    connection.request("POST", host.path + path, json.dumps(body), {"Connection": "close", "X-Mine": "a"})
    return connection.getresponse()


def text_of(response: http.client.HTTPResponse) -> str:
    with response:
        return response.read().decode()


def data_of(response: http.client.HTTPResponse) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text_of(response).split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def test_answers_come_in_the_order_of_the_script(chat_server: ChatServer) -> None:
    chat_server.script([answer("一"), answer("二")])

    texts = [json.loads(text_of(ask(chat_server)))["choices"][0]["message"]["content"] for _ in range(2)]

    assert texts == ["一", "二"]


def test_answer_is_streamed_to_whoever_asks_for_a_stream(chat_server: ChatServer) -> None:
    chat_server.script([answer("一二三四五六")])

    chunks = data_of(ask(chat_server, stream=True))

    assert "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks[:-1]) == "一二三四五六"
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert (chunks[-1]["choices"], chunks[-1]["model"]) == ([], MODEL)


def test_requests_are_recorded(chat_server: ChatServer) -> None:
    chat_server.script([answer("x")])
    text_of(ask(chat_server))

    request = chat_server.requests[0]

    assert (request.path, request.headers["x-mine"], request.prompt) == ("/v1/chat/completions", "a", "问")
    assert not request.streams


def test_answer_can_depend_on_the_request(chat_server: ChatServer) -> None:
    chat_server.respond(lambda request: answer(request.prompt * 2))

    assert json.loads(text_of(ask(chat_server)))["choices"][0]["message"]["content"] == "问问"


def test_request_beyond_the_script_is_told_so(chat_server: ChatServer) -> None:
    assert ask(chat_server).status == EXHAUSTED


def test_unknown_path_is_not_found(chat_server: ChatServer) -> None:
    assert ask(chat_server, path="/else").status == http.client.NOT_FOUND


def test_status_comes_with_its_headers_and_an_error(chat_server: ChatServer) -> None:
    chat_server.script([status(429, {"retry-after": "3"})])

    response = ask(chat_server)

    assert (response.status, response.headers["retry-after"]) == (429, "3")
    assert json.loads(text_of(response))["error"]["code"] == "scripted_429"


@pytest.mark.parametrize("cut", [cut_body(), cut_body(500), cut_stream()])
def test_cut_connection_ends_in_the_middle_of_the_body(chat_server: ChatServer, cut: Answer) -> None:
    chat_server.script([cut])

    with pytest.raises(http.client.IncompleteRead):
        text_of(ask(chat_server))


def test_clean_cut_ends_the_body_without_the_end_of_the_stream(chat_server: ChatServer) -> None:
    chat_server.script([cut_stream("abcdefgh", clean=True)])

    body = text_of(ask(chat_server, stream=True))

    assert ("abcd" in body, "[DONE]" in body, "stop" in body) == (True, False, False)


def test_raw_bytes_and_events_are_sent_as_they_are(chat_server: ChatServer) -> None:
    chat_server.script([raw(b"<html>", "text/html"), events(chunk({"content": "x"}))])

    assert text_of(ask(chat_server)) == "<html>"
    assert json.loads(text_of(ask(chat_server)).removeprefix("data: "))["choices"][0]["delta"] == {"content": "x"}


def test_hanging_answer_ends_when_the_client_goes_away(chat_server: ChatServer) -> None:
    chat_server.script([hang(60)])
    host = urlsplit(chat_server.url)
    connection = http.client.HTTPConnection(str(host.hostname), host.port, timeout=0.05)
    connection.request("POST", f"{host.path}/chat/completions", "{}")
    with pytest.raises(TimeoutError):
        connection.getresponse()

    connection.close()

    assert chat_server.idle()
