"""The page of a batch: its templates take the tally as it is, and the filters that are here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from src.entrypoints.reports.batch.advice import advice_for
from src.entrypoints.reports.batch.compared_part import MESSAGE_SHOWN, NAME_SHOWN, examples_of, name_shown
from src.entrypoints.reports.batch.drawing import Part, bar, columns, outcome_bar, time_columns, worst_share
from src.entrypoints.reports.batch.summary import About
from src.entrypoints.reports.batch.words import (
    AGREEMENTS,
    GRADES,
    cause_word,
    compared_groups_of,
    duration,
    group_word,
    grouped,
    groups_of,
    ranked,
    refusals_of,
    share,
    size,
    stage_word,
)
from src.entrypoints.reports.templates_of import contents_of, html_environment
from src.entrypoints.reports.words import chinese, without_gloss
from src.modules.reparsing.domain.tally import Counts, Tally
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

REASONS_SHOWN = 10
"""How many of the most frequent reasons are shown, each with an example."""
GROUPS_SHOWN = 20
"""Agents, or models, of a table; the others are in a second one that unfolds."""
PATHS_SHOWN = 20
"""How many of the paths that differ most often are shown."""
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


def contents(tally: Tally) -> dict[str, str]:
    """Anchor and title of each section that the page of a tally has."""
    present = {
        "comparison": sum(tally.comparison.classes.values()),
        "refusals": [row for row in refusals_of(tally) if row.stage],
        "stages": tally.stages or tally.kinds,
        "grades": [grade for grade in GRADES if tally.grades[grade.value]],
        "time": tally.by_time,
        "agents": tally.by_agent,
        "models": tally.by_model,
        "extremes": tally.largest,
    }
    return contents_of(present, _TITLES)


def place_shown(place: str) -> str:
    """Where a text stands. Of a place that is too long the end is shown, which has the line."""
    shown = one_line(place, len(place) * 10)
    return shown if len(shown) <= NAME_SHOWN else "…" + shown[1 - NAME_SHOWN :]


def _outcome_counts(counts: Counts) -> tuple[int, int, int, int]:
    """In the order in which they are told."""
    return counts.clean, counts.repaired, counts.refused, counts.truncated


def _agreement_bar(classes: Mapping[str, int]) -> tuple[Part, ...]:
    return bar((each.value, classes.get(each, 0)) for each in AGREEMENTS)


def _facts(tally: Tally, about: About) -> dict[str, str]:
    """What is told of a run, each under its title."""
    facts = {
        chinese("生成时间", "Made"): about.made.strftime("%Y-%m-%d %H:%M %Z"),
        chinese("程序版本", "Version"): about.version,
        chinese("字符", "Characters"): grouped(tally.characters),
        chinese("解析用时", "Reading time"): duration(tally.seconds),
        chinese("解析进程", "Reading processes"): grouped(about.workers),
    }
    if tally.seconds:
        facts[chinese("每个进程每秒", "Texts a second a process")] = f"{tally.counts.texts / tally.seconds:,.0f}"
    if about.start:
        texts, seconds = about.start.texts, about.start.seconds
        facts[chinese("这次启动", "This start")] = chinese(
            f"{texts:,} 条，{duration(seconds)}，每秒 {texts / seconds:,.0f} 条",
            f"{texts:,} texts in {duration(seconds)}, {texts / seconds:,.0f} a second",
        ).text()
    return {title.text(): value for title, value in facts.items()}


def _time(by_time: Mapping[str, Counts], texts: int) -> dict[str, Any] | None:
    drawn = time_columns(by_time)
    if drawn is None:
        return None
    return {
        "unit": drawn.unit.text(),
        "columns": columns(drawn.columns),
        "most": grouped(max(counts.texts for _, counts in drawn.columns)),
        "worst": worst_share(drawn.columns),
        "without": texts - sum(counts.texts for _, counts in drawn.columns),
    }


_HTML: Final = html_environment()
_HTML.filters |= {
    "agreement_bar": _agreement_bar,
    "cause_word": cause_word,
    "duration": duration,
    "group_word": group_word,
    "grouped": grouped,
    "name": name_shown,
    "one_line": one_line,
    "outcome_bar": outcome_bar,
    "outcome_counts": _outcome_counts,
    "place": place_shown,
    "share": share,
    "size": size,
    "stage_word": stage_word,
    "without_gloss": without_gloss,
}
_HTML.globals |= {
    "advice_for": advice_for,
    "agreements": AGREEMENTS,
    "groups_shown": GROUPS_SHOWN,
    "message_shown": MESSAGE_SHOWN,
}


def batch_page(tally: Tally, about: About) -> str:
    """The report as an HTML document that needs nothing but itself."""
    reasons = refusals_of(tally)
    return _HTML.get_template("batch/page.html.j2").render(
        tally=tally,
        about=about,
        contents=contents(tally),
        reasons=len(reasons),
        refusals=[row for row in reasons if row.stage][:REASONS_SHOWN],
        stages=[(name, stage_word(name), count) for name, count in ranked(tally.stages)],
        kinds=[(name, RepairKind(name).words.text(), count) for name, count in ranked(tally.kinds)],
        grades=[
            (grade.value, word.text(), tally.grades[grade.value])
            for grade, word in GRADES.items()
            if tally.grades[grade.value]
        ],
        time=_time(tally.by_time, tally.counts.texts),
        agents=groups_of(tally.by_agent),
        models=groups_of(tally.by_model),
        compared_groups=compared_groups_of(tally.comparison),
        paths=[(group_word(path), "", count) for path, count in ranked(tally.comparison.paths)[:PATHS_SHOWN]],
        examples=examples_of(tally.comparison),
        facts=_facts(tally, about),
    )
