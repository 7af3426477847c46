"""The words of reports, in Chinese unless English alone is asked for, and a model's text on its way into a document."""

from __future__ import annotations

import re
from typing import Any, Final

from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message, Phrase, language


def report_language() -> Language:
    """The language of a report: Chinese unless English alone is asked for."""
    return Language.EN if language() is Language.EN else Language.ZH


def word_of(message: Message) -> str:
    """A message in the language of the report."""
    return message.text(report_language())


def said(english: str, /, **values: object) -> str:
    """A text of a report, which `Phrase` takes."""
    return word_of(Phrase(english, **values))


_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def escape_invisible(text: str) -> str:
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
    kind: word
    for word, kinds in {
        Phrase("not given"): "missing",
        Phrase("not a number"): "float_parsing float_type",
        Phrase("not a finite number"): "finite_number",
        Phrase("not a whole number"): "int_parsing int_type int_from_float",
        Phrase("not a text"): "string_type",
        Phrase("not a list"): "list_type",
        Phrase("not an object"): "dict_type model_type model_attributes_type",
        Phrase("not one of the values allowed"): "literal_error enum",
        Phrase("too few items"): "too_short",
        Phrase("too many items"): "too_long",
        Phrase("text too short"): "string_too_short",
        Phrase("text too long"): "string_too_long",
        Phrase("too small"): "greater_than greater_than_equal",
        Phrase("too large"): "less_than less_than_equal",
        Phrase("no such field"): "extra_forbidden",
    }.items()
    for kind in kinds.split()
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
    named = [_problem_text(problem) for problem in problems[:_SHOWN]]
    more = error.details.get("validation_error_count", len(problems)) - len(named)
    rest = [said("{more} more", more=more)] if more > 0 else []
    return said("does not match what was asked for: ") + said("; ").join([*named, *rest])


def without_gloss(message: str) -> str:
    """A message in both languages without its English, which ends it in brackets: the report has one language."""
    found = _GLOSSED.fullmatch(message) if language() is Language.BOTH else None
    return found[1] if found else message


def _problem_text(problem: dict[str, Any]) -> str:
    known = _PROBLEMS.get(problem["type"])
    said_of = word_of(known) if known else problem["msg"]
    place = json_path(problem["loc"]).removeprefix("$.")
    return f"{place}{said(': ')}{said_of}" if problem["loc"] else said_of
