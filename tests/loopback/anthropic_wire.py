"""What a server can answer that speaks Anthropic's Messages API, and what it asks of a request.

Source: https://docs.claude.com/en/api/messages. A request that is not the protocol is answered with a 400.
"""

import base64
import json
from typing import Any

from tests.loopback.answers import Answer, ChatRequest, Connection, status

MODEL = "claude-loopback-1"
USAGE: dict[str, Any] = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 3,
    "cache_read_input_tokens": 5,
    "output_tokens": 7,
    "output_tokens_details": {"thinking_tokens": 2},
}
"""Tokens of every right answer: 18 read, 5 of them before; 7 written, 2 of them reasoning."""
_MEMBERS = {
    *("model", "max_tokens", "messages", "system", "temperature", "stop_sequences", "stream"),
    *("tools", "tool_choice", "output_config", "thinking", "metadata"),
}
_IMAGES = {"image/png", "image/jpeg", "image/webp", "image/gif"}


def message(
    text: str | None = None,
    stop_reason: str | None = "end_turn",
    *,
    thinking: str = "",
    arguments: dict[str, Any] | None = None,
    usage: dict[str, Any] | None = None,
    is_cut: bool = False,
) -> Answer:
    """Answer with a text, or by calling the first tool with these arguments; as JSON, or as a stream if asked for one.

    A stream that `is_cut` ends in the middle, as though all were said.
    """

    async def send(request: ChatRequest, connection: Connection) -> None:
        if problem := wrong_with(request):
            await status(400, error={"type": "invalid_request_error", "message": problem})(request, connection)
            return
        said = usage or USAGE
        blocks: list[dict[str, Any]] = []
        if thinking:
            blocks.append({"type": "thinking", "thinking": thinking, "signature": "c2ln"})
        if text is not None:
            blocks.append({"type": "text", "text": text})
        if arguments is not None:
            blocks.append({"type": "tool_use", "id": "toolu_1", "name": _first_tool(request), "input": arguments})
        whole: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL}
        whole["content"] = blocks
        ended = {"stop_reason": stop_reason, "stop_sequence": None}
        if request.streams:
            await _stream(connection, whole, ended, said, is_cut=is_cut)
        else:
            await connection.start()
            await connection.finish(json.dumps({**whole, **ended, "usage": said}).encode())

    return send


async def _stream(
    connection: Connection, whole: dict[str, Any], ended: dict[str, Any], usage: dict[str, Any], *, is_cut: bool
) -> None:
    empty = {**whole, "content": [], "stop_reason": None, "stop_sequence": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**empty, "usage": usage}}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        place: dict[str, Any] = {"index": index}
        start, delta = _started(block)
        events.append({"type": "content_block_start", **place, "content_block": start})
        events.append({"type": "content_block_delta", **place, "delta": delta})
        events.append({"type": "content_block_stop", **place})
    last: list[dict[str, Any]] = [{"type": "message_delta", "delta": ended, "usage": usage}, {"type": "message_stop"}]
    await connection.start(content_type="text/event-stream")
    for event in events[:-1] if is_cut else [*events, *last]:
        await connection.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
    await connection.finish()


def _started(block: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a block begins in a stream, and all the rest of it."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    if block["type"] == "thinking":
        return {**block, "thinking": ""}, {"type": "thinking_delta", "thinking": block["thinking"]}
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def error(code: int, kind: str, headers: dict[str, str] | None = None, message: str = "scripted") -> Answer:
    """Answer with a status and an error object of Anthropic's."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
        await connection.start(code, request_id="req_1", **(headers or {}))
        await connection.finish(json.dumps(body).encode())

    return send


def wrong_with(request: ChatRequest) -> str:
    """What is not the protocol in a request; empty where all is."""
    body = request.body
    if request.path.partition("?")[0] != "/v1/messages" or "anthropic-version" not in request.headers:
        return "path or version"
    if not {"x-api-key", "authorization"} & request.headers.keys():
        return "key"
    if unknown := body.keys() - _MEMBERS:
        return f"unknown members {sorted(unknown)}"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens"
    roles = [said["role"] for said in body["messages"]]
    if roles[:1] != ["user"] or any(role not in {"user", "assistant"} for role in roles):
        return f"roles {roles}"
    contents = [block for said in body["messages"] for block in _blocks(said["content"])]
    return next((problem for block in contents if (problem := _wrong_with_block(block))), _wrong_with_schema(body))


def _blocks(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - as JSON has it
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _wrong_with_block(block: dict[str, Any]) -> str:
    if block["type"] == "text":
        return "" if block["text"].strip() else "empty text"
    if block["type"] == "image" and block["source"]["type"] == "base64":
        base64.b64decode(block["source"]["data"], validate=True)
        return "" if block["source"]["media_type"] in _IMAGES else "media type"
    return f"block {block['type']}"


def _wrong_with_schema(body: dict[str, Any]) -> str:
    form = body.get("output_config", {}).get("format")
    if form and (form["type"] != "json_schema" or form["schema"].get("additionalProperties") is not False):
        return "a schema whose object is open"
    if "tool_choice" in body and not body.get("tools"):
        return "tool_choice without tools"
    return ""


def _first_tool(request: ChatRequest) -> str:
    return str(request.body["tools"][0]["name"])
