"""Words for a boolean, and for no value at all."""

from __future__ import annotations

from src.shared.domain.coercion.coercion import CoercionKind, Outcome, Read
from src.shared.domain.coercion.folded import folded, is_short

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
    return folded(text).casefold() if is_short(text) else text
