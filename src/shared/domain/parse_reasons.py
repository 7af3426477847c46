"""Why a text is not JSON, as far as the whole parser speaks of it; `details["json_error"]` holds the English text."""

from __future__ import annotations

from src.shared.domain.language import Message


class Reason(Message):
    """Why a text is not JSON: part of a sentence, in each language."""

    __slots__ = ()


ACCEPT = "accept"
"""What errors call the check of the grade; it comes behind all stages."""
TIMEOUT = "timeout"
"""What errors call the end of a call's own time, wherever it comes."""

NO_OBJECT = Reason("未找到 JSON 对象", "no JSON object in the text")
ROUND_BRACKETS = Reason(
    "圆括号中的值不是 JSON，对象写作 {…}，列表写作 […]",
    "a value in round brackets is no JSON; an object is written {…}, a list […]",
)
UNCLOSED_THINK = Reason(
    "推理块未闭合，块内不是答案", "a reasoning block is never closed; nothing inside it is an answer"
)
ONLY_THINK = Reason("推理块之后没有答案", "nothing follows the reasoning block")
SEVERAL_OBJECTS = Reason(
    "有多个不同的 JSON 对象，无法判定哪个是答案", "several different objects, none marked as the answer"
)
WRAPPING_FITS = Reason(
    "包装内外都满足类型，无法判定哪个是答案",
    "the object and what it wraps both satisfy the type, and either may be the answer",
)
PART_OF_MORE = Reason(
    "对象处在读不出的外层结构之中，不是完整的答案", "the object stands inside something larger that cannot be read"
)
RIVAL = Reason(
    "对象之外还有读不出的数据，可能它才是答案",
    "something outside the object looks like data, cannot be read, and may be the answer",
)
ONLY_ASIDE = Reason(
    "文本中只有标明为示例、格式、草稿或推理的对象，或被前文否定的对象",
    "the only object is headed as an example, a format, a draft or reasoning, or the words before it deny it",
)
RETRACTED = Reason("对象之后的文字否定或更正了它", "the words behind the object take it back")
HOLDS_CALL = Reason(
    "文本中有工具调用，它不是答案，可用 read_tool_calls 读取",
    "the text holds a tool call, which is no answer; read_tool_calls reads it",
)
ROWS_WITHOUT_END = Reason(
    "各行没有列表括号，文本末尾无法判定是否写完；已知写完时请传 finished=True",
    "rows without the brackets of a list may go on here; pass finished=True if the model stopped by itself",
)
TRUNCATED = Reason("输出在此处被截断", "the text is cut off here")
CUT_OFF = Reason("模型在写完之前被截断", "the model was cut off before it had finished")
TOO_DEEP = Reason("嵌套过深", "nested too deeply")
NUMBER_TOO_LONG = Reason("整数位数过多", "an integer with too many digits")
TOO_DAMAGED = Reason("损坏过多", "too much damage")
TWO_ESCAPE_READINGS = Reason(
    "字符串中的反斜杠有两种读法，无法判定", "the backslashes of this string can be read in two ways"
)
ESCAPED_UNREADABLE = Reason(
    "转义成字符串的 JSON 不是一个完整的对象", "the JSON that was escaped as a string is not one whole object"
)
TWO_READINGS = Reason("此处有两种读法，无法判定", "the text can be read in two ways here")
TWO_NUMBERS = Reason("此处的逗号可能是千位分隔符", "the comma here may separate thousands")
NUMBER_OR_TEXT = Reason(
    "此处可能是数字或字面量，也可能是文本", "this may be a number or a literal in another spelling, or a text"
)
COMMENT_OR_STRUCTURE = Reason(
    "注释里有右括号，无法判定它在何处结束", "a comment with a closing bracket may end in two places"
)
COMMENT_OR_ELEMENT = Reason(
    "此处的注释可能是未加引号的内容", "what looks like a comment may be content without its quotes"
)

TWO_READ = frozenset(
    {TWO_READINGS, TWO_NUMBERS, NUMBER_OR_TEXT, COMMENT_OR_STRUCTURE, COMMENT_OR_ELEMENT, TWO_ESCAPE_READINGS}
)
"""Where a text has two readings, so that whoever mends it has to guess which one was meant."""
