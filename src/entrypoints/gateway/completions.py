"""Whole completions: each choice is read, asked again where it cannot be, and written back where that changed it."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Send

from src.entrypoints.gateway.api_errors import OURS, PARAM
from src.entrypoints.gateway.chat_request import ChatRequest, holds_few_values
from src.entrypoints.gateway.choice_reading import (
    Call,
    Choice,
    ChoiceReading,
    Refusal,
    read_at_once,
    read_choice,
    true_finish,
)
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.gateway.upstream import Headers, Upstream, headers_to_answer
from src.entrypoints.http.pools import ProcessPool
from src.entrypoints.http.problems import Problem, json_bytes
from src.entrypoints.http.reading import SchemaContracts, compiled
from src.shared.domain.finish_reasons import FinishReason, finish_reason_of
from src.shared.domain.grade import least_sure
from src.shared.domain.language import Phrase
from src.shared.infrastructure.llm.wire import kind_and_text

_GRADE, _REPAIRS, _TRIES, _REFUSED = "grade", "repairs", "tries", "refused"
REASONING = "reasoning_content"
"""Where a message has what the model thought before."""
_NO_COMPLETION = Phrase("the upstream's answer is no chat completion")


class ReaderPool:
    """Reads choices: short ones on the loop, others in processes."""

    def __init__(self, settings: GatewaySettings) -> None:
        """Start nothing yet."""
        self.processes = ProcessPool(settings.parse_threads, settings.parse_timeout)
        self.schemas = SchemaContracts(explain=False)

    async def prepare(self, request: ChatRequest) -> None:
        """Compile the schemas of a request that are not known yet, in a thread: the loop has other requests.

        Raises:
            Problem: one cannot be used as a type (400).
        """
        named = [(f"tools.{name}", schema) for name, schema in request.tools.items()]
        named += [] if request.schema is None else [("response_format", request.schema)]
        for name, schema in named:
            if self.schemas.kept(schema) is None:
                try:
                    contract = await asyncio.to_thread(compiled, schema, explain=False)
                except Problem as problem:
                    raise Problem(400, problem.code, problem.detail, facts={PARAM: name}) from None
                self.schemas.keep(schema, contract)

    async def read(self, choice: Choice) -> ChoiceReading | Refusal:
        """What a choice says.

        Raises:
            Problem: there is no room or no time to read it.
        """
        at_once = read_at_once(choice, self.schemas)
        if at_once is not None:
            return at_once
        size = len(choice.content) + sum(len(call.arguments) for call in choice.calls)
        return await self.processes.run(read_choice, choice, size=size)


@dataclass
class Tally:
    """What was done for one answer.

    Attributes:
        tries: requests that were sent.
        readings: of each choice that was read.
        refusal: of the last choice that was not, and passes as it is.
        usage: what the further tries cost.
    """

    tries: int = 1
    readings: list[ChoiceReading] = field(default_factory=list)
    refusal: Refusal | None = None
    usage: list[Any] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """As the headers and the last chunk tell of it."""
        grade: str = least_sure(reading.grade for reading in self.readings).value
        facts = {_GRADE: grade, _REPAIRS: sum(reading.repairs for reading in self.readings), _TRIES: self.tries}
        return facts | ({_GRADE: _REFUSED, _REFUSED: self.refusal.stage} if self.refusal else {})

    def headers(self) -> Headers:
        """The headers of a whole answer."""
        return [(f"x-llm-output-{name}".encode(), str(value).encode()) for name, value in self.facts().items()]

    def with_usage(self, members: dict[str, Any]) -> dict[str, Any]:
        """A body or a chunk, its usage that of all tries."""
        usage = members.get("usage")
        return members | {"usage": _sum([usage, *self.usage])} if isinstance(usage, dict) and self.usage else members


def _sum(usages: Iterable[Any]) -> Any:  # noqa: ANN401 - JSON
    """The sum of numbers, member by member; of what is none the first."""
    given = [usage for usage in usages if usage is not None]
    if given and all(isinstance(usage, Mapping) for usage in given):
        names = dict.fromkeys(name for usage in given for name in usage)
        return {name: _sum(usage.get(name) for usage in given) for name in names}
    numbers = [usage for usage in given if isinstance(usage, int | float) and not isinstance(usage, bool)]
    return sum(numbers) if numbers else next(iter(given), None)


@dataclass
class Asking:
    """One request of a client: the answers of the upstream to it, and how they were read.

    Attributes:
        request: what was asked.
        settings: how often the upstream is asked, and what becomes of what cannot be read.
        upstream: whom to ask.
        target: the path there.
        headers: those of every try.
        pool: reads choices.
        tally: what was done so far.
    """

    request: ChatRequest
    settings: GatewaySettings
    upstream: Upstream
    target: bytes
    headers: Headers
    pool: ReaderPool
    tally: Tally = field(default_factory=Tally)

    async def whole(self, body: bytes) -> tuple[int, Headers, bytes]:
        """The answer to give: status, headers and body.

        Args:
            body: of the client's request.

        Raises:
            Problem: there is none in time, or none that is a completion, or it cannot be read (422).
        """
        async with self.upstream.answer("POST", self.target, self.headers, body) as response:
            given = await self.upstream.whole(response)
        headers, status = headers_to_answer(response, is_read=True), response.status_code
        if not response.is_success:
            return passed_status(status), headers, given
        completion = _completion(given)
        if completion.get("error"):  # as some send it under the status of a success
            return 502, headers, given
        is_own = True
        for choice in completion["choices"]:
            is_own &= await self._settle(choice)
        if not is_own or self.tally.usage:
            given = _written(self.tally.with_usage(completion))
        return status, [*headers, *self.tally.headers()], given

    async def _settle(self, choice: dict[str, Any]) -> bool:
        """Read a choice, and write into it what was read; whether it is as it came."""
        reading = await self.read(choice)
        if isinstance(reading, Refusal):
            again = await self.ask_again(choice, reading)
            if again is None:
                self.refuse(reading)
                return True
            choice.update(again)
            return False
        if reading is None or self.note(reading):
            return True
        write_choice(choice, reading)
        return False

    def note(self, reading: ChoiceReading) -> bool:
        """Count a reading; whether the choice is as it came."""
        self.tally.readings.append(reading)
        return reading.is_own

    async def read(self, choice: dict[str, Any]) -> ChoiceReading | Refusal | None:
        """What a choice says; None where the model declined to answer, which is not read.

        Raises:
            Problem: it is no choice (502), or there is no room or no time to read it.
        """
        found = choice_of(choice, self.request)
        return None if found is None else await self.pool.read(found)

    async def ask_again(self, choice: dict[str, Any], refusal: Refusal) -> dict[str, Any] | None:
        """Tell the model what is wrong with a choice, as often as the budget allows; the choice that can be read.

        With `on_refusal: pass` and nothing that can be read it is the last one.

        Returns:
            Message and finish reason of it; None where the upstream was not asked again.
        """
        last: dict[str, Any] | None = None
        for _ in range(self.settings.tries - 1 if _may_be_other(choice) else 0):
            said = choice_of(last or choice, self.request)
            again = await self._next(self.request.after(_said(said), refusal.feedback))
            if again is None:
                break
            last = again
            reading = await self.read(last)
            if not isinstance(reading, Refusal):
                if reading is not None and not self.note(reading):
                    write_choice(last, reading)
                return last
            refusal = reading
        self.refuse(refusal)
        return last

    async def _next(self, body: bytes) -> dict[str, Any] | None:
        """The choice of one more try; None where there is none."""
        self.tally.tries += 1
        try:
            async with self.upstream.answer("POST", self.target, self.headers, body) as response:
                completion = _completion(await self.upstream.whole(response) if response.is_success else b"")
            self.tally.usage.append(completion.get("usage"))
            if completion.get("error"):
                return None
            choice = completion["choices"][0]
            choice_of(choice, self.request)
        except Problem:
            return None
        return {name: value for name, value in choice.items() if name in _OF_A_CHOICE}

    def refuse(self, refusal: Refusal) -> None:
        """Note that a choice cannot be read.

        Raises:
            Problem: what cannot be read does not pass (422).
        """
        self.tally.refusal = refusal
        if self.settings.on_refusal == "pass":
            return
        ours = {"stage": refusal.stage, _TRIES: self.tally.tries, "feedback": refusal.feedback}
        param = "tools" if refusal.stage == "tool_call" or self.request.schema is None else "response_format"
        raise Problem(422, refusal.code, refusal.message, facts={PARAM: param, OURS: ours})


async def send_whole(send: Send, status: int, headers: Headers, body: bytes) -> None:
    """Send a whole answer."""
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


_OF_A_CHOICE = frozenset({"message", "finish_reason", "logprobs"})
"""What is taken over of the choice of a further try."""


def _may_be_other(choice: Mapping[str, Any]) -> bool:
    """Whether another try may be worth its price: what a filter took away, it takes away again."""
    return finish_reason_of(choice.get("finish_reason")) is not FinishReason.REFUSED


def passed_status(status: int) -> int:
    """The status that a client gets for one of the upstream's that is no success."""
    return 502 if 300 <= status < 400 else status  # noqa: PLR2004 - of HTTP: a redirect would lead past the gateway


def _completion(body: bytes) -> dict[str, Any]:
    """The members of a completion, or of an error that is sent as one.

    Raises:
        Problem: it is neither (502).
    """
    try:
        members = json.loads(body.decode("utf-8-sig")) if holds_few_values(body) else None
    except (ValueError, RecursionError):
        members = None
    if isinstance(members, dict) and members.get("error"):
        return members
    choices = members.get("choices") if isinstance(members, dict) else None
    if (
        not isinstance(members, dict)
        or not isinstance(choices, list)
        or not choices
        or not all(map(_is_choice, choices))
    ):
        raise no_completion()
    return members


def _written(completion: Mapping[str, Any]) -> bytes:
    try:
        return json_bytes(completion, allow_nan=False)
    except ValueError:
        raise no_completion() from None


def no_completion() -> Problem:
    """What is answered where the upstream's answer is none."""
    return Problem(502, "UPSTREAM_NO_COMPLETION", _NO_COMPLETION)


def _is_choice(choice: object) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


def choice_of(choice: Mapping[str, Any], request: ChatRequest) -> Choice | None:
    """What a choice says, and by what it is read; None where the model declined to answer.

    Raises:
        Problem: its content is no text, or a call is none (502).
    """
    message = choice["message"]
    if message.get("refusal") or message.get("function_call"):
        return None
    listed = listed_calls(message)
    functions = [call for call in listed if isinstance(call.get("function"), dict)]
    finish = choice.get("finish_reason")
    if listed and not functions:
        return None  # calls of other kinds, of which no schema says anything
    return Choice(
        text_in(message)[0],
        tuple(map(_call, functions)),
        finish if isinstance(finish, str) else None,
        request.schema,
        request.tools,
        may_leak=request.may_leak,
        is_plain=isinstance(message.get("content"), str | None)
        and all(isinstance(call["function"].get("arguments"), str) for call in functions),
    )


def _call(call: Mapping[str, Any]) -> Call:
    function = call["function"]
    if not isinstance(function.get("name"), str):
        raise no_completion()
    return Call(function["name"], written_text(function.get("arguments")))


def listed_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of a message or a delta.

    Raises:
        Problem: they are none (502).
    """
    listed = message.get("tool_calls") or []
    if not isinstance(listed, list) or not all(isinstance(call, dict) for call in listed):
        raise no_completion()
    return listed


def written_text(arguments: object) -> str:
    """The arguments of a call as text; some servers send an object.

    Raises:
        Problem: they are none (502).
    """
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    if not isinstance(arguments, str | None):
        raise no_completion()
    return arguments or ""


def text_in(message: Mapping[str, Any]) -> tuple[str, str]:
    """The text of a message or a delta, and the reasoning in it, where its content has parts.

    Raises:
        Problem: it is no text (502).
    """
    content = message.get("content")
    if not isinstance(content, list):
        if not isinstance(content, str | None):
            raise no_completion()
        return content or "", ""
    parts = [kind_and_text(part) for part in content]
    if any(kind not in {"text", "reasoning", "aside"} for kind, _ in parts):
        raise no_completion()
    text, reasoning = ("".join(text for kind, text in parts if kind == wanted) for wanted in ("text", "reasoning"))
    return text, reasoning


def _said(choice: Choice | None) -> str:
    """What the model said, for the conversation that goes on: calls as text, since they were not made."""
    if choice is None:
        return ""
    return "\n".join(filter(None, (choice.content, *(f"{call.name} {call.arguments}" for call in choice.calls))))


def write_choice(choice: dict[str, Any], reading: ChoiceReading) -> None:
    """Put what was read into a choice; what was said of each token of a text that is another one now goes."""
    message = choice["message"]
    text, thoughts = text_in(message)
    if reading.content != text or isinstance(message.get("content"), list):
        message["content"] = reading.content or (None if reading.calls else reading.content)
        if choice.get("logprobs"):
            choice["logprobs"] = None
    if reasoning := "\n".join(filter(None, (thoughts, reading.reasoning))):
        before = message.get(REASONING)
        message[REASONING] = f"{before}\n{reasoning}" if isinstance(before, str) and before else reasoning
    if reading.calls:
        message["tool_calls"] = calls_of(message.get("tool_calls"), reading.calls)
        choice["finish_reason"] = true_finish(choice.get("finish_reason"))


def calls_of(listed: Any, calls: Iterable[Call]) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON, checked before
    """The calls of a message: those that the upstream told apart as they were read, or those that stood in the text."""
    if not listed:
        return [
            {
                "id": call.id or f"call_{secrets.token_hex(12)}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    read = iter(calls)
    return [
        {**one, "function": {**one["function"], "arguments": next(read).arguments}} if one.get("function") else one
        for one in listed
    ]
