"""Streams: what is sent and when, in whose bytes, and what comes of them that break."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai
import pytest

from tests.entrypoints.gateway.gateways import ASKED, CLEAN, FORMAT, TOOLS, ask, client, gateway, stream, value_of
from tests.loopback.answers import (
    USAGE,
    Answer,
    ChatRequest,
    Connection,
    answer,
    chunk,
    cut_stream,
    events,
    raw,
    status,
    tool_call,
    torn_stream,
)
from tests.loopback.server import ChatServer


def body(**asked: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"model": "m", "messages": ASKED, "stream": True, **asked}


def bytes_of(url: str, **asked: Any) -> bytes:  # noqa: ANN401 - JSON
    return httpx2.post(f"{url}/chat/completions", json=body(**asked), timeout=20).content


def objects(stream: bytes) -> list[Any]:
    lines = [line.removeprefix(b"data: ") for line in stream.splitlines() if line.startswith(b"data: {")]
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"response_format": FORMAT}, {"text": CLEAN}),
        ({"response_format": FORMAT}, {"text": CLEAN, "reasoning_content": "is it 4?"}),
        ({"tools": TOOLS}, {"text": "Good morning! " * 40}),
        (
            {"tools": TOOLS},
            {"text": None, "finish_reason": "tool_calls", "tool_calls": [tool_call("search", '{"q": "a"}')]},
        ),
    ],
    ids=["JSON", "JSON behind reasoning", "prose", "calls"],
)
def test_a_clean_stream_is_the_upstreams_own_but_for_the_last_chunk(
    asked: dict[str, Any], message: dict[str, Any], asking_once: str, chat_server: ChatServer
) -> None:
    chat_server.script([answer(**message), answer(**message)])
    own, seen = bytes_of(chat_server.url, **asked), bytes_of(asking_once, **asked)
    told = objects(seen)[-1].pop("llm_output")
    assert told == {"grade": "clean", "repairs": 0, "tries": 1}
    added = b',"llm_output":' + json.dumps(told, separators=(",", ":")).encode()
    assert seen.count(added) == 1
    assert seen.replace(added, b"") == own


def test_what_is_settled_is_sent_before_the_end(once: openai.OpenAI, chat_server: ChatServer) -> None:
    async def wait(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        for piece in ('{"item": "a long name of tea", ', '"price": 4.5', "}"):
            await connection.write(b"data: " + json.dumps(chunk({"content": piece})).encode() + b"\n\n")
            await connection.wait(0.2)
        await connection.wait(20)

    chat_server.script([wait])
    got = ""
    with once.chat.completions.create(model="m", messages=ASKED, response_format=FORMAT, stream=True) as chunks:
        for one in chunks:
            got += one.choices[0].delta.content or ""
            if "price" in got:
                break
    assert got.startswith('{"item": "a long name of tea", "price"')


@pytest.mark.parametrize("cuts", [range(0, 4_000, 7), range(0, 4_000, 61)])
def test_how_the_bytes_are_cut_does_not_matter(cuts: range, once: openai.OpenAI, chat_server: ChatServer) -> None:
    text = '{"item": "t\u00e9a \U0001f375 \u8336", "price": 4.5}'
    chat_server.script([torn_stream(text, cuts)])
    assert stream(once, response_format=FORMAT).content == text


def test_it_is_asked_again_before_the_first_byte_and_the_costs_are_added(
    twice: openai.OpenAI, chat_server: ChatServer
) -> None:
    for asking in (ask, stream):
        chat_server.reset()
        chat_server.script([answer("tea is 4.50"), answer(f"```\n{CLEAN}\n```")])
        asked: dict[str, Any] = {"stream_options": {"include_usage": True}} if asking is stream else {}
        seen = asking(twice, response_format=FORMAT, **asked)
        assert value_of(seen.content) == value_of(CLEAN)
        assert (seen.facts["tries"], seen.facts["grade"], seen.tokens) == ("2", "wrapped", 14)
        again = chat_server.requests[1].body
        assert [message["role"] for message in again["messages"]] == ["user", "assistant", "user"]
        assert again["messages"][1]["content"] == "tea is 4.50"
        assert not chat_server.requests[1].streams
        assert chat_server.requests[1].headers["authorization"] == chat_server.requests[0].headers["authorization"]


def paced(*pieces: str) -> Answer:
    """A stream whose pieces come one by one."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        for one in (*(chunk({"content": piece}) for piece in pieces), chunk({}, "stop")):
            await connection.write(b"data: " + json.dumps(one).encode() + b"\n\n")
            await connection.wait(0.2)
        await connection.finish(b"data: [DONE]\n\n")

    return send


def test_what_came_at_once_and_is_refused_is_asked_again(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    refused = b"".join(
        b"data: %b\n\n" % json.dumps(one).encode()
        for one in (chunk({"content": '{"item": "tea", "price": '}), chunk({"content": '"cheap"}'}), chunk({}, "stop"))
    )
    chat_server.script([raw(refused, "text/event-stream"), answer(CLEAN)])
    assert stream(twice, response_format=FORMAT).content == CLEAN


def test_after_the_first_byte_a_refusal_is_an_event(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([paced('{"item": "tea", "price": ', '"cheap"}')])
    seen = stream(twice, response_format=FORMAT)
    assert seen.error == (0, "llm_json_parse_error")
    assert seen.pieces
    assert len(chat_server.requests) == 1


def test_what_was_sent_is_never_taken_back(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([paced('{"item": "tea", "price": 4', '}</think>{"item": "coffee", "price": 5}')])
    seen = stream(twice, response_format=FORMAT)
    assert seen.error is not None
    assert not (seen.content or "").endswith("}")


def test_the_budget_ends_with_the_last_refusal(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    for asking in (ask, stream):
        chat_server.script([answer("no"), answer("no, again")])
        assert asking(twice, response_format=FORMAT).error == (422, "llm_json_parse_error")
    assert len(chat_server.requests) == 4


def test_what_a_filter_took_away_is_not_asked_for_again(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([answer("n", "content_filter")])
    assert ask(twice, response_format=FORMAT).error == (422, "llm_json_parse_error")
    assert len(chat_server.requests) == 1


def test_a_further_try_that_fails_leaves_the_first_refusal(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    for worse in (
        status(500),
        raw(b"<html>"),
        raw(b'{"choices": []}'),
        raw(b'{"error": 1}'),
        raw(b'{"choices": [{"message": {"content": 7}}]}'),
    ):
        chat_server.script([answer("no"), worse])
        assert ask(twice, response_format=FORMAT).error == (422, "llm_json_parse_error")


def test_what_cannot_be_read_may_pass_and_is_marked(chat_server: ChatServer) -> None:
    with gateway(chat_server.url, on_refusal="pass") as url, openai.OpenAI(base_url=url, api_key="k") as asking:
        for way in (ask, stream):
            chat_server.script([answer("no"), answer("no, again")])
            seen = way(asking, response_format=FORMAT)
            assert (seen.content, seen.error) == ("no, again", None)
            assert (seen.facts["grade"], seen.facts["refused"], seen.facts["tries"]) == ("refused", "extract", "2")
            chat_server.script([answer("no"), status(500)])
            seen = way(asking, response_format=FORMAT)
            assert (seen.content, seen.facts["refused"], seen.facts["tries"]) == ("no", "extract", "2")
        chat_server.script([answer('{"item": "tea"}')])
        seen = stream(asking, response_format=FORMAT)
        assert (seen.content, seen.facts["refused"]) == ('{"item": "tea"}', "validate")


def choices_of(*pieces: tuple[int, str]) -> Answer:
    deltas = [
        {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [one]}
        for one in (
            *({"index": at, "delta": {"content": text}, "finish_reason": None} for at, text in pieces),
            {"index": 1, "delta": {}, "finish_reason": "stop"},
            {"index": 0, "delta": {}, "finish_reason": "stop"},
        )
    ]
    return events(*deltas)


def test_each_of_several_choices_is_read(once: openai.OpenAI, chat_server: ChatServer) -> None:
    fenced = ("```json\n{'item': 'a',", "'price': 1}\n```")
    chat_server.script([choices_of((0, CLEAN[:20]), (1, fenced[0]), (0, CLEAN[20:]), (1, fenced[1]))])
    texts = {0: "", 1: ""}
    for one in once.chat.completions.create(model="m", messages=ASKED, response_format=FORMAT, stream=True, n=2):
        for choice in one.choices:
            texts[choice.index] += choice.delta.content or ""
    assert texts[0] == CLEAN
    assert value_of(texts[1]) == {"item": "a", "price": 1}


def test_a_choice_that_cannot_be_read_is_asked_for_alone(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    two = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {"index": at, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            for at, text in enumerate(("no", CLEAN))
        ],
    }
    chat_server.script([raw(json.dumps(two).encode()), answer('{"item": "b", "price": 2}')])
    got = twice.chat.completions.create(model="m", messages=ASKED, response_format=FORMAT, n=2)
    assert [choice.message.content for choice in got.choices] == ['{"item": "b", "price": 2}', CLEAN]
    assert [choice.index for choice in got.choices] == [0, 1]
    assert chat_server.requests[1].body["n"] == 1


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"a": 1}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (cut_stream(CLEAN), "upstream_broken"),
        (cut_stream(CLEAN, clean=True), "upstream_broken"),
        (raw(b"<html>", "text/html"), "upstream_no_completion"),
        (raw(b"data: {nonsense\n\n", "text/event-stream"), "upstream_no_completion"),
        (raw(b"data: \xff\n\n", "text/event-stream"), "upstream_no_completion"),
        (raw(b"data: [DONE]\n\n", "text/event-stream"), "upstream_no_completion"),
        (events([1]), "upstream_no_completion"),
        (events({"choices": [{"delta": "x"}]}), "upstream_no_completion"),
        (events({"choices": [{"delta": {"content": 7}}]}), "upstream_no_completion"),
        (events(chunk({"content": {}}), chunk({"content": CLEAN}, "stop")), "upstream_no_completion"),
        (events(chunk({"tool_calls": [deep(600)]}), chunk({}, "stop")), "upstream_no_completion"),
        (events({"object": "error", "message": "overloaded"}), "upstream_no_completion"),
        (events({"choices": [{"delta": {"tool_calls": 7}}]}), "upstream_no_completion"),
        (events({"choices": [{"delta": {"tool_calls": [7]}}]}), "upstream_no_completion"),
        (events({"choices": [{"index": 3, "delta": {}}, {"index": 4, "delta": {}}]}), "upstream_no_completion"),
        (events({"error": {"message": "overloaded", "code": "x"}}), "upstream_error"),
        (raw(b'event: error\ndata: {"message": "overloaded"}\n\n', "text/event-stream"), "upstream_error"),
        (events({"choices": [{"delta": {"tool_calls": [{"function": 7}]}}]}), "upstream_no_completion"),
        (
            events(chunk({"tool_calls": [{"function": {"tool_calls": 7, "name": []}}]}, "stop")),
            "upstream_no_completion",
        ),
        (events(chunk({"content": CLEAN}), {"error": "overloaded"}), "upstream_error"),
        (events(chunk({"content": CLEAN}, "stop"), chunk({"content": "more"}, "stop")), "upstream_no_completion"),
    ],
)
def test_a_broken_stream_is_an_error(broken: Answer, code: str, once: openai.OpenAI, chat_server: ChatServer) -> None:
    chat_server.script([broken])
    seen = stream(once, response_format=FORMAT)
    assert seen.error is not None
    assert seen.error[1] == code


def test_a_stream_whose_model_says_no_reason_is_read_as_it_is(once: openai.OpenAI, chat_server: ChatServer) -> None:
    done = b"data: " + json.dumps(chunk({"content": CLEAN})).encode() + b"\n\ndata: [DONE]\n\n"
    chat_server.script([raw(done, "text/event-stream")])
    seen = stream(once, response_format=FORMAT)
    assert (seen.content, seen.facts["grade"]) == (CLEAN, "clean")
    cut = done.replace(b"4.5}", b"4.5")
    chat_server.script([raw(cut, "text/event-stream")])
    assert stream(once, response_format=FORMAT).error is not None


def test_content_in_parts_becomes_a_text(once: openai.OpenAI, chat_server: ChatServer) -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": CLEAN}]
    deltas = events(chunk({"content": parts[:1]}), chunk({"content": parts[1:]}), chunk({}, "stop"))
    whole = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}],
    }
    for way, given in ((ask, raw(json.dumps(whole).encode())), (stream, deltas)):
        chat_server.script([given])
        seen = way(once, response_format=FORMAT)
        assert (seen.content, seen.reasoning, seen.facts["grade"]) == (CLEAN, "hm", "clean")


def test_comments_and_odd_line_ends_are_no_matter(once: openai.OpenAI, chat_server: ChatServer) -> None:
    first, second = (json.dumps(chunk({"content": part})).encode() for part in (CLEAN[:9], CLEAN[9:]))
    end = json.dumps(chunk({}, "stop")).encode()
    text = b": hi\r\n\r\ndata:%b\r\n\r\n: ping\r\rdata: %b\r\rdata: %b\n\ndata: [DONE]" % (first, second, end)
    chat_server.script([raw(text, "text/event-stream")])
    assert stream(once, response_format=FORMAT).content == CLEAN


def test_a_call_in_the_text_comes_when_its_last_byte_is_there(once: openai.OpenAI, chat_server: ChatServer) -> None:
    async def wait(_: ChatRequest, connection: Connection) -> None:
        await connection.start(content_type="text/event-stream")
        for piece in (
            "<think>look</think>I look. ",
            '<tool_call>{"name": "search", ',
            '"arguments": {"q": "a"}}</tool_call>',
        ):
            await connection.write(b"data: " + json.dumps(chunk({"content": piece})).encode() + b"\n\n")
        await connection.wait(20)

    chat_server.script([wait])
    content, reasoning = "", ""
    with once.chat.completions.create(model="m", messages=ASKED, tools=TOOLS, stream=True) as chunks:
        for one in chunks:
            delta = one.choices[0].delta
            content += delta.content or ""
            reasoning += getattr(delta, "reasoning_content", None) or ""
            if delta.tool_calls:
                break
    function = delta.tool_calls[0].function if delta.tool_calls else None
    assert function is not None
    assert (function.name, function.arguments) == ("search", '{"q":"a"}')
    assert (content, reasoning) == ("I look. ", "look")


def test_what_comes_behind_a_call_is_sent_or_is_an_error(once: openai.OpenAI, chat_server: ChatServer) -> None:
    call = '<tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>'
    chat_server.script([answer(f"I look. {call} And again: {call}")])
    seen = stream(once, tools=TOOLS)
    assert [name for name, _ in seen.calls] == ["search", "search"]
    assert (seen.content, seen.finish) == ("I look.  And again: ", "tool_calls")
    chat_server.script([answer(f'{call}<tool_call>{{"name": "delete", "arguments": {{}}}}</tool_call>')])
    assert stream(once, tools=TOOLS).error == (0, "llm_json_parse_error")


def calls_of(stream: bytes) -> dict[int, list[str]]:
    """Kind and text of each call of a stream, put together."""
    calls = dict[int, list[str]]()
    for one in (one for told in objects(stream) for one in told["choices"][0]["delta"].get("tool_calls", ())):
        known = calls.setdefault(one["index"], [one.get("type", ""), ""])
        known[1] += (one.get("function") or {}).get("arguments", "") + (one.get("custom") or {}).get("input", "")
    return calls


def test_the_input_of_another_kind_of_call_stays_whole_beside_one_that_is_mended(
    asking_once: str, chat_server: ChatServer
) -> None:
    pieces = (
        {"index": 0, "id": "a", "type": "function", "function": {"name": "search", "arguments": "{'q':"}},
        {"index": 0, "function": {"arguments": "'a'}"}},
        {"index": 1, "id": "b", "type": "custom", "custom": {"name": "code", "input": "pri"}},
        {"index": 1, "custom": {"input": "nt(1)"}},
    )
    chat_server.script([events(*(chunk({"tool_calls": [piece]}) for piece in pieces), chunk({}, "tool_calls"))])
    assert calls_of(bytes_of(asking_once, tools=TOOLS)) == {0: ["function", '{"q":"a"}'], 1: ["custom", "print(1)"]}


@pytest.mark.parametrize("index", [-1, 3, True, "0", 1.5, 10**30])
def test_calls_that_are_mended_are_counted_from_zero(index: object, asking_once: str, chat_server: ChatServer) -> None:
    pieces = {"name": "search", "arguments": "{'q':"}, {"arguments": "'a'}"}
    chunks = [chunk({"tool_calls": [{"index": index, "function": piece}]}) for piece in pieces]
    chat_server.script([events(*chunks, chunk({}, "tool_calls"))])
    seen = bytes_of(asking_once, tools=TOOLS)
    assert [one["index"] for told in objects(seen) for one in told["choices"][0]["delta"].get("tool_calls", ())] == [0]


@pytest.mark.parametrize(
    "behind",
    [
        {**chunk({"content": ""}), "usage": USAGE},
        {**chunk({}, "stop"), "usage": USAGE},
        {"usage": USAGE},
        {"choices": None, "usage": USAGE},
    ],
)
def test_what_comes_behind_the_end_is_not_lost(behind: Any, asking_once: str, chat_server: ChatServer) -> None:  # noqa: ANN401 - JSON
    for text, tools in ((CLEAN, None), ('<tool_call>{"name": "search", "arguments": {"q": "a"}}</tool_call>', TOOLS)):
        chat_server.script([events(chunk({"content": text}), chunk({}, "stop"), behind)])
        seen = objects(bytes_of(asking_once, **({"tools": tools} if tools else {"response_format": FORMAT})))
        assert seen[-1]["usage"] == USAGE
        assert seen[-1]["llm_output"]["tries"] == 1
        finish = {choice["finish_reason"] for one in seen for choice in one.get("choices") or ()} - {None}
        assert finish == {"tool_calls" if tools else "stop"}


def test_what_only_keeps_a_connection_open_is_no_matter(asking_once: str, chat_server: ChatServer) -> None:
    pings = b": wait\n\nevent: ping\ndata: 12:00\n\nevent: error\n\n"
    content, end = (
        b"data: %b\n\n" % json.dumps(one).encode() for one in (chunk({"content": CLEAN}), chunk({}, "stop"))
    )
    own = b'data: {"type": "ping"}\n\ndata: {}\n\n' + content + end
    chat_server.script([raw(pings + own, "text/event-stream")])
    seen = bytes_of(asking_once, response_format=FORMAT)
    assert seen.startswith((pings + own)[:-6])
    assert objects(seen)[-1]["llm_output"]["grade"] == "clean"


def test_of_a_try_that_was_refused_nothing_is_seen(twice: openai.OpenAI, chat_server: ChatServer) -> None:
    first = events(chunk({"reasoning_content": "fi"}), chunk({"reasoning_content": "rst", "content": "no"}, "stop"))
    chat_server.script([first, answer(CLEAN, reasoning_content="second")])
    seen = stream(twice, response_format=FORMAT)
    assert (seen.content, seen.reasoning) == (CLEAN, "second")


def test_a_refusal_of_a_further_try_is_told(asking_twice: str, chat_server: ChatServer) -> None:
    chat_server.script([answer("no"), answer(None, refusal="I may not")])
    seen = objects(bytes_of(asking_twice, response_format=FORMAT))
    assert [said for told in seen if (said := told["choices"][0]["delta"].get("refusal"))] == ["I may not"]


@pytest.mark.parametrize("number", [b"NaN", b"1e999"])
def test_a_number_that_json_does_not_have_is_never_written(
    number: bytes, asking_once: str, chat_server: ChatServer
) -> None:
    """Where an event passes as it is, it is the upstream's."""
    given = json.dumps(chunk({"content": f"```json\n{CLEAN}\n```"}, "stop")).encode()
    chat_server.script([raw(b"data: " + given.replace(b'"created": 0', b'"created": ' + number), "text/event-stream")])
    seen = bytes_of(asking_once, response_format=FORMAT)
    assert json.loads(seen)["error"]["code"] == "upstream_no_completion"


def test_reasoning_beside_a_text_that_is_mended_stays(once: openai.OpenAI, chat_server: ChatServer) -> None:
    deltas: tuple[dict[str, Any], ...] = (
        {"role": "assistant", "reasoning_content": "a"},
        {"reasoning_content": "b", "content": "{'item': 'tea',"},
        {"content": " 'price': "},
    )
    last = chunk({"reasoning_content": "c", "content": "4.5}"}, "stop")
    chat_server.script([events(*map(chunk, deltas), last)])
    seen = stream(once, response_format=FORMAT)
    assert (value_of(seen.content), seen.reasoning) == (value_of(CLEAN), "abc")


ROWS: Any = {"type": "json_object"}
LONG = json.dumps({"rows": ["word " * 3] * 60})


@pytest.mark.parametrize(
    ("asked", "pieces"),
    [
        ({"response_format": ROWS, "tools": TOOLS}, [LONG[at : at + 9] for at in range(0, len(LONG), 9)]),
        ({"response_format": ROWS}, ["```json\n", *[LONG[at : at + 9] for at in range(0, len(LONG), 9)], "\n```"]),
        ({"tools": TOOLS}, ["(", *["word "] * 150, "<", *["word "] * 150]),
    ],
    ids=["JSON beside tools", "damaged JSON", "prose"],
)
def test_what_waits_takes_no_more_room_than_an_answer_may(
    asked: dict[str, Any], pieces: list[str], chat_server: ChatServer
) -> None:
    """Each piece comes in 180 bytes: where the events of an answer take too much room, their text is kept alone."""
    with gateway(chat_server.url, tries=1, max_answer=9_000) as url, client(url) as asking:
        thoughts = [chunk({"reasoning_content": "hm "})] * 90
        for before in ([], thoughts):
            chunks = [chunk({"content": piece}) for piece in pieces]
            chat_server.script([events(*before, *chunks, chunk({}, "stop"))])
            seen = stream(asking, **asked)
            assert seen.error is None
            assert seen.reasoning == "hm " * len(before)
            if "tools" in asked and "response_format" not in asked:
                assert seen.content == "".join(pieces)
            else:
                assert value_of(seen.content) == value_of(LONG)


def test_a_function_call_takes_no_more_room_either(chat_server: ChatServer) -> None:
    pieces: list[dict[str, str]] = [{"name": "search"}, *[{"arguments": "x"}] * 99]
    with gateway(chat_server.url, tries=1, max_answer=9_000) as url:
        chat_server.script([events(*(chunk({"function_call": one}) for one in pieces), chunk({}, "function_call"))])
        deltas = [told["choices"][0]["delta"] for told in objects(bytes_of(url, tools=TOOLS))]
    assert [delta["function_call"] for delta in deltas if "function_call" in delta] == pieces


@pytest.mark.parametrize(
    "lines",
    [
        [{"content": "x" * 900}] * 11,
        [{"content": ""}, *[": ping"] * 1_500],
        [{"tool_calls": [{"index": at, "id": f"call-{at}"}]} for at in range(700)],
        [{"refusal": "x" * 900}] * 11,
    ],
    ids=["text", "pings", "calls", "refusal"],
)
def test_a_stream_that_is_too_large_is_an_error(lines: list[Any], chat_server: ChatServer) -> None:
    with gateway(chat_server.url, tries=1, max_answer=9_000) as url, client(url) as asking:
        told = [one if isinstance(one, str) else f"data: {json.dumps(chunk(one))}" for one in lines]
        chat_server.script([raw("\n\n".join(told).encode(), "text/event-stream")])
        seen = stream(asking, response_format=FORMAT)
        assert seen.error is not None
        assert seen.error[1] == "upstream_too_large"
