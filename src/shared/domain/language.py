"""Which language the library speaks: messages, feedback, the command line and reports.

The environment variable `LLM_OUTPUT_LANG` says it: `zh`, `en`, or `both`, which is the default; `EN` and a locale such
as `en_US.UTF-8` say the same. It is read whenever a message is made, so that a program may set it at any time. A text
without an error does not need it.
`speaking` says it for one task or thread instead, such as the one that answers a request.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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


_SPOKEN: ContextVar[Language | None] = ContextVar("spoken", default=None)


class UnknownLanguageError(RuntimeError):
    """`LLM_OUTPUT_LANG` says something else than what there is."""


def language() -> Language:
    """The language asked for: by `speaking`, else by the variable; both where it is unset or empty.

    Raises:
        UnknownLanguageError: the variable names none.
    """
    return _SPOKEN.get() or _said(os.environ.get(VARIABLE, ""))


def _said(value: str) -> Language:
    word = value.strip().lower()
    if word in _KNOWN:
        return Language(word)
    place = _PLACE.search(word)
    if word and not (place and word[: place.start()] in _OF_A_PLACE):
        message = f"{VARIABLE} is {value[:_VALUE_LIMIT]!r}; it must be one of {', '.join(Language)}"
        raise UnknownLanguageError(message)
    return Language(word[: place.start()]) if place else Language.BOTH


@contextmanager
def speaking(spoken: Language) -> Iterator[None]:
    """Make the messages of a block in one language, in this task or thread alone, whatever the environment says."""
    token = _SPOKEN.set(spoken)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


_KNOWN = frozenset(Language)
_OF_A_PLACE = (Language.ZH, Language.EN)
_PLACE = re.compile(r"[-_.@]")
"""What a locale goes on with behind its language: `en_GB`, `zh-Hans`, `en.UTF-8`."""
_VALUE_LIMIT = 40


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

    def under(self, name: str) -> Message:
        """The same with a name before it."""
        both = None if self.both is None else f"{name}: {self.both}"
        return self._replace(zh=f"{name}: {self.zh}", en=f"{name}: {self.en}", both=both)

    def text(self, spoken: Language | None = None) -> str:
        """The message in one language.

        Args:
            spoken: which; None for the one that `LLM_OUTPUT_LANG` asks for.
        """
        spoken = spoken or language()
        if spoken is Language.BOTH:
            return f"{self.zh} ({self.en})" if self.both is None else self.both
        return self.zh if spoken is Language.ZH else self.en
