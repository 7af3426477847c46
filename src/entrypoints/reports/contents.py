"""The sections of a report: which there are, in which order, what each is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from src.entrypoints.reports.labels import chinese
from src.shared.domain.language import Message

_TITLES: Final = {
    "contradictions": chinese("裁决的矛盾与疑点", "Contradictions and doubts"),
    "absent": chinese("没有结论的成员", "Members without a conclusion"),
    "missing": chinese("资料中没有的", "Missing data"),
    "levels": chinese("价位", "Price levels"),
    "reasons": chinese("理由", "Reasons"),
    "conclusions": chinese("各方的结论与置信度", "Conclusions and confidence"),
    "debate": chinese("多空辩论", "Debate"),
    "risks": chinese("风险矩阵", "Risk matrix"),
    "experts": chinese("专家意见", "Expert opinions"),
    "figures": chinese("资料", "The dossier"),
    "process": chinese("形成过程", "How it came about"),
    "replies": chinese("答复原文", "The replies as they came"),
}
"""The title of each section of a committee's report by its anchor, in their order."""


def contents_of(present: Mapping[str, object], titles: Mapping[str, Message] = _TITLES) -> dict[str, str]:
    """Anchor and title of each section that has something to show.

    Args:
        present: what each section shows; one that is not in it is always there.
        titles: of each section by its anchor, in their order.
    """
    return {anchor: title.text() for anchor, title in titles.items() if present.get(anchor, True)}
