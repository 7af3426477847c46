"""The libraries side by side, each through the call its own documentation shows."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tools.benchmarks import documents
from tools.benchmarks.jsonrepair_node import NODE_PACKAGE, NodeReader
from tools.benchmarks.verdict import Refused

Read = Callable[[str], Any]

HERE = Path(__file__).parent


class Reader(Protocol):
    """A library, loaded.

    `typed` asks for a `Report` where the library takes a type, and for an object where it does not.
    """

    def once(self, text: str, *, typed: bool, number: int = 1) -> tuple[float, Any]:
        """Read the text `number` times; return the seconds for one reading, and the value or a `Refused`."""


@dataclass(frozen=True, slots=True)
class Calls:
    """The reader of a library that lives in this process."""

    typed: Read
    untyped: Read

    def once(self, text: str, *, typed: bool, number: int = 1) -> tuple[float, Any]:
        """See `Reader`."""
        read = self.typed if typed else self.untyped
        value: Any = None
        start = time.process_time()
        try:
            for _ in range(number):
                value = read(text)
        except Exception as error:  # noqa: BLE001 - whatever a library raises is its refusal
            return time.process_time() - start, Refused(str(error)[:200])
        return (time.process_time() - start) / number, value


@dataclass(frozen=True, slots=True)
class Peer:
    """A library under its name in the tables.

    Attributes:
        name: as the tables show it.
        package: the distribution whose version is reported; empty for ours.
        family: `ours`, `limit`, `native`, `python` or `node`.
        load: imports it; only in the process that measures it.
        note: how it is called, for the report.
    """

    name: str
    package: str
    family: str
    load: Callable[[], Reader]
    note: str


def _ours() -> Reader:
    import structlog  # noqa: PLC0415 - only where it is measured

    llm_json = importlib.import_module("src.shared.infrastructure.llm_json")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    return Calls(
        typed=lambda text: llm_json.parse_llm_json_output(text, documents.Report),
        untyped=lambda text: llm_json.decode_llm_json(text).data,
    )


def _ours_untyped() -> Reader:
    reader = _ours()
    assert isinstance(reader, Calls)  # noqa: S101 - it has just been made
    return Calls(reader.untyped, reader.untyped)


def _pydantic() -> Reader:
    from pydantic import TypeAdapter  # noqa: PLC0415 - only where it is measured

    tree = TypeAdapter(dict[str, Any])
    return Calls(documents.Report.model_validate_json, tree.validate_json)


def _loads(module: str, function: str = "loads") -> Callable[[], Reader]:
    def load() -> Reader:
        read: Read = getattr(importlib.import_module(module), function)
        return Calls(read, read)

    return load


def _langchain() -> Reader:
    read: Read = importlib.import_module("langchain_core.output_parsers").JsonOutputParser().parse
    return Calls(read, read)


def _instructor() -> Reader:
    extract = importlib.import_module("instructor.v2.core.json").extract_json_from_codeblock
    return Calls(
        typed=lambda text: documents.Report.model_validate_json(extract(text)),
        untyped=lambda text: json.loads(extract(text)),
    )


def _baml() -> Reader:
    source = (HERE / "report.baml").read_text("utf-8")
    runtime = importlib.import_module("baml_py").BamlRuntime.from_files(".", {"report.baml": source}, {})
    context = runtime.create_context_manager()

    def read(function: str) -> Read:
        return lambda text: runtime.parse_llm_response(
            function,
            text,
            documents,
            documents,
            documents,
            allow_partials=False,
            ctx=context,
            tb=None,
            cb=None,
            env_vars={},
        )

    return Calls(read("ReadReport"), read("ReadTree"))


PEERS: tuple[Peer, ...] = (
    Peer("ours", "", "ours", _ours, "`parse_llm_json_output(text, Report)`: reads, repairs and validates"),
    Peer("ours, no type", "", "ours", _ours_untyped, "`decode_llm_json(text)`: reads and repairs"),
    Peer(
        "pydantic", "pydantic", "limit", _pydantic, "`Report.model_validate_json`, always on the clean text: the limit"
    ),
    Peer("json_repair", "json_repair", "python", _loads("json_repair"), "`loads`, pure Python"),
    Peer("fast-json-repair", "fast-json-repair", "native", _loads("fast_json_repair"), "`loads`, Rust"),
    Peer("repairjson", "repairjson", "native", _loads("repairjson"), "`loads`, Rust"),
    Peer(
        "BAML",
        "baml-py",
        "native",
        _baml,
        "`parse_llm_response` of the runtime with `Report` as its type, offline, Rust",
    ),
    Peer("langchain", "langchain-core", "python", _langchain, "`JsonOutputParser().parse`"),
    Peer(
        "instructor", "instructor", "python", _instructor, "`extract_json_from_codeblock`, then `model_validate_json`"
    ),
    Peer(
        "llama-index",
        "llama-index-core",
        "python",
        _loads("llama_index.core.output_parsers.utils", "parse_json_markdown"),
        "`parse_json_markdown`",
    ),
    Peer("jsonrepair", NODE_PACKAGE, "node", NodeReader, "`JSON.parse(jsonrepair(text))`, timed inside node"),
)
