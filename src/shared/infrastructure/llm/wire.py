"""The chat-completions protocol: what a provider's JSON says, field by field, and what of it is a reply.

Only what an answer needs must be there; what is beside it (tokens, names) may be missing or odd.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, TypeGuard

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
)
from src.shared.infrastructure.llm.vendor_errors import error_code

_TEXTS = frozenset({"text", "output_text"})
_THOUGHTS = frozenset({"thinking", "reasoning"})
_REFUSAL = "refusal"
_ASIDE = frozenset({"reference", "document_url"})
"""Parts beside the text, which are no part of the answer (Mistral)."""
_REASONING = ("reasoning_content", "reasoning")
"""Where providers put reasoning; who sends both sends the same twice."""
_MAY_LACK_TEXT = {FinishReason.LENGTH, FinishReason.TOOL_CALLS, FinishReason.REFUSED}
"""Where an answer without a text is one."""
_PING = "ping"


@dataclass(slots=True)
class FunctionCall:
    """A function that the model called, or a piece of the call; the arguments are the model's own text."""

    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Completion:
    """What one body or one chunk says of its first choice.

    Attributes:
        text: the answer; None where there is no content.
        refusal: why the model declined to answer.
        reasoning: what it thought before.
        calls: the functions that it called, by their place.
        finish_reason: as the provider spells it; empty where there is none yet.
        model: the model's name.
        usage: tokens of the call; None where they are not given.
        has_choice: whether there is a choice.
    """

    text: str | None = None
    refusal: str = ""
    reasoning: str = ""
    calls: dict[int, FunctionCall] = field(default_factory=dict)
    finish_reason: str = ""
    model: str = ""
    usage: TokenUsage | None = None
    has_choice: bool = True


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
        completion.has_choice = False
        return completion
    part = first.get(part_name) if is_object(first) else None
    if not is_object(part) and part_name == "message":
        raise endpoint.error(LLMReplyError, reason="a choice without a message")
    _read_part(part if is_object(part) else {}, completion, endpoint)
    completion.finish_reason = text_of(first.get("finish_reason")) if is_object(first) else ""
    return completion


def _read_part(part: dict[str, Any], completion: Completion, endpoint: Endpoint) -> None:
    """Read a message or a delta."""
    content = part.get("content")
    if isinstance(content, list):
        _read_content(content, completion, endpoint)
    elif content is None or isinstance(content, str):
        completion.text = content
    else:
        raise _no_text(endpoint)
    thought = next((text for name in _REASONING if (text := text_of(part.get(name)))), "")
    completion.reasoning = thought or completion.reasoning
    completion.refusal = text_of(part.get(_REFUSAL)) or completion.refusal
    calls = part.get("tool_calls")
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        function = call.get("function") if is_object(call) else None
        if is_object(function):
            at = call["index"] if isinstance(call.get("index"), int) else place
            arguments = function.get("arguments")  # which some servers decode
            written = json.dumps(arguments, ensure_ascii=False) if is_object(arguments) else text_of(arguments)
            completion.calls[at] = FunctionCall(text_of(function.get("name")), written)


def _read_content(content: list[Any], completion: Completion, endpoint: Endpoint) -> None:
    texts: list[str] = []
    for piece in content:
        kind = piece.get("type") if is_object(piece) else "text"
        if kind in _TEXTS:
            text = piece.get("text") if is_object(piece) else piece
            if not isinstance(text, str):
                raise _no_text(endpoint)
            texts.append(text)
        elif kind in _THOUGHTS:
            completion.reasoning += _thought(piece)
        elif kind == _REFUSAL:
            completion.refusal += text_of(piece.get(_REFUSAL))
        elif kind not in _ASIDE:
            raise _no_text(endpoint)
    completion.text = "".join(texts) if texts or not (completion.reasoning or completion.refusal) else None


def _thought(piece: dict[str, Any]) -> str:
    """A text, or parts of one (Mistral)."""
    thought = next((piece[name] for name in (*_THOUGHTS, "text") if piece.get(name)), "")
    if isinstance(thought, list):
        return "".join(text_of(part.get("text")) for part in thought if is_object(part))
    return text_of(thought)


def _no_text(endpoint: Endpoint) -> LLMError:
    return endpoint.error(LLMReplyError, reason="content that is no text")


def _usage(value: object) -> TokenUsage | None:
    if not is_object(value):
        return None
    details = value.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if is_object(details) else 0
    read = value.get("prompt_tokens_details")
    cached = read.get("cached_tokens") if is_object(read) else value.get("prompt_cache_hit_tokens")  # DeepSeek's name
    written, asked = _count(value.get("completion_tokens")), _count(value.get("prompt_tokens"))
    return TokenUsage(asked, written, _count(reasoning), _count(cached))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a decoded value is an object."""
    return isinstance(value, dict)


def text_of(value: object) -> str:
    """The value, if it is a text."""
    return value if isinstance(value, str) else ""


class ChunkCollector:
    """Adds up a stream's chunks to one completion."""

    def __init__(self, endpoint: Endpoint, tool: str | None = None) -> None:
        """`tool`: as for `to_reply`."""
        self._endpoint, self._tool = endpoint, tool
        self._whole = Completion()
        self._text, self._refusal, self._reasoning = StringIO(), StringIO(), StringIO()
        self._arguments: dict[int, StringIO] = {}
        self._size = 0
        self._half = ""

    def add(self, chunk: object) -> str:
        """Take one chunk and return what it has of the answer: text, or the arguments of the call that was asked for.

        A surrogate that the next chunk may complete is held back.

        Raises:
            LLMReplyError: it is none, or the answer becomes longer than is read.
        """
        if is_object(chunk) and (not chunk or chunk.get("type") == _PING):  # what gateways keep a connection open with
            return ""
        read, whole = read_completion(chunk, "delta", self._endpoint), self._whole
        whole.finish_reason = read.finish_reason or whole.finish_reason
        whole.model = read.model or whole.model
        whole.usage = read.usage or whole.usage
        self._count(read)
        if read.text is not None:
            whole.text = ""
            self._text.write(read.text)
        self._refusal.write(read.refusal)
        self._reasoning.write(read.reasoning)
        for place, piece in read.calls.items():
            call = whole.calls.setdefault(place, FunctionCall())
            call.name = call.name or piece.name  # which comes once, or again with every piece
            self._arguments.setdefault(place, StringIO()).write(piece.arguments)
        called = "".join(piece.arguments for piece in read.calls.values()) if self._tool is not None else ""
        return self._without_half((read.text or "") + called)

    def _count(self, read: Completion) -> None:
        called = sum(len(piece.name) + len(piece.arguments) for piece in read.calls.values())
        self._size += len(read.text or "") + len(read.refusal) + len(read.reasoning) + called
        most = self._endpoint.max_bytes
        if self._size > most:
            raise self._endpoint.error(LLMReplyError, TOO_LARGE, reason=f"> {most} bytes", max_bytes=most)

    def _without_half(self, text: str) -> str:
        if not text:
            return ""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return paired(text)

    def rest(self) -> str:
        """What was held back."""
        return paired(self._half)

    def completion(self) -> Completion:
        """Everything so far as one body."""
        whole = self._whole
        whole.text = None if whole.text is None else self._text.getvalue()
        whole.refusal, whole.reasoning = self._refusal.getvalue(), self._reasoning.getvalue()
        for place, arguments in self._arguments.items():
            whole.calls[place].arguments = arguments.getvalue()
        return whole


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
    finish = FinishReason.REFUSED if completion.refusal else finish_reason_of(completion.finish_reason)
    usage, text, calls = completion.usage or TokenUsage(), completion.text, [*completion.calls.values()]
    error: LLMError | None = None
    if tool is not None and calls:
        text = calls[0].arguments
        if len(calls) > 1:
            error = endpoint.error(LLMReplyError, SEVERAL_CALLS)
        elif calls[0].name not in {tool, ""}:
            error = endpoint.error(LLMReplyError, OTHER_CALL)
    if not completion.has_choice:
        error = endpoint.error(LLMReplyError, NO_CHOICES)
    elif finish is FinishReason.ERROR:
        error = endpoint.error(LLMServerError, reason=completion.finish_reason)
    elif text is None and finish not in _MAY_LACK_TEXT:
        error = endpoint.error(LLMReplyError, NO_TEXT)
    if error is not None:
        error.usage = usage
        raise error
    model = completion.model or endpoint.model
    return LLMReply(paired(text or ""), finish, model, usage, reasoning=paired(completion.reasoning))


def paired(text: str) -> str:
    """Join surrogates that a provider wrote as two escapes, in two chunks perhaps; a lone one becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
