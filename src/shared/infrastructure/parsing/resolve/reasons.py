"""Why a damaged value cannot be read, or not without guessing."""

from __future__ import annotations

from src.shared.domain.parse_reasons import Reason

TWO_READINGS = Reason("此处有两种读法，无法判定", "the text can be read in two ways here")
NO_STRING_END = Reason("字符串没有合理的结束处", "no quote here can end the string")
NO_VALUE = Reason("此处应为一个值", "a value is expected here")
NO_KEY = Reason("此处应为键名", "a key is expected here")
NO_COMMA = Reason("此处应为逗号或右括号", "a comma or a closing bracket is expected here")
TWO_NUMBERS = Reason("此处的逗号可能是千位分隔符", "the comma here may separate thousands")
NUMBER_OR_TEXT = Reason(
    "此处可能是数字或字面量，也可能是文本", "this may be a number or a literal in another spelling, or a text"
)
COMMENT_OR_STRUCTURE = Reason(
    "注释里有右括号，无法判定它在何处结束", "a comment with a closing bracket may end in two places"
)
COMMENT_OR_ELEMENT = Reason(
    "列表中的注释可能是未加引号的元素", "what looks like a comment may be an element without quotes"
)
ELISION = Reason("此处省略了内容", "something was left out here")
PLACEHOLDER = Reason("此处只有省略号，内容未给出", "only an ellipsis stands here in place of the contents")
