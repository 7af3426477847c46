"""The libraries, each through the call that its own documentation shows; and the process in which one of them reads.

`python -m tools.conformance.libraries NAME` is a worker. It reads a line for each text, an object with `text` and
`type`, and answers with a line: an object with `value`, or with `refused`, the reason. Any program that does so can be
asked.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from tools.benchmarks.jsonrepair_node import installed_version
from tools.benchmarks.peers import PEERS
from tools.benchmarks.verdict import Refused

Read = Callable[[str, dict[str, Any] | None], Any]


class Library(NamedTuple):
    """A library of the comparison.

    Attributes:
        package: its distribution; empty for one that needs none, or is asked otherwise.
        call: how it is called.
        load: imports it, in the process that reads.
    """

    package: str
    call: str
    load: Callable[[], Read]


def _ours() -> Read:
    from tools.attack.quiet import quiet  # noqa: PLC0415 - only where it reads
    from tools.conformance import cases  # noqa: PLC0415 - as above

    quiet()
    return cases.read


def _peer(name: str) -> Callable[[], Read]:
    """One that the benchmarks call, too."""

    def load() -> Read:
        reader = next(peer for peer in PEERS if peer.name == name).load()
        return lambda text, _: reader.once(text, typed=False)[1]

    return load


def _function(module: str, name: str) -> Callable[[], Read]:
    def load() -> Read:
        read = getattr(importlib.import_module(module), name)
        return lambda text, _: read(text)

    return load


def _parsantic() -> Read:
    parse = importlib.import_module("parsantic").parse
    return lambda text, _: parse(text, dict[str, Any]).value


def _pydantic_ai() -> Read:
    library, function = (importlib.import_module(name) for name in ("pydantic_ai", "pydantic_ai.models.function"))

    def read(text: str, schema: dict[str, Any] | None) -> Any:  # noqa: ANN401 - JSON
        answer = library.ModelResponse(parts=[library.TextPart(text)])
        output = library.StructuredDict({"type": "object", **(schema or {})})
        model = function.FunctionModel(lambda *_: answer)
        return library.Agent(model, output_type=library.PromptedOutput(output), retries=0).run_sync("?").output

    return read


LIBRARIES: dict[str, Library] = {
    "llm-output": Library("", "`decode_llm_json`, or `parse_llm_json_output` with the type", _ours),
    "json": Library("", "`loads` of Python", _function("json", "loads")),
    "json_repair": Library("json-repair", "`loads`", _peer("json_repair")),
    "fast-json-repair": Library("fast-json-repair", "`loads`", _peer("fast-json-repair")),
    "repairjson": Library("repairjson", "`loads`", _peer("repairjson")),
    "jsonmend": Library("jsonmend", "`loads`", _function("jsonmend", "loads")),
    "partial-json-parser": Library("partial-json-parser", "`loads`", _function("partial_json_parser", "loads")),
    "dirtyjson": Library("dirtyjson", "`loads`", _function("dirtyjson", "loads")),
    "jsonrepair": Library("npm:jsonrepair", "`JSON.parse(jsonrepair(text))`, in Node", _peer("jsonrepair")),
    "BAML": Library("baml-py", "`parse_llm_response` into a map", _peer("BAML")),
    "LangChain": Library("langchain-core", "`JsonOutputParser().parse`", _peer("langchain")),
    "LlamaIndex": Library("llama-index-core", "`parse_json_markdown`", _peer("llama-index")),
    "instructor": Library("instructor", "`extract_json_from_codeblock`, then `json.loads`", _peer("instructor")),
    "pydantic-ai": Library("pydantic-ai-slim", "`PromptedOutput` of an agent, with the type", _pydantic_ai),
    "parsantic": Library("parsantic", "`parse` into a `dict`", _parsantic),
}


def installed(name: str) -> str | None:
    """The version of a library in this environment; None where it is not installed."""
    package = LIBRARIES[name].package
    if package == "npm:jsonrepair":
        return installed_version()
    if not package:
        return "this source tree" if name == "llm-output" else f"Python {sys.version.split()[0]}"
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _serve(name: str) -> None:
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    read = LIBRARIES[name].load()
    answers.write(f"{json.dumps({'version': installed(name)})}\n")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            value = read(request["text"], request["type"])
            answer = {"refused": str(value)} if isinstance(value, Refused) else {"value": value}
            written = json.dumps(answer)
        except RecursionError:
            written = json.dumps({"refused": "nested too deeply"})
        except Exception as error:  # noqa: BLE001 - whatever a library raises is its refusal
            written = json.dumps({"refused": repr(error)[:200]})
        answers.write(f"{written}\n")


if __name__ == "__main__":
    _serve(sys.argv[1])
