"""Streamed completions: what is settled is sent and never taken back, in the upstream's own events while it is clean.

The events of a choice are held until all that stands in them is settled. What is damaged comes in events of the
gateway. Calls of tools come when their last byte is there.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from unicodedata import normalize

from starlette.types import Send

from src.entrypoints.gateway.api_errors import OURS, api_error
from src.entrypoints.gateway.choice_reading import ChoiceReading, Refusal, call_of, without_reasoning
from src.entrypoints.gateway.completions import (
    REASONING,
    Asking,
    calls_of,
    listed_calls,
    no_completion,
    passed_status,
    send_whole,
    text_in,
    write_choice,
    written_text,
)
from src.entrypoints.gateway.server_sent_events import (
    MEDIA_TYPE,
    ServerEvent,
    event_of,
    server_event,
    server_events,
    with_member,
)
from src.entrypoints.gateway.settled_json import SettledJson
from src.entrypoints.gateway.upstream import STREAM_ROOM, answer_timeout, broken, headers_to_answer, too_large
from src.entrypoints.http.problems import Problem
from src.shared.domain.language import Phrase
from src.shared.domain.reasoning import MARK_SIGNS
from src.shared.infrastructure.llm_stream import LLMJsonStream
from src.shared.infrastructure.tool_call_stream import ToolCallStream

LIVE_PIECE, LIVE_TEXT = 16_384, 1_048_576
"""Characters of a piece, and of a text, up to which it is sent as it comes; a longer one is sent at its end."""
LIVE_CALLS = 16_384
"""Characters of prose in which calls are looked for as they come; in a longer text they come at its end."""
BEHIND = 200
"""Characters that prose is sent behind the model, since a call of a tool may begin with words."""
_SIGNS = frozenset(sign for sign in MARK_SIGNS if normalize("NFKC", sign) != "(")
"""One of these may begin a call or a mark of reasoning: from there on prose is held until its end."""
_TEXT_OF_CALL = {"function": "arguments", "custom": "input"}
"""What of a call comes in pieces, by its kind."""
_OF_AN_ANSWER = frozenset({"role", "content", "tool_calls", "function_call"})
_TAKEN_BACK = Phrase("the end of the answer takes back what was sent of it already")


class _PendingEvent(NamedTuple):
    """An event that is not sent yet: where the text behind it ends, and what it has beside text and calls, if any."""

    raw: bytes
    end: int
    beside: dict[str, Any] | None


class _ChoiceStream:
    """One choice as it comes.

    Attributes:
        members: of the first chunk, for chunks of the gateway's own.
        index: of the choice.
        held: its events that are not sent yet.
        sent: characters of the content that are sent.
        is_over: whether the model has stopped.
        finish: why, where the gateway tells of it in an event of its own.
    """

    def __init__(self, members: Mapping[str, Any], index: int, asking: Asking) -> None:
        self.members = {name: value for name, value in members.items() if name not in {"choices", "usage"}}
        self.index, self.sent, self.is_over, self.has_begun = index, 0, False, False
        self.finish: object = None
        self._asking = asking
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._arguments: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
        self.held: deque[_PendingEvent] = deque()
        self._new: list[str] = []
        self._size = 0
        self._tail = ""
        self._is_live = True
        self._json: SettledJson | None = None
        self._stream: LLMJsonStream[Any] | None = None
        request = asking.request
        contract = None if request.schema is None or request.may_leak else asking.pool.schemas.kept(request.schema)
        if contract is not None:
            self._json, self._stream = SettledJson(), LLMJsonStream(contract.type)
        self._is_prose = request.schema is None
        self._made: list[dict[str, Any]] = []
        self._shown = ""
        self._call_stream = self._begin_calls()

    def _begin_calls(self) -> ToolCallStream | None:
        """What finds calls in prose as it comes; None where there are none, or a schema is not kept any more."""
        request, schemas = self._asking.request, self._asking.pool.schemas
        kept = {name: schemas.kept(schema) for name, schema in request.tools.items()}
        types = {name: contract.type for name, contract in kept.items() if contract is not None}
        return ToolCallStream(types) if self._is_prose and request.may_leak and len(types) == len(kept) else None

    # --- what comes ---

    def add(self, raw: bytes, choice: Mapping[str, Any]) -> None:
        """Take the next event of the choice.

        Raises:
            Problem: it is no chunk of a completion (502).
        """
        delta = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise no_completion()
        text = self._add_texts(delta)
        has_calls = bool(delta.get("tool_calls") or delta.get("function_call"))
        if has_calls:
            self._add_calls(delta)
        if self.is_over and (text or has_calls):
            raise no_completion()
        if self.is_over:
            return
        self._new.append(text)
        self._size += len(text)
        if self._size > self._asking.settings.max_answer:
            raise too_large(self._asking.settings.max_answer)
        is_bare = not text and not has_calls and not isinstance(delta.get("content"), list)
        if not choice.get("finish_reason"):
            self.held.append(_PendingEvent(raw, self._size, None if is_bare else _beside(delta)))
        self._is_live &= not has_calls and len(text) <= LIVE_PIECE and self._size <= LIVE_TEXT
        if has_calls or self._size > LIVE_CALLS:
            self._call_stream = None

    def settle(self) -> list[bytes]:
        """What is to be sent for all that came since the last time; behind the end nothing, since it is read there."""
        text, self._new = "".join(self._new), []
        if not text or self.is_over:
            return []
        settled = self._ended_calls(self._call_stream, text) if self._call_stream else []
        if settled or not self._is_live:
            return settled
        return self._settled_prose(text) if self._is_prose else self._settled_json(text)

    def _add_texts(self, delta: Mapping[str, Any]) -> str:
        text, thought = text_in(delta)
        for name, value in (("content", text), (REASONING, thought), ("refusal", delta.get("refusal"))):
            if isinstance(value, str) and value:
                self._texts.setdefault(name, []).append(value)
        if isinstance(delta.get("content"), list):
            self._is_live = False
            self._message["content"] = []
        return text

    def _add_calls(self, delta: Mapping[str, Any]) -> None:
        """Put pieces of calls together."""
        if delta.get("function_call"):
            self._message["function_call"] = True
        for place, piece in enumerate(listed_calls(delta)):
            at = piece["index"] if isinstance(piece.get("index"), int) else place
            call = self._calls.setdefault(at, {})
            for name, value in piece.items():
                if name in _TEXT_OF_CALL and isinstance(value, dict):
                    known = call.setdefault(name, {"name": None})
                    known["name"] = known["name"] or value.get("name")
                    self._arguments[at, name].append(written_text(value.get(_TEXT_OF_CALL[name])))
                elif name != "index" and value and name not in call:
                    call[name] = value

    # --- what is settled ---

    def _settled_json(self, text: str) -> list[bytes]:
        """What is certain of the value that is written."""
        if self._json is None or self._stream is None:
            return []
        snapshot = self._stream.feed(text)
        if not self._json.feed(text):
            return []
        self._json.write(snapshot.data, snapshot.complete)
        if self._json.is_own:
            return self._own_up_to(self._json.length)
        return self.own_chunk(self._json.text[self.sent :])

    def _settled_prose(self, text: str) -> list[bytes]:
        """What stands so far behind the model that nothing of it can be the beginning of a call."""
        near = self._tail + text
        names = self._asking.request.tools
        self._is_live = _SIGNS.isdisjoint(text) and not any(name in near for name in names)
        self._tail = near[-BEHIND:]
        return self._own_up_to(self._size - BEHIND) if self._is_live and near.strip() else []

    def _ended_calls(self, stream: ToolCallStream, text: str) -> list[bytes]:
        """The calls whose last byte has come, behind the prose in front of them."""
        found = stream.feed(text).calls
        if not found:
            return []
        self._is_live = False
        chunks = []
        if not self._made:
            content, reasoning = without_reasoning("".join(self._texts["content"])[: found[0].span.start])
            content = content if content.strip() else ""
            chunks = self.rest_of({"message": {REASONING: reasoning, "content": content}})
            self._shown = content
        calls = calls_of(None, map(call_of, found))
        chunks += [self._call(at, call) for at, call in enumerate(calls, len(self._made))]
        self._made += calls
        return chunks

    def _call(self, at: int, call: Mapping[str, Any]) -> bytes:
        return self.chunk({"tool_calls": [{"index": at, **call}]})

    def _own_up_to(self, end: int) -> list[bytes]:
        """The upstream's events whose text is settled up to an offset, if any of it is."""
        sent = []
        while self.held and 0 < end >= self.held[0].end:
            one = self.held.popleft()
            sent.append(one.raw)
            self.sent = one.end
        self.has_begun |= bool(sent)
        return sent

    def own_chunk(self, content: str) -> list[bytes]:
        """Chunks of the gateway's own with more of the content, in place of the events that are held."""
        if not content:
            return []
        self.sent += len(content)
        return [*self._bare(), self.chunk({"content": content})]

    def _bare(self) -> list[bytes]:
        """The events that are held and have none of the content; of the others only what is beside it."""
        bare = []
        for one in self.held:
            if one.beside != {}:
                bare.append(self.chunk(one.beside) if one.beside else one.raw)
                self.has_begun = True
        self.held.clear()
        return bare

    def chunk(self, delta: dict[str, Any], finish: object = None) -> bytes:
        """A chunk of the gateway's own."""
        if not self.has_begun:
            delta = {"role": "assistant"} | delta
        self.has_begun = True
        choice = {"index": self.index, "delta": delta, "finish_reason": finish}
        return event_of({**self.members, "choices": [choice]})

    # --- the end ---

    def whole(self, finish: object) -> dict[str, Any]:
        """The choice as a whole answer has it."""
        joined = {name: "".join(texts) for name, texts in self._texts.items()}
        content = joined.pop("content", None)
        message = {"role": "assistant", "content": content, **self._message, **joined}
        if isinstance(message["content"], list):
            message["content"] = [{"type": "text", "text": content or ""}]
        for (at, kind), pieces in self._arguments.items():
            self._calls[at][kind][_TEXT_OF_CALL[kind]] = "".join(pieces)
        if self._calls:
            message["tool_calls"] = [self._calls[at] for at in sorted(self._calls)]
        return {"index": self.index, "message": message, "finish_reason": finish}

    @property
    def is_own(self) -> bool:
        """Whether all that was sent is the upstream's own."""
        return not self._made and (self._json is None or self._json.is_own)

    def rest_of_own(self) -> list[bytes]:
        """The events that are held."""
        rest = [one.raw for one in self.held]
        self.held.clear()
        self.has_begun |= bool(rest)
        return rest

    def rest_of(self, choice: Mapping[str, Any]) -> list[bytes]:
        """What is not sent yet of a choice as it was read.

        Raises:
            Problem: what was sent is none of it (502).
        """
        message, chunks = choice["message"], self._bare()
        calls = message.get("tool_calls") or ()
        if [call["function"] for call in self._made] != [call.get("function") for call in calls[: len(self._made)]]:
            raise Problem(502, "ANSWER_TAKEN_BACK", _TAKEN_BACK)
        if message.get(REASONING) and not self._made:
            chunks.append(self.chunk({REASONING: message[REASONING]}))
        content = text_in(message)[0]
        more = self._more(content)
        if more:
            chunks.append(self.chunk({"content": more}))
        return chunks + [self._call(at, call) for at, call in enumerate(calls) if at >= len(self._made)]

    def _more(self, content: str) -> str:
        """What is not sent yet of the content; all that was sent and this is checked to be it."""
        if not self.sent and not self._shown:
            return content
        if self._json is None:
            sent = self._shown or "".join(self._texts["content"])[: self.sent]
            if content.startswith(sent):
                return content[len(sent) :]
        else:
            value = _decoded(content)
            with suppress(LookupError, TypeError, AttributeError):  # where something else stands than was shown
                self._json.write(value)
            text = self._json.text
            if value is not None and json.dumps(_decoded(text)) == json.dumps(value):
                return text[self.sent :]
        raise Problem(502, "ANSWER_TAKEN_BACK", _TAKEN_BACK)


def _beside(delta: Mapping[str, Any]) -> dict[str, Any]:
    """What a delta has beside text and calls, such as reasoning."""
    return {name: value for name, value in delta.items() if value and name not in _OF_AN_ANSWER}


def _decoded(text: str) -> Any:  # noqa: ANN401 - decoded JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class StreamedAnswer:
    """The answer to one request, in pieces."""

    def __init__(self, asking: Asking, send: Send) -> None:
        """Send nothing yet.

        Args:
            asking: the request, and whom to ask.
            send: takes what the client gets.
        """
        self._asking, self._send = asking, send
        self._choices: dict[int, _ChoiceStream] = {}
        self._events: list[bytes] = []
        self._last: list[ServerEvent] = []
        self._headers: Any = []
        self._is_settled = self._has_begun = False

    async def run(self, body: bytes) -> None:
        """Ask, and send what is settled until the end; an error behind the first byte is an event.

        Raises:
            Problem: nothing was sent, and there is no answer.
        """
        try:
            async with answer_timeout(self._asking.settings.answer_timeout):
                await self._run(body)
        except Problem as problem:
            if not self._has_begun:
                raise
            self._put([event_of(api_error(problem))])
            await self._flush(is_last=True)

    async def _run(self, body: bytes) -> None:
        asking = self._asking
        async with asking.upstream.answer("POST", asking.target, asking.headers, body) as response:
            self._headers = headers_to_answer(response, is_read=True)
            if not response.is_success:
                given = await asking.upstream.whole(response)
                await send_whole(self._send, passed_status(response.status_code), self._headers, given)
                return
            if not response.headers.get("content-type", "").lower().startswith(MEDIA_TYPE):
                raise no_completion()
            done, most = b"", asking.settings.max_answer
            try:
                async for arrived in server_events(asking.upstream.pieces(response, most * STREAM_ROOM), most):
                    for event in arrived:
                        if event.is_done:
                            done = event.raw
                            break
                        await self._take(event)
                    await self._flush()
                    if done:
                        break
                await self._end(done)
            except (ValueError, RecursionError):
                raise no_completion() from None

    async def _take(self, event: ServerEvent) -> None:
        """Take an event, and put what it settles."""
        if not event.data.strip():
            self._put_aside(event)
            return
        members = json.loads(event.data)
        if not isinstance(members, dict):
            raise no_completion()
        if event.name == "error" or members.get("error"):
            raise _reported(event, members)
        listed = members.get("choices")
        if listed is None and (not members or members.get("type") == "ping" or members.get("usage")):
            listed = []
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise no_completion()
        if not listed and any(one.is_over for one in self._choices.values()):
            self._last.append(event)
        elif not listed:
            self._put_aside(event)
        for choice in listed:
            await self._take_choice(event if len(listed) == 1 else _event_with(members, choice), members, choice)

    async def _take_choice(self, event: ServerEvent, members: Mapping[str, Any], choice: Mapping[str, Any]) -> None:
        index = choice["index"] if isinstance(choice.get("index"), int) else 0
        if index not in self._choices:
            if len(self._choices) >= max(1, self._asking.request.choices):
                raise no_completion()
            self._choices[index] = _ChoiceStream(members, index, self._asking)
        one = self._choices[index]
        one.add(event.raw, choice)
        if one.is_over:  # what it cost, perhaps
            is_other = one.finish is not None and choice.get("finish_reason")
            self._last.append(_event_with(members, {**choice, "finish_reason": one.finish}) if is_other else event)
        elif choice.get("finish_reason"):
            await self._conclude(one, event, members, choice)

    async def _conclude(
        self, one: _ChoiceStream, event: ServerEvent | None, members: Mapping[str, Any], given: Mapping[str, Any]
    ) -> None:
        """Read a choice whose model has stopped, and put what is left of it; its last event waits for the end."""
        one.is_over = True
        await self._flush()
        choice = one.whole(given.get("finish_reason"))
        is_own = await self._is_own(one, choice, await self._asking.read(choice))
        if is_own:
            self._put(one.rest_of_own())
        else:
            self._put(one.rest_of(choice))
            one.finish = choice["finish_reason"]
            delta = _beside(given.get("delta") or {}) if self._asking.tally.tries == 1 else {}
            last = {**given, "delta": delta, "finish_reason": one.finish}
            last |= {"logprobs": None} if "logprobs" in last else {}
            event = event and _event_with(members, last)
        if event is not None:
            self._last.append(event)

    async def _is_own(
        self, one: _ChoiceStream, choice: dict[str, Any], reading: ChoiceReading | Refusal | None
    ) -> bool:
        """Whether a choice is what the upstream sent; else what was read is put into it."""
        asking = self._asking
        if isinstance(reading, Refusal):
            again = None
            if not self._has_begun and len(self._choices) == 1 == max(1, asking.request.choices):
                again = await asking.ask_again(choice, reading)
            else:
                asking.refuse(reading)
            if again is not None:
                choice.update(again)
                one.held.clear()
                return False
            if not one.is_own:
                raise Problem(502, "ANSWER_TAKEN_BACK", _TAKEN_BACK)
            return True
        is_own = reading is None or asking.note(reading)
        if reading is not None and not is_own:
            write_choice(choice, reading)
        return is_own and one.is_own

    async def _end(self, done: bytes) -> None:
        """Send the last events: the very last of them tells what was done."""
        if not self._choices:
            raise no_completion()
        for one in self._choices.values():
            if not one.is_over:
                if not done:
                    raise broken()
                await self._conclude(one, None, {}, {})
        tally = self._asking.tally
        if not self._last:
            first = next(iter(self._choices.values()))
            self._last.append(server_event({**first.members, "choices": []}))
        if tally.usage:
            self._last = [server_event(tally.with_usage(json.loads(event.data))) for event in self._last]
        *others, last = self._last
        self._put([*(event.raw for event in others), with_member(last, OURS, tally.facts()), done])
        await self._flush(is_last=True)

    def _put(self, events: list[bytes]) -> None:
        """Have events sent with the next flush."""
        self._events += events
        self._is_settled |= bool(events)

    def _put_aside(self, event: ServerEvent) -> None:
        """Have an event sent that says nothing of the answer, and waits for the first one that does."""
        self._settle()
        self._events.append(event.raw)

    def _settle(self) -> None:
        for one in self._choices.values():
            self._put(one.settle())

    async def _flush(self, *, is_last: bool = False) -> None:
        """Send what is settled of all that came at once: each message costs a client and the gateway time."""
        self._settle()
        if not self._is_settled or not (self._events or is_last):
            return
        if not self._has_begun:
            self._has_begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": self._headers})
        events, self._events = b"".join(self._events), []
        await self._send({"type": "http.response.body", "body": events, "more_body": not is_last})


_MESSAGE = 2_000


def _reported(event: ServerEvent, members: Mapping[str, Any]) -> Problem:
    """An error that the upstream reports in a stream, in its own words."""
    error = members.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    return Problem(502, "UPSTREAM_ERROR", (said if isinstance(said, str) else event.data)[:_MESSAGE])


def _event_with(members: Mapping[str, Any], choice: Mapping[str, Any]) -> ServerEvent:
    return server_event({**members, "choices": [choice]})
