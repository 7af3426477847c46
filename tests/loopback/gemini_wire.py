"""What a server can answer that speaks Gemini's `generateContent`, and what it asks of a request.

Source: https://ai.google.dev/api/generate-content. A request that is not the protocol is answered with a 400.
"""

import base64
import json
from typing import Any

from tests.loopback.answers import Answer, ChatRequest, Connection

MODEL = "gemini-loopback-1"
USAGE = {
    "promptTokenCount": 10,
    "cachedContentTokenCount": 4,
    "candidatesTokenCount": 5,
    "thoughtsTokenCount": 2,
    "totalTokenCount": 17,
}
"""Tokens of every right answer: 10 read, 4 of them before; 7 written, 2 of them reasoning."""
_MEMBERS = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig", "safetySettings"}
_CONFIG = {
    *("temperature", "maxOutputTokens", "stopSequences", "responseModalities"),
    *("responseMimeType", "responseJsonSchema", "thinkingConfig"),
}


def content(
    text: str | None = None,
    finish_reason: str | None = "STOP",
    *,
    thought: str = "",
    arguments: dict[str, Any] | None = None,
    usage: dict[str, Any] | None = None,
) -> Answer:
    """Answer with a text, or by calling the first function with these arguments."""

    async def send(request: ChatRequest, connection: Connection) -> None:
        if problem := wrong_with(request):
            await error(400, "INVALID_ARGUMENT", message=problem)(request, connection)
            return
        parts: list[dict[str, Any]] = []
        if thought:
            parts.append({"text": thought, "thought": True})
        if text is not None:
            parts.append({"text": text})
        if arguments is not None:
            name = request.body["tools"][0]["functionDeclarations"][0]["name"]
            parts.append({"functionCall": {"name": name, "args": arguments}})
        candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if finish_reason is not None:
            candidate["finishReason"] = finish_reason
        await _send(connection, {"candidates": [candidate], "usageMetadata": usage or USAGE})

    return send


def blocked(reason: str = "PROHIBITED_CONTENT") -> Answer:
    """Answer that the prompt was blocked: no candidate at all."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        await _send(connection, {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 10}})

    return send


def error(code: int, name: str, *, message: str = "scripted", retry_delay: str = "", exceeded: str = "") -> Answer:
    """Answer with a status and an error of Google's; in its details the wait, and the quota that was exceeded."""

    async def send(_: ChatRequest, connection: Connection) -> None:
        told: dict[str, Any] = {"code": code, "message": message, "status": name}
        wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry_delay}
        quota = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": exceeded}]}
        told["details"] = [*([wait] if retry_delay else []), *([quota] if exceeded else [])]
        await connection.start(code)
        await connection.finish(json.dumps({"error": told}).encode())

    return send


async def _send(connection: Connection, body: dict[str, Any]) -> None:
    await connection.start()
    await connection.finish(json.dumps({**body, "modelVersion": MODEL, "responseId": "r-1"}).encode())


def wrong_with(request: ChatRequest) -> str:
    """What is not the protocol in a request; empty where all is."""
    body = request.body
    if not request.path.startswith("/v1beta/models/") or "x-goog-api-key" not in request.headers:
        return "path or key"
    if unknown := (body.keys() - _MEMBERS) | (body.get("generationConfig", {}).keys() - _CONFIG):
        return f"unknown members {sorted(unknown)}"
    if any(said["role"] not in {"user", "model"} for said in body["contents"]):
        return "roles"
    return next((problem for said in body["contents"] for part in said["parts"] if (problem := _wrong(part))), "")


def _wrong(part: dict[str, Any]) -> str:
    if "inlineData" in part:
        data = part["inlineData"]
        base64.b64decode(data["data"], altchars=b"-_", validate=True)
        kind = data.get("mimeType") or data.get("mime_type") or ""
        return "" if kind.startswith("image/") else "media type"
    return "" if isinstance(part.get("text"), str) else f"part {sorted(part)}"
