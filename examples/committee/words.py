"""The words of text and report: what agents, their scales and fields are called, and which way a conclusion leans.

Market colours differ between countries (red is a rise in China and a fall elsewhere), so a report uses words; the tone
only selects one of three colours that have neither meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.shared.domain.language import Message


def chinese(zh: str, en: str) -> Message:
    """A text of the report, which is Chinese unless English alone is asked for."""
    return Message(zh, en, zh)


def said(zh: str, en: str) -> str:
    """The same in the language that is asked for."""
    return chinese(zh, en).text()


def spoken(zh: str, en: str) -> str:
    """A text of the command, which is English unless Chinese alone is asked for."""
    return Message(zh, en, en).text()


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What an agent comes out for.

    Attributes:
        raw: in the terms of its own scale.
        word: the same in the report's language.
        tone: which way it leans, as seen by somebody who might buy: for, against, neither.
        confidence: 0 to 1.
    """

    raw: str
    word: str
    tone: str
    confidence: float


_SCALES: Final = {
    "BUY": (chinese("买入", "buy"), "for"),
    "HOLD": (chinese("持有", "hold"), "neither"),
    "SELL": (chinese("卖出", "sell"), "against"),
    "STRONG_BULLISH": (chinese("强烈看多", "strongly bullish"), "for"),
    "BULLISH": (chinese("看多", "bullish"), "for"),
    "NEUTRAL": (chinese("中性", "neutral"), "neither"),
    "BEARISH": (chinese("看空", "bearish"), "against"),
    "STRONG_BEARISH": (chinese("强烈看空", "strongly bearish"), "against"),
    "Undervalued": (chinese("低估", "undervalued"), "for"),
    "Fair": (chinese("估值合理", "fairly valued"), "neither"),
    "Overvalued": (chinese("高估", "overvalued"), "against"),
    "Favorable (有利)": (chinese("环境有利", "favourable environment"), "for"),
    "Neutral (中性)": (chinese("中性", "neutral"), "neither"),
    "Unfavorable (不利)": (chinese("环境不利", "unfavourable environment"), "against"),
    "Positive (正面催化)": (chinese("正面催化", "positive catalysts"), "for"),
    "Negative (负面催化)": (chinese("负面催化", "negative catalysts"), "against"),
}
_STAGES: Final = {
    "research": chinese("专家研究", "research"),
    "debate": chinese("多空辩论", "debate"),
    "judge": chinese("裁决", "verdict"),
}


def conclusion_of(result: BaseModel) -> Conclusion:
    """What an agent's result comes to; a word of a scale that is not known here stands for itself."""
    if isinstance(result, ExpertResult):
        opinion = result.opinion()
        raw, confidence = opinion.signal, opinion.confidence
    else:
        raw = str(getattr(result, "action", None) or getattr(result, "direction", ""))
        confidence = float(getattr(result, "confidence", 0))
    word, tone = _SCALES.get(raw, (chinese(raw, raw), "neither"))
    return Conclusion(raw, word.text(), tone, confidence)


def agent_title(name: str, label: str) -> str:
    """What an agent is called: its Chinese label, or its name in English."""
    return said(label, name.replace("_", " ").capitalize())


def stage_title(stage: str) -> str:
    """What a committee's stage is called."""
    return _STAGES[stage].text()
