"""What a batch came to, as a table on stderr."""

from __future__ import annotations

from pathlib import Path

from src.entrypoints.cli.screen import stderr
from src.entrypoints.cli.spoken import spoken
from src.entrypoints.cli.tables import plain_table
from src.modules.reparsing.domain.tally import Counts, Tally


def print_tally(tally: Tally, folder: Path) -> None:
    """Print the outcomes, all of them and by agent, and where they are."""
    console = stderr()
    outcomes = (spoken("原样读出", "clean"), spoken("修复", "repaired"), spoken("拒绝", "refused"))
    table = plain_table("", spoken("文本", "texts"), *outcomes)
    for name, counts in {spoken("全部", "all"): tally.counts, **tally.by_agent}.items():
        table.add_row(name, *_cells(counts))
    console.print(table)
    console.print(spoken(f"结果：{folder}", f"The outcomes: {folder}"), soft_wrap=True)


def _cells(counts: Counts) -> list[str]:
    texts = counts.texts
    shares = (counts.clean, counts.repaired, counts.refused)
    return [f"{texts:,}", *(f"{count:,} ({count / texts:.1%})" if texts else "0" for count in shares)]
