"""The page of a batch: its templates take the tally as it is, and the filters that are here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from src.entrypoints.reports.batch.advice import advice_for
from src.entrypoints.reports.batch.compared_part import MESSAGE_SHOWN, NAME_SHOWN, examples_of, mark_reading, name_shown
from src.entrypoints.reports.batch.drawing import DRAWN, Part, bar, columns, time_columns
from src.entrypoints.reports.batch.summary import About
from src.entrypoints.reports.batch.words import (
    AGREEMENTS,
    GRADES,
    cause_word,
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
from src.entrypoints.reports.templates_of import html_environment
from src.entrypoints.reports.words import without_gloss, word_of
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

REASONS_SHOWN = 10
"""How many of the most frequent reasons are shown, each with an example."""
GROUPS_SHOWN = 20
"""Agents, or models, of a table; the others are in a second one that unfolds."""
PATHS_SHOWN = 20
"""How many of the paths that differ most often are shown."""
_TITLES: Final = {
    "comparison": Phrase("Beside the old parser"),
    "stages": Phrase("Stages and repairs"),
    "grades": Phrase("How sure the results are"),
    "refusals": Phrase("Most frequent refusals"),
    "time": Phrase("Over time"),
    "agents": Phrase("By agent"),
    "models": Phrase("By model"),
    "extremes": Phrase("Slowest and largest texts"),
    "run": Phrase("This run"),
}


def contents(tally: Tally) -> dict[str, str]:
    """Anchor and title of each section that the page of a tally has."""
    present = {
        "comparison": tally.comparison.classes,
        "refusals": any(row.stage for row in refusals_of(tally)),
        "stages": tally.stages or tally.kinds,
        "grades": tally.grades,
        "time": tally.by_time,
        "agents": tally.by_agent,
        "models": tally.by_model,
        "extremes": tally.largest,
    }
    return {anchor: word_of(title) for anchor, title in _TITLES.items() if present.get(anchor, True)}


def place_shown(place: str) -> str:
    """Where a text stands. Of a place that is too long the end is shown, which has the line."""
    shown = one_line(place, len(place) * 10)
    return shown if len(shown) <= NAME_SHOWN else "…" + shown[1 - NAME_SHOWN :]


def _bar_of(counts: Mapping[str, int], names: Iterable[str]) -> tuple[Part, ...]:
    """The bar of some counts, those of these names from the left."""
    return bar((name, counts.get(name, 0)) for name in names)


def _facts(tally: Tally, about: About) -> dict[str, str]:
    """What is told of a run, each under its title."""
    facts = {
        Phrase("Made"): about.made.strftime("%Y-%m-%d %H:%M %Z"),
        Phrase("Version"): about.version,
        Phrase("Characters"): grouped(tally.characters),
        Phrase("Reading time"): duration(tally.seconds),
        Phrase("Reading processes"): grouped(about.workers),
    }
    if tally.seconds:
        facts[Phrase("Texts a second a process")] = f"{tally.counts['texts'] / tally.seconds:,.0f}"
    if about.start:
        texts, seconds = about.start.texts, about.start.seconds
        rate, took = texts / seconds, duration(seconds)
        read = Phrase("{texts:,} texts in {duration}, {texts2:,.0f} a second", texts=texts, duration=took, texts2=rate)
        facts[Phrase("This start")] = read.text()
    return {word_of(title): value for title, value in facts.items()}


def _time(by_time: Mapping[str, Counter[str]], texts: int) -> dict[str, Any] | None:
    """What the template shows of the times of so many texts; None where there is no time."""
    if not by_time:
        return None
    unit, times = time_columns(by_time)
    counts = [counts for _, counts in times]
    worst = max((one for one in counts if one["texts"]), key=lambda one: one["refused"] / one["texts"])
    return {
        "unit": word_of(unit),
        "columns": columns(times),
        "most": grouped(max(one["texts"] for one in counts)),
        "worst": share(worst["refused"], worst["texts"]),
        "without": texts - sum(one["texts"] for one in counts),
    }


_HTML: Final = html_environment()
_HTML.filters |= {
    "bar_of": _bar_of,
    "cause_word": cause_word,
    "duration": duration,
    "group_word": group_word,
    "grouped": grouped,
    "marked": mark_reading,
    "name": name_shown,
    "one_line": one_line,
    "place": place_shown,
    "share": share,
    "size": size,
    "stage_word": stage_word,
    "without_gloss": without_gloss,
}
_HTML.globals |= {
    "advice_for": advice_for,
    "agreements": AGREEMENTS,
    "outcomes": DRAWN,
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
        kinds=[(name, word_of(RepairKind(name).words), count) for name, count in ranked(tally.kinds)],
        grades=[
            (grade.value, word_of(word), tally.grades[grade.value])
            for grade, word in GRADES.items()
            if tally.grades[grade.value]
        ],
        time=_time(tally.by_time, tally.counts["texts"]),
        agents=groups_of(tally.by_agent),
        models=groups_of(tally.by_model),
        compared_groups=groups_of(tally.comparison.by_agent),
        paths=[(group_word(path), "", count) for path, count in ranked(tally.comparison.paths)[:PATHS_SHOWN]],
        examples=examples_of(tally.comparison),
        facts=_facts(tally, about),
    )
