"""Why a damaged value cannot be read, or not without guessing."""

from __future__ import annotations

from src.shared.domain.parse_reasons import TWO_READINGS, Reason

NO_STRING_END = Reason("字符串没有合理的结束处", "no quote here can end the string")
NO_VALUE = Reason("此处应为一个值", "a value is expected here")
NO_KEY = Reason("此处应为键名", "a key is expected here")
NO_COMMA = Reason("此处应为逗号或右括号", "a comma or a closing bracket is expected here")
ELISION = Reason("此处省略了内容", "something was left out here")
PLACEHOLDER = Reason("此处只有省略号，内容未给出", "only an ellipsis stands here in place of the contents")
KEY_BRACKET = TWO_READINGS._replace()
"""A key holds a bracket without its pair."""
KEY_AGAIN = TWO_READINGS._replace()
"""A key that its object has already."""


def is_of_structure(reason: Reason) -> bool:
    """Whether it is a doubt only in a reading that puts or drops brackets or quotes."""
    return reason is KEY_BRACKET or reason is KEY_AGAIN
