"""The same content written in several forms, whose tokens are to be compared."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.recorded import PACKAGED
from src.modules.workbench.domain import response_formats
from src.shared.domain.type_description import describe_type
from tools.benchmarks import accuracy
from tools.benchmarks.markdown import as_markdown

ROOT = Path(__file__).parents[2]

_SCRIPT_LINES = 100
_CODE = "<code>"
_EXAMPLE_MARKDOWN = f"""Here's my analysis:

```python
{_CODE}
```

This code does the following:
- Step 1: Load data
- Step 2: Process data
- Step 3: Save results
"""
_EXAMPLE_THOUGHT = "Load data, process, save results"
_KINDS = ("clean", "fenced", "prose")


@dataclass(frozen=True, slots=True)
class Row:
    """Something written in every form of its comparison: per form its texts, whose tokens are added up."""

    name: str
    texts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Contents in the same forms.

    Attributes:
        title: what is compared.
        what: the heading of the rows.
        forms: the names of the forms; the last is what the others are compared with.
        rows: the contents; none where they are not at hand.
    """

    title: str
    what: str
    forms: tuple[str, ...]
    rows: tuple[Row, ...]


def comparisons() -> tuple[Comparison, ...]:
    """Return all comparisons, in the order of the page."""
    replies = tuple(_reply(agent, (PACKAGED / agent / "clean.txt").read_text(encoding="utf-8")) for agent in AGENTS)
    scripts = tuple(_script(path) for path in sorted(ROOT.glob("tools/benchmarks/*.py")) if path.name != "__init__.py")
    return (
        Comparison("Types in a prompt", "type", ("description", "leanest schema", "schema"), tuple(_types())),
        Comparison("Replies", "agent", ("compact JSON", "indented JSON", "as recorded", "Markdown"), replies),
        Comparison("Scripts in a reply", "script", ("JSON", "Markdown"), scripts),
        Comparison("The specification's example", "code", ("JSON", "Markdown"), tuple(_example())),
        Comparison("Real replies", "kind", ("compact JSON", "Markdown", "as written"), tuple(_real_replies())),
    )


def _types() -> Iterator[Row]:
    parsers = sorted(ROOT.glob("src/modules/*/infrastructure/agents/*/output_parser.py"))
    modules = (importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)) for path in parsers)
    for dto_type in (*(module.OUTPUT.dto_type for module in modules), *_formats()):
        schema = dto_type.model_json_schema()
        yield Row(dto_type.__name__, ((describe_type(dto_type),), (_compact(_leanest(schema)),), (json.dumps(schema),)))


def _formats() -> Iterator[type[BaseModel]]:
    for value in vars(response_formats).values():
        if isinstance(value, type) and issubclass(value, BaseModel) and value is not BaseModel:
            yield value


def _leanest(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a schema what the description leaves out as well: titles, and docstrings of classes."""
    return {
        key: _leanest_part(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "description" and "properties" in schema)
    }


def _leanest_part(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return [_leanest_part(item) for item in value]
    return _leanest(value) if isinstance(value, dict) else value


def _reply(name: str, text: str) -> Row:
    answer = json.loads(text)
    indented = json.dumps(answer, ensure_ascii=False, indent=2)
    return Row(name, ((_compact(answer),), (indented,), (text.strip(),), (as_markdown(answer),)))


def _script(path: Path) -> Row:
    answer = {"thought": _EXAMPLE_THOUGHT, "code": path.read_text("utf-8")}
    return Row(path.name, ((_compact(answer),), (as_markdown(answer),)))


def _example() -> Iterator[Row]:
    """Its two texts as printed, and with a script of the length it speaks of."""
    script = "\n".join((ROOT / "tools/benchmarks/report.py").read_text("utf-8").splitlines()[:_SCRIPT_LINES])
    in_markdown, in_json = "import pandas as pd\n# ... 100 lines of code ...", "import pandas as pd\n#..."
    for name, fenced, quoted in (
        ("left out of both, as printed", in_markdown, in_json),
        (f"{_SCRIPT_LINES} lines in the Markdown only", script, in_json),
        (f"the same {_SCRIPT_LINES} lines in both", script, script),
    ):
        reply = _compact({"thought": _EXAMPLE_THOUGHT, "code": quoted})
        yield Row(name, ((reply,), (_EXAMPLE_MARKDOWN.replace(_CODE, fenced),)))


def _real_replies() -> Iterator[Row]:
    path = accuracy.CORPUS / "real_outputs.jsonl"
    if not path.is_file():
        return
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for kind in _KINDS:
        replies = [
            (row["text"], row["expected"])
            for row in rows
            if row["kind"] == kind and row["expected_confidence"] == "high" and isinstance(row["expected"], dict)
        ]
        texts = [(_compact(answer), as_markdown(answer), text) for text, answer in replies]
        yield Row(f"{kind}, {len(texts)} replies", tuple(zip(*texts, strict=True)))


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
