"""What a server can answer that speaks Bedrock's Converse API, and what it asks of a request.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html. A request that is not the
protocol is answered with a 400.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from tests.loopback.answers import Answer, ChatRequest, Connection

USAGE = {"inputTokens": 10, "outputTokens": 7, "totalTokens": 17, "cacheReadInputTokens": 4}
"""Tokens of every right answer: 14 read, 4 of them before; 7 written."""
_AROUND = 16
"""Bytes of a frame around its headers and payload."""
_MEMBERS = {"messages", "system", "inferenceConfig", "toolConfig", "outputConfig", "additionalModelRequestFields"}


def converse(
    text: str | None = None, stop_reason: str = "end_turn", *, arguments: dict[str, Any] | None = None
) -> Answer:
    """Answer with a text, or by calling the first tool; as JSON, or as a stream where one is asked for."""

    async def send(request: ChatRequest, connection: Connection) -> None:
        if request.body.keys() - _MEMBERS or not request.headers.get("authorization", "").startswith("AWS4-"):
            await error(400, "ValidationException")(request, connection)
            return
        blocks: list[dict[str, Any]] = [] if text is None else [{"text": text}]
        if arguments is not None:
            name = request.body["toolConfig"]["tools"][0]["toolSpec"]["name"]
            blocks.append({"toolUse": {"toolUseId": "t-1", "name": name, "input": arguments}})
        if request.path.endswith("-stream"):
            await connection.start(content_type="application/vnd.amazon.eventstream")
            await connection.finish(b"".join(_frame(kind, event) for kind, event in _events(blocks, stop_reason)))
            return
        output = {"message": {"role": "assistant", "content": blocks}}
        body = {"output": output, "stopReason": stop_reason, "usage": USAGE, "metrics": {"latencyMs": 1}}
        await connection.start()
        await connection.finish(json.dumps(body).encode())

    return send


def _events(blocks: list[dict[str, Any]], stop_reason: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(blocks):
        place = {"contentBlockIndex": index}
        if "toolUse" in block:
            called = {name: block["toolUse"][name] for name in ("toolUseId", "name")}
            yield "contentBlockStart", {**place, "start": {"toolUse": called}}
            yield "contentBlockDelta", {**place, "delta": {"toolUse": {"input": json.dumps(block["toolUse"]["input"])}}}
        else:
            yield "contentBlockDelta", {**place, "delta": block}
        yield "contentBlockStop", place
    yield "messageStop", {"stopReason": stop_reason}
    yield "metadata", {"usage": USAGE, "metrics": {"latencyMs": 1}}


def _frame(kind: str, event: dict[str, Any]) -> bytes:
    """One event in the encoding of AWS: lengths and headers, the payload, and a checksum of each."""
    named = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()
        for name, value in named.items()
    )
    payload = json.dumps(event).encode()
    lengths = struct.pack("!II", _AROUND + len(headers) + len(payload), len(headers))
    whole = lengths + struct.pack("!I", zlib.crc32(lengths)) + headers + payload
    return whole + struct.pack("!I", zlib.crc32(whole))


def error(code: int, kind: str) -> Answer:
    """Answer with a status and an error of AWS's."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await connection.start(code, x_amzn_errortype=kind, x_amzn_requestid="r-1")
        await connection.finish(b'{"message": "scripted"}')

    return send
