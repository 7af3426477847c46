"""Whole completions: each choice is read, asked again where it cannot be, and written back where that changed it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from src.entrypoints.gateway.api_errors import OURS, PARAM, no_completion
from src.entrypoints.gateway.chat_request import ChatRequest, Contract, holds_few_values
from src.entrypoints.gateway.choice_reading import (
    FIRST_SECONDS,
    READERS,
    Call,
    Choice,
    ChoiceReading,
    read_at_once,
    read_choice,
    true_finish,
)
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from src.entrypoints.gateway.upstream import NOT_READ, Headers, Upstream, passed_headers
from src.entrypoints.http.metrics import Metrics
from src.entrypoints.http.pools import ProcessPool
from src.entrypoints.http.problems import Problem, json_bytes
from src.entrypoints.http.reading import compiled
from src.entrypoints.http.service import Service
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import FinishReason, finish_reason_of
from src.shared.domain.grade import least_sure
from src.shared.infrastructure.llm.wire import kind_and_text

REASONING = "reasoning_content"
"""Where a message has what the model thought before."""
_OF_A_CHOICE = frozenset({"message", "finish_reason", "logprobs"})
"""What is taken over of the choice of a further try."""


class Gateway(Service):
    """One worker's things: those of the service, and the API behind it."""

    settings: GatewaySettings

    def __init__(self, settings: GatewaySettings) -> None:
        """Start nothing yet."""
        super().__init__(settings, Metrics())
        self.pool = ProcessPool(settings.parse_threads, settings.parse_timeout, READERS, FIRST_SECONDS)
        self.upstream = Upstream(settings)

    async def prepare(self, contract: Contract) -> None:
        """Compile the schemas of a contract that are not known yet, in a thread: the loop has other requests.

        Raises:
            Problem: one cannot be used as a type (400).
        """
        named = {f"tools.{name}": schema for name, schema in contract.tools.items()}
        named |= {} if contract.schema is None else {"response_format": contract.schema}
        for name, schema in named.items():
            if self.schemas.kept(schema) is None:
                try:
                    self.schemas.keep(schema, await asyncio.to_thread(compiled, schema, explain=False))
                except Problem as problem:
                    raise Problem(400, problem.code, problem.detail, facts={PARAM: name}) from None

    async def read(self, choice: Mapping[str, Any], contract: Contract) -> ChoiceReading | LLMJsonParseError | None:
        """What a choice says, or why it cannot be read; None where no schema says anything of it.

        A short one is read on the loop, others in a process.

        Raises:
            Problem: it is no choice (502), or there is no room or no time to read it.
        """
        found = _choice_of(choice)
        at_once = found and read_at_once(found, contract, self.schemas)
        if found is None or at_once is not None:
            return at_once
        size = len(found.content) + sum(len(call.arguments) for call in found.calls)
        return await self.pool.run(read_choice, found, contract, size=size)


@dataclass
class Asking:
    """One request of a client: the answers of the upstream to it, and how they were read.

    Attributes:
        gateway: reads choices, and has the upstream.
        request: what was asked.
        target: the path at the upstream.
        headers: those of every try.
        tries: requests that were sent.
        readings: of each choice that was read.
        refusal: of the last choice that was not, and passes as it is.
        usage: what the further tries cost.
    """

    gateway: Gateway
    request: ChatRequest
    target: bytes
    headers: Headers
    tries: int = 1
    readings: list[ChoiceReading] = field(default_factory=list)
    refusal: LLMJsonParseError | None = None
    usage: list[Any] = field(default_factory=list)

    async def whole(self, body: bytes) -> tuple[int, Headers, bytes]:
        """The answer to the body of a request: status, headers and body.

        Raises:
            Problem: there is none in time, or none that is a completion, or it cannot be read (422).
        """
        async with self.gateway.upstream.answer("POST", self.target, self.headers, body) as response:
            given = await self.gateway.upstream.whole(response)
        headers = passed_headers(response.headers.raw, NOT_READ)
        if not response.is_success:
            return response.status_code, headers, given
        completion = _completion(given)
        if completion.get("error"):  # as some send it under the status of a success
            return 502, headers, given
        is_own = all([await self.settle(choice) for choice in completion["choices"]])
        if not is_own or self.usage:
            given = strict_bytes(self.with_usage(completion))
        told = [(f"x-llm-output-{name}".encode(), str(value).encode()) for name, value in self.facts().items()]
        return response.status_code, [*headers, *told], given

    async def settle(self, choice: dict[str, Any], *, may_ask: bool = True) -> bool:
        """Read a choice, and put into it what was read, of this or of a further try; whether it is as it came.

        With `on_refusal: pass` and nothing that can be read it is that of the last try.

        Raises:
            Problem: it is no choice (502), it cannot be read (422), or there is no room or no time to read it.
        """
        contract, is_own = self.request.contract, make_plain(choice["message"])
        reading = await self.gateway.read(choice, contract)
        is_filtered = finish_reason_of(choice.get("finish_reason")) is FinishReason.REFUSED  # it would be again
        left = self.gateway.settings.tries - 1 if may_ask and not is_filtered else 0
        while isinstance(reading, LLMJsonParseError) and left and (again := await self._ask_again(choice, reading)):
            choice.update(again)
            left, is_own, reading = left - 1, False, await self.gateway.read(choice, contract)
        if isinstance(reading, LLMJsonParseError):
            self._refuse(reading)
        elif reading is not None:
            self.readings.append(reading)
            if not reading.is_own:
                write_choice(choice, reading)
                return False
        return is_own

    async def _ask_again(self, choice: Mapping[str, Any], refusal: LLMJsonParseError) -> dict[str, Any] | None:
        """The choice of one more try, which is told what is wrong with the last one; None where there is none."""
        self.tries += 1
        body, upstream = self.request.after(_said(choice["message"]), refusal.feedback()), self.gateway.upstream
        try:
            async with upstream.answer("POST", self.target, self.headers, body) as response:
                completion = _completion(await upstream.whole(response) if response.is_success else b"")
            self.usage.append(completion.get("usage"))
            if completion.get("error"):
                return None
            again = completion["choices"][0]
            make_plain(again["message"])
            _choice_of(again)
        except Problem:
            return None
        return {name: value for name, value in again.items() if name in _OF_A_CHOICE}

    def _refuse(self, refusal: LLMJsonParseError) -> None:
        """Note that a choice cannot be read; a `Problem` (422), unless it passes."""
        self.refusal, stage = refusal, refusal.details["stage"]
        if self.gateway.settings.on_refusal == "error":
            ours = {"stage": stage, "tries": self.tries, "feedback": refusal.feedback()}
            param = "tools" if stage == "tool_call" or self.request.contract.schema is None else "response_format"
            raise Problem(422, refusal.code, refusal.message, facts={PARAM: param, OURS: ours})

    def facts(self) -> dict[str, Any]:
        """What was done, as the headers and the last chunk tell of it."""
        grade = least_sure(reading.grade for reading in self.readings).value
        facts = {"grade": grade, "repairs": sum(reading.repairs for reading in self.readings), "tries": self.tries}
        return facts | ({"grade": "refused", "refused": self.refusal.details["stage"]} if self.refusal else {})

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


def _completion(body: bytes) -> dict[str, Any]:
    """The members of a completion, or of an error that is sent as one; a `Problem` (502) where it is neither."""
    members = None
    with suppress(ValueError, RecursionError):
        members = json.loads(body.decode("utf-8-sig")) if holds_few_values(body) else None
    members = members if isinstance(members, dict) else {}
    choices = members.get("choices")
    is_completion = isinstance(choices, list) and choices and all(map(_is_choice, choices))
    if not is_completion and not members.get("error"):
        raise no_completion()
    return members


def _is_choice(choice: object) -> bool:
    return isinstance(choice, dict) and isinstance(choice.get("message"), dict)


def strict_bytes(members: Mapping[str, Any]) -> bytes:
    """An object as JSON.

    Raises:
        Problem: it holds a number that JSON does not have (502).
    """
    try:
        return json_bytes(members, allow_nan=False)
    except ValueError:
        raise no_completion() from None


# --- messages -----------------------------------------------------------------------------------------------


def make_plain(message: dict[str, Any]) -> bool:
    """Make one text of the content of a message or a delta, and of the arguments of each call; whether they were.

    Some servers send content in parts, among them reasoning, and arguments as an object.

    Raises:
        Problem: they are neither (502).
    """
    content, calls = message.get("content"), message.get("tool_calls") or []
    texts = [("text", "" if content is None else content)]
    parts = [kind_and_text(part) for part in content] if isinstance(content, list) else texts
    is_message = isinstance(calls, list) and all(isinstance(call, dict) for call in calls)
    is_message &= all(kind in _PARTS and isinstance(text, str) for kind, text in parts)
    if not is_message or not all(map(_is_function, functions_of(message))):
        raise no_completion()
    if isinstance(content, list):
        message["content"] = "".join(text for kind, text in parts if kind == "text")
        _add_reasoning(message, "".join(text for kind, text in parts if kind == "reasoning"))
    objects = [function for function in functions_of(message) if isinstance(function.get("arguments"), dict)]
    for function in objects:
        function["arguments"] = json.dumps(function["arguments"], ensure_ascii=False)
    return not isinstance(content, list) and not objects


_PARTS = frozenset({"text", "reasoning", "aside"})


def functions_of(message: Mapping[str, Any]) -> list[Any]:
    """The functions that a message, or a delta, calls."""
    return [call["function"] for call in message.get("tool_calls") or () if call.get("function") is not None]


def _is_function(function: object) -> bool:
    return isinstance(function, dict) and isinstance(function.get("arguments"), str | dict | None)


def _choice_of(choice: Mapping[str, Any]) -> Choice | None:
    """What a choice says; None where no schema says anything of it.

    Raises:
        Problem: a function that it calls has no name (502).
    """
    message, functions = choice["message"], functions_of(choice["message"])
    if message.get("refusal") or message.get("function_call") or (message.get("tool_calls") and not functions):
        return None
    if not all(isinstance(function.get("name"), str) for function in functions):
        raise no_completion()
    calls = tuple(Call(function["name"], function.get("arguments") or "") for function in functions)
    return Choice(message.get("content") or "", calls, choice.get("finish_reason"))


def _said(message: Mapping[str, Any]) -> str:
    """What the model said, for the conversation that goes on: calls as text, since they were not made."""
    calls = (f"{function['name']} {function.get('arguments') or ''}" for function in functions_of(message))
    return "\n".join(filter(None, (message.get("content"), *calls)))


def write_choice(choice: dict[str, Any], reading: ChoiceReading) -> None:
    """Put what was read into a choice; what was said of each token of a text that is another one now goes."""
    message = choice["message"]
    if reading.content != (message.get("content") or ""):
        message["content"] = reading.content or (None if reading.calls else "")
        choice |= {"logprobs": None} if choice.get("logprobs") else {}
    _add_reasoning(message, reading.reasoning)
    if reading.calls:
        message["tool_calls"] = _written_calls(message.get("tool_calls"), reading.calls)
        choice["finish_reason"] = true_finish(choice.get("finish_reason"))


def _add_reasoning(message: dict[str, Any], reasoning: str) -> None:
    if reasoning:
        before = message.get(REASONING)
        message[REASONING] = f"{before}\n{reasoning}" if isinstance(before, str) and before else reasoning


def _written_calls(listed: list[dict[str, Any]] | None, calls: Iterable[Call]) -> list[dict[str, Any]]:
    """The calls of a message: those that the upstream told apart as they were read, or those that stood in the text."""
    functions = [{"name": call.name, "arguments": call.arguments} for call in calls]
    if not listed:
        ids = (call.id for call in calls)
        return [{"id": id_, "type": "function", "function": one} for id_, one in zip(ids, functions, strict=True)]
    read = iter(functions)
    return [one | {"function": one["function"] | next(read)} if one.get("function") else one for one in listed]
