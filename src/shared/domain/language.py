"""Which language the library speaks: messages, feedback, the command line and reports.

The environment variable `LLM_OUTPUT_LANG` says it: `zh`, `en`, or `both`, which is the default; `EN` and a locale such
as `en_US.UTF-8` say the same. It is read whenever a message is made, so that a program may set it at any time. A text
without an error does not need it.
`speaking` says it for one task or thread instead, such as the one that answers a request.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache, reduce

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


class Message:
    """What there is to say, in each language.

    Attributes:
        en: the whole message in English.

    .. versionadded:: 0.1.0
    """

    def __init__(self, zh: str, en: str, both: str | None = None) -> None:
        """Say the same in both languages.

        Args:
            zh: the whole message in Chinese.
            en: the whole message in English, with the same values.
            both: Chinese first, with an English gloss; None where that is `zh` followed by `en` in brackets.
        """
        self.en = en
        self._zh = zh
        self._both = both

    @classmethod
    def glossed(cls, zh: str, en: str, gloss: str) -> Message:
        """A message whose gloss is shorter than its English, since the values already stand in the Chinese."""
        return cls(zh, en, f"{zh} ({gloss})")

    @staticmethod
    def of(english: str, /, **values: object) -> Message:
        """A message whose Chinese stands in the catalogue, `locale/zh.toml`, under its English.

        Args:
            english: the English text with the names of its values in braces, as `str.format` takes it. What stands
                before a `|` tells the catalogue which of several meanings it has, and is not said.
            values: what the names stand for. A `Message` is said in the language of the whole.
        """
        return _Translated(english, values)

    @staticmethod
    def joined(pair: str, parts: Iterable[object]) -> Message:
        """Several things as one message.

        Args:
            pair: how two of them are written, such as `{one}, {other}`; in the catalogue as every text.
            parts: the things.
        """
        first, *rest = [*parts] or [""]
        start = Message.of("{first}", first=first)
        return reduce(lambda one, other: Message.of(pair, one=one, other=other), rest, start)

    @property
    def zh(self) -> str:
        """The whole message in Chinese."""
        return self.text(Language.ZH)

    @property
    def both(self) -> str:
        """Chinese first, with an English gloss."""
        return self.text(Language.BOTH)

    def under(self, name: str) -> Message:
        """The same with a name before it."""
        zh, both = self._chinese()
        return Message(f"{name}: {zh}", f"{name}: {self.en}", both and f"{name}: {both}")

    def text(self, spoken: Language | None = None) -> str:
        """The message in one language.

        Args:
            spoken: which; None for the one that `LLM_OUTPUT_LANG` asks for.
        """
        spoken = spoken or language()
        if spoken is Language.EN:
            return self.en
        zh, both = self._chinese()
        return zh if spoken is Language.ZH else both or f"{zh} ({self.en})"

    def _chinese(self) -> tuple[str, str | None]:
        """The message in Chinese, and with its gloss; None where that is the whole English."""
        return self._zh, self._both

    def __eq__(self, other: object) -> bool:  # noqa: D105 - by the texts
        return isinstance(other, Message) and all(self.text(one) == other.text(one) for one in Language)

    def __hash__(self) -> int:  # noqa: D105 - without the catalogue
        return hash(self.en)

    def __repr__(self) -> str:  # noqa: D105 - as it may be made
        return f"Message(zh={self.zh!r}, en={self.en!r}, both={self.both!r})"


class _Translated(Message):
    """A message whose Chinese is looked up when it is asked for."""

    def __init__(self, key: str, values: Mapping[str, object]) -> None:
        self._key = key
        self._values = {name: value if isinstance(value, _AS_IT_IS) else str(value) for name, value in values.items()}
        self.en = self._filled(key.rpartition(_MEANING)[2], Language.EN)

    def _chinese(self) -> tuple[str, str | None]:
        entry = _catalogue().get(self._key, self._key)
        if isinstance(entry, str):
            return self._filled(entry, Language.ZH), None
        zh = self._filled(entry["zh"], Language.ZH)
        if "both" in entry:
            return zh, self._filled(entry["both"], Language.BOTH)
        return zh, f"{zh} ({self._filled(entry['gloss'], Language.EN)})"

    def _filled(self, template: str, spoken: Language) -> str:
        values = {name: _in(value, spoken) for name, value in self._values.items()}
        if spoken is Language.BOTH:
            values |= {f"{name}_{one}": _in(value, one) for name, value in self._values.items() for one in Language}
        return template.format(**values)


def _in(value: object, spoken: Language) -> object:
    return value.text(spoken) if isinstance(value, Message) else value


_AS_IT_IS = (str, int, float, Message)
"""Values that a message keeps; of any other it keeps the text, so that a message can be sent to another process."""
_MEANING = "|"


def translated(english: str, spoken: Language) -> str:
    """A text of a template of a page in one language, with its braces as they are."""
    if spoken is Language.EN:
        return english.rpartition(_MEANING)[2]
    entry = _catalogue()[english]
    return entry if isinstance(entry, str) else entry["zh"]


@cache
def _catalogue() -> dict[str, str | dict[str, str]]:
    """The Chinese by the English; read when the first message is made in Chinese."""
    import tomllib  # noqa: PLC0415 - a text without an error needs neither
    from importlib.resources import files  # noqa: PLC0415

    return tomllib.loads(files(__package__).joinpath("locale", "zh.toml").read_text(encoding="utf-8"))
