"""What a batch came to, as tables on stderr."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from src.entrypoints.cli.batch_report import PAGE
from src.entrypoints.cli.screen import stderr, table_text
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.tables import plain_table
from src.entrypoints.reports.batch.ranking import Refusals, compared_groups_of, groups_of, refusals_of
from src.entrypoints.reports.batch.shares import grouped, share
from src.entrypoints.reports.batch.words import AGREEMENTS
from src.modules.reparsing.domain.comparison import Comparison
from src.modules.reparsing.domain.tally import Counts, Tally
from src.shared.domain.one_line import one_line

AGENTS_SHOWN = 8
"""Agents with a row of their own: those of the most texts."""
REASONS_SHOWN = 5
"""How many of the most frequent reasons are told."""
_NAME_SHOWN = 60
_REASON_SHOWN = 100


def print_tally(tally: Tally, folder: Path) -> None:
    """Print the outcomes, all of them and by agent, why texts were refused, and where everything is."""
    console, reasons = stderr(), refusals_of(tally)
    tables = [_outcomes(tally)]
    tables += [_reasons(reasons, tally.counts.refused)] if reasons else []
    tables += [_compared(tally.comparison)] if tally.comparison.classes else []
    for table in tables:
        console.print(table if console.is_terminal else table_text(table), soft_wrap=not console.is_terminal)
    shown, page = one_line(str(folder), 1_000), one_line(str(folder / PAGE), 1_000)
    console.print(spoken(f"结果：{shown}　报告：{page}", f"The outcomes: {shown}  The report: {page}"), soft_wrap=True)


def nothing_read(tally: Tally) -> str:
    """Why not one text was read: the inputs have no rows, or the most frequent reason of the refusals."""
    if not tally.counts.texts:
        return spoken("输入中没有任何行", "there are no rows in the inputs")
    most = refusals_of(tally)[0]
    zh, en = one_line(most.example.message, _REASON_SHOWN), one_line(most.reason, _REASON_SHOWN)
    count, whole = grouped(most.texts), grouped(tally.counts.texts)
    return spoken(f"没有读出任何文本；{whole} 个中的 {count} 个：{zh}", f"no text was read; {count} of {whole}: {en}")


def print_not_stored(texts: int) -> None:
    """Say how many texts are not in the store of outcomes, if any."""
    if texts:
        count = grouped(texts)
        zh = f"存储不可用，{count} 个文本未写入其中；结果文件是完整的。"
        en = f"The store was away: {count} texts are not in it. The outcomes are complete."
        stderr().print(spoken(zh, en), soft_wrap=True)


def _outcomes(tally: Tally) -> Table:
    outcomes = (spoken("原样读出", "clean"), spoken("修复", "repaired"), spoken("拒绝", "refused"))
    table = plain_table("", spoken("文本", "texts"), *outcomes, spoken("其中截断", "cut off"))
    table.add_row(spoken("全部", "all"), *_cells(tally.counts))
    agents = groups_of(tally.by_agent)
    for name, counts in agents[:AGENTS_SHOWN]:
        table.add_row(one_line(name, _NAME_SHOWN), *_cells(counts))
    if len(agents) > AGENTS_SHOWN:
        others = Counts()
        for _, counts in agents[AGENTS_SHOWN:]:
            others.add(counts)
        count = len(agents) - AGENTS_SHOWN
        table.add_row(spoken(f"另 {count} 个", f"{count} others"), *_cells(others))
    return table


def _reasons(reasons: list[Refusals], refused: int) -> Table:
    table = plain_table(
        spoken("拒绝", "refused"), spoken("阶段", "stage"), spoken("最常见的原因", "most frequent reasons")
    )
    for row in reasons[:REASONS_SHOWN]:
        why = spoken(row.example.message, row.reason)
        table.add_row(f"{grouped(row.texts)} ({share(row.texts, refused)})", row.stage, one_line(why, _REASON_SHOWN))
    return table


def _compared(comparison: Comparison) -> Table:
    table = plain_table(spoken("与旧解析器对照", "beside the old parser"), *(each.value for each in AGREEMENTS))
    for name, classes in [(spoken("全部", "all"), comparison.classes), *compared_groups_of(comparison)[:AGENTS_SHOWN]]:
        whole = sum(classes.values())
        counts = [classes.get(each, 0) for each in AGREEMENTS]
        table.add_row(one_line(name, _NAME_SHOWN), *(f"{grouped(count)} ({share(count, whole)})" for count in counts))
    return table


def _cells(counts: Counts) -> list[str]:
    some = (counts.clean, counts.repaired, counts.refused, counts.truncated)
    return [grouped(counts.texts), *(f"{grouped(count)} ({share(count, counts.texts)})" for count in some)]
