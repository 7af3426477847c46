"""A comparison of runs as text on stdout."""

from __future__ import annotations

from typing import Final

from examples.committee.reports.comparison_cells import Cell, Row
from examples.committee.reports.comparison_view import ComparisonView
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.screen import plain_table, print_table
from src.entrypoints.reports.words import said

_LONGEST: Final = 60
"""Characters of a text that a cell shows: the page has it whole."""


def print_comparison(view: ComparisonView) -> None:
    """Print a table for each section: a column for each run, short."""
    write_stdout(visible(view.title) + "\n")
    for section in view.sections:
        table = plain_table("", *(visible(column.label) for column in view.columns))
        for row in filter(_is_short, section.rows):
            table.add_row(visible(row.title), *(visible(_short(cell)) for cell in row.cells))
        write_stdout(section.title)
        print_table(table)
        write_stdout("")


def _is_short(row: Row) -> bool:
    """Whether a row holds more than long texts."""
    return any(cell.words or cell.items or cell.gone for cell in row.cells)


def _short(cell: Cell) -> str:
    if cell.is_empty:
        return said("没有", "not told")
    change = f"({cell.change})" if cell.change else ""
    return " ".join(filter(None, map(_cut, (cell.words, cell.note, _counts(cell), change))))


def _counts(cell: Cell) -> str:
    """How many entries a list has, and how many of them are new, reworded or gone."""
    if not cell.items and not cell.gone:
        return ""
    states: dict[str, int] = {}
    for item in cell.items:
        if item.state:
            states[item.state] = states.get(item.state, 0) + 1
    if cell.gone:
        states[said("不再列出", "no longer listed")] = len(cell.gone)
    counted = said("，", ", ").join(f"{state} {count}" for state, count in states.items())
    total = str(len(cell.items)) if cell.items else ""
    return f"{total} ({counted})".strip() if counted else total


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
