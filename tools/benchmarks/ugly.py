"""Five ugly texts, and what four libraries make of them: `tools.benchmarks.ugly` writes the table of both READMEs.

Each library is called as its own documentation shows, with the type `Order`, or a list of it. What is not installed
is named, and nothing is written.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from llm_output import Language, LLMJsonParseError, Message, parse_llm_json_output
from src.shared.domain.language import speaking

ROOT = Path(__file__).parents[2]
UGLY_TEXTS = ROOT / "src/entrypoints/http/page/ugly_texts.json"
"""The texts; the pages of the service and of the playground offer the same."""
PEERS = {"json_repair": "json_repair", "instructor": "instructor", "BAML": "baml-py"}
"""The packages by their columns."""
_BAML = """
class Order {
  item string
  quantity int
  tags string[]
}
function ReadOne(text: string) -> Order { client "openai/none" prompt #"{{ text }}"# }
function ReadList(text: string) -> Order[] { client "openai/none" prompt #"{{ text }}"# }
"""
READMES = {Language.EN: ROOT / "README.md", Language.ZH: ROOT / "README.zh-CN.md"}
_HEADS = {Language.EN: ("what goes wrong", "text", "this parser"), Language.ZH: ("哪里会错", "文本", "本解析器")}
_REFUSED = Message("拒绝", "refused")


class Order(BaseModel):
    """What the texts are read into."""

    item: str
    quantity: int
    tags: list[str] = []


Read = Callable[[str, bool], Any]


def ours(text: str, is_list: bool) -> Any:  # noqa: ANN401, FBT001 - an order or several
    """Read a text with this parser.

    Raises:
        LLMJsonParseError: it is refused.
    """
    return parse_llm_json_output(text, list[Order] if is_list else Order)


def _json_repair() -> Read:
    loads = importlib.import_module("json_repair").loads
    return lambda text, _: loads(text)


def _instructor() -> Read:
    extract = importlib.import_module("instructor.v2.core.json").extract_json_from_codeblock
    readers = {False: TypeAdapter[Any](Order), True: TypeAdapter[Any](list[Order])}
    return lambda text, is_list: readers[is_list].validate_json(extract(text))


def _baml() -> Read:
    module = importlib.import_module("baml_py")
    runtime = module.BamlRuntime.from_files(".", {"order.baml": _BAML}, {})
    context = runtime.create_context_manager()
    fixed = {"allow_partials": False, "ctx": context, "tb": None, "cb": None, "env_vars": {}}
    return lambda text, is_list: runtime.parse_llm_response(
        "ReadList" if is_list else "ReadOne", text, module, module, module, **fixed
    )


def cell(read: Read, text: str, *, is_list: bool) -> str:
    """What a library makes of a text: a value as JSON, without its empty lists, or that it refuses and our reason."""
    try:
        value = read(text, is_list)
    except LLMJsonParseError as error:
        return f"{_REFUSED.text()}: {error.message}"
    except Exception:  # noqa: BLE001 - whatever a library raises is its refusal
        return _REFUSED.text()
    return f"`{json.dumps(_plain(value), ensure_ascii=False)}`"


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_plain(one) for one in value]
    plain = value.model_dump() if isinstance(value, BaseModel) else dict(value)
    return {name: one for name, one in plain.items() if one not in ([], None)}


def texts() -> list[dict[str, Any]]:
    """The texts with their names, in the order of the table."""
    found: list[dict[str, Any]] = json.loads(UGLY_TEXTS.read_text(encoding="utf-8"))
    return found


def table(readers: dict[str, Read], language: Language) -> str:
    """The table in Markdown, a row a text, a column a library."""
    wrong, text, this = _HEADS[language]
    lines = [f"| {wrong} | {text} | {' | '.join(readers)} | {this} |", "| --- " * (len(readers) + 3) + "|"]
    with speaking(language):
        for one in texts():
            shown = one["text"].replace("\n", "␊")
            cells = [cell(read, one["text"], is_list=one.get("is_list", False)) for read in (*readers.values(), ours)]
            lines.append(f"| {one[language]} | `` {shown} `` | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Write the table into both READMEs, and print it with the versions."""
    missing = [name for name, package in PEERS.items() if not _version(package)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; `python3 -m tools.environment bench` installs them")
    readers = {"json_repair": _json_repair(), "instructor": _instructor(), "BAML": _baml()}
    for language, path in READMES.items():
        made = table(readers, language)
        before, head, after = path.read_text(encoding="utf-8").partition(f"| {_HEADS[language][0]} |")
        path.write_text(before + made + "\n\n" + (head and after.partition("\n\n")[2]), encoding="utf-8")
        sys.stdout.write(f"{made}\n\n")
    sys.stdout.write(", ".join(f"{name} {_version(package)}" for name, package in PEERS.items()) + "\n")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


if __name__ == "__main__":
    main()
