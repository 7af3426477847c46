"""Line ends, backslashes and escapes inside strings."""

from __future__ import annotations

import re

from tools.attack.damages.places import SPACES, STRINGS, TEXTS, Damage, Rewrite, every, one

_ESCAPE = re.compile(r"\\.", re.DOTALL)


def written(escape: str, instead: str, count: int = 0) -> Rewrite:
    """Write an escape of a string otherwise: everywhere in it, or so many of the first."""

    def rewrite(text: str) -> str:
        left = count or len(text)

        def write(found: re.Match[str]) -> str:
            nonlocal left
            if found.group() != escape or not left:
                return found.group()
            left -= 1
            return instead

        return _ESCAPE.sub(write, text)

    return rewrite


def _every_control_raw(text: str) -> str:
    for escape, raw in (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r")):
        text = written(escape, raw)(text)
    return text


def _nothing_escaped(text: str) -> str:
    return text[:1] + _ESCAPE.sub(lambda found: found.group()[1], text[1:-1]) + text[-1:] if "\\\\" in text else text


def _as_hex(text: str) -> str:
    """Characters below 256 that are not ASCII as Python's `repr` of bytes has them."""
    return re.sub(r"[\x80-\xff]", lambda found: f"\\x{ord(found.group()):02x}", text)


def _as_code_points(text: str) -> str:
    r"""JavaScript's `\u{1F680}`, and Python's `\U0001f680`."""
    return re.sub(r"[\U00010000-\U0010ffff]", lambda found: f"\\u{{{ord(found.group()):X}}}", text)


def _as_long_escapes(text: str) -> str:
    return re.sub(r"[\U00010000-\U0010ffff]", lambda found: f"\\U{ord(found.group()):08x}", text)


def _line_continued(text: str) -> str:
    blank = text.find(" ", len(text) // 2)
    return text if blank < 0 else f"{text[:blank]} \\\n{text[blank + 1 :]}"


DAMAGES = (
    Damage("raw line end", one(TEXTS, written("\\n", "\n"))),
    Damage("raw line ends everywhere", every(TEXTS, written("\\n", "\n"))),
    Damage("first line end raw", one(TEXTS, written("\\n", "\n", 1))),
    Damage("raw tab", one(TEXTS, written("\\t", "\t"))),
    Damage("raw control characters everywhere", every(TEXTS, _every_control_raw)),
    Damage("backslashes not escaped", one(TEXTS, written("\\\\", "\\"))),
    Damage("backslashes not escaped anywhere", every(TEXTS, written("\\\\", "\\"))),
    Damage("first backslash not escaped", one(TEXTS, written("\\\\", "\\", 1))),
    Damage("two backslashes not escaped", one(TEXTS, written("\\\\", "\\", 2))),
    Damage("nothing escaped in a text with backslashes", one(TEXTS, _nothing_escaped)),
    Damage("apostrophe escaped", one(STRINGS, lambda text: text.replace("'", "\\'"))),
    Damage("hexadecimal escape", one(STRINGS, _as_hex)),
    Damage("escape of a code point", one(STRINGS, _as_code_points, _as_long_escapes)),
    Damage("line continued by a backslash", one(TEXTS, _line_continued)),
    Damage("line ends between members escaped", every(SPACES, lambda text: text.replace("\n", "\\n"))),
)
