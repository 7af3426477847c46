"""The words of reports, in Chinese unless English alone is asked for, and a model's text on its way into a document."""

from __future__ import annotations

import re
from typing import Any, Final

from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message, language
from src.shared.domain.repair import RepairKind


def chinese(zh: str, en: str) -> Message:
    """A text that is Chinese unless English alone is asked for."""
    return Message(zh, en, zh)


def said(zh: str, en: str) -> str:
    """A text of a report."""
    return chinese(zh, en).text()


COLON: Final = chinese("：", ": ")


_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def shown(text: str) -> str:
    r"""The text with what would hide, reorder or break other text made visible: `\u202e`; line ends stay."""
    text = text.replace("\r\n", "\n").replace("\t", " ")
    return _HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def number(value: float) -> str:
    """A number with all its digits, and no `.0` where it is whole."""
    return repr(value).removesuffix(".0")


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


_GLOSSED: Final = re.compile(r"(.*[\u4e00-\u9fff][^()]*) \([ -~]+\)", re.DOTALL)
"""Chinese with an English gloss behind it."""
_SHOWN = 8
"""Most places that are told; the rest is counted."""
_PROBLEMS: Final = {
    "missing": chinese("没有给出", "not given"),
    "float_parsing": chinese("不是数字", "not a number"),
    "float_type": chinese("不是数字", "not a number"),
    "finite_number": chinese("不是有限的数", "not a finite number"),
    "int_parsing": chinese("不是整数", "not a whole number"),
    "int_type": chinese("不是整数", "not a whole number"),
    "int_from_float": chinese("不是整数", "not a whole number"),
    "string_type": chinese("不是文字", "not a text"),
    "list_type": chinese("不是列表", "not a list"),
    "dict_type": chinese("不是对象", "not an object"),
    "model_type": chinese("不是对象", "not an object"),
    "model_attributes_type": chinese("不是对象", "not an object"),
    "literal_error": chinese("不是允许的取值", "not one of the values allowed"),
    "enum": chinese("不是允许的取值", "not one of the values allowed"),
    "too_short": chinese("项数太少", "too few items"),
    "too_long": chinese("项数太多", "too many items"),
    "string_too_short": chinese("文字太短", "text too short"),
    "string_too_long": chinese("文字太长", "text too long"),
    "greater_than": chinese("数值太小", "too small"),
    "greater_than_equal": chinese("数值太小", "too small"),
    "less_than": chinese("数值太大", "too large"),
    "less_than_equal": chinese("数值太大", "too large"),
    "extra_forbidden": chinese("没有这一项", "no such field"),
}
"""What is wrong with a value, by Pydantic's name for it: its own message is always English."""


def problem_word(kind: str, spoken: Language | None = None) -> str:
    """What is wrong with a value, by Pydantic's name for it; the name itself where there is no word."""
    return _PROBLEMS[kind].text(spoken) if kind in _PROBLEMS else kind


def reason_of(error: AppException) -> str:
    """Why an answer was not used: each place and what is wrong with it, or the error's message."""
    problems = error.details.get("validation_errors", ())
    if not problems:
        return without_gloss(error.message)
    told = [_told(problem) for problem in problems[:_SHOWN]]
    more = error.details.get("validation_error_count", len(problems)) - len(told)
    rest = [said(f"另有 {more} 处", f"{more} more")] if more > 0 else []
    return said("不符合约定：", "does not match what was asked for: ") + said("；", "; ").join([*told, *rest])


def without_gloss(message: str) -> str:
    """A message in both languages without its English, which ends it in brackets: the report has one language."""
    found = _GLOSSED.fullmatch(message) if language() is Language.BOTH else None
    return found[1] if found else message


def _told(problem: dict[str, Any]) -> str:
    known = _PROBLEMS.get(problem["type"])
    said_of = known.text() if known else problem["msg"]
    place = json_path(problem["loc"]).removeprefix("$.")
    return f"{place}{COLON.text()}{said_of}" if problem["loc"] else said_of
