"""Breaks answers in twenty-one ways; each way knows what a client may get of it, if it is no error."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.entrypoints.gateway.gateways import TOOLS
from tests.loopback.answers import Answer, ChatRequest, Connection, answer, cut_body, raw, status, tool_call
from tools.attack.damaged import damaged_document
from tools.attack.damages import KINDS
from tools.attack.documents import any_document
from tools.attack.outcome import same
from tools.attack.reader import Accepted, read

OBJECT: Any = {"type": "json_object"}
ARGUMENTS = {"q": 'the "green" tea, 茶', "n": 3}


class Broken(NamedTuple):
    """An answer that is broken.

    Attributes:
        answer: what the upstream sends.
        asked: what the request asks for.
        may: the values that a client may get; none where only an error is right.
        calls: whether the value is the arguments of a call.
    """

    answer: Answer
    asked: dict[str, Any]
    may: tuple[Any, ...] = ()
    calls: bool = False

    def holds(self, content: str | None, calls: list[list[str]]) -> bool:
        """Whether what a client got is right."""
        try:
            if self.calls:
                values = [json.loads(arguments) for name, arguments in calls if name == "search"]
                return len(calls) == 1 and any(same(values, [value]) for value in self.may)
            return not calls and any(same(json.loads(content or ""), value) for value in self.may)
        except ValueError:
            return False


def _json(text: str, *may: Any, finish: str | None = "stop") -> Broken:  # noqa: ANN401 - JSON
    return Broken(answer(text, finish), {"response_format": OBJECT}, may)


def _called(text: str, *may: Any) -> Broken:  # noqa: ANN401 - JSON
    return Broken(answer(text), {"tools": TOOLS}, may, calls=True)


def _argued(arguments: Any, *may: Any, name: str = "search") -> Broken:  # noqa: ANN401 - JSON
    call = tool_call(name, arguments)
    return Broken(answer(None, "tool_calls", tool_calls=[call]), {"tools": TOOLS}, may, calls=True)


def _damaged(number: int, rng: Random) -> Broken:
    damaged = damaged_document(number, rng)
    return _json(damaged.text, damaged.document, *damaged.plain) if damaged else _empty(number, rng)


def _twice(number: int, rng: Random) -> Broken:
    """Two damages may say another thing, or the first one may be gone: then it is what the parser reads."""
    damaged = damaged_document(number + len(KINDS), rng)
    if damaged is None:
        return _empty(number, rng)
    reading = read(damaged.text, finished=True)
    return _json(
        damaged.text, damaged.document, *damaged.plain, *([reading.data] if isinstance(reading, Accepted) else [])
    )


def _document(rng: Random) -> tuple[Any, str]:
    document = any_document(rng)
    return document, json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 2)))


def _fenced(_: int, rng: Random) -> Broken:
    document, text = _document(rng)
    return _json(f"Here you are:\n\n```json\n{text}\n```\nAnything else?", document)


def _thought(_: int, rng: Random) -> Broken:
    document, text = _document(rng)
    return _json(f'<think>what about {{"a": 1}}? no</think>\n\n{text}', document)


def _parts(_: int, rng: Random) -> Broken:
    document, text = _document(rng)
    parts: Any = [{"type": "text", "text": text[:9]}, {"type": "text", "text": text[9:]}]

    async def send(request: ChatRequest, connection: Connection) -> None:
        await answer(text)(request, connection) if request.streams else await answer(parts)(request, connection)

    return Broken(send, {"response_format": OBJECT}, (document,))


def _cut(_: int, rng: Random) -> Broken:
    _, text = _document(rng)
    return _json(text[: rng.randrange(len(text))], finish="length")


def _cut_silently(_: int, rng: Random) -> Broken:
    _, text = _document(rng)
    return _json(text[: rng.randrange(len(text))], finish=None)


def _empty(_: int, __: Random) -> Broken:
    return _json("")


def _hung_up(_: int, __: Random) -> Broken:
    async def send(_: ChatRequest, __: Connection) -> None:
        pass

    return Broken(send, {"response_format": OBJECT})


def _half_a_body(_: int, rng: Random) -> Broken:
    return Broken(cut_body(text=_document(rng)[1] * 3), {"response_format": OBJECT})


def _no_body(content: bytes, kind: str = "application/json", code: int = 200) -> Callable[[int, Random], Broken]:
    async def send(request: ChatRequest, connection: Connection) -> None:
        in_stream = request.streams and kind == "application/json"
        body = b"data: " + content + b"\n\n" if in_stream else content
        await raw(body, "text/event-stream" if in_stream else kind, code)(request, connection)

    return lambda _, __: Broken(send, {"response_format": OBJECT})


def _failed(code: int) -> Callable[[int, Random], Broken]:
    return lambda _, __: Broken(status(code, {"retry-after": "1"}), {"response_format": OBJECT})


def _cut_arguments(_: int, rng: Random) -> Broken:
    written = json.dumps(ARGUMENTS)
    return _argued(written[: rng.randrange(1, len(written))])


_CALL = json.dumps({"name": "search", "arguments": ARGUMENTS}, ensure_ascii=False)
WAYS: dict[str, Callable[[int, Random], Broken]] = {
    "damaged": _damaged,
    "damaged twice": _twice,
    "fenced": _fenced,
    "thought": _thought,
    "in parts": _parts,
    "cut at the limit": _cut,
    "cut silently": _cut_silently,
    "empty": _empty,
    "leaked as Hermes writes it": lambda _, __: _called(f"<tool_call>\n{_CALL}\n</tool_call>", ARGUMENTS),
    "leaked as Mistral writes it": lambda _, __: _called(f"I look. [TOOL_CALLS][{_CALL}]", ARGUMENTS),
    "leaked and cut": lambda _, rng: _called(f"<tool_call>{_CALL[: rng.randrange(2, 30)]}"),
    "arguments as Python": lambda _, __: _argued(repr(ARGUMENTS), ARGUMENTS),
    "arguments cut": _cut_arguments,
    "another tool": lambda _, __: _argued(json.dumps(ARGUMENTS), name="delete"),
    "connection dropped": _hung_up,
    "body cut": _half_a_body,
    "HTML": _no_body(b"<html>", "text/html"),
    "broken JSON": _no_body(b'{"choices": [{"message"'),
    "an error as success": _no_body(b'{"error": {"message": "overloaded"}}'),
    "500": _failed(500),
    "429": _failed(429),
}


def broken_answer(number: int, seed: int = 0) -> Broken:
    """The answer of a number: every way in turn."""
    ways = [*WAYS.values()]
    return ways[number % len(ways)](number // len(ways), Random(f"{seed} {number}"))  # noqa: S311 - no secret
