"""Which language the library speaks: messages, feedback, the command line and reports.

The environment variable `LLM_OUTPUT_LANG` says it: `zh`, `en`, or `both`, which is the default; `EN` and a locale such
as `en_US.UTF-8` say the same. It is read whenever a message is made, so that a program may set it at any time. A text
without an error does not need it.
`speaking` says it for one task or thread instead, such as the one that answers a request.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property, reduce

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
    return _SPOKEN.get() or _language_of(os.environ.get(VARIABLE, ""))


def _language_of(value: str) -> Language:
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


@dataclass(frozen=True)
class Message:
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
        return Message(zh, en, f"{zh} ({gloss})")

    def under(self, name: str) -> Message:
        """The same with a name before it."""
        both = None if self.both is None else f"{name}: {self.both}"
        return Message(f"{name}: {self.zh}", f"{name}: {self.en}", both)

    def text(self, spoken: Language | None = None) -> str:
        """The message in one language.

        Args:
            spoken: which; None for the one that `LLM_OUTPUT_LANG` asks for.
        """
        spoken = spoken or language()
        if spoken is Language.BOTH:
            return f"{self.zh} ({self.en})" if self.both is None else self.both
        return self.zh if spoken is Language.ZH else self.en


class Phrase(Message):
    """A message whose English stands in the code, and its Chinese in the catalogue, where it is looked up when needed.

    Args:
        english: the English text with the names of its values in braces, as `str.format` takes it. What stands before a
            `|` tells the catalogue which of several meanings it has, and is not said.
        values: what the names stand for. A message is said in the language of the whole.
    """

    key: str
    values: dict[str, object]

    def __init__(self, english: str, /, **values: object) -> None:
        kept = {name: value if isinstance(value, _AS_IT_IS) else str(value) for name, value in values.items()}
        self.__dict__.update(key=english, values=kept)
        self.__dict__["en"] = self._filled(english.rpartition(_MEANING)[2], Language.EN)

    @classmethod
    def joined(cls, pair: str, parts: Iterable[object]) -> Phrase:
        """Several things as one phrase.

        Args:
            pair: how two of them are written, such as `{one}, {other}`; in the catalogue as every text.
            parts: the things.
        """
        first, *rest = [*parts] or [""]
        return reduce(lambda one, other: cls(pair, one=one, other=other), rest, cls("{first}", first=first))

    @cached_property
    def zh(self) -> str:
        """The whole message in Chinese."""
        return self._filled(self._entry["zh"], Language.ZH)

    @cached_property
    def both(self) -> str | None:
        """Chinese first, with an English gloss; None where that is `zh` followed by `en` in brackets."""
        if "both" in self._entry:
            return self._filled(self._entry["both"], Language.BOTH)
        return f"{self.zh} ({self._filled(self._entry['gloss'], Language.EN)})" if "gloss" in self._entry else None

    @cached_property
    def _entry(self) -> dict[str, str]:
        return _entry_of(self.key)

    def _filled(self, template: str, spoken: Language) -> str:
        given = self.values
        values = {name: _in(value, spoken) for name, value in given.items()}
        if spoken is Language.BOTH:
            values |= {f"{name}_{one}": _in(value, one) for name, value in given.items() for one in Language}
        return template.format(**values)

    def __eq__(self, other: object) -> bool:  # noqa: D105 - by its text and values, without the catalogue
        return isinstance(other, Phrase) and (self.key, self.values) == (other.key, other.values)

    def __hash__(self) -> int:  # noqa: D105 - as above
        return hash(self.key)


def _in(value: object, spoken: Language) -> object:
    return value.text(spoken) if isinstance(value, Message) else value


_AS_IT_IS = (str, int, float, Message)
"""Values that a message keeps; of any other it keeps the text, so that a message can be sent to another process."""
_MEANING = "|"


def translated(english: str, spoken: Language) -> str:
    """A text of a template of a page in one language, with its braces as they are."""
    return english.rpartition(_MEANING)[2] if spoken is Language.EN else _entry_of(english)["zh"]


def _entry_of(english: str) -> dict[str, str]:
    """The Chinese of a text, and what is said of its gloss; of one without words, or without a catalogue, itself."""
    try:
        entry = _catalogue().get(english)
    except (ImportError, OSError):  # a process may have given up the right to read files
        entry = None
    entry = english.rpartition(_MEANING)[2] if entry is None else entry
    return {"zh": entry} if isinstance(entry, str) else entry


@cache
def _catalogue() -> dict[str, str | dict[str, str]]:
    """The Chinese by the English; read when the first message is made in Chinese."""
    import tomllib  # noqa: PLC0415 - a text without an error needs neither
    from importlib.resources import files  # noqa: PLC0415

    return tomllib.loads(files(__package__).joinpath("locale", "zh.toml").read_text(encoding="utf-8"))
