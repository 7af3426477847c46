"""Streamed completions: what is settled is sent and never taken back, in the upstream's own events while it is clean.

The events of a choice wait until all that stands in them is settled. What is damaged comes in events of the gateway.
Calls of tools come when their last byte is there.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict, deque
from collections.abc import Mapping
from io import StringIO
from typing import Any, NamedTuple

from starlette.types import Send

from src.entrypoints.gateway.api_errors import OURS, api_error, no_completion
from src.entrypoints.gateway.completions import REASONING, Asking, make_plain, strict_bytes, write_choice
from src.entrypoints.gateway.settled_text import SettledJson, settled_text
from src.entrypoints.gateway.upstream import (
    NOT_READ,
    Headers,
    answer_timeout,
    broken,
    passed_headers,
    send_whole,
    too_large,
)
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Phrase
from src.shared.infrastructure.llm.wire import ServerEvent, server_events

MEDIA_TYPE = "text/event-stream"
LIVE_PIECE, LIVE_TEXT = 16_384, 1_048_576
"""Characters of a piece, and of a text, up to which it is sent as it comes; a longer one is sent at its end."""
_OF_AN_ANSWER = frozenset({"role", "content", "tool_calls"})
_GROWING = frozenset({"content", "refusal", "function_call", "arguments", "input"})
"""What of a message, and of a call, comes in pieces."""
_TAKEN_BACK = Phrase("the end of the answer takes back what was sent of it already")
_LONGEST_REPORT = 2_000


class _Pending(NamedTuple):
    """An event that waits: where the text ends with it, and what it has beside text and calls."""

    event: ServerEvent
    end: int = 0
    beside: Mapping[str, Any] = {}


class _ChoiceStream:
    """One choice as it comes.

    Attributes:
        members: of its first chunk, for chunks of the gateway's own.
        finish: why the model stopped; None before.
        is_own: whether all that was sent of it is the upstream's own.
        size: characters that are kept of its text and its calls.
        waiting: its events that are not sent yet.
        kept: bytes of these.
    """

    def __init__(self, members: Mapping[str, Any], index: int, asking: Asking) -> None:
        """Begin with the members of its first chunk."""
        self.members = {name: value for name, value in members.items() if name not in {"choices", "usage"}}
        self.finish: object = None
        self.is_own, self.size, self.kept, self.waiting = True, 0, 0, deque[_Pending]()
        self._index, self._is_plain, self._has_begun, self._text = index, True, False, StringIO()
        self._message: dict[str, Any] = {"role": "assistant", "content": self._text}
        self._calls = defaultdict[int, dict[str, Any]](dict)
        self._settled = settled_text(asking.request.contract, asking.gateway.schemas)
        self._is_live, self._looked = self._settled is not None, 0
        self._sent: dict[str, str] = {REASONING: "", "content": ""}
        self._sent_end, self._sent_calls = 0, list[Any]()

    # --- what comes ---

    def add(self, event: ServerEvent, choice: Mapping[str, Any], delta: dict[str, Any]) -> _Pending | None:
        """Take the next event; one behind the end is given back."""
        self._is_plain &= make_plain(delta)
        text, calls = delta.get("content") or "", delta.get("tool_calls") or []
        if self.finish and (text or calls):
            raise no_completion()
        self.size += _put_together(self._message, {name: delta[name] for name in _GROWING & delta.keys()})
        for place, call in enumerate(calls):
            at = call["index"] if isinstance(call.get("index"), int) else place
            self.size += _put_together(self._calls[at], call)
        is_text = self._is_plain and not calls and not delta.get("function_call")
        self._is_live &= is_text and len(text) <= LIVE_PIECE and self._text.tell() <= LIVE_TEXT
        self.finish = self.finish or choice.get("finish_reason")
        beside = {name: value for name, value in delta.items() if value and name not in _OF_AN_ANSWER}
        pending = _Pending(event, self._text.tell(), beside)
        if self.finish:
            return pending
        self.waiting.append(pending)
        self.kept += len(event.raw)
        return None

    def settle(self) -> list[bytes]:
        """What is to be sent for all that came since the last time; behind the end nothing, since it is read there."""
        if self.finish or not self._is_live or self._settled is None or self._text.tell() == self._looked:
            return []
        self._text.seek(self._looked)
        piece = self._text.read()
        self._looked += len(piece)
        if reading := self._settled.feed(piece, self._text):
            choice = self.whole()
            write_choice(choice, reading)
            return self._more(choice["message"])
        return self._release(self._settled.own) if self.is_own and self._settled.own else []

    # --- what is sent ---

    def _release(self, end: int) -> list[bytes]:
        """The upstream's events that wait, as far as their text ends up to there."""
        events = []
        while self.waiting and self.waiting[0].end <= end:
            pending = self.waiting.popleft()
            self.kept -= len(pending.event.raw)
            self._sent_end, self._has_begun = pending.end, True
            events.append(pending.event.raw)
        return events

    def let_go(self) -> list[bytes]:
        """What the events that wait have beside the text, which from now on comes in other chunks."""
        if self.is_own:
            self.is_own, self._sent["content"] = False, self._text.getvalue()[: self._sent_end]
        events = [self._chunk(pending.beside) for pending in self.waiting if pending.beside]
        self.waiting.clear()
        self.kept = 0
        return events

    def _more(self, message: Mapping[str, Any]) -> list[bytes]:
        """What is not sent yet of a message; a `Problem` (502) where what was sent is none of it."""
        events, delta = self.let_go(), dict[str, Any]()
        calls = [{**call, "index": at} for at, call in enumerate(message.get("tool_calls") or ())]
        functions = [call.get("function") for call in calls]
        is_kept = functions[: len(self._sent_calls)] == self._sent_calls
        for name, sent in self._sent.items():
            text = message.get(name) or ""
            is_kept &= text.startswith(sent)
            delta |= {name: text[len(sent) :]} if text != sent else {}
            self._sent[name] = text
        if not is_kept:
            raise Problem(502, "ANSWER_TAKEN_BACK", _TAKEN_BACK)
        delta |= {"tool_calls": new} if (new := calls[len(self._sent_calls) :]) else {}
        self._sent_calls = functions
        return [*events, self._chunk(delta)] if delta else events

    def _chunk(self, delta: Mapping[str, Any]) -> bytes:
        role = {} if self._has_begun else {"role": "assistant"}
        self._has_begun = True
        choice = {"index": self._index, "delta": {**role, **delta}, "finish_reason": None}
        return _event({**self.members, "choices": [choice]}).raw

    # --- the end ---

    def whole(self) -> dict[str, Any]:
        """The choice as a whole answer has it."""
        calls = [_joined(self._calls[at]) for at in sorted(self._calls)]
        message = _joined(self._message) | ({"tool_calls": calls} if calls else {})
        return {"index": self._index, "message": message, "finish_reason": self.finish}

    def rest(self, choice: dict[str, Any], *, is_own: bool) -> list[bytes]:
        """What is not sent yet of the choice as it was read; a `Problem` (502) where what was sent is none of it."""
        if is_own and self.is_own and self._is_plain:
            return self._release(sys.maxsize)
        events, message, self.finish = self.let_go(), choice["message"], choice.get("finish_reason")
        if isinstance(self._settled, SettledJson) and self._sent["content"]:
            message["content"] = self._settled.whole(message.get("content") or "", self._text)
        return events + self._more(message)

    def last(self, pending: _Pending) -> dict[str, Any]:
        """The members of an event behind the end of a choice that is not the upstream's own."""
        members: dict[str, Any] = json.loads(pending.event.data)
        choice = members["choices"][0]
        choice |= {"delta": pending.beside, "finish_reason": choice.get("finish_reason") and self.finish}
        choice |= {"logprobs": None} if "logprobs" in choice else {}
        return members


def _put_together(known: dict[str, Any], piece: Mapping[str, Any]) -> int:
    """Add a piece to a message: of some members the texts are joined, of all others the first counts.

    Returns:
        How many characters were kept.
    """
    size = 0
    for name, value in piece.items():
        old = known.get(name)
        if isinstance(value, dict):
            known[name] = old if isinstance(old, dict) else {}
            size += _put_together(known[name], value)
        elif name in _GROWING and isinstance(value, str):
            known[name] = old if isinstance(old, StringIO) else StringIO()
            size += known[name].write(value)
        elif value and not old:
            known[name] = value
            size += len(name) + len(str(value))
    return size


def _joined(value: Any) -> Any:  # noqa: ANN401 - JSON, with texts in pieces
    if isinstance(value, dict):
        return {name: _joined(one) for name, one in value.items()}
    return value.getvalue() if isinstance(value, StringIO) else value


class StreamedAnswer:
    """The answer to one request, in pieces."""

    def __init__(self, asking: Asking, send: Send) -> None:
        """Ask nobody yet; `send` takes what the client gets."""
        self._asking, self._send, self._most = asking, send, asking.gateway.settings.max_answer
        self._choices: dict[int, _ChoiceStream] = {}
        self._last: list[tuple[_Pending, _ChoiceStream | None]] = []
        self._events, self._headers, self._aside = list[bytes](), Headers(), 0
        self._is_settled = self._has_begun = False

    async def run(self, body: bytes) -> None:
        """Ask, and send what is settled until the end; an error behind the first byte is an event.

        Raises:
            Problem: nothing was sent, and there is no answer.
        """
        try:
            async with answer_timeout(self._asking.gateway.settings.answer_timeout):
                await self._run(body)
        except Problem as problem:
            if not self._has_begun:
                raise
            await self._flush(_event(api_error(problem)).raw)

    async def _run(self, body: bytes) -> None:
        asking, upstream, done = self._asking, self._asking.gateway.upstream, b""
        async with upstream.answer("POST", asking.target, asking.headers, body) as response:
            self._headers = passed_headers(response.headers.raw, NOT_READ)
            if not response.is_success:
                await send_whole(self._send, response.status_code, self._headers, await upstream.whole(response))
                return
            if not response.headers.get("content-type", "").lower().startswith(MEDIA_TYPE):
                raise no_completion()
            try:
                async for arrived in server_events(upstream.pieces(response), self._most):
                    for event in arrived:
                        if event.is_done:
                            done = event.raw
                            break
                        self._take(event)
                    self._bound()
                    if done:
                        break
                    self._settle()
                    await self._flush()
                await self._end(done)
            except (ValueError, RecursionError):
                raise no_completion() from None

    def _take(self, event: ServerEvent) -> None:
        """Take the next event."""
        members, choices = _choices_in(event)
        if members and not choices and any(one.finish for one in self._choices.values()):
            self._last.append((_Pending(event), None))
        elif not choices:
            self._settle()
            self._events.append(event.raw)
        self._aside += 0 if choices else len(event.raw)
        for choice in choices:
            self._take_choice(event if len(choices) == 1 else _event({**members, "choices": [choice]}), members, choice)

    def _bound(self) -> None:
        """Keep what waits in the room of one answer; a `Problem` (502) where texts alone take more."""
        known = self._choices.values()
        if self._aside + sum(one.size for one in known) > self._most:
            raise too_large(self._most)
        if sum(one.kept for one in known) > self._most:
            self._put([event for one in known for event in one.let_go()])

    def _take_choice(self, event: ServerEvent, members: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
        index, delta = choice["index"] if isinstance(choice.get("index"), int) else 0, choice.get("delta") or {}
        one = self._choices.get(index) or _ChoiceStream(members, index, self._asking)
        self._choices[index] = one
        if not isinstance(delta, dict) or len(self._choices) > self._asking.request.choices:
            raise no_completion()
        if pending := one.add(event, choice, delta):
            self._last.append((pending, one))
            self._aside += len(event.raw)

    async def _end(self, done: bytes) -> None:
        """Read the choices, and send what is left of them: the very last event tells what was done."""
        asking, choices = self._asking, [*self._choices.values()]
        if not choices:
            raise no_completion()
        if not done and not all(one.finish for one in choices):
            raise broken()
        may_ask = not self._has_begun and len(choices) == 1 == asking.request.choices
        for one in choices:
            choice = one.whole()
            is_own = await asking.settle(choice, may_ask=may_ask)
            if asking.tries > 1 and not is_own:  # nothing of the first try is seen, and all of the last one
                said = choice["message"].items()
                beside = {name: value for name, value in said if value and name not in {*_OF_AN_ANSWER, REASONING}}
                one.waiting = deque([_Pending(ServerEvent(b""), beside=beside)])
                self._last = [(pending._replace(beside={}), behind) for pending, behind in self._last]
            self._put(one.rest(choice, is_own=is_own))
        events = [self._last_event(pending, one) for pending, one in self._last]
        last = events.pop() if events else _event({**choices[0].members, "choices": []})
        await self._flush(b"".join([*(event.raw for event in events), _with_member(last, OURS, asking.facts()), done]))

    def _last_event(self, pending: _Pending, one: _ChoiceStream | None) -> ServerEvent:
        """An event behind the end, as the client gets it."""
        if one is not None and not one.is_own:
            return _event(self._asking.with_usage(one.last(pending)))
        event = pending.event
        return _event(self._asking.with_usage(json.loads(event.data))) if self._asking.usage else event

    def _settle(self) -> None:
        for one in self._choices.values():
            self._put(one.settle())

    def _put(self, events: list[bytes]) -> None:
        """Have events sent with the next flush."""
        self._events += events
        self._is_settled |= bool(events)

    async def _flush(self, end: bytes = b"") -> None:
        """Send what is settled of all that came at once, and the end: each message costs a client and the gateway time.

        What says nothing of the answer waits for the first event that does.
        """
        if not end and not (self._is_settled and self._events):
            return
        if not self._has_begun:
            self._has_begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": self._headers})
        events, self._events = b"".join(self._events), []
        await self._send({"type": "http.response.body", "body": events + end, "more_body": not end})


def _choices_in(event: ServerEvent) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The members of an event, and the choices in it; a `Problem` (502) where it is none, or reports an error."""
    if not event.data.strip():
        return {}, []
    members = json.loads(event.data)
    if not isinstance(members, dict):
        raise no_completion()
    error = members.get("error")
    if error or event.name == "error":
        said = error.get("message") if isinstance(error, dict) else error
        raise Problem(502, "UPSTREAM_ERROR", (said if isinstance(said, str) else event.data)[:_LONGEST_REPORT])
    choices = members.get("choices")
    if choices is None and (not members or members.get("type") == "ping" or members.get("usage")):
        return members, []
    if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
        raise no_completion()
    return members, choices


def _event(members: Mapping[str, Any]) -> ServerEvent:
    return ServerEvent.of(b"data: %b\n\n" % strict_bytes(members))


def _with_member(event: ServerEvent, name: str, value: object) -> bytes:
    """An event whose object has one more member; everything else in it stays as it came."""
    members = event.data.rstrip()[:-1].rstrip()
    if "\n" in members or members.endswith("{"):
        return _event({**json.loads(event.data), name: value}).raw
    return b"data: %b,%b\n\n" % (members.encode(), strict_bytes({name: value})[1:])
