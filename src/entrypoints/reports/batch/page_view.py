"""What the page of a batch shows, computed once: plain values for the template, without any layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from src.entrypoints.reports.batch.cells import (
    BarRow,
    Cell,
    GroupRow,
    MeasuredRow,
    RefusalRow,
    bar_row,
    cell,
    group_rows,
    measured_row,
    name_shown,
    place_of,
    refusal_row,
)
from src.entrypoints.reports.batch.compared_part import ComparedPart, compared_part
from src.entrypoints.reports.batch.drawing import Column, Part, columns, outcome_bar, time_columns, worst_share
from src.entrypoints.reports.batch.summary import About
from src.entrypoints.reports.batch.words import (
    CLEAN,
    GRADES,
    REFUSED,
    REPAIRED,
    TRUNCATED,
    duration,
    grouped,
    ranked,
    refusals_of,
    size,
    stage_word,
)
from src.entrypoints.reports.templates_of import HTML, contents_of
from src.entrypoints.reports.words import chinese, repair_word
from src.modules.reparsing.domain.tally import Counts, Tally

REASONS_SHOWN = 10
"""How many of the most frequent reasons are shown, each with an example."""
GROUPS_SHOWN = 20
"""Agents, or models, of a table; the others are in a second one that unfolds."""
_TITLES: Final = {
    "comparison": chinese("与旧解析器对照", "Beside the old parser"),
    "stages": chinese("拒绝发生的阶段与修复种类", "Stages and repairs"),
    "grades": chinese("结果的等级", "How sure the results are"),
    "refusals": chinese("最常见的拒绝", "Most frequent refusals"),
    "time": chinese("随时间的变化", "Over time"),
    "agents": chinese("按智能体", "By agent"),
    "models": chinese("按模型", "By model"),
    "extremes": chinese("最慢与最长的文本", "Slowest and largest texts"),
    "run": chinese("这次运行", "This run"),
}


@dataclass(frozen=True, slots=True)
class Headline:
    """One of the first numbers; `tone` is its colour in the bar below, empty where it has none."""

    tone: str
    title: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class TimeView:
    """The texts over time.

    Attributes:
        unit: of a column.
        columns: in their order.
        most: texts of the highest column.
        worst: largest share of refused texts.
        without: texts without a time; empty where there are none.
    """

    unit: str
    columns: tuple[Column, ...]
    most: str
    worst: str
    without: str


@dataclass(frozen=True, slots=True)
class Groups:
    """Agents or models: those with the most texts, the others, and how many texts have no name."""

    first: tuple[GroupRow, ...]
    others: tuple[GroupRow, ...]
    without: str


@dataclass(frozen=True, slots=True)
class RunView:
    """What was run: inputs with their sizes, options, and facts about the run, each with its title."""

    inputs: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PageView:
    """All that the page shows."""

    texts: str
    headlines: tuple[Headline, ...]
    parts: tuple[Part, ...]
    comparison: ComparedPart | None
    refusals: tuple[RefusalRow, ...]
    reasons: int
    stages: tuple[BarRow, ...]
    kinds: tuple[BarRow, ...]
    grades: tuple[BarRow, ...]
    left_out: str
    time: TimeView | None
    agents: Groups
    models: Groups
    slowest: tuple[MeasuredRow, ...]
    largest: tuple[MeasuredRow, ...]
    run: RunView

    @property
    def contents(self) -> dict[str, str]:
        """Anchor and title of each section."""
        present = {
            "comparison": self.comparison,
            "refusals": self.refusals,
            "stages": self.stages or self.kinds,
            "grades": self.grades,
            "time": self.time,
            "agents": self.agents.first,
            "models": self.models.first,
            "extremes": self.largest,
        }
        return contents_of(present, _TITLES)


def page_view(tally: Tally, about: About) -> PageView:
    """Work out what the page shows."""
    counts, reasons = tally.counts, refusals_of(tally)
    named = [row for row in reasons if row.stage]
    return PageView(
        texts=grouped(counts.texts),
        headlines=_headlines(counts),
        parts=outcome_bar(counts),
        comparison=compared_part(tally.comparison),
        refusals=tuple(refusal_row(row, counts.refused) for row in named[:REASONS_SHOWN]),
        reasons=len(reasons),
        stages=tuple(bar_row(name, stage_word(name), count, counts.refused) for name, count in ranked(tally.stages)),
        kinds=tuple(bar_row(name, repair_word(name), count, counts.repaired) for name, count in ranked(tally.kinds)),
        grades=tuple(
            bar_row(grade.value, word.text(), tally.grades[grade.value], counts.texts - counts.refused)
            for grade, word in GRADES.items()
            if tally.grades[grade.value]
        ),
        left_out=_rest(tally.left_out),
        time=_time(tally),
        agents=_groups(tally.by_agent, counts),
        models=_groups(tally.by_model, counts),
        slowest=tuple(measured_row(row, duration(row.value)) for row in tally.slowest),
        largest=tuple(measured_row(row, grouped(int(row.value))) for row in tally.largest),
        run=_run(tally, about),
    )


def _headlines(counts: Counts) -> tuple[Headline, ...]:
    rows = (
        ("clean", CLEAN, counts.clean),
        ("repaired", REPAIRED, counts.repaired),
        ("refused", REFUSED, counts.refused),
        ("", TRUNCATED, counts.truncated),
    )
    return tuple(Headline(tone, title.text(), cell(count, counts.texts)) for tone, title, count in rows)


def _time(tally: Tally) -> TimeView | None:
    drawn = time_columns(tally.by_time)
    if drawn is None:
        return None
    timed = sum(counts.texts for _, counts in drawn.columns)
    return TimeView(
        unit=drawn.unit.text(),
        columns=columns(drawn.columns),
        most=grouped(max(counts.texts for _, counts in drawn.columns)),
        worst=worst_share(drawn.columns),
        without=_rest(tally.counts.texts - timed),
    )


def _groups(group: dict[str, Counts], counts: Counts) -> Groups:
    rows = group_rows(group)
    named = sum(one.texts for one in group.values())
    return Groups(rows[:GROUPS_SHOWN], rows[GROUPS_SHOWN:], _rest(counts.texts - named))


def _rest(count: int) -> str:
    return grouped(count) if count else ""


def _run(tally: Tally, about: About) -> RunView:
    facts = [
        (chinese("生成时间", "Made"), about.made.strftime("%Y-%m-%d %H:%M %Z")),
        (chinese("程序版本", "Version"), about.version),
        (chinese("字符", "Characters"), grouped(tally.characters)),
        (chinese("解析用时", "Reading time"), duration(tally.seconds)),
        (chinese("解析进程", "Reading processes"), grouped(about.workers)),
    ]
    if tally.seconds:
        rate = f"{tally.counts.texts / tally.seconds:,.0f}"
        facts.append((chinese("每个进程每秒", "Texts a second a process"), rate))
    if about.start:
        texts, seconds = about.start.texts, about.start.seconds
        title = chinese("这次启动", "This start")
        both = chinese(
            f"{texts:,} 条，{duration(seconds)}，每秒 {texts / seconds:,.0f} 条",
            f"{texts:,} texts in {duration(seconds)}, {texts / seconds:,.0f} a second",
        )
        facts.append((title, both.text()))
    return RunView(
        inputs=tuple((place_of(str(one["name"]), "").place, _size(one)) for one in about.inputs),
        options=tuple((name, name_shown(str(value))) for name, value in about.options.items()),
        facts=tuple((title.text(), value) for title, value in facts),
    )


def _size(identity: dict[str, object]) -> str:
    found = identity.get("size")
    return size(found) if isinstance(found, int) else "–"


def batch_page(tally: Tally, about: About) -> str:
    """The report as an HTML document that needs nothing but itself."""
    return HTML.get_template("batch/page.html.j2").render(view=page_view(tally, about))
