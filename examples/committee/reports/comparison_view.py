"""What a comparison of runs shows, computed once: plain values for the page and the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from examples.committee.domain.run_comparison import in_order, run_before
from examples.committee.domain.run_record import RecordedRun
from examples.committee.reports.comparison_cells import Pairs, Row
from examples.committee.reports.comparison_rows import (
    debate_rows,
    effort_rows,
    expert_rows,
    heed_rows,
    risk_rows,
    verdict_rows,
)
from examples.committee.reports.ladder import Ladder, ladders_of
from examples.committee.reports.recorded_prices import prices_of
from src.entrypoints.reports.words import chinese, said

_SECTIONS: Final = {
    "verdicts": (chinese("裁决", "Verdicts"), verdict_rows),
    "levels": (chinese("价位", "Price levels"), None),
    "experts": (chinese("专家的信号、置信度与得分", "The experts' signals, confidence and scores"), expert_rows),
    "debates": (chinese("多空辩论", "Debates"), debate_rows),
    "risks": (chinese("风险", "Risks"), risk_rows),
    "heed": (chinese("疑点与缺失", "Doubts and gaps"), heed_rows),
    "effort": (chinese("形成过程", "How they came about"), effort_rows),
}
"""Title and rows of each section by its anchor, in the order of the page."""


@dataclass(frozen=True, slots=True)
class Column:
    """One run.

    Attributes:
        run: what it says.
        before: the run that it is compared with; None where there is none.
        label: its dossier's date, with the stock where there are several.
        link: where its report is, for a page; empty where it has none.
    """

    run: RecordedRun
    before: RecordedRun | None
    label: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One table of the comparison."""

    anchor: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class LadderRow:
    """The ladders of one stock, all on one scale; None where a run names no level."""

    title: str
    currency: str
    ladders: tuple[tuple[str, Ladder | None], ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """All that a comparison shows."""

    title: str
    stocks: int
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    ladders: tuple[LadderRow, ...]

    @property
    def contents(self) -> dict[str, str]:
        """Anchor and title of each section that has something to show."""
        present = {section.anchor for section in self.sections} | ({"levels"} if self.ladders else set())
        return {anchor: title.text() for anchor, (title, _) in _SECTIONS.items() if anchor in present}


def comparison_view(runs: tuple[RecordedRun, ...], link: Callable[[RecordedRun], str]) -> ComparisonView:
    """Work out what a comparison shows.

    Args:
        runs: what is compared, two or more.
        link: where a run's report is, as seen from the page.
    """
    ordered = in_order(runs)
    stocks = len({_stock(run) for run in ordered})
    title = stock_title(ordered[0]) if stocks == 1 else said(f"{stocks} 只股票", f"{stocks} stocks")
    labels = _labels(ordered, several=stocks > 1)
    columns = tuple(
        Column(run, run_before(ordered, at), label, link(run))
        for at, (run, label) in enumerate(zip(ordered, labels, strict=True))
    )
    pairs = [(column.run, column.before) for column in columns]
    return ComparisonView(title, stocks, columns, _sections(pairs), _ladders(columns))


def stock_title(run: RecordedRun) -> str:
    """Name and code of a run's stock."""
    return " ".join(filter(None, (run.name, run.symbol))) or said("未知的股票", "unknown stock")


def date_of(run: RecordedRun) -> str:
    """The last day that the run's dossier covers."""
    return run.as_of.isoformat() if run.as_of else said("日期未知", "unknown date")


def _stock(run: RecordedRun) -> str:
    """What tells stocks apart: runs of an unknown stock may be of different ones."""
    return run.symbol or str(run.folder)


def _labels(runs: tuple[RecordedRun, ...], *, several: bool) -> list[str]:
    """What each column is called; runs of one name are numbered."""
    labels = [f"{stock_title(run)} {date_of(run)}" if several else date_of(run) for run in runs]
    counted = [labels[: at + 1].count(label) for at, label in enumerate(labels)]
    return [
        f"{label} ({nth})" if labels.count(label) > 1 else label for label, nth in zip(labels, counted, strict=True)
    ]


def _sections(pairs: Pairs) -> tuple[Section, ...]:
    made = ((anchor, title.text(), rows(pairs)) for anchor, (title, rows) in _SECTIONS.items() if rows)
    return tuple(Section(*section) for section in made if section[-1])


def _ladders(columns: tuple[Column, ...]) -> tuple[LadderRow, ...]:
    """One row a stock: prices of different stocks have no scale in common."""
    found = []
    for _, group in groupby(columns, key=lambda column: _stock(column.run)):
        own = tuple(group)
        drawn = ladders_of([prices_of(column.run) for column in own])
        if any(drawn):
            run = own[0].run
            currency = run.dossier.stock.currency if run.dossier else ""
            found.append(
                LadderRow(stock_title(run), currency, tuple(zip((one.label for one in own), drawn, strict=True)))
            )
    return tuple(found)
