"""Which language the library speaks: messages, feedback, the command line and reports.

The environment variable `LLM_OUTPUT_LANG` says it: `zh`, `en`, or `both`, which is the default. It is read whenever a
message is made, so that a program may set it at any time; a text that is parsed without an error never reads it.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import NamedTuple

VARIABLE = "LLM_OUTPUT_LANG"


class Language(StrEnum):
    """What `LLM_OUTPUT_LANG` may say.

    .. versionadded:: 0.1.0
    """

    ZH = "zh"
    """Chinese alone."""
    EN = "en"
    """English alone."""
    BOTH = "both"
    """Chinese first, with an English gloss in brackets."""


def language() -> Language:
    """The language asked for; both where the variable is unset, empty or says anything else."""
    value = os.environ.get(VARIABLE, "")
    return Language(value) if value in _KNOWN else Language.BOTH


def unknown_language() -> str | None:
    """What the variable says, where that is no language we speak; else None."""
    value = os.environ.get(VARIABLE, "")
    return value if value and value not in _KNOWN else None


_KNOWN = frozenset(Language)


class Message(NamedTuple):
    """What there is to say, in each language.

    Attributes:
        zh: the whole message in Chinese.
        en: the whole message in English, with the same values.
        both: Chinese first, with an English gloss; None where that is `zh` followed by `en` in brackets.

    .. versionadded:: 0.1.0
    """

    zh: str
    en: str
    both: str | None = None

    @classmethod
    def glossed(cls, zh: str, en: str, gloss: str) -> Message:
        """A message whose gloss is shorter than its English, since the values already stand in the Chinese."""
        return cls(zh, en, f"{zh} ({gloss})")

    def text(self, spoken: Language | None = None) -> str:
        """The message in one language.

        Args:
            spoken: which; None for the one that `LLM_OUTPUT_LANG` asks for.
        """
        spoken = spoken or language()
        if spoken is Language.BOTH:
            return f"{self.zh} ({self.en})" if self.both is None else self.both
        return self.zh if spoken is Language.ZH else self.en
