r"""LaTeX whose backslash happens to start a JSON escape: `\times` would become a tab and `imes`.

In valid JSON the escape stands, always. In a damaged text the model wrote its backslashes unescaped, and a control
character in front of the rest of a LaTeX command is a backslash that was meant as one. Backspace and form feed do
not occur in text, so before a letter they are always LaTeX; tab, newline and carriage return are where the rest
spells a command. Short rests that are also words (`\to`, `\not`, `\nu`) count only beside other LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAB = (
    "imes|ext(?:bf|it|rm|tt|sf|sc|up|normal|style|color)?|heta|au|anh?|riangle(?:left|right|q)?|frac|binom|ilde|"
    "herefore|hinspace|hickspace|ag|op|ldots"
)
_NEWLINE = (
    "eq|abla|otin|leq|geq|eg|olimits|onumber|subseteq|supset(?:eq)?|rightarrow|leftarrow|earrow|warrow|gtr|cong|sim|"
    "prec|succ|ormalsize"
)
_RETURN = "ight(?:arrow|leftharpoons|harpoonup|harpoondown)?|ho|angle|floor|ceil|brace|brack|vert|group|oot|estriction"
_COMMAND = rf"\\(?:[bf](?=[A-Za-z])|t(?:{_TAB})(?![a-z])|n(?:{_NEWLINE})(?![a-z])|r(?:{_RETURN})(?![a-z]))"

COMMAND = re.compile(_COMMAND)
"""A backslash, at the position, that starts a LaTeX command and a JSON escape."""
SHORT_COMMAND = re.compile(r"\\(?:t(?:o|op|an)|n(?:u|e|ot|i|mid|less|exists|parallel|subset)|r(?:m|e))(?![A-Za-z])")
"""The same for commands whose rest is also a word."""
EVIDENCE = re.compile(rf"\$|\\[^\"\\/bfnrtu\s]|{_COMMAND}")
"""What says that a string holds LaTeX."""
ANY_COMMAND = re.compile(rf"{_COMMAND}|{SHORT_COMMAND.pattern}")
"""What to look for before reading a text: without it there is nothing to decide."""


def is_command(text: str, at: int, *, evident: bool) -> bool:
    """Whether the backslash at `at` starts a LaTeX command; `evident` says that there is other LaTeX beside it."""
    return COMMAND.match(text, at) is not None or (evident and SHORT_COMMAND.match(text, at) is not None)


_PAIR_OR_COMMAND = re.compile(rf"\\\\|(?P<command>{_COMMAND})")


def commands(text: str, start: int, end: int) -> Iterator[int]:
    """Where in `text[start:end]` an escape looks like LaTeX; an escaped backslash is none."""
    if text.find("\\", start, end) >= 0:
        for found in _PAIR_OR_COMMAND.finditer(text, start, end):
            if found["command"]:
                yield found.start()
