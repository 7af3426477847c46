"""What becomes of the tool calls of servers' own tests: right, refused, silent, different or invented, by family.

python -m tools.benchmarks.tool_call_corpus [--show] [FILE]

Each text is read twice: with models made of the case's tools, and with a model that takes any argument. FILE defaults
to `../shared/corpus/tool_calls.jsonl`. `right` has the calls that the case wants; `refused` is an error; `silent` has
none where there are some; `invented` has some where there are none; `different` is everything else. Exit code 1 where
a text was silent, different or invented.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Union

from pydantic import BaseModel, ConfigDict, create_model

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.tool_calls import read_tool_calls

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "tool_calls.jsonl"
OUTCOMES = ("right", "refused", "silent", "different", "invented")
BROKEN = frozenset({"silent", "different", "invented"})
_SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": type(None)}
_IN_REASONING = "golden: a call inside a block of reasoning IS a call"
"""A policy of these cases that is not ours: a call in reasoning is none."""
_ANYTHING = ConfigDict(extra="allow", protected_namespaces=())


class Case(NamedTuple):
    """A text, and the calls that its server reads."""

    family: str
    name: str
    text: str
    tools: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    note: str


def cases(file: Path = CORPUS) -> Iterator[Case]:
    """The cases of a file."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            calls = row["calls"]
            yield Case(
                row.get("family") or row["source"].rpartition("/")[2].removesuffix("_test.go"),
                row["case"],
                row["text"],
                row.get("tools") or [{"name": one["name"], "parameters": _schema(one["arguments"])} for one in calls],
                calls,
                row.get("note") or "",
            )


def _schema(value: object) -> dict[str, Any]:
    """The schema of a value, where a case has no tools."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {key: _schema(one) for key, one in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0]) if value else {}}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return {"type": names[type(value)]}


def typed(tools: list[dict[str, Any]]) -> dict[str, type[BaseModel]]:
    """A model for each tool, with a field for each parameter."""
    return {one["name"]: _model(one.get("parameters") or {}, one.get("parameters") or {}) for one in tools}


def permissive(tools: list[dict[str, Any]]) -> dict[str, type[BaseModel]]:
    """A model for each tool that takes any argument."""
    return {one["name"]: create_model("Anything", __config__=_ANYTHING) for one in tools}


def _model(schema: Mapping[str, Any], root: Mapping[str, Any]) -> type[BaseModel]:
    needed = schema.get("required", ())
    fields: dict[str, Any] = {
        key: (_type(one, root), ... if key in needed else None) for key, one in schema.get("properties", {}).items()
    }
    return create_model("Arguments", __config__=_ANYTHING, **fields)


def _type(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a type
    if "$ref" in schema:
        found: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part] if isinstance(found, dict) and part in found else {}
        return _type(found, root)
    named = schema.get("type")
    names = named if isinstance(named, list) else [named]
    types = [_one_type(name, schema, root) for name in names]
    return Union[tuple(types)]  # noqa: UP007 - of a number of types that is not known


def _one_type(name: str | None, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a type
    if name == "object":
        return _model(schema, root) if schema.get("properties") else dict[str, Any]
    if name == "array":
        return list[_type(schema.get("items", {}), root)]  # type: ignore[misc]  # made at run time
    return _SCALARS.get(name or "", Any)


def outcome(case: Case, tools: Mapping[str, type[BaseModel]]) -> str:
    """What became of a case."""
    try:
        found = read_tool_calls(case.text, tools)
    except LLMJsonParseError:
        return "refused"
    read = [(call.name, call.arguments.model_dump(exclude_unset=True)) for call in found]
    if case.note.startswith(_IN_REASONING):
        return "invented" if read else "right"
    if read == [(call["name"], call["arguments"]) for call in case.calls]:
        return "right"
    if not read:
        return "silent"
    return "different" if case.calls else "invented"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--show", action="store_true", help="print each text that was not read right")
    asked = parser.parse_args(arguments)
    is_broken = False
    for title, tools_of in (("models of the tools", typed), ("any arguments", permissive)):
        counted: dict[str, Counter[str]] = {}
        for case in cases(asked.file):
            became = outcome(case, tools_of(case.tools))
            counted.setdefault(case.family, Counter())[became] += 1
            is_broken |= became in BROKEN
            if asked.show and became != "right":
                print(f"{became}: {case.family} {case.name} {case.note!r}\n{case.text}\n")
        print(f"{title}\n\n| family | {' | '.join(OUTCOMES)} |\n| --- |{' ---: |' * len(OUTCOMES)}")
        total = sum(counted.values(), Counter())
        for name, one in [*sorted(counted.items()), ("all", total)]:
            print(f"| {name} | {' | '.join(str(one[became]) for became in OUTCOMES)} |")
        print()
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main())
