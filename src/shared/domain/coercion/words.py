"""Reads words: a member of an enum or a literal by its case, its name or beside a gloss; a boolean; a word for none."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from enum import Enum
from typing import Any

from src.shared.domain.coercion.coercion import CoercionKind, Outcome, Read, two_readings
from src.shared.domain.coercion.numbers import fold, is_short
from src.shared.domain.expression import expression, repeated

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
_WORD = expression(r"[a-z]++|" + "|".join(sorted((w for w in _MEANING_OF if not w.isascii()), key=len, reverse=True)))
_CHINESE = expression(r"[\u4e00-\u9fff]")
_TRANSLATION = expression(
    r"\s*+(?:[\u4e00-\u9fff]{1,8}+|[A-Za-z]++" + repeated(r"[\s_-]++[A-Za-z]++", "{0,3}") + r")\s*+"
)
_REMARK = expression(
    r"""
    [不非未没无反但若如或曾原前转调至降于疑仅除待拟暂]
    | \b(?:not?|non|un|was|were|from|to|cut|if|or|but|maybe|former|formerly|previously|prior|under|pending|tb[acd]
        |(?:down|up)grade[ds]?|except|almost|near|nearly|review|unclear|unknown|uncertain)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What says something else than the word before it."""


def _is_translation(text: str, of: str) -> bool:
    """Whether a text is a few words in the other language that mean what `of` means, as far as its words are known."""
    if not _TRANSLATION.fullmatch(text) or bool(_CHINESE.search(text)) is bool(_CHINESE.search(of)):
        return False
    one, other = ({*map(_MEANING_OF.get, _WORD.findall(words.casefold()))} - {None} for words in (text, of))
    rest = _WORD.sub(lambda word: " " if word[0] in _MEANING_OF else word[0], text.casefold())
    return one == other and not _REMARK.search(rest)


_SEPARATORS = expression(r"[\s_-]++")
_GLOSSED = expression(r"(?P<one>[^()]++)\((?P<other>[^()]++)\)")


class MemberReader:
    """Reads the members of one enum or literal."""

    def __init__(self, members: Sequence[Any]) -> None:
        """Take the members: of an enum as its own objects, of a literal as its values."""
        values = [one for one in map(_value, members) if isinstance(one, (str, int, float))]
        self._texts = frozenset(one for one in values if isinstance(one, str))
        self._by_value: dict[Hashable, list[Any]] = {}
        self._by_name: dict[Hashable, list[Any]] = {}
        for value in values:  # of a number its digits, whose sign is no sign between words
            spelling = _spelling(value) if isinstance(value, str) else (str(value).lower(),)
            self._by_value.setdefault(spelling, []).append(value)
        for kind in {type(one) for one in members if isinstance(one, Enum)}:
            for name, member in kind.__members__.items():
                if member in members and _value(member) in values:
                    self._by_name.setdefault(_spelling(name), []).append(_value(member))

    def read(self, value: object) -> Outcome:
        """The member that a text means; None for one that is a member already, or means none."""
        if not isinstance(value, str) or not is_short(value) or value in self._texts:
            return None
        meant = self._meant(value)
        glossed = None if meant else _GLOSSED.fullmatch(fold(value))
        if glossed:
            one, other = glossed.groups()
            of_one, of_other = self._meant(one), self._meant(other)
            translation, of = (one, other) if of_other else (other, one)
            if (of_one and of_other) or _is_translation(translation, of):
                meant = dict.fromkeys([*of_one, *of_other], CoercionKind.CHOICE_GLOSS)
        if len(meant) > 1:
            return two_readings(*list(meant)[:2])
        return next((Read(kind, member) for member, kind in meant.items()), None)

    def _meant(self, text: str) -> dict[Any, CoercionKind]:
        """The members that a text may mean, and how."""
        spelling, number = _spelling(text), fold(text).lower()
        by_name = dict.fromkeys(self._by_name.get(spelling, ()), CoercionKind.CHOICE_NAME)
        by_value = [*self._by_value.get(spelling, ()), *self._by_value.get((number,), ())]
        return by_name | dict.fromkeys(by_value, CoercionKind.CHOICE_CASE)


def _value(member: object) -> Any:  # noqa: ANN401 - what a member of an enum holds
    return member.value if isinstance(member, Enum) else member


def _spelling(text: str) -> str:
    """What is compared: no case, one sign for all that parts words."""
    return _SEPARATORS.sub("_", fold(text).casefold())


BOOLEANS = {
    "true": True, "yes": True, "y": True, "on": True, "是": True, "是的": True, "真": True, "有": True, "对": True,
    "false": False, "no": False, "n": False, "off": False, "否": False, "不是": False, "假": False, "无": False,
    "没有": False, "不对": False,
}  # fmt: skip
"""What a word says, whatever its case."""
_ABSENT_ENGLISH = ("n/a", "na", "n.a.", "nil", "none", "null", "nan", "-", "--", "—", "——", "/")
_ABSENT_CHINESE = ("无", "没有", "暂无", "不适用", "暂无数据")
ABSENT = frozenset({"", *_ABSENT_ENGLISH, *_ABSENT_CHINESE})
"""Words for no value, whatever their case."""


def read_boolean(value: object) -> Outcome:
    """A boolean in a word."""
    said = BOOLEANS.get(_word(value)) if isinstance(value, str) else None
    return None if said is None else Read(CoercionKind.BOOLEAN_WORD, said)


def is_absent(value: object) -> bool:
    """Whether a value is a word for none."""
    return isinstance(value, str) and _word(value) in ABSENT


def _word(text: str) -> str:
    return fold(text).casefold() if is_short(text) else text
