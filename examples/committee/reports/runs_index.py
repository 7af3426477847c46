"""All runs beneath a folder: sorted, by stock, with what is not finished and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from examples.committee.domain.run_record import RecordedRun
from examples.committee.infrastructure.run_finder import FoundRuns, UnfinishedRun
from examples.committee.reports.comparison_view import date_of, stock_title
from examples.committee.reports.labels import Stance, stage_title, stance_of
from examples.committee.reports.recorded_facts import (
    cost_of,
    lacking_of,
    seconds_of,
    tokens_of,
    totals_of,
    verdict_of,
    warnings_of,
    without_result,
)
from examples.committee.reports.templates_of import HTML
from src.entrypoints.reports.templates_of import percent
from src.entrypoints.reports.words import said


class Order(StrEnum):
    """How the runs of an index are sorted."""

    DATE = "date"
    """The newest dossier first."""
    STOCK = "stock"
    """By the stock's code, then the newest first."""
    VERDICT = "verdict"
    """Buy, hold, sell, then those without a verdict; the surest first."""
    COST = "cost"
    """The dearest first, currency by currency; those without a known cost last."""


Key: TypeAlias = Callable[[RecordedRun], tuple[object, ...]]
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_ACTIONS: Final = ("BUY", "HOLD", "SELL")


@dataclass(frozen=True, slots=True)
class Line:
    """One run in the index; `resume` is the command that goes on with it, empty where it has its verdict."""

    folder: str
    link: str
    date: str
    begun: str
    verdict: Stance | None
    stopped: str
    position: str
    confidence: str
    without_result: tuple[str, ...]
    warnings: tuple[str, ...]
    lacking: str
    tokens: str
    cost: str
    seconds: str
    resume: str


@dataclass(frozen=True, slots=True)
class Stock:
    """The runs of one stock; `compare` is the command that puts them side by side, empty where there is only one."""

    title: str
    lines: tuple[Line, ...]
    compare: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run without a result, and the command that goes on with it."""

    folder: str
    title: str
    resume: str


@dataclass(frozen=True, slots=True)
class IndexView:
    """All that an index shows."""

    title: str
    order: Order
    runs: int
    stocks: tuple[Stock, ...]
    unfinished: tuple[Unfinished, ...]
    left_out: tuple[tuple[str, str], ...]
    is_all: bool


@dataclass(frozen=True, slots=True)
class Commands:
    """How the commands are written that a page shows, and where its links lead.

    Attributes:
        link: a run's report, as seen from the page; empty where it has none.
        resume: the command that goes on with the run in a folder.
        compare: the command that compares the runs in these folders, which are given newest first.
    """

    link: Callable[[RecordedRun], str]
    resume: Callable[[Path], str]
    compare: Callable[[list[Path]], str]


def index_view(root: Path, found: FoundRuns, order: Order, commands: Commands) -> IndexView:
    """Work out what an index shows."""
    runs = in_order_of(found.runs, order)
    stocks = list(dict.fromkeys(run.symbol for run in runs))
    return IndexView(
        root.resolve().name or str(root),
        order,
        len(runs),
        tuple(_stock([run for run in runs if run.symbol == symbol], root, commands) for symbol in stocks),
        tuple(_unfinished(one, root, commands) for one in found.unfinished),
        tuple((_below(one.folder, root), said(one.reason.zh, one.reason.en)) for one in found.left_out),
        found.is_all,
    )


def index_page(view: IndexView) -> str:
    """The index as an HTML document."""
    return HTML.get_template("runs_index.html.j2").render(view=view)


def in_order_of(runs: list[RecordedRun], order: Order) -> list[RecordedRun]:
    """The runs sorted; where the order leaves two equal, the newest first."""
    newest = sorted(runs, key=lambda run: (run.as_of or date.min, run.created or _NEVER), reverse=True)
    return sorted(newest, key=_KEYS[order])


def _by_verdict(run: RecordedRun) -> tuple[object, ...]:
    verdict = verdict_of(run)
    place = _ACTIONS.index(verdict.action) if verdict.action in _ACTIONS else len(_ACTIONS)
    return place, -(verdict.confidence or 0.0)


def _by_cost(run: RecordedRun) -> tuple[object, ...]:
    totals = totals_of(run)
    return totals.cost is None, totals.currency or "", -(totals.cost or 0.0)


_KEYS: Final[dict[Order, Key]] = {
    Order.DATE: lambda _run: (),
    Order.STOCK: lambda run: (run.symbol,),
    Order.VERDICT: _by_verdict,
    Order.COST: _by_cost,
}


def _stock(runs: list[RecordedRun], root: Path, commands: Commands) -> Stock:
    newest = in_order_of(runs, Order.DATE)
    compare = commands.compare([run.folder for run in newest]) if len(runs) > 1 else ""
    return Stock(stock_title(runs[0]), tuple(_line(run, root, commands) for run in runs), compare)


def _line(run: RecordedRun, root: Path, commands: Commands) -> Line:
    verdict, tokens = verdict_of(run), tokens_of(run)
    return Line(
        folder=_below(run.folder, root),
        link=commands.link(run),
        date=date_of(run),
        begun=run.created.strftime("%Y-%m-%d %H:%M %Z") if run.created else "",
        verdict=stance_of(verdict.action) if verdict.action else None,
        stopped=stage_title(run.record.failed_in) if run.record.failed_in else "",
        position="" if verdict.position_percent is None else percent(verdict.position_percent),
        confidence="" if verdict.confidence is None else percent(verdict.confidence),
        without_result=tuple(without_result(run)),
        warnings=tuple(warnings_of(run)),
        lacking=lacking_of(run),
        tokens="" if tokens is None else f"{tokens:,}",
        cost=cost_of(run),
        seconds=seconds_of(run),
        resume="" if run.record.verdict else commands.resume(run.folder),
    )


def _unfinished(one: UnfinishedRun, root: Path, commands: Commands) -> Unfinished:
    stock = one.dossier.stock if one.dossier else None
    title = f"{stock.name} {stock.symbol} {stock.as_of}" if stock else said("资料读不出", "its dossier cannot be read")
    return Unfinished(_below(one.folder, root), title, commands.resume(one.folder))


def _below(folder: Path, root: Path) -> str:
    """A folder as seen from the one that is listed."""
    return folder.relative_to(root).as_posix()
