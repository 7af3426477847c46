"""The dossier's figures and sources, each with a place in the report that a claim can lead to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pydantic import BaseModel

from examples.committee.domain.dossier import Dossier
from examples.committee.reports.missing import called
from src.entrypoints.reports.words import number, said

_SECTIONS: Final = ("technical", "financial", "valuation")
_TEXTS: Final = ("macro", "catalyst")
_SHORTEST: Final = 3
"""Letters of a name without its period, as ADX of ADX(14): a shorter one may be part of another word."""
_UNITS: Final = {
    "元": "",
    "%": "%",
    "倍": "times",
    "万股": "× 10,000 shares",
    "亿元": "× 100 million",
    "亿股": "× 100 million shares",
    "元/股": "a share",
    "天": "days",
    "次": "times",
}
"""The dossier's units in English; the currency is told once."""
_ALSO: Final = {
    "revenue": ("收入",),
    "net_profit": ("净利润",),
    "revenue_ttm": ("收入",),
    "net_profit_ttm": ("净利润",),
    "deducted_net_profit": ("扣非净利润",),
    "operating_cash_flow": ("经营现金流",),
    "revenue_growth": ("收入",),
    "net_profit_growth": ("净利润",),
    "expected_growth": ("增速",),
    "support_levels": ("支撑",),
    "resistance_levels": ("压力",),
    "high_52w": ("52 周高点",),
    "low_52w": ("52 周低点",),
    "bollinger_upper": ("布林上轨",),
    "bollinger_lower": ("布林下轨",),
    "eps_forecasts": ("一致预期",),
    "close": ("收盘", "现价"),
    "price": ("现价",),
}
"""What a figure is called in a sentence beside its title and its key."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the dossier.

    Attributes:
        anchor: of its place in the report.
        section: it belongs to, such as `financial`.
        key: of its field; all figures of a series have the same.
        title: what it is called.
        label: what tells it from the others of its series, such as its quarter; empty for a figure of its own.
        value: as the dossier gives it.
        unit: in the dossier's words, such as 元; empty for a pure number.
        names: under which a sentence may name it, in small letters.
    """

    anchor: str
    section: str
    key: str
    title: str
    label: str
    value: float
    unit: str
    names: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The value with its unit, in the report's language."""
        unit = said(self.unit, _UNITS.get(self.unit, self.unit))
        return f"{number(self.value)}{'' if unit in ('', '%') else ' '}{unit}"

    @property
    def name(self) -> str:
        """The title, with the quarter before it or the place in the series behind it."""
        parts = (self.title, self.label) if self.label.isdigit() else (self.label, self.title)
        return " ".join(parts).strip()


@dataclass(frozen=True, slots=True)
class Source:
    """One text of the dossier: who published it, and when where that is known."""

    text: str
    source: str
    published: str


def by_section(figures: tuple[Figure, ...]) -> tuple[tuple[str, tuple[Figure, ...]], ...]:
    """Title and figures of each section, in the order of the dossier."""
    return tuple((_title(section), tuple(rows)) for section, rows in groupby(figures, key=lambda one: one.section))


def _title(section: str) -> str:
    return called(section, Dossier.model_fields[section].description).text()


def figures_of(dossier: Dossier) -> tuple[Figure, ...]:
    """Every number of the dossier, in its order."""
    given = ((name, getattr(dossier, name)) for name in _SECTIONS)
    return tuple(figure for name, section in given if section for figure in _figures(name, section))


def sources_of(dossier: Dossier) -> tuple[Source, ...]:
    """Every text of the dossier, in its order."""
    given = (getattr(dossier, name) for name in _TEXTS)
    lists = (getattr(section, name) for section in given if section for name in type(section).model_fields)
    return tuple(
        Source(row.text, row.source, str(row.published or ""))
        for rows in lists
        if isinstance(rows, list)
        for row in rows
        if hasattr(row, "source")
    )


def _figures(section: str, part: BaseModel, label: str = "", row: str = "") -> Iterator[Figure]:
    for key, field in type(part).model_fields.items():
        value, about = getattr(part, key), field.description or ""
        if isinstance(value, float | int):
            yield _figure(section, key, about, value, (label, row))
        elif isinstance(value, list):
            yield from _series(section, key, about, value)


def _series(section: str, key: str, about: str, values: list[object]) -> Iterator[Figure]:
    for place, value in enumerate(values, 1):
        if isinstance(value, BaseModel):
            label = str(getattr(value, next(iter(type(value).model_fields))))
            yield from _figures(section, value, label, f"{key}-{place}-")
        elif isinstance(value, float | int):
            yield _figure(section, key, about, value, (str(place), f"{place}-"))


def _figure(section: str, key: str, about: str, value: float, place: tuple[str, str]) -> Figure:
    title, (label, row) = called(key, about), place
    words = title.zh.split()
    short = (word.partition("(")[0] for word in words)
    names = (
        *words,
        *(word for word in short if len(word) >= _SHORTEST),
        key,
        key.replace("_", " "),
        *_ALSO.get(key, ()),
    )
    unit = about.partition("单位：")[2]
    anchor = f"figure-{section}-{row}{key}"
    return Figure(anchor, section, key, title.text(), label, value, unit, tuple(map(str.casefold, names)))
