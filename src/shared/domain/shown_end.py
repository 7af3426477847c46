"""What shows that an object is over although brackets are missing: the end of the text, or the end of its wrapping.

In the middle of a line `~~~` and `</b>` show nothing: they are text inside the object that nobody understands. A
fence counts at an edge of its line if it was opened before the object, and on the last line of the text, since the
request may have opened it. A tag counts if it was opened there, a mark that ends a model's turn anywhere. None of them
counts where the object goes on after it.
"""

from __future__ import annotations

import re

from src.shared.domain.expression import expression

LOOK_BACK = 10_000
"""Characters before an object in which the wrapping has to be opened that closes after it."""
NAME_LIMIT = 40
"""Most characters of a tag's name."""
INDENT_LIMIT = 40
"""Most blanks before a fence on its line."""
MARKS = ("```", "~~~", "</", "<|", "[/")
"""What a fence, a closing tag and a mark of a chat begin with."""
_MARK = expression(
    rf"""
      (?P<fence> `{{3,}}+ | ~{{3,}}+ ) (?! \w ) (?P<ends_line> [ \t\r]*+ (?: \n | \Z | <[/|] ) )?
    | (?P<turn> </s> | <\|/? (?: \w{{0,{NAME_LIMIT}}} (?: end|eo[mst]|stop ) \w{{0,{NAME_LIMIT}}}
        | return | call | im_\w{{1,{NAME_LIMIT}}} | start\w{{0,{NAME_LIMIT}}} | user | assistant | system ) \|> )
    | (?P<opener> < | \[ | <\| ) / (?P<name> \w [\w:.\-]{{0,{NAME_LIMIT}}}+ ) \s{{0,3}} (?: \|? > | \] )
    | <\| [/\w] \w{{0,{NAME_LIMIT}}}+ \|>
    """,
    re.VERBOSE,
)
_NOTHING_MORE = expression(
    rf"\s*+ (?: (?: `{{3,}}+ | ~{{3,}}+ | </?\|?\w{{1,{NAME_LIMIT}}}+\|?> ) \s*+ ){{0,4}} \Z", re.VERBOSE
)
_NUMBER = r"-?\d[\d.eE+\-]*+"
_GOES_ON = expression(
    rf"""
      \s*+ (?: [,，:：}}\]｝］"'“‘] | {_NUMBER} [ \t]*+ (?: [,，:：}}\]｝］\n] | \Z ) | (?: true|false|null ) \b
             | [\[［] \s*+ (?: ["'“{{\[] | {_NUMBER} \s*+ [,，] ) )
    | [ \t]*+ [\w$]{{1,{NAME_LIMIT}}}+ [ \t]*+ [:：=]
    """,
    re.VERBOSE,
)
"""After a mark: what can only belong to the object."""


def shows_end(text: str, start: int, at: int, *, finished: bool) -> bool:
    """Whether the object that opens at `start` is over at a place outside its strings.

    Args:
        text: the text.
        start: offset of the object's opening bracket.
        at: the place.
        finished: whether the model is known to have stopped by itself; then any mark at the very end is enough.
    """
    if at >= len(text):
        return True
    mark = _MARK.match(text, at) if text.startswith(MARKS, at) else None
    if mark is None or _GOES_ON.match(text, mark.end()):
        return False
    begins = mark["fence"] is not None and begins_line(text, at)
    if mark["turn"] or ((finished or begins) and _NOTHING_MORE.match(text, mark.end())):
        return True
    before = text[max(0, start - LOOK_BACK) : start].lower()
    if mark["fence"]:
        return (begins or mark["ends_line"] is not None) and before.count(mark["fence"][:3]) % 2 == 1
    opened, closed = (f"{mark['opener']}{slash}{(mark['name'] or '').lower()}" for slash in ("", "/"))
    at = before.rfind(opened)  # that of the tag that was opened last under this name
    return mark["name"] is not None and not before[at + len(opened) :][:1].isalnum() and at > before.rfind(closed)


def begins_line(text: str, at: int) -> bool:
    """Whether nothing but blanks, or the sign of a quotation, stands before a place on its line."""
    return text[max(0, at - INDENT_LIMIT) : at].rstrip(" \t>")[-1:] in {"", "\n"}
