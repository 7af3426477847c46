"""Writes text safely: control characters are made visible, and a closed stdout is noticed.

It needs only the standard library, so that a command that just writes a result starts quickly.
"""

from __future__ import annotations

import json
import re
import sys

_PICTURES = 0x2400
"""Unicode's pictures of the control characters 0 to 31 begin here: U+240A is ␊."""
_DELETE = "\x7f"
_NOT_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with every character a terminal would obey or hide made visible.

    Control characters become their pictures (␊ ␉ ␛), others that do not print (zero-width, direction marks,
    non-breaking spaces, lone surrogates) their escapes (`\u200b`).
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char < " ":
        return chr(_PICTURES + ord(char))
    if char == _DELETE:
        return "␡"
    return char.encode("unicode_escape").decode("ascii")


def json_text(value: object) -> str:
    """JSON for people and programs: indented, not escaped to ASCII, and safe to print.

    What a terminal would obey, and what UTF-8 cannot hold (a lone surrogate), is escaped as JSON allows, so that the
    value stays the same.

    Raises:
        ValueError: it cannot be written as JSON.
        RecursionError: nested too deeply.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def write_stdout(text: str) -> None:
    """Write a result and a line end; flushed, so that a reader who has gone away is noticed now, not at exit."""
    if sys.stdout is None:
        raise BrokenPipeError
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
