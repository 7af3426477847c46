"""Punctuation that says nothing where it stands: signs of Markdown, of HTML and of tables, arrows, other separators.

The machine takes none of it as nothing, since between two readings it cannot tell a sign from text. Whoever knows what
the strings are, such as the repair agent from its model's answer, may drop what this table names, where it names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from src.shared.application.repair_agent.answer import StepKind
from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, repeated
from src.shared.domain.reading.openings import COMMENT_MARK
from src.shared.domain.reading.signs import CLOSERS, COLONS, COMMAS, OPENERS, QUOTES, respelled

SEPARATORS = COMMAS + "、;；"
"""What stands between two members or items; an enumeration comma or a semicolon is damage, but says the same."""
_WRAPPERS = (("&quot;", "&quot;"), ("&#34;", "&#34;"), ("«", "»"))
"""What may stand for the quotes around a string."""
_KEY_WRAPPERS = (*_WRAPPERS, ("**", "**"))
"""What may stand for those around a key."""
_ENTITY_OR_BREAK = expression(r"&#?+\w++;|<br")
TWO_READINGS_IN_STRINGS = {"\\": expression(r"\\\\"), "&": _ENTITY_OR_BREAK, "<": _ENTITY_OR_BREAK}
"""How surplus begins that says that a text was written for something else → what its strings then have in two ways."""
_UNWRAPPABLE = expression(rf"[\"\\\n<«»*]|{_ENTITY_OR_BREAK.pattern}")
"""What a string may not hold whose wrappers become quotes."""
_ENDS_BARE = re.escape("".join((*OPENERS, *CLOSERS, *QUOTES, *SEPARATORS, *COLONS[1:], "\n\r\\")))
_BARE_KEY = expression(rf"[^\s:={_ENDS_BARE}]" + repeated(rf"(?!\s(?:{COMMENT_MARK}))[^:={_ENDS_BARE}]"))
_BARE_STRING = expression(
    rf"[^\s:={_ENDS_BARE}]" + repeated(rf"(?!\s(?:{COMMENT_MARK}))[^:{_ENDS_BARE}]|:(?=\S)|['’](?=\w)")
)
"""Text without quotes, as far as it can go: to a sign of JSON, a line end or a comment, and the blanks before it."""
_LITERAL = r"true|false|null|none|nan|undefined|inf(?:inity)?"
_MARKED_UP = expression(
    r"""
      ^ (?: [*|«»•·●▪] | [-+]\s )
    | [*|«»] $
    | ^ [!-/:-@[-^`{-~。…·—–]++ $
    | <(?:br|/?+\w[^<>]*+>)
    | &(?:\#\w++|quot|amp|lt|gt|nbsp|apos) (?:;|$)
    """,
    re.VERBOSE,
)
"""What text without quotes may not hold: marks around it, nothing but signs, a tag, an entity."""
_NO_BARE_STRING = expression(
    rf"""
      (?:[-=]>)? [-+.。．()]*+ \s*+ (?:
          (?:{_LITERAL})\b
        | [\d.][\d.,_]*+ (?: (?:[)。．…]++|(?<=[.,_])) $ | \s++ (?! (?!(?:{_LITERAL})\b) [^\W\d_] | [%°€$¥£] ) )
      )
    | (?:[-=]>|[。．()]++) \s*+ [\d.,_]++ $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What is none: a literal or a number beside signs, or behind a number and a blank something that is no unit."""
_COLON = expression(rf"(?:[{COLONS}]" + repeated(rf"[ \t]*+[{COLONS}]") + r"=?|=>?|->|\|)(?:[ \t]*+[-=]>)?")
_STRING = rf"(?:[{''.join(QUOTES)}«]|&quot;|&#34;)"
_BRACKET = "[" + re.escape("".join((*OPENERS, *CLOSERS))) + "]"
_KEY = rf"[ \t\r\n]*+(?:\*\*)?{_STRING}"
ANY_CLOSER = frozenset(QUOTES).union(*QUOTES.values())
"""What may close a string, whatever has opened it."""
_ENDS_STRING = "".join(sorted(ANY_CLOSER)) + "»"


class Around(NamedTuple):
    """What stands around a place between two tokens.

    Attributes:
        last: what the token before it is.
        next: what the one after it is.
        is_apart: whether a comma has been passed since the last one.
        is_on_new_line: whether a line has ended since.
    """

    last: StepKind
    next: StepKind
    is_apart: bool = False
    is_on_new_line: bool = False

    @property
    def is_behind_item(self) -> bool:
        """Whether a value, or the end of one, is before it."""
        return self.last not in {StepKind.OPEN, StepKind.NAME}

    @property
    def begins_item(self) -> bool:
        """Whether an item begins, behind an opening bracket, a comma or the end of a line."""
        is_apart = self.is_apart or self.is_on_new_line
        return self.last is StepKind.OPEN or (self.is_behind_item and is_apart)


class _Surplus(NamedTuple):
    """Punctuation, what is written in its place, and where it is surplus: anywhere, if nothing is said."""

    sign: re.Pattern[str]
    put: str = " "
    is_there: Callable[[Around], bool] = lambda _: True


_SURPLUS = (
    _Surplus(expression(rf"<br[ \t]*+/?+>|&nbsp;|\x1b|\\[nrt](?=\W|\d)|\\(?={_BRACKET})")),
    _Surplus(expression(rf"(?:(?<=[{_ENDS_STRING}])|(?<=&quot;)|(?<=&#34;))(?:\*\*?|_)")),
    _Surplus(expression(rf"(?:\*\*?|_)(?=(?:[-*•] )?{_STRING})")),
    _Surplus(expression(rf"[-*•·●▪|](?=[ \t]*+(?:\*\*)?{_STRING})"), is_there=lambda around: around.begins_item),
    _Surplus(
        expression(r"-{3,}+[ \t]*+\r?\n"),
        is_there=lambda around: around.is_on_new_line and around.last is not StepKind.NAME,
    ),
    _Surplus(expression(f"[{COLONS}]"), is_there=lambda around: around.last is StepKind.OPEN),
    _Surplus(expression(rf"[|{SEPARATORS}]"), is_there=lambda around: around.next is StepKind.CLOSE),
    _Surplus(
        expression(rf"\|(?={_KEY})"),
        ",",
        lambda around: around.next is StepKind.NAME and around.last is not StepKind.OPEN,
    ),
    _Surplus(
        expression(rf"[.。](?={_KEY})"),
        ",",
        lambda around: around.next is StepKind.NAME and around.last in {StepKind.STRING, StepKind.CLOSE},
    ),
    _Surplus(expression(f"[{SEPARATORS}]"), ",", lambda around: around.is_behind_item),
)
"""Between items a bar may say that one of them is meant, and after a number or a word a full stop may belong to it."""


def surplus_at(text: str, at: int, around: Around) -> Edit | None:
    """The punctuation at a place that is surplus or stands for a comma, and what is written for it; None if none is."""
    for sign, put, is_there in _SURPLUS:
        found = sign.match(text, at)
        if found and is_there(around):
            return _as_long(found, found.group() if found.group() in COMMAS else put)
    return None


def colon_at(text: str, at: int) -> Edit | None:
    """What stands for a colon after a key, with the colon that it is: arrows, several colons, a bar, an equals sign."""
    found = _COLON.match(text, at)
    return _as_long(found, ":") if found else None


def _as_long(found: re.Match[str], put: str) -> Edit:
    return Edit(found.start(), len(found.group()), put.ljust(len(found.group())))


def wrapped_at(text: str, at: int, content: str, *, is_key: bool) -> list[Edit]:
    """The marks that stand for quotes around a content there, each with the quote it is; none where there are none."""
    if _UNWRAPPABLE.search(content):
        return []
    for opening, closing in _KEY_WRAPPERS if is_key else _WRAPPERS:
        if text.startswith(opening + content + closing, at):
            last = at + len(opening) + len(content)
            return [Edit(at, len(opening), '"'.rjust(len(opening))), Edit(last, len(closing), '"'.ljust(len(closing)))]
    return []


def bare_at(text: str, at: int, *, is_key: bool) -> str:
    """The whole of what stands at a place without quotes, up to what ends it; empty if nothing does."""
    bare = (_BARE_KEY if is_key else _BARE_STRING).match(text, at)
    return bare.group().rstrip() if bare else ""


def is_plain(bare: str, *, is_key: bool) -> bool:
    """Whether text without quotes can only be meant as a key or a string, each of its signs included."""
    return not _MARKED_UP.search(bare) and (is_key or not (respelled(bare) or _NO_BARE_STRING.match(bare)))
