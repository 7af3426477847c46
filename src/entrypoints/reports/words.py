"""The words of reports, in Chinese unless English alone is asked for, and a model's text on its way into a document."""

from __future__ import annotations

import re
from typing import Any, Final

from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message, language


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
