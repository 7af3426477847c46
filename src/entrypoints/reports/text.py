"""Text that a model wrote, on its way into a document."""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")
_LINE_MARK = re.compile(r"^(?:[#+\-=]|\d{1,9}(?=[.)](?:\s|$)))")


def shown(text: str) -> str:
    r"""The text with what would hide, reorder or break other text made visible: `\u202e`; line ends stay."""
    text = text.replace("\r\n", "\n").replace("\t", " ")
    return _HIDDEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def number(value: float) -> str:
    """A number with all its digits, and no `.0` where it is whole."""
    return repr(value).removesuffix(".0")


def markdown(text: str) -> str:
    """The text as one line of Markdown that reads as it stands: no markup, HTML or table cell of it takes effect."""
    line = _MARKDOWN.sub(r"\\\1", " ".join(shown(text).split()))
    return _LINE_MARK.sub(_without_meaning, line)


def _without_meaning(match: re.Match[str]) -> str:
    """What would begin a heading or a list, with its first character as an entity."""
    mark = match.group()
    return f"&#{ord(mark[0])};{mark[1:]}"
