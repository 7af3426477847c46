"""Whether a text in brackets translates the one before it, or says something else of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from src.shared.domain.possessive import repeated

_MEANINGS = (
    ("强烈", "strong", "strongly"),
    ("买入", "购买", "买", "推荐", "buy"),
    ("增持", "overweight", "accumulate", "add"),
    ("跑赢", "优于", "outperform"),
    ("持有", "hold"),
    ("中性", "neutral"),
    ("减持", "underweight", "reduce"),
    ("跑输", "弱于", "underperform"),
    ("卖出", "卖", "sell"),
    ("回避", "规避", "avoid"),
    ("观望", "等待", "wait", "watch"),
    ("很", "非常", "极", "very", "extremely"),
    ("低估", "undervalued", "cheap"),
    ("高估", "overvalued", "expensive"),
    ("合理", "公允", "fair", "fairly"),
    ("看涨", "看多", "利好", "积极", "正面", "乐观", "bullish", "positive", "optimistic"),
    ("看跌", "看空", "利空", "消极", "负面", "悲观", "bearish", "negative", "pessimistic"),
    ("高", "high"),
    ("中等", "适中", "中", "medium", "moderate"),
    ("低", "low"),
    ("上升", "上涨", "增长", "改善", "up", "rising", "improving"),
    ("下降", "下跌", "下滑", "恶化", "down", "falling", "deteriorating", "declining"),
    ("稳定", "持平", "stable", "flat"),
    ("是", "yes", "true"),
    ("否", "no", "false"),
)
"""Words of ratings and levels that mean the same in both languages."""
_MEANING_OF = {word: at for at, words in enumerate(_MEANINGS) for word in words}
_WORD = re.compile(r"[a-z]++|" + "|".join(sorted((w for w in _MEANING_OF if not w.isascii()), key=len, reverse=True)))
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TRANSLATION = re.compile(
    r"\s*+(?:[\u4e00-\u9fff]{1,8}+|[A-Za-z]++" + repeated(r"[\s_-]++[A-Za-z]++", "{0,3}") + r")\s*+"
)
_REMARK = re.compile(
    r"""
    [不非未没无反但若如或曾原前转调至降于疑仅除待拟暂]
    | \b(?:not?|non|un|was|were|from|to|cut|if|or|but|maybe|former|formerly|previously|prior|under|pending|tb[acd]
        |(?:down|up)grade[ds]?|except|almost|near|nearly|review|unclear|unknown|uncertain)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What says something else than the word before it."""


def is_translation(text: str, of: str) -> bool:
    """Whether a text is a few words in the other language that mean what `of` means, as far as its words are known."""
    if not _TRANSLATION.fullmatch(text) or bool(_CHINESE.search(text)) is bool(_CHINESE.search(of)):
        return False
    one, other = _Meanings.of(text), _Meanings.of(of)
    return one.known == other.known and not _REMARK.search(one.rest)


class _Meanings(NamedTuple):
    """What the words of a text mean, and the text without those that are known."""

    known: frozenset[int]
    rest: str

    @classmethod
    def of(cls, text: str) -> _Meanings:
        known: set[int] = set()

        def without(word: re.Match[str]) -> str:
            meaning = _MEANING_OF.get(word[0])
            if meaning is None:
                return word[0]
            known.add(meaning)
            return " "

        rest = _WORD.sub(without, text.casefold())
        return cls(frozenset(known), rest)
