"""What tesseract prints: the text, and a table that says how sure it is of each word and where each line stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from src.modules.visual_rag.domain.viewing import Box

FORMATS = ("txt", "tsv")
"""Both are asked for in one run; a line of the table has tabs, and a line of text has none."""
SURE = 60
"""Confidence, of 100, from which a word counts as read."""
SURE_LATIN = 90
"""Confidence from which a word in Latin letters among Han characters is taken for one: a Han character that is read in
the wrong script comes near it."""

_COLUMNS = 12
_LINE, _WORD = "4", "5"
_HEAD = "level"
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")
_GAP = re.compile(r" {2,}+")
COLUMN_GAP = "  "
"""Between the cells of a row: tesseract keeps the width of a gap, and two blanks say as much."""


@dataclass(frozen=True, slots=True)
class OcrOutput:
    """What one run has read.

    Attributes:
        text: as read.
        lines: where lines of text were seen, in pixels of the image that was read.
        score: characters read, each by how much surer than `SURE` it is; doubtful ones count against it.
        doubtful: the share of characters in words that are less sure than `SURE`; 0 where there is none.
        is_mixed: whether words in Latin letters that are less sure than `SURE_LATIN` stand among more Han characters.
    """

    text: str
    lines: tuple[Box, ...]
    score: float
    doubtful: float
    is_mixed: bool = False


def output_of(printed: bytes) -> OcrOutput:
    """Read what the program has printed.

    Raises:
        ValueError: it is not UTF-8, or holds no table.
    """
    rows = [line.rstrip("\r").split("\t") for line in printed.decode().replace("\f", "").split("\n")]
    table = [row for row in rows if len(row) == _COLUMNS]
    if not any(row[0] == _HEAD for row in table):
        message = "no table"
        raise ValueError(message)
    words = [(len(row[11]), float(row[10])) for row in table if row[0] == _WORD and row[11].strip()]
    return OcrOutput(
        text="\n".join(_GAP.sub(COLUMN_GAP, row[0]).rstrip() for row in rows if len(row) == 1).strip(),
        lines=tuple(_box(row) for row in table if row[0] == _LINE),
        score=sum(length * (sure - SURE) for length, sure in words),
        doubtful=sum(length for length, sure in words if sure < SURE) / max(1, sum(length for length, _ in words)),
        is_mixed=_is_mixed([(row[11], float(row[10])) for row in table if row[0] == _WORD]),
    )


def _is_mixed(words: list[tuple[str, float]]) -> bool:
    han, latin = (sum(len(kind.findall(word)) for word, _ in words) for kind in (_HAN, _LATIN))
    return han > latin and any(sure < SURE_LATIN and _LATIN.search(word) for word, sure in words)


def _box(row: list[str]) -> Box:
    left, top, width, height = map(int, row[6:10])
    return Box(left, top, left + width, top + height)
