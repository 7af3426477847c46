"""The reports' words: what the agents, their scales and fields are called, and which way a conclusion leans.

Market colours differ between countries (red is a rise in China and a fall elsewhere), so a report uses words; the tone
only selects one of three colours that have neither meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from src.entrypoints.reports.words import chinese, said


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
    "BUY": (chinese("买入", "buy"), Tone.FOR),
    "HOLD": (chinese("持有", "hold"), Tone.NEITHER),
    "SELL": (chinese("卖出", "sell"), Tone.AGAINST),
    "STRONG_BULLISH": (chinese("强烈看多", "strongly bullish"), Tone.FOR),
    "BULLISH": (chinese("看多", "bullish"), Tone.FOR),
    "NEUTRAL": (chinese("中性", "neutral"), Tone.NEITHER),
    "BEARISH": (chinese("看空", "bearish"), Tone.AGAINST),
    "STRONG_BEARISH": (chinese("强烈看空", "strongly bearish"), Tone.AGAINST),
    "Undervalued": (chinese("低估", "undervalued"), Tone.FOR),
    "Fair": (chinese("估值合理", "fairly valued"), Tone.NEITHER),
    "Overvalued": (chinese("高估", "overvalued"), Tone.AGAINST),
    "Favorable (有利)": (chinese("环境有利", "favourable environment"), Tone.FOR),
    "Neutral (中性)": (chinese("中性", "neutral"), Tone.NEITHER),
    "Unfavorable (不利)": (chinese("环境不利", "unfavourable environment"), Tone.AGAINST),
    "Positive (正面催化)": (chinese("正面催化", "positive catalysts"), Tone.FOR),
    "Negative (负面催化)": (chinese("负面催化", "negative catalysts"), Tone.AGAINST),
}

_TITLES: Final = {
    "financial_score": chinese("财务评分（满分 100）", "Financial score (out of 100)"),
    "summary_reasoning": chinese("理由", "Reasons"),
    "reasoning_summary": chinese("理由", "Reasons"),
    "macro_summary": chinese("总述", "Summary"),
    "catalyst_summary": chinese("总述", "Summary"),
    "key_technical_levels": chinese("关键价位", "Key levels"),
    "support": chinese("支撑位", "Support"),
    "resistance": chinese("压力位", "Resistance"),
    "estimated_intrinsic_value_range": chinese("每股内在价值区间", "Intrinsic value per share"),
    "lower_bound": chinese("下限", "Lower bound"),
    "upper_bound": chinese("上限", "Upper bound"),
    "key_evidence": chinese("依据", "Evidence"),
    "risk_factors": chinese("风险因素", "Risk factors"),
    "key_risks": chinese("主要风险", "Main risks"),
    "risk_warning": chinese("什么会证明判断错误", "What would prove this wrong"),
    "key_opportunities": chinese("机会", "Opportunities"),
    "information_sources": chinese("信息来源", "Sources"),
    "positive_catalysts": chinese("正面催化", "Positive catalysts"),
    "negative_catalysts": chinese("负面催化", "Negative catalysts"),
    "event": chinese("事件", "Event"),
    "expected_impact": chinese("影响", "Impact"),
    "timeframe": chinese("时间", "Time"),
    "probability": chinese("概率", "Probability"),
    "narrative_report": chinese("分析全文", "The full analysis"),
}

_STAGES: Final = {
    "research": chinese("专家研究", "research"),
    "debate": chinese("多空辩论", "debate"),
    "judge": chinese("裁决", "verdict"),
}
_AGENTS: Final = {
    "technical_analyst": "Technical analyst",
    "financial_auditor": "Financial auditor",
    "valuation_modeler": "Valuation modeller",
    "macro_intelligence": "Macro intelligence officer",
    "catalyst_detective": "Catalyst detective",
    "bull_advocate": "Bull advocate",
    "bear_advocate": "Bear advocate",
    "resolution": "Resolution",
    "verdict": "Verdict",
}
_WARNINGS: Final = {
    "keeps_to_the_debate": chinese("裁决与辩论不一致。", "The verdict goes against the debate."),
    "stop_below_entry": chinese("止损不低于进场。", "The stop is not below the entry."),
    "target_above_entry": chinese("止盈不高于进场。", "The target is not above the entry."),
    "entry_within_daily_limits": chinese("进场价在涨跌停之外。", "The entry is outside the day's limits."),
    "prices_from_dossier": chinese("价格没有出处。", "A price has no source."),
}


def stance_of(raw: str) -> Stance:
    """A conclusion in words; one of a scale that is not known here stands for itself."""
    if raw not in _KNOWN:
        return Stance(raw, raw, Tone.NEITHER)
    word, tone = _KNOWN[raw]
    return Stance(raw, word.text(), tone)


def title_of(field: str) -> str:
    """What a field is called; one that is not known here keeps its name."""
    return _TITLES[field].text() if field in _TITLES else field


def warning_title(rule: str) -> str:
    """What it is called that a verdict breaks a rule; one that is not known here keeps its name."""
    return _WARNINGS[rule].text() if rule in _WARNINGS else rule


def stage_title(stage: str) -> str:
    """What a committee's stage is called; one that is not known here keeps its name."""
    return _STAGES[stage].text() if stage in _STAGES else stage


def agent_title(name: str, label: str) -> str:
    """What an agent is called: its Chinese label, or a name in English; one that is not known here keeps its label."""
    return said(label, _AGENTS.get(name, label))
