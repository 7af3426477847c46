"""The repairs, one line each: the original text, and what was read instead."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from src.entrypoints.cli.plain_output import spoken, visible
from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.one_line import one_line
from src.shared.domain.partial import PartProblem
from src.shared.domain.ports.llm import LLMReply
from src.shared.domain.repair import Repair, RepairKind

SHOWN = 10
"""Most repairs that are listed; the rest is counted."""
FOUND_LIMIT = 80
"""Most characters of a value that are shown before and after its coercion."""
_KIND_WIDTH = max(len(kind) for kind in RepairKind)


def print_repairs(console: Console, repairs: Sequence[Repair]) -> None:
    """Print the list: kind, line:column, found → read."""
    place_width = max((len(_place(repair)) for repair in repairs[:SHOWN]), default=0)
    for repair in repairs[:SHOWN]:
        console.print(repair_line(repair, place_width), soft_wrap=True)
    print_more(console, len(repairs) - SHOWN)


def print_coercions(console: Console, coercions: Sequence[Coercion]) -> None:
    """Print which values were read as what their type asks for: kind, path, before → after."""
    for one in coercions[:SHOWN]:
        head = (spoken("转换 ", "coerced "), "yellow")
        said = f"{one.kind.value}  {visible(one.path)}  {_shown(one.before)} → {_shown(one.after)}"
        console.print(Text.assemble(head, said), soft_wrap=True)
    print_more(console, len(coercions) - SHOWN)


def print_left_out(console: Console, problems: Sequence[PartProblem]) -> None:
    """Print which parts of the answer are left out: path, place, why."""
    for one in problems[:SHOWN]:
        place = f"  {one.place['line']}:{one.place['column']}" if one.place else ""
        path, why = (visible(one_line(said, 2 * FOUND_LIMIT)) for said in (one.path, one.error.message))
        head = (spoken("舍去 ", "left out "), "bold yellow")
        console.print(Text.assemble(head, f"{path}{place}  {why}"), soft_wrap=True)
    print_more(console, len(problems) - SHOWN)


def _shown(value: object) -> str:
    return visible(one_line(json.dumps(value, ensure_ascii=False), FOUND_LIMIT))


def print_more(console: Console, count: int, indent: str = "") -> None:
    """Say how many more there are, if any."""
    if count > 0:
        console.print(indent + spoken(f"… 另有 {count:,} 处", f"… and {count:,} more"))


def model_repair(reply: LLMReply) -> str:
    """Who repaired a text that the parser could not read, and what it cost."""
    return spoken(f"由 {_by(reply)} 修复：{_tokens(reply)}", f"repaired by {_by(reply)}: {_tokens(reply)}")


def asked(reply: LLMReply) -> str:
    """Who was asked for a repair that was refused, and what it cost."""
    return spoken(f"询问了 {_by(reply)}：{_tokens(reply)}", f"asked {_by(reply)}: {_tokens(reply)}")


def _by(reply: LLMReply) -> str:
    return visible(reply.model) or spoken("模型", "a model")


def _tokens(reply: LLMReply) -> str:
    about = spoken("约 ", "about ") if reply.usage.is_estimated else ""
    return spoken(f"{about}{reply.usage.total_tokens:,} 词元", f"{about}{reply.usage.total_tokens:,} tokens")


def repair_line(repair: Repair, place_width: int = 0) -> Text:
    """One repair as a line."""
    return Text.assemble(
        (spoken("修复 ", "repaired "), "yellow"),
        f"{repair.kind.value:{_KIND_WIDTH}}  {_place(repair):{place_width}}  ",
        visible(repair.found) or (spoken("（缺少）", "(missing)"), "dim"),
        " → ",
        visible(repair.put.strip(" ")) or (spoken("（去掉）", "(dropped)"), "dim"),
        f" ×{repair.count:,}" if repair.count > 1 else "",
    )


def _place(repair: Repair) -> str:
    return f"{repair.line}:{repair.column}"
