"""The chat-completions protocol: server-sent events, what a provider's JSON says, and what of it is a reply.

Only what an answer needs must be there; what is beside it (tokens, names) may be missing or odd. Events are read as the
WHATWG's standard has it ("Server-sent events", interpreting an event stream), but for the case of fields' names, which
gateways change.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMError, LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.infrastructure.llm.provider_errors import (
    NO_CHOICES,
    NO_TEXT,
    OTHER_CALL,
    SEVERAL_CALLS,
    TOO_LARGE,
    Endpoint,
    error_code,
)

_TEXTS = frozenset({"text", "output_text"})
_THOUGHTS = frozenset({"thinking", "reasoning"})
_ASIDE = frozenset({"reference", "document_url"})
"""Parts beside the text, which are no part of the answer (Mistral)."""
_REASONING = ("reasoning_content", "reasoning")
"""Where providers put reasoning; who sends both sends the same twice."""
_MAY_LACK_TEXT = {FinishReason.LENGTH, FinishReason.TOOL_CALLS, FinishReason.REFUSED}
"""Where an answer without a text is one."""
PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})
"""Names of events that servers keep a connection open with, beside comments and events without data."""


_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")
_LONGEST_BLANK = 4


class ServerEvent(NamedTuple):
    """One event of a stream.

    Attributes:
        raw: its bytes as they came.
        name: of its kind; empty for the usual one.
        data: what it says; empty for a comment, and where it only keeps the connection open.
    """

    raw: bytes
    name: str = ""
    data: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it is the last one of a stream."""
        return self.data.strip().upper() == "[DONE]"

    @classmethod
    def of(cls, raw: bytes) -> ServerEvent:
        """The event that some bytes are.

        Raises:
            ValueError: they are no UTF-8.
        """
        name, data = "", list[str]()
        for line in raw.splitlines():
            field_name, _, value = line.decode().partition(":")  # a comment has no name
            field_name = field_name.strip("\ufeff \t").lower()
            if field_name == "data":
                data.append(value.removeprefix(" "))
            elif field_name == "event":
                name = value.strip().lower()
        return cls(raw, name, "" if name in PINGS else "\n".join(data))


async def server_events(chunks: AsyncIterator[bytes], most: int = sys.maxsize) -> AsyncGenerator[list[ServerEvent]]:
    """The events that end with each chunk; the end of the stream ends the last one. Each byte is looked at once.

    Raises:
        ValueError: bytes that are no UTF-8, or more than `most` of them without an end.
    """
    kept = bytearray()
    async for chunk in chunks:
        start, looked, events = 0, max(0, len(kept) - _LONGEST_BLANK), list[ServerEvent]()
        kept += chunk
        while found := _BLANK_LINE.search(kept, max(start, looked)):
            events.append(ServerEvent.of(bytes(kept[start : found.end()])))
            start = found.end()
        del kept[:start]
        yield events
        if len(kept) > most:
            raise ValueError(most)
    if kept.strip():
        yield [ServerEvent.of(bytes(kept.rstrip()) + b"\n\n")]


async def values(chunks: AsyncIterator[bytes]) -> AsyncGenerator[object]:
    """The decoded value of each event's data, until `[DONE]` or the end of the stream.

    An event named `error` gives an object with the member `error`, which is how a body reports one.

    Raises:
        ValueError: data that is no JSON, or bytes that are no UTF-8.
    """
    async with aclosing(server_events(chunks)) as arrived:
        async for events in arrived:
            for event in events:
                if event.is_done:
                    return
                if event.data:
                    decoded = json.loads(event.data)
                    yield {"error": decoded or event.name} if event.name == "error" else decoded


@dataclass(frozen=True, slots=True)
class Completion:
    """What a provider says of its first choice.

    Attributes:
        text: the answer; None where there is no content.
        reasoning: what the model thought before.
        calls: the functions that it called: name, and arguments as it wrote them.
        finish_reason: as the provider spells it.
        model: the model's name.
        usage: tokens of the call.
        has_choice: whether there is a choice.
    """

    text: str | None
    reasoning: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    finish_reason: str = ""
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    has_choice: bool = True


def to_reply(completion: Completion, endpoint: Endpoint, tool: str | None = None) -> LLMReply:
    """Make a whole completion a reply; the latency is not known here.

    Args:
        completion: what came.
        endpoint: where from.
        tool: the function whose arguments are the answer; None where the text is, whatever is called beside it. A model
            that did not call it has answered in text, which is for the parser to read or to refuse.

    Raises:
        LLMReplyError: there is no choice, no text where one is due, or not the one call that was asked for.
        LLMServerError: the provider broke off.
        Either has the tokens that it cost all the same.
    """
    finish, text, calls = finish_reason_of(completion.finish_reason), completion.text, completion.calls
    error: LLMError | None = None
    if tool is not None and calls:
        text = calls[0][1]
        if len(calls) > 1:
            error = endpoint.error(LLMReplyError, SEVERAL_CALLS)
        elif calls[0][0] not in {tool, ""}:
            error = endpoint.error(LLMReplyError, OTHER_CALL)
    if not completion.has_choice:
        error = endpoint.error(LLMReplyError, NO_CHOICES)
    elif finish is FinishReason.ERROR:
        error = endpoint.error(LLMServerError, reason=completion.finish_reason)
    elif text is None and finish not in _MAY_LACK_TEXT:
        error = endpoint.error(LLMReplyError, NO_TEXT)
    if error is not None:
        error.usage = completion.usage
        raise error
    model = completion.model or endpoint.model
    return LLMReply(_paired(text or ""), finish, model, completion.usage, reasoning=_paired(completion.reasoning))


class CompletionReader:
    """Reads a body, or adds up a stream's chunks.

    Args:
        endpoint: where they come from.
        tool: as for `to_reply`.
    """

    def __init__(self, endpoint: Endpoint, tool: str | None = None) -> None:
        self._endpoint, self._tool = endpoint, tool
        self._finish = self._model = self._half = ""
        self._usage = TokenUsage()
        self._has_choice = True
        self._names: dict[int, str] = {}  # of called functions, by their place
        self._pieces: defaultdict[str | int, list[str]] = defaultdict(list)  # of text and so on, of arguments by place
        self._size = 0

    def add(self, value: object, part_name: str = "delta") -> str:
        """Take a chunk, or a whole body, and return what it has of the answer: text, or the arguments of the call.

        A surrogate that the next chunk may complete is held back.

        Args:
            value: the decoded chunk or body.
            part_name: `message` for a body.

        Raises:
            LLMReplyError: it is not the protocol, or the answer becomes longer than is read.
            LLMServerError: it is the provider's report of a failure, under the status of a success.
        """
        is_chunk = part_name == "delta"
        if is_chunk and _is_object(value) and (not value or value.get("type") == "ping"):
            return ""
        if _is_object(value) and value.get("error"):
            report = value["error"]
            code = error_code(report.get("code")) if _is_object(report) else None
            raise self._endpoint.error(LLMServerError, reason="error in the body", error_code=code)
        if not _is_object(value) or not isinstance(value.get("choices"), list):
            raise self._endpoint.error(LLMReplyError, reason="no object with a list of choices")
        self._model = _text(value.get("model")) or self._model
        self._usage = _usage(value.get("usage")) or self._usage
        first = next((one for one in value["choices"] if not _is_object(one) or not one.get("index")), None)
        if first is None:
            self._has_choice = is_chunk
            return ""
        choice = first if _is_object(first) else {}
        part = choice.get(part_name, {} if is_chunk else None)
        if not _is_object(part) and not is_chunk:
            raise self._endpoint.error(LLMReplyError, reason="a choice without a message")
        self._finish = _text(choice.get("finish_reason")) or self._finish
        return self._without_half(self._read(part if _is_object(part) else {}))

    def rest(self) -> str:
        """What was held back."""
        return _paired(self._half)

    def reply(self) -> LLMReply:
        """Everything so far as a reply.

        Raises:
            LLMError: as for `to_reply`.
        """
        whole = {name: "".join(pieces) for name, pieces in self._pieces.items()}
        finish = FinishReason.REFUSED if whole.get("refusal") else self._finish
        calls = [(name, whole[place]) for place, name in self._names.items()]
        reasoning = whole.get("reasoning", "")
        completion = Completion(whole.get("text"), reasoning, calls, finish, self._model, self._usage, self._has_choice)
        return to_reply(completion, self._endpoint, self._tool)

    def _read(self, part: dict[str, Any]) -> str:
        """Read a message or a delta."""
        content = part.get("content")
        parts = content if isinstance(content, list) else [] if content is None else [content]
        found: defaultdict[str, list[str]] = defaultdict(list)
        for piece in parts:
            kind, text = kind_and_text(piece)
            if kind is None:
                raise self._endpoint.error(LLMReplyError, reason="content that is no text")
            found[kind].append(text)
        joined = defaultdict(str, {kind: "".join(texts) for kind, texts in found.items()})
        thought = next((text for name in _REASONING if (text := _text(part.get(name)))), joined["reasoning"])
        self._keep("reasoning", thought)
        self._keep("refusal", _text(part.get("refusal")) or joined["refusal"])
        is_silent = isinstance(content, list) and not (joined["reasoning"] or joined["refusal"])
        if "text" in joined or is_silent:
            self._keep("text", joined["text"])
        shown = joined["text"]
        calls = part.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else []):
            function = call.get("function") if _is_object(call) else None
            if _is_object(function):
                at = call["index"] if isinstance(call.get("index"), int) else place
                arguments = function.get("arguments")  # which some servers decode
                written = json.dumps(arguments, ensure_ascii=False) if _is_object(arguments) else _text(arguments)
                self._names[at] = self._names.get(at) or _text(function.get("name"))  # once, or with every piece
                self._keep(at, written)
                shown += written if self._tool is not None else ""
        return shown

    def _keep(self, name: str | int, text: str) -> None:
        self._pieces[name].append(text)
        self._size += len(text)
        most = self._endpoint.max_bytes
        if self._size > most:
            raise self._endpoint.error(LLMReplyError, TOO_LARGE, reason=f"> {most} bytes", max_bytes=most)

    def _without_half(self, text: str) -> str:
        if not text:
            return ""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return _paired(text)


def kind_and_text(piece: object) -> tuple[str | None, str]:
    """Whether a part of the content is text, reasoning, a refusal or aside, and what it says; None: it is none."""
    if isinstance(piece, str):
        return "text", piece
    kind = piece.get("type") if _is_object(piece) else None
    if not _is_object(piece) or not isinstance(kind, str):
        return None, ""
    if kind in _TEXTS:
        text = piece.get("text")
        return ("text", text) if isinstance(text, str) else (None, "")
    if kind in _THOUGHTS:
        thought = next((piece[name] for name in (*_THOUGHTS, "text") if piece.get(name)), "")
        if isinstance(thought, list):  # Mistral
            thought = "".join(_text(part.get("text")) for part in thought if _is_object(part))
        return "reasoning", _text(thought)
    if kind == "refusal":
        return "refusal", _text(piece.get("refusal"))
    return ("aside" if kind in _ASIDE else None), ""


def _usage(value: object) -> TokenUsage | None:
    if not _is_object(value):
        return None
    written, read = value.get("completion_tokens_details"), value.get("prompt_tokens_details")
    reasoning = written.get("reasoning_tokens") if _is_object(written) else 0
    cached = read.get("cached_tokens") if _is_object(read) else value.get("prompt_cache_hit_tokens")  # DeepSeek's name
    asked, answered = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    return TokenUsage(asked, answered, _count(reasoning), _count(cached))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _text(value: object) -> str:
    """The value, if it is a text."""
    return value if isinstance(value, str) else ""


def _paired(text: str) -> str:
    """Join surrogates that a provider wrote as two escapes, in two chunks perhaps; a lone one becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
