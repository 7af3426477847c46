"""The language of the command line: what it says itself, beside the messages of errors."""

from __future__ import annotations

from src.shared.domain.language import VARIABLE, Language, Message, unknown_language


def spoken(zh: str, en: str) -> str:
    """A text of the command line: in Chinese where that alone is asked for, else in English."""
    return Message(zh, en, en).text()


def wrong_language() -> str | None:
    """What is wrong with `LLM_OUTPUT_LANG`; None where it names a language, or is not set."""
    value = unknown_language()
    if value is None:
        return None
    known = ", ".join(Language)
    return f"{VARIABLE} is {value!r}; it must be one of {known}"
