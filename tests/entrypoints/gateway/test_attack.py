"""Broken answers through both SDKs of OpenAI: each gets the right object or an error, never a wrong one."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from tests.entrypoints.gateway.breaking import WAYS, broken_answer
from tests.entrypoints.gateway.gateways import client
from tests.installed import OPENAI_NODE, missing_openai_node
from tests.loopback.server import ChatServer
from tests.paths import ROOT
from tests.processes import LIMIT
from tests.thorough import at_length

COUNT = at_length(3 * len(WAYS), 1_050)


@pytest.fixture
def broken_server(chat_server: ChatServer) -> Iterator[ChatServer]:
    chat_server.respond(lambda request: broken_answer(int(request.body["messages"][0]["content"])).answer)
    yield chat_server
    chat_server.reset()


def judge(seen: list[dict[str, Any]]) -> None:
    """Nothing is wrong, errors are errors, and of what can be read most is read."""
    assert len(seen) == 2 * COUNT
    wrong, read = [], Counter[str]()
    names = [*WAYS]
    for one in seen:
        broken = broken_answer(one["number"])
        if one["error"] is None and not broken.holds(one["content"], one["calls"]):
            wrong.append((names[one["number"] % len(names)], one))
        elif one["error"] is None:
            read[names[one["number"] % len(names)]] += 1
    assert wrong == []
    for name in ("fenced", "thought", "in parts", "leaked as Hermes writes it", "arguments as Python"):
        assert read[name] == 2 * COUNT // len(WAYS), name
    assert not read["HTML"] + read["500"] + read["cut at the limit"] + read["arguments cut"] + read["body cut"]


def asked_by_python(asking: openai.OpenAI, number: int, *, stream: bool) -> dict[str, Any]:
    seen: dict[str, Any] = {"number": number, "stream": stream, "content": None, "calls": [], "error": None}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": str(number)}]}
    body |= broken_answer(number).asked
    calls: dict[int, list[str]] = {}
    try:
        if not stream:
            message = asking.chat.completions.create(**body).choices[0].message
            listed = [[call.function.name, call.function.arguments] for call in message.tool_calls or ()]
            return seen | {"content": message.content, "calls": listed}
        for chunk in asking.chat.completions.create(**body, stream=True):
            for choice in chunk.choices:
                if choice.delta.content:
                    seen["content"] = (seen["content"] or "") + choice.delta.content
                for call in choice.delta.tool_calls or ():
                    known = calls.setdefault(call.index, ["", ""])
                    known[0] += call.function.name or ""
                    known[1] += call.function.arguments or ""
    except openai.APIError as error:
        seen["error"] = getattr(error, "status_code", 0)
    return seen | ({"calls": [*calls.values()]} if stream else {})


@pytest.mark.usefixtures("broken_server")
def test_the_sdk_for_python_gets_the_right_object_or_an_error(asking_once: str) -> None:
    with client(asking_once) as asking, ThreadPoolExecutor(8) as threads:
        jobs = [(number, stream) for number in range(COUNT) for stream in (False, True)]
        judge([*threads.map(lambda job: asked_by_python(asking, job[0], stream=job[1]), jobs)])


@pytest.mark.skipif(bool(missing_openai_node()), reason=missing_openai_node())
@pytest.mark.usefixtures("broken_server")
def test_the_sdk_for_node_gets_the_right_object_or_an_error(asking_once: str) -> None:
    jobs = [
        {"number": number, "stream": stream, "asked": broken_answer(number).asked}
        for number in range(COUNT)
        for stream in (False, True)
    ]
    script = ROOT / "tests" / "entrypoints" / "gateway" / "ask.mjs"
    run = subprocess.run(  # noqa: S603 - ours
        ["node", str(script), str(OPENAI_NODE), asking_once],  # noqa: S607 - on the path
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT * at_length(1, 10),
    )
    assert run.returncode == 0, run.stderr
    judge([json.loads(line) for line in run.stdout.splitlines()])
