"""The words of reports, in Chinese unless English alone is asked for, and a model's text on its way into a document."""

from __future__ import annotations

import re
from typing import Any, Final

from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message, language
from src.shared.domain.repair import RepairKind


def report_language() -> Language:
    """The language of a report: Chinese unless English alone is asked for."""
    return Language.EN if language() is Language.EN else Language.ZH


def word_of(message: Message) -> str:
    """A message in the language of the report."""
    return message.text(report_language())


def said(english: str, /, **values: object) -> str:
    """A text of a report, which `Message.of` takes."""
    return word_of(Message.of(english, **values))


_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def shown(text: str) -> str:
    r"""The text with what would hide, reorder or break other text made visible: `\u202e`; line ends stay."""
    text = text.replace("\r\n", "\n").replace("\t", " ")
    return _HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def number(value: float) -> str:
    """A number with all its digits, and no `.0` where it is whole."""
    return repr(value).removesuffix(".0")


_WORDS: Final = {
    RepairKind.CONTROL_CHARACTER: Message.of("raw control character in a text"),
    RepairKind.SMART_QUOTE: Message.of("typographic quote as a delimiter"),
    RepairKind.FULL_WIDTH_PUNCTUATION: Message.of("full-width punctuation as structure"),
    RepairKind.SINGLE_QUOTE: Message.of("single quote"),
    RepairKind.UNQUOTED_KEY: Message.of("key without quotes"),
    RepairKind.UNQUOTED_VALUE: Message.of("text without quotes"),
    RepairKind.UNESCAPED_QUOTE: Message.of("quote inside a text, not escaped"),
    RepairKind.MISSING_QUOTE: Message.of("missing quote"),
    RepairKind.STRAY_QUOTE: Message.of("stray quote"),
    RepairKind.BAD_ESCAPE: Message.of("backslash that is no escape"),
    RepairKind.TRAILING_COMMA: Message.of("trailing comma"),
    RepairKind.MISSING_COMMA: Message.of("missing comma"),
    RepairKind.DOUBLED_COMMA: Message.of("doubled comma"),
    RepairKind.MISSING_COLON: Message.of("missing colon"),
    RepairKind.COMMENT: Message.of("comment"),
    RepairKind.PYTHON_LITERAL: Message.of("Python's spelling"),
    RepairKind.JAVASCRIPT_LITERAL: Message.of("JavaScript's spelling"),
    RepairKind.NON_FINITE_NUMBER: Message.of("number that is not finite"),
    RepairKind.NUMBER_SPELLING: Message.of("spelling of a number"),
    RepairKind.ELLIPSIS: Message.of("ellipsis"),
    RepairKind.MISSING_BRACKET: Message.of("missing bracket"),
    RepairKind.SURPLUS_BRACKET: Message.of("surplus bracket"),
    RepairKind.STRING_CONCATENATION: Message.of("texts joined by a plus"),
    RepairKind.INVISIBLE_CHARACTER: Message.of("invisible character"),
    RepairKind.ESCAPED_JSON: Message.of("object written as an escaped text"),
    RepairKind.MARKUP: Message.of("marks of Markdown or of a diff"),
    RepairKind.REPEATED_KEY: Message.of("key written twice before its value"),
    RepairKind.DUPLICATE_KEY: Message.of("duplicate key"),
    RepairKind.TRUNCATED_MEMBER: Message.of("member that was cut off"),
}


def repair_word(kind: str) -> str:
    """What a kind of repair, by its value, is called in the report's language."""
    return word_of(_WORDS[RepairKind(kind)])


_GLOSSED: Final = re.compile(r"(.*[\u4e00-\u9fff][^()]*) \([ -~]+\)", re.DOTALL)
"""Chinese with an English gloss behind it."""
_SHOWN = 8
"""Most places that are told; the rest is counted."""
_PROBLEMS: Final = {
    "missing": Message.of("not given"),
    "float_parsing": Message.of("not a number"),
    "float_type": Message.of("not a number"),
    "finite_number": Message.of("not a finite number"),
    "int_parsing": Message.of("not a whole number"),
    "int_type": Message.of("not a whole number"),
    "int_from_float": Message.of("not a whole number"),
    "string_type": Message.of("not a text"),
    "list_type": Message.of("not a list"),
    "dict_type": Message.of("not an object"),
    "model_type": Message.of("not an object"),
    "model_attributes_type": Message.of("not an object"),
    "literal_error": Message.of("not one of the values allowed"),
    "enum": Message.of("not one of the values allowed"),
    "too_short": Message.of("too few items"),
    "too_long": Message.of("too many items"),
    "string_too_short": Message.of("text too short"),
    "string_too_long": Message.of("text too long"),
    "greater_than": Message.of("too small"),
    "greater_than_equal": Message.of("too small"),
    "less_than": Message.of("too large"),
    "less_than_equal": Message.of("too large"),
    "extra_forbidden": Message.of("no such field"),
}
"""What is wrong with a value, by Pydantic's name for it: its own message is always English."""


def problem_word(kind: str, spoken: Language | None = None) -> str:
    """What is wrong with a value, by Pydantic's name for it; the name itself where there is no word."""
    return _PROBLEMS[kind].text(spoken or report_language()) if kind in _PROBLEMS else kind


def reason_of(error: AppException) -> str:
    """Why an answer was not used: each place and what is wrong with it, or the error's message."""
    problems = error.details.get("validation_errors", ())
    if not problems:
        return without_gloss(error.message)
    told = [_told(problem) for problem in problems[:_SHOWN]]
    more = error.details.get("validation_error_count", len(problems)) - len(told)
    rest = [said("{more} more", more=more)] if more > 0 else []
    return said("does not match what was asked for: ") + said("; ").join([*told, *rest])


def without_gloss(message: str) -> str:
    """A message in both languages without its English, which ends it in brackets: the report has one language."""
    found = _GLOSSED.fullmatch(message) if language() is Language.BOTH else None
    return found[1] if found else message


def _told(problem: dict[str, Any]) -> str:
    known = _PROBLEMS.get(problem["type"])
    said_of = word_of(known) if known else problem["msg"]
    place = json_path(problem["loc"]).removeprefix("$.")
    return f"{place}{said(': ')}{said_of}" if problem["loc"] else said_of
