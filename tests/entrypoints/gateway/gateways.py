"""A gateway on loopback, in a thread of the test, and what its clients see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from src.entrypoints.gateway.gateway_app import create_gateway
from src.entrypoints.gateway.gateway_settings import GatewaySettings
from tests.loopback.asgi_server import AsgiServer

KEY = "sk-a-key-of-the-upstream"
PRICE = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "price": {"type": "number"}},
    "required": ["item", "price"],
    "additionalProperties": False,
}
SEARCH = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q"]}
FORMAT: Any = {"type": "json_schema", "json_schema": {"name": "price", "schema": PRICE}}
TOOLS: Any = [{"type": "function", "function": {"name": "search", "parameters": SEARCH}}]
ASKED: Any = [{"role": "user", "content": "what does tea cost?"}]
CLEAN = '{"item": "tea", "price": 4.5}'


@contextmanager
def gateway(upstream: str, **settings: Any) -> Iterator[str]:  # noqa: ANN401 - fields
    """The base URL of a gateway in front of an upstream."""
    app = create_gateway(GatewaySettings(upstream=upstream, **settings))
    with AsgiServer(app, has_lifespan=True) as server:
        yield f"{server.root}/v1"


def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=20)


@dataclass
class Seen:
    """What a client sees of an answer, whole or in pieces.

    Attributes:
        content: the text.
        calls: name and arguments of each.
        reasoning: what the model thought.
        finish: why it stopped.
        error: the status and the code of an error; 0 where it comes in a stream.
        facts: what the gateway tells: grade, repairs, tries.
        tokens: of the prompt.
        pieces: how the content came.
    """

    content: str | None = None
    calls: list[tuple[str, str]] = field(default_factory=list)
    reasoning: str = ""
    finish: str | None = None
    error: tuple[int, str] | None = None
    facts: dict[str, str] = field(default_factory=dict)
    tokens: int = 0
    pieces: list[str] = field(default_factory=list)


def ask(asking: openai.OpenAI, **asked: Any) -> Seen:  # noqa: ANN401 - what the SDK takes
    """Ask for a whole answer."""
    try:
        raw = asking.chat.completions.with_raw_response.create(model="m", messages=ASKED, **asked)
    except openai.APIStatusError as error:
        return Seen(error=(error.status_code, str(error.code)))
    completion: ChatCompletion = raw.parse()
    choice = completion.choices[0]
    calls = [(call.function.name, call.function.arguments) for call in choice.message.tool_calls or ()]  # type: ignore[union-attr]  # functions
    reasoning = getattr(choice.message, "reasoning_content", None) or ""
    told = {name.removeprefix("x-llm-output-"): value for name, value in raw.headers.items() if "llm-output" in name}
    tokens = completion.usage.prompt_tokens if completion.usage else 0
    return Seen(choice.message.content, calls, reasoning, choice.finish_reason, None, told, tokens)


def stream(asking: openai.OpenAI, **asked: Any) -> Seen:  # noqa: ANN401 - as above
    """Ask for a stream, and put it together."""
    seen, calls = Seen(), dict[int, list[str]]()
    try:
        for chunk in asking.chat.completions.create(model="m", messages=ASKED, stream=True, **asked):
            seen.facts = {name: str(value) for name, value in getattr(chunk, "llm_output", {}).items()}
            seen.tokens = chunk.usage.prompt_tokens if chunk.usage else seen.tokens
            for choice in chunk.choices:
                seen.pieces += [choice.delta.content] if choice.delta.content else []
                seen.reasoning += getattr(choice.delta, "reasoning_content", None) or ""
                seen.finish = choice.finish_reason or seen.finish
                for call in choice.delta.tool_calls or ():
                    known = calls.setdefault(call.index, ["", ""])
                    known[0] += (call.function and call.function.name) or ""
                    known[1] += (call.function and call.function.arguments) or ""
    except openai.APIStatusError as error:
        seen.error = error.status_code, str(error.code)
    except openai.APIError as error:
        seen.error = 0, str(error.code)
    seen.content = "".join(seen.pieces) or None
    seen.calls = [(name, arguments) for name, arguments in calls.values()]
    return seen


def value_of(text: str | None) -> Any:  # noqa: ANN401 - JSON
    """The value of strict JSON."""
    return json.loads(text or "", parse_constant=lambda name: {"not JSON": name})
