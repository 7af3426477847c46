"""`python -m examples.committee dossier`."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from examples.committee.application.dossier.builder import BuiltDossier
from examples.committee.composition import dossier_builder
from examples.committee.reports.missing import MissingSection, missing_in
from src.entrypoints.cli.files import write_file
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import VerboseOption, configure_log
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.screen import stderr

EXAMPLES = (
    "python -m examples.committee dossier 600519 --source akshare --out dossier.json",
    "python -m examples.committee dossier 000001.SZ --source tushare --date 2025-06-30",
)


class Source(StrEnum):
    """Where the figures come from."""

    AKSHARE = "akshare"
    TUSHARE = "tushare"


SymbolArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="SYMBOL", help="The code of an A share: 600519, 600519.SH or sh600519.")
]
SourceOption: TypeAlias = Annotated[
    Source,
    typer.Option(
        "--source",
        metavar="|".join(Source),
        help="Where the figures come from; tushare needs TUSHARE_TOKEN.",
        show_default=False,
    ),
]
DateOption: TypeAlias = Annotated[
    datetime | None,
    typer.Option(
        "--date",
        metavar="YYYY-MM-DD",
        formats=["%Y-%m-%d"],
        help="Use nothing that was published after this day; without it the last day that is over.",
    ),
]
OutOption: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the dossier to this file instead of stdout.")
]


@guarded
def dossier(
    symbol: SymbolArgument,
    *,
    source: SourceOption,
    date: DateOption = None,
    out: OutOption = None,
    verbose: VerboseOption = False,
) -> None:
    """Make the dossier of a stock from a source of market data.

    Prices, indicators, reports, multiples and announcements, each as it was known on the day. What cannot be had is
    left out. Sources with their days and what is missing go to stderr and, in short, into the dossier's note.
    """
    configure_log(verbose=verbose)
    built = dossier_builder(source).build(symbol, date.date() if date else None)
    text = json_text(built.dossier.model_dump(mode="json", exclude_none=True))
    write = partial(write_file, out, text) if out else partial(write_stdout, text)
    _tell(built)
    write()
    if out:
        place = visible(str(out))
        stderr().print(spoken(f"已写入 {place}", f"written to {place}"), soft_wrap=True)


def _tell(built: BuiltDossier) -> None:
    """Where the figures come from, and what is missing."""
    lines = [spoken(line.zh, line.en) for line in built.notes.sources]
    lines += [spoken(f"未取得 {line.zh}", f"not to be had: {line.en}") for line in built.notes.gaps]
    lines += [_missing(section) for section in missing_in(built.dossier)]
    for line in lines:
        stderr().print(visible(line), soft_wrap=True)


def _missing(section: MissingSection) -> str:
    zh = "、".join(field.zh for field in section.fields) or "全部"
    en = ", ".join(field.en for field in section.fields) or "all of it"
    return spoken(f"缺失 {section.title.zh}：{zh}", f"missing in {section.title.en}: {en}")
