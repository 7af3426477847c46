"""The page of a batch: its templates take the tally as it is, and the filters that are here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any, Final

from src.entrypoints.reports.batch.advice import advice_for
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
from src.modules.reparsing.domain.comparison import Agreement
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.expression import repeated
from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.repair import RepairKind

REASONS_SHOWN = 10
"""How many of the most frequent reasons are shown, each with an example."""
GROUPS_SHOWN = 20
"""Agents, or models, of a table; the others are in a second one that unfolds."""
PATHS_SHOWN = 20
"""How many of the paths that differ most often are shown."""
NAME_SHOWN = 120
"""Most characters of a name, an id or a place."""
MESSAGE_SHOWN = 600
"""Most characters of a refusal's message."""
_COMPARED = (Agreement.DIFFERENT, Agreement.ONLY_OLD, Agreement.ONLY_NEW, Agreement.NEITHER)
"""The classes whose examples are shown, those first that a migration has to look at."""
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
        "refusals": tally.stages,
        "stages": tally.stages or tally.kinds,
        "grades": tally.grades,
        "time": tally.by_time,
        "agents": tally.by_agent,
        "models": tally.by_model,
        "extremes": tally.largest,
    }
    return {anchor: word_of(title) for anchor, title in _TITLES.items() if present.get(anchor, True)}


def name(text: str) -> str:
    """A name as a page shows it."""
    return one_line(text, NAME_SHOWN)


def place(text: str) -> str:
    """Where a text stands. Of a place that is too long the end is shown, which has the line."""
    shown = one_line(text, len(text) * 10)
    return shown if len(shown) <= NAME_SHOWN else "…" + shown[1 - NAME_SHOWN :]


def bar_of(counts: Mapping[str, int], names: Iterable[str]) -> list[Part]:
    """The bar of some counts, those of these names from the left."""
    return bar((each, counts.get(each, 0)) for each in names)


_TOKEN = re.compile('"' + repeated(r'[^"\\]|\\.') + r'"?|[^\s{}\[\],:"]++|.', re.DOTALL)


def marked(reading: str, other: str) -> list[tuple[str, bool]]:
    """A reading in stretches; those are marked that another one, if there is one, does not have at this place."""
    tokens, others = _TOKEN.findall(reading), _TOKEN.findall(other)
    matches = SequenceMatcher(None, tokens, others, autojunk=False).get_opcodes()
    stretches = [("".join(tokens[start:end]), bool(other) and kind != "equal") for kind, start, end, _, _ in matches]
    return [stretch for stretch in stretches if stretch[0]]


def _facts(tally: Tally, about: About) -> dict[str, str]:
    """What is said of a run, each under its title."""
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
_FILTERS = (bar_of, cause_word, duration, group_word, grouped, marked, name, one_line, place, share, size, stage_word)
_HTML.filters |= {function.__name__: function for function in (*_FILTERS, without_gloss)}
_HTML.globals |= {
    "advice_for": advice_for,
    "agreements": AGREEMENTS,
    "outcomes": DRAWN,
    "groups_shown": GROUPS_SHOWN,
    "message_shown": MESSAGE_SHOWN,
}


def batch_page(tally: Tally, about: About) -> str:
    """The report as an HTML document that needs nothing but itself."""
    reasons, compared = refusals_of(tally), tally.comparison
    return _HTML.get_template("batch/page.html.j2").render(
        tally=tally,
        about=about,
        contents=contents(tally),
        reasons=len(reasons),
        refusals=[row for row in reasons if row.stage][:REASONS_SHOWN],
        stages=[(stage, stage_word(stage), count) for stage, count in ranked(tally.stages)],
        kinds=[(kind, word_of(RepairKind(kind).words), count) for kind, count in ranked(tally.kinds)],
        grades=[(one.value, word_of(word), tally.grades[one]) for one, word in GRADES.items() if tally.grades[one]],
        time=_time(tally.by_time, tally.counts["texts"]),
        agents=groups_of(tally.by_agent),
        models=groups_of(tally.by_model),
        compared_groups=groups_of(compared.by_agent),
        paths=[(group_word(path), "", count) for path, count in ranked(compared.paths)[:PATHS_SHOWN]],
        examples={each: compared.examples[each] for each in _COMPARED if compared.examples.get(each)},
        facts=_facts(tally, about),
    )
