"""The reports' words: the Chinese names of the agents' scales and fields, and which way a conclusion leans.

Market colours differ between countries (red is a rise in China and a fall elsewhere), so a report uses words; the tone
only selects one of three colours that have neither meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Tone(StrEnum):
    """Which way a conclusion leans, as seen by somebody who might buy."""

    FOR = "for"
    AGAINST = "against"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Stance:
    """A conclusion in words; `raw` is what the agent's scale calls it."""

    raw: str
    word: str
    tone: Tone


_KNOWN: Final = {
    stance.raw: stance
    for stance in (
        Stance("BUY", "买入", Tone.FOR),
        Stance("HOLD", "持有", Tone.NEITHER),
        Stance("SELL", "卖出", Tone.AGAINST),
        Stance("STRONG_BULLISH", "强烈看多", Tone.FOR),
        Stance("BULLISH", "看多", Tone.FOR),
        Stance("NEUTRAL", "中性", Tone.NEITHER),
        Stance("BEARISH", "看空", Tone.AGAINST),
        Stance("STRONG_BEARISH", "强烈看空", Tone.AGAINST),
        Stance("Undervalued", "低估", Tone.FOR),
        Stance("Fair", "估值合理", Tone.NEITHER),
        Stance("Overvalued", "高估", Tone.AGAINST),
        Stance("Favorable (有利)", "环境有利", Tone.FOR),
        Stance("Neutral (中性)", "中性", Tone.NEITHER),
        Stance("Unfavorable (不利)", "环境不利", Tone.AGAINST),
        Stance("Positive (正面催化)", "正面催化", Tone.FOR),
        Stance("Negative (负面催化)", "负面催化", Tone.AGAINST),
    )
}

_TITLES: Final = {
    "financial_score": "财务评分（满分 100）",
    "summary_reasoning": "理由",
    "reasoning_summary": "理由",
    "macro_summary": "总述",
    "catalyst_summary": "总述",
    "key_technical_levels": "关键价位",
    "support": "支撑位",
    "resistance": "压力位",
    "estimated_intrinsic_value_range": "每股内在价值区间",
    "lower_bound": "下限",
    "upper_bound": "上限",
    "key_evidence": "依据",
    "risk_factors": "风险因素",
    "key_risks": "主要风险",
    "risk_warning": "什么会证明判断错误",
    "key_opportunities": "机会",
    "information_sources": "信息来源",
    "positive_catalysts": "正面催化",
    "negative_catalysts": "负面催化",
    "event": "事件",
    "expected_impact": "影响",
    "timeframe": "时间",
    "probability": "概率",
    "narrative_report": "分析全文",
}

STAGES: Final = {"research": "专家研究", "debate": "多空辩论", "judge": "裁决"}
"""What a committee's stages are called."""


def stance_of(raw: str) -> Stance:
    """A conclusion in words; one of a scale that is not known here stands for itself."""
    return _KNOWN.get(raw, Stance(raw, raw, Tone.NEITHER))


def title_of(field: str) -> str:
    """What a field is called; one that is not known here keeps its name."""
    return _TITLES.get(field, field)
