"""The chat-completions protocol: what a provider's JSON says, field by field, and what of it is a reply.

Only what an answer needs must be there; what is beside it (tokens, names) may be missing or odd.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMError, LLMReplyError, LLMServerError
from src.shared.domain.ports.llm import FinishReason, LLMReply, TokenUsage
from src.shared.infrastructure.llm.http.vendor_errors import error_code
from src.shared.infrastructure.llm.provider_errors import (
    NO_CHOICES,
    NO_TEXT,
    OTHER_CALL,
    SEVERAL_CALLS,
    TOO_LARGE,
    Endpoint,
)

_TEXTS = frozenset({"text", "output_text"})
_THOUGHTS = frozenset({"thinking", "reasoning"})
_REFUSAL = "refusal"
_ASIDE = frozenset({"reference", "document_url"})
"""Parts beside the text, which are no part of the answer (Mistral)."""
_REASONING = ("reasoning_content", "reasoning")
"""Where providers put reasoning; who sends both sends the same twice."""


@dataclass(slots=True)
class FunctionCall:
    """A function that the model called, or a piece of the call; the arguments are the model's own text."""

    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Part:
    """What a message holds; `text` is None where there is no content, `calls` are by their place."""

    text: str | None = None
    refusal: str = ""
    reasoning: str = ""
    calls: dict[int, FunctionCall] = field(default_factory=dict)


def _part(message: dict[str, Any], endpoint: Endpoint) -> Part:
    """Read a message or a delta."""
    content = message.get("content")
    part = _of_content(content, endpoint) if isinstance(content, list) else Part(content)
    if part.text is not None and not isinstance(part.text, str):
        raise _no_text(endpoint)
    thought = next((said for name in _REASONING if (said := text_of(message.get(name)))), "")
    part.reasoning = thought or part.reasoning
    part.refusal = text_of(message.get(_REFUSAL)) or part.refusal
    part.calls = _calls(message.get("tool_calls"))
    return part


def joined(pieces: Iterable[FunctionCall]) -> FunctionCall:
    """The pieces of one call together; the name comes once, or again with every piece."""
    pieces = list(pieces)
    name = next((piece.name for piece in pieces if piece.name), "")
    return FunctionCall(name, "".join(piece.arguments for piece in pieces))


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a decoded value is an object."""
    return isinstance(value, dict)


def text_of(value: object) -> str:
    """The value, if it is a text."""
    return value if isinstance(value, str) else ""


def _no_text(endpoint: Endpoint) -> LLMError:
    return endpoint.error(LLMReplyError, reason="content that is no text")


def _of_content(content: list[Any], endpoint: Endpoint) -> Part:
    texts: list[str] = []
    part = Part()
    for piece in content:
        kind = piece.get("type") if is_object(piece) else "text"
        if kind in _TEXTS:
            texts.append(_said(piece, endpoint))
        elif kind in _THOUGHTS:
            part.reasoning += _thought(piece)
        elif kind == _REFUSAL:
            part.refusal += text_of(piece.get(_REFUSAL))
        elif kind not in _ASIDE:
            raise _no_text(endpoint)
    part.text = "".join(texts) if texts or not (part.reasoning or part.refusal) else None
    return part


def _said(piece: object, endpoint: Endpoint) -> str:
    said = piece.get("text") if is_object(piece) else piece
    if not isinstance(said, str):
        raise _no_text(endpoint)
    return said


def _thought(piece: dict[str, Any]) -> str:
    """A text, or parts of one (Mistral)."""
    thought = next((piece[name] for name in (*_THOUGHTS, "text") if piece.get(name)), "")
    if isinstance(thought, list):
        return "".join(text_of(part.get("text")) for part in thought if is_object(part))
    return text_of(thought)


def _calls(value: object) -> dict[int, FunctionCall]:
    calls: dict[int, FunctionCall] = {}
    for place, call in enumerate(value if isinstance(value, list) else []):
        function = call.get("function") if is_object(call) else None
        if is_object(function):
            at = call["index"] if isinstance(call.get("index"), int) else place
            calls[at] = FunctionCall(text_of(function.get("name")), _arguments(function.get("arguments")))
    return calls


def _arguments(value: object) -> str:
    """The arguments as text; some servers decode them."""
    return json.dumps(value, ensure_ascii=False) if is_object(value) else text_of(value)


_MAY_LACK_TEXT = {FinishReason.LENGTH, FinishReason.TOOL_CALLS, FinishReason.REFUSED}
"""Where an answer without a text is one."""
_PING = "ping"


@dataclass(slots=True)
class Completion:
    """One body or one chunk.

    Attributes:
        part: of the first choice; None where there is no choice.
        finish_reason: of the first choice, as the provider spells it; empty where there is none yet.
        model: the model's name.
        usage: tokens of the call; None where they are not given.
    """

    part: Part | None = None
    finish_reason: str = ""
    model: str = ""
    usage: TokenUsage | None = None


@dataclass(slots=True)
class Collected:
    """A stream's chunks, added up; `tool` as for `to_reply`."""

    endpoint: Endpoint
    tool: str | None = None
    texts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    reasonings: list[str] = field(default_factory=list)
    calls: dict[int, list[FunctionCall]] = field(default_factory=dict)
    whole: Completion = field(default_factory=Completion)
    has_text: bool = False
    size: int = 0

    def add(self, chunk: object) -> str:
        """Take one chunk and return what it has of the answer: text, or the arguments of the call that was asked for.

        Raises:
            LLMReplyError: it is none, or the answer becomes longer than is read.
        """
        if _is_ping(chunk):
            return ""
        read = read_completion(chunk, "delta", self.endpoint)
        self.whole.finish_reason = read.finish_reason or self.whole.finish_reason
        self.whole.model = read.model or self.whole.model
        self.whole.usage = read.usage or self.whole.usage
        part = read.part or Part()
        self._count(part)
        self.refusals.append(part.refusal)
        self.reasonings.append(part.reasoning)
        for place, piece in part.calls.items():
            self.calls.setdefault(place, []).append(piece)
        if part.text is not None:
            self.has_text = True
            self.texts.append(part.text)
        called = "".join(piece.arguments for piece in part.calls.values()) if self.tool is not None else ""
        return (part.text or "") + called

    def _count(self, part: Part) -> None:
        called = sum(len(piece.name) + len(piece.arguments) for piece in part.calls.values())
        self.size += len(part.text or "") + len(part.refusal) + len(part.reasoning) + called
        most = self.endpoint.max_bytes
        if self.size > most:
            raise self.endpoint.error(LLMReplyError, TOO_LARGE, reason=f"> {most} bytes", max_bytes=most)

    def completion(self) -> Completion:
        """Everything so far as one body."""
        text = "".join(self.texts) if self.has_text else None
        calls = {place: joined(pieces) for place, pieces in self.calls.items()}
        part = Part(text, "".join(self.refusals), "".join(self.reasonings), calls)
        return Completion(part, self.whole.finish_reason, self.whole.model, self.whole.usage)


def read_completion(value: object, part_name: str, endpoint: Endpoint) -> Completion:
    """Read a body (`part_name` is `message`) or a chunk of a stream (`delta`).

    Raises:
        LLMReplyError: it is not the protocol.
        LLMServerError: it is the provider's report of a failure, under the status of a success.
    """
    if is_object(value) and value.get("error"):
        report = value["error"]
        code = error_code(report.get("code")) if is_object(report) else None
        raise endpoint.error(LLMServerError, reason="error in the body", error_code=code)
    if not is_object(value) or not isinstance(value.get("choices"), list):
        raise endpoint.error(LLMReplyError, reason="no object with a list of choices")
    completion = Completion(model=text_of(value.get("model")), usage=_usage(value.get("usage")))
    first = next((choice for choice in value["choices"] if not is_object(choice) or not choice.get("index")), None)
    if first is None:
        return completion
    part = first.get(part_name) if is_object(first) else None
    if not is_object(part) and part_name == "message":
        raise endpoint.error(LLMReplyError, reason="a choice without a message")
    completion.part = _part(part if is_object(part) else {}, endpoint)
    completion.finish_reason = text_of(first.get("finish_reason")) if is_object(first) else ""
    return completion


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
    try:
        return _reply(completion, endpoint, tool)
    except LLMError as error:
        error.usage = completion.usage or TokenUsage()
        raise


def _reply(completion: Completion, endpoint: Endpoint, tool: str | None) -> LLMReply:
    part = completion.part
    if part is None:
        raise endpoint.error(LLMReplyError, NO_CHOICES)
    finish = finish_reason_of(completion.finish_reason)
    if part.refusal:
        finish = FinishReason.REFUSED
    if finish is FinishReason.ERROR:
        raise endpoint.error(LLMServerError, reason=completion.finish_reason)
    if tool is not None and part.calls:
        part.text = _called(part.calls, tool, endpoint)
    if part.text is None and finish not in _MAY_LACK_TEXT:
        raise endpoint.error(LLMReplyError, NO_TEXT)
    usage, model = completion.usage or TokenUsage(), completion.model or endpoint.model
    return LLMReply(paired(part.text or ""), finish, model, usage, reasoning=paired(part.reasoning))


def _called(calls: dict[int, FunctionCall], tool: str, endpoint: Endpoint) -> str:
    """The arguments of the one call that was asked for."""
    if len(calls) > 1:
        raise endpoint.error(LLMReplyError, SEVERAL_CALLS)
    (call,) = calls.values()
    if call.name not in {tool, ""}:
        raise endpoint.error(LLMReplyError, OTHER_CALL)
    return call.arguments


def _is_ping(chunk: object) -> bool:
    """Whether a chunk says nothing: what gateways send as data to keep a connection open."""
    return is_object(chunk) and (not chunk or chunk.get("type") == _PING)


def _usage(value: object) -> TokenUsage | None:
    if not is_object(value):
        return None
    details = value.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if is_object(details) else 0
    read = value.get("prompt_tokens_details")
    cached = read.get("cached_tokens") if is_object(read) else value.get("prompt_cache_hit_tokens")  # DeepSeek's name
    written, asked = _count(value.get("completion_tokens")), _count(value.get("prompt_tokens"))
    return TokenUsage(asked, written, _count(reasoning), _count(cached))


def paired(text: str) -> str:
    """Join surrogates that a provider wrote as two escapes, in two chunks perhaps; a lone one becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
