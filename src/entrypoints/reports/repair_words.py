"""What each kind of repair is called in a report."""

from __future__ import annotations

from typing import Final

from src.entrypoints.reports.labels import chinese
from src.shared.domain.repair import RepairKind

_WORDS: Final = {
    RepairKind.CONTROL_CHARACTER: chinese("文字中未转义的换行等控制字符", "raw control character in a text"),
    RepairKind.SMART_QUOTE: chinese("弯引号或全角引号作界符", "typographic quote as a delimiter"),
    RepairKind.FULL_WIDTH_PUNCTUATION: chinese("全角标点作结构", "full-width punctuation as structure"),
    RepairKind.SINGLE_QUOTE: chinese("单引号", "single quote"),
    RepairKind.UNQUOTED_KEY: chinese("键没有引号", "key without quotes"),
    RepairKind.UNQUOTED_VALUE: chinese("文字没有引号", "text without quotes"),
    RepairKind.UNESCAPED_QUOTE: chinese("文字中的引号没有转义", "quote inside a text, not escaped"),
    RepairKind.MISSING_QUOTE: chinese("缺引号", "missing quote"),
    RepairKind.STRAY_QUOTE: chinese("多余的引号", "stray quote"),
    RepairKind.BAD_ESCAPE: chinese("不成立的转义", "backslash that is no escape"),
    RepairKind.TRAILING_COMMA: chinese("结尾多余的逗号", "trailing comma"),
    RepairKind.MISSING_COMMA: chinese("缺逗号", "missing comma"),
    RepairKind.DOUBLED_COMMA: chinese("重复的逗号", "doubled comma"),
    RepairKind.MISSING_COLON: chinese("缺冒号", "missing colon"),
    RepairKind.COMMENT: chinese("注释", "comment"),
    RepairKind.PYTHON_LITERAL: chinese("Python 的写法", "Python's spelling"),
    RepairKind.JAVASCRIPT_LITERAL: chinese("JavaScript 的写法", "JavaScript's spelling"),
    RepairKind.NON_FINITE_NUMBER: chinese("不是有限的数", "number that is not finite"),
    RepairKind.NUMBER_SPELLING: chinese("数字的写法", "spelling of a number"),
    RepairKind.ELLIPSIS: chinese("省略号", "ellipsis"),
    RepairKind.MISSING_BRACKET: chinese("缺括号", "missing bracket"),
    RepairKind.SURPLUS_BRACKET: chinese("多余的括号", "surplus bracket"),
    RepairKind.STRING_CONCATENATION: chinese("用加号相连的文字", "texts joined by a plus"),
    RepairKind.INVISIBLE_CHARACTER: chinese("不可见字符", "invisible character"),
    RepairKind.ESCAPED_JSON: chinese("整段写成了转义的文字", "object written as an escaped text"),
    RepairKind.MARKUP: chinese("混入的标记符号", "marks of Markdown or of a diff"),
    RepairKind.REPEATED_KEY: chinese("键写了两次", "key written twice before its value"),
    RepairKind.DUPLICATE_KEY: chinese("重复的键", "duplicate key"),
    RepairKind.TRUNCATED_MEMBER: chinese("被截断的一项", "member that was cut off"),
}


def repair_word(kind: str) -> str:
    """What a kind of repair, by its value, is called in the report's language."""
    return _WORDS[RepairKind(kind)].text()
