"""The documents every library is timed on: an equity report of a given size, and the type it has to satisfy.

A document is what agents of this project answer with: nested lists of objects, a few numbers, and mostly prose,
Chinese and English sentences in turn, with full-width punctuation inside the Chinese.
"""

from __future__ import annotations

import json
from itertools import cycle, islice
from typing import Any

from pydantic import BaseModel

KB = 1024
SIZES = (2 * KB, 20 * KB, 200 * KB, 2000 * KB)
"""Bytes of UTF-8 of the clean text, written with an indent of two as models write it."""

Document = dict[str, Any]


class Finding(BaseModel):
    """One claim and where it was read."""

    claim: str
    source: str
    page: int
    weight: float
    verified: bool
    note: str | None


class Section(BaseModel):
    """One chapter of the report."""

    heading: str
    body: str
    confidence: float
    tags: list[str]
    findings: list[Finding]


class Report(BaseModel):
    """What the model was asked for."""

    company: str
    code: str
    rating: str
    target_price: float | None
    summary: str
    risks: list[str]
    sections: list[Section]


_ENGLISH = (
    "Revenue grew 12.4% year on year, ahead of guidance, while gross margin held at 41.2%.",
    "Free cash flow covers the dividend 1.8 times; net debt fell to 0.6x EBITDA (from 1.1x).",
    "Management expects capex to peak this year: two fabs come on line in the third quarter.",
    "Customer concentration remains high, the top five account for 63% of orders.",
    "Valuation sits one standard deviation below its ten-year mean, which limits the downside.",
)
_CHINESE = (
    "公司三季度营收同比增长12.4%，超出指引；毛利率稳定在41.2%。",
    "经营性现金流充裕，股息覆盖率为1.8倍，净负债率降至0.6倍（去年同期1.1倍）。",
    "管理层预计资本开支将于今年见顶：两座新厂三季度投产，折旧压力可控。",
    "客户集中度仍然偏高，前五大客户贡献了63%的订单，需要持续跟踪。",
    "估值低于十年均值一个标准差，安全边际较好，下行空间有限。",
)
_HEADINGS = ("盈利能力与现金流", "Balance sheet and leverage", "行业竞争格局分析", "Capital expenditure outlook")
_TAGS = ("盈利", "margin", "现金流", "capex", "估值")


def build(size: int) -> Document:
    """Return a valid document whose clean text has `size` bytes, to within one percent from 2 KB on."""
    document: Document = {
        "company": "华辰半导体股份有限公司",
        "code": "688123.SH",
        "rating": "买入",
        "target_price": 86.5,
        "summary": _CHINESE[0] + _ENGLISH[0],
        "risks": [_CHINESE[3], _ENGLISH[3]],
        "sections": [],
    }
    sections: list[Document] = document["sections"]
    room = size - _bytes(clean_text(document))
    while True:
        section = _section(len(sections))
        cost = _bytes(json.dumps([[section]], ensure_ascii=False, indent=2))
        if cost > room and sections:
            break
        sections.append(section)
        room -= cost
    _pad(document, size)
    return document


def clean_text(document: Document) -> str:
    """Return the text a model writes when it makes no mistake."""
    return json.dumps(document, ensure_ascii=False, indent=2)


def label(size: int) -> str:
    """Return a size as the tables name it."""
    return f"{size / KB / 1000:g} MB" if size >= 1000 * KB else f"{size / KB:g} KB"


def _section(index: int) -> Document:
    return {
        "heading": f"{index + 1}. {_HEADINGS[index % len(_HEADINGS)]}",
        "body": _pick(_CHINESE, index) + _pick(_ENGLISH, index + 2),
        "confidence": round(0.5 + index % 50 / 100, 2),
        "tags": [_pick(_TAGS, index), _pick(_TAGS, index + 1)],
        "findings": [_finding(2 * index), _finding(2 * index + 1)],
    }


def _finding(index: int) -> Document:
    prose = _CHINESE if index % 2 else _ENGLISH
    return {
        "claim": _pick(prose, index),
        "source": f"annual-report-{2015 + index % 10}",
        "page": index % 300 + 1,
        "weight": index % 8 / 8,
        "verified": index % 3 != 0,
        "note": None if index % 4 else _pick(prose, index + 1),
    }


def _pick(texts: tuple[str, ...], index: int) -> str:
    return texts[index % len(texts)]


def _pad(document: Document, size: int) -> None:
    """Lengthen the first section's body, sentence by sentence, up to `size` bytes."""
    missing = size - _bytes(clean_text(document))
    body: str = document["sections"][0]["body"]
    for sentence in islice(cycle(_ENGLISH), max(0, missing) // 40):
        piece = " " + sentence
        if _bytes(piece) > missing:
            body += " " + sentence[: max(0, missing - 1)]
            break
        body += piece
        missing -= _bytes(piece)
    document["sections"][0]["body"] = body


def _bytes(text: str) -> int:
    return len(text.encode())
