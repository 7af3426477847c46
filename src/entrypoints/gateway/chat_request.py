"""What a request for a completion asks of the gateway: a schema of the content, and the tools that may be called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from src.entrypoints.gateway.api_errors import PARAM
from src.entrypoints.http.problems import Problem, json_bytes
from src.shared.domain.language import Phrase
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys
from src.shared.infrastructure.llm.connections import holds_at_most

Schema = dict[str, Any]

_ANY_OBJECT: Schema = {"type": "object"}
_MEMBERS = (b'response_format"', b'tools"', b"\\u")
"""One of these is in the body of every request that asks for something; a key may be written with escapes."""
MOST_VALUES = 1_000_000
"""Values of a body that is decoded on the loop, a request's or an answer's: a fifth of a second."""
_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)
_OF_STREAMS = frozenset({"stream", "stream_options"})


@dataclass(frozen=True)
class Contract:
    """By what an answer is read.

    Attributes:
        schema: the JSON Schema of the content; None where it is prose.
        tools: the JSON Schema of the arguments of each function, by its name.
        may_leak: whether a call that stands in the text is one: no request forbids calls.
    """

    schema: Schema | None
    tools: dict[str, Schema]
    may_leak: bool


@dataclass(frozen=True)
class ChatRequest:
    """A request whose answer the gateway reads: the members of its body, and its contract."""

    members: dict[str, Any]
    contract: Contract

    @property
    def is_stream(self) -> bool:
        """Whether the answer is to come in pieces."""
        return self.members.get("stream") is True

    @property
    def choices(self) -> int:
        """How many answers are asked for."""
        count = self.members.get("n")
        return max(1, count) if isinstance(count, int) else 1

    def after(self, said: str, feedback: str) -> bytes:
        """The body of a request that tells the model what was wrong with what it said; it is not streamed."""
        members = {name: value for name, value in self.members.items() if name not in _OF_STREAMS}
        told = [{"role": "assistant", "content": said}] if said.strip() else []
        members["messages"] = [*members["messages"], *told, {"role": "user", "content": feedback}]
        return json_bytes(members | ({"n": 1} if "n" in members else {}))


def chat_request(body: bytes) -> ChatRequest | None:
    """What the body of a request asks for; None where the answer passes as it is, also since the upstream refuses it.

    Raises:
        Problem: a member is given twice, so that the upstream may read another one (400); or there are too many (413).
    """
    encoding = json.detect_encoding(body)  # which the upstream may do as well
    if encoding == "utf-8" and not any(member in body for member in _MEMBERS):
        return None
    if not holds_few_values(body):
        raise Problem(413, "BODY_TOO_COMPLEX", Phrase("a body has at most {most} values", most=MOST_VALUES))
    try:
        members = _DECODER.decode(body.decode(encoding))
    except RepeatedKeyError as error:
        raise Problem(400, "GIVEN_TWICE", Phrase("the member {name} is given twice", name=error.key)) from None
    except (ValueError, RecursionError):
        return None
    if not isinstance(members, dict) or not isinstance(members.get("messages"), list):
        return None
    schema, tools = _schema(members.get("response_format")), _tools(members.get("tools"))
    may_leak = bool(tools) and members.get("tool_choice") != "none"
    return ChatRequest(members, Contract(schema, tools, may_leak)) if schema is not None or tools else None


def holds_few_values(body: bytes) -> bool:
    """Whether a body is decoded on the loop; each value takes at least a byte."""
    return len(body) <= MOST_VALUES or holds_at_most(MOST_VALUES, body)


def _schema(asked: object) -> Schema | None:
    """The schema of a `response_format`; None for text, and for what only the upstream knows."""
    if not isinstance(asked, Mapping) or asked.get("type") not in {"json_object", "json_schema"}:
        return None
    given = asked.get("json_schema")
    schema = given.get("schema") if asked["type"] == "json_schema" and isinstance(given, Mapping) else None
    return schema if isinstance(schema, dict) else _ANY_OBJECT


def _tools(listed: object) -> dict[str, Schema]:
    """The schema of each function's arguments; of other kinds of tools nothing is known.

    Raises:
        Problem: two functions have one name (400).
    """
    tools: dict[str, Schema] = {}
    for tool in listed if isinstance(listed, list) else ():
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(name := function.get("name"), str):
            continue
        if name in tools:
            detail = Phrase("two tools have the name {name}", name=name)
            raise Problem(400, "TOOL_NAMED_TWICE", detail, facts={PARAM: "tools"})
        parameters = function.get("parameters")
        tools[name] = parameters if isinstance(parameters, dict) and parameters else _ANY_OBJECT
    return tools
