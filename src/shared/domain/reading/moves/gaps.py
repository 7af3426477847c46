"""The moves between two tokens: white space, comments, invisible characters, the end of the text, unknown text."""

from __future__ import annotations

import re

from src.shared.domain.edits import Edit
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.parse_reasons import COMMENT_OR_ELEMENT, COMMENT_OR_STRUCTURE, Reason
from src.shared.domain.reading.costs import DOUBT, EDIT, UNKNOWN
from src.shared.domain.reading.lexicon import BLANKS, CLOSERS, COLONS, COMMAS, INVISIBLE
from src.shared.domain.reading.openings import GAP
from src.shared.domain.reading.reading import ELISION, PLACEHOLDER
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import Place, State, Step
from src.shared.domain.reading.tokens import COMMENT, COMMENT_BESIDE, WHITESPACE
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.shown_end import MARKS
from src.shared.domain.work import STEP

ELISION_LIMIT = 200
"""Characters of a comment in which it has to say that something was left out."""
_THINGS = r"(?:rows?|items?|entry|entries|elements?|objects?|fields?|members?|records?|lines?|values?|results?)"
_ELIDING = expression(
    rf"""
    [/*\#\s<!\-]*+ (?:
        \.\.\. | …
      | (?:and\s++|the\s++)? (?:\d{{1,9}}\s++|some\s++|many\s++|several\s++)?
        (?:more|others?|remaining|additional|further|rest|omitted) \b \s*+ (?: {_THINGS}\b | [\s.*/>\-]*+\Z )
      | (?:etc|and\s++so\s++on) \b
    )
    | .{{0,{ELISION_LIMIT}}} (?: \b(?:omitted|for\s++brevity)\b | 省略 | 以此类推 | 等等 | 其余 )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""A comment that stands for what was left out."""
_WORD = expression(r"(?://|\#)[^\s/#]")
_CLOSED_QUOTE = expression(rf"\"\s{{0,10}}[{COMMAS}]?\s{{0,10}}\Z")


def no_comment(state: State, comment: str, after: str) -> Reason | None:
    """Why an apparent comment may be something else; `after` is the place after it and the comments next to it."""
    if is_elision(comment):
        return ELISION
    closes = state.place is Place.FIRST_ELEMENT and after in CLOSERS
    is_quoted = _CLOSED_QUOTE.search(comment) is not None and comment.count('"') % 2 == 1
    is_word = _WORD.match(comment) and (comment.endswith(tuple(COMMAS)) or closes)
    if state.frame.kind == "[" and (is_word or is_quoted):
        return COMMENT_OR_ELEMENT
    return COMMENT_OR_STRUCTURE if _may_end_sooner(comment) else None


def is_elision(comment: str) -> bool:
    """Whether a comment stands for what was left out."""
    return _ELIDING.match(comment) is not None


def _may_end_sooner(comment: str) -> bool:
    """Whether a comment to the end of the line has a bracket in it that closes nothing in it."""
    return not comment.startswith(("/*", "<!--")) and any(
        comment.count(closer) > comment.count(opener) for opener, closer in ("{}", "[]")
    )


_ELLIPSIS = expression(rf"(?:\[(?:\.\.\.|…++)\]|\.\.\.|…++|\"(?:\.\.\.|…)\"(?!\s*+[{COLONS}]))(?P<comma>[{COMMAS}]?)")
FIRST = (Place.FIRST_KEY, Place.FIRST_ELEMENT)
_BEHIND_STRING = (Place.AFTER, Place.COLON)
COMMENT_COST = 8 * STEP
"""Units of work for a comment, which is checked for what else it may be."""
_SPECIAL = frozenset("/#<" + INVISIBLE)
_PLAIN_BLANKS = " \t\n\r"
_ODD_BLANKS = expression(repeated(rf"[ \t\n\r]*+[{''.join(sorted({*BLANKS, *INVISIBLE} - {*_PLAIN_BLANKS}))}]++", "+"))
"""White space of other kinds, and what shows nothing, up to the last such character."""
_PART = expression(rf"[^\s\"'`“”‘’{{}}\[\]｛｝［］{COMMAS}{COLONS}][^\"'“”{{}}\[\]｛｝［］{COMMAS}{COLONS}\n]*+")
"""What is skipped at once; where no such thing begins, it is one character."""
SKIPPED_LIMIT = 2_000
"""Most characters of a string that is skipped at once."""
_CLOSER_NEXT = expression(rf"\s*+[{''.join(map(re.escape, CLOSERS))}]")
_STRING = expression(r'"[^"\\\n]*+' + repeated(r'\\.[^"\\\n]*+') + '"')


def to_token(s: Search, state: State) -> tuple[State, str]:
    """Move to the next token; its first character, "" at the end of the text."""
    at = match_end(WHITESPACE, s.text, state.at)
    char = s.text[at : at + 1]
    state = state if at == state.at else state.but(at=at)
    if char in _SPECIAL or char.isspace():
        state = _past_comments(s, state)
        char = s.text[state.at : state.at + 1]
    return state, char


def _past_comments(s: Search, state: State) -> State:
    beside = COMMENT_BESIDE.match(s.text, state.at) if state.place in _BEHIND_STRING else None
    end = match_end(GAP, s.text, beside.end() if beside else state.at)
    while state.at < end:
        at = state.at
        if s.is_exhausted:
            return state.but(at=end)
        comment = beside if beside and at == beside.start() else COMMENT.match(s.text, at, end)
        if comment:
            s.spend(COMMENT_COST + len(comment.group()))
            reason = no_comment(state, comment.group(), s.text[end : end + 1])
            state = state.guess(at, reason) if reason else state
            state = state.edit(at, len(comment.group()), " ", K.COMMENT, DOUBT).but(at=comment.end())
        else:
            state = _past_blanks(s, state, end)
    return state


def _past_blanks(s: Search, state: State, end: int) -> State:
    """Past white space. What of it JSON does not know is one edit, however much of it there is."""
    at = match_end(WHITESPACE, s.text, state.at)
    odd = _ODD_BLANKS.match(s.text, at, end)
    if odd is None:
        return state.but(at=at)
    blanks = odd.group()
    s.spend(len(blanks))
    count = len(blanks) - sum(map(blanks.count, _PLAIN_BLANKS))
    edit = Edit(at, len(blanks), " ", K.INVISIBLE_CHARACTER, count)
    return state.but(at=odd.end(), steps=Step(state.steps, edit))


def is_over(s: Search, at: int) -> bool:
    """Whether the object's text may be over here: the end, a fence, a tag. `close_all` knows whether it is."""
    return at >= len(s.text) or s.text.startswith(MARKS, at)


def not_understood(s: Search, state: State, places: tuple[Place, ...], reason: Reason) -> None:
    """Skip something that is not understood; after it, any of these may be expected."""
    string = _STRING.match(s.text, state.at, state.at + SKIPPED_LIMIT)
    found = string or _PART.match(s.text, state.at)
    end = found.end() if found else state.at + 1
    s.spend(end - state.at)
    unsure = state.guess(state.at, reason, cost=UNKNOWN + EDIT * bool(string))
    for place in places:
        if place is Place.AFTER and state.place is not Place.AFTER:
            complete(s, unsure.but(at=end))
        else:
            s.push(unsure.go(end, place))


def ellipsis(s: Search, state: State, _: str) -> bool:
    """`...`, `"..."` or `[...]` for what was left out: refused, unless what is left is to be kept."""
    found = _ELLIPSIS.match(s.text, state.at)
    if found is None:
        return False
    end, behind_comma = found.start("comma"), found.end()
    if state.place is Place.VALUE:
        complete(s, state.guess(state.at, ELISION, cost=EDIT).but(at=end))
        return True
    alone = state.place in FIRST and _CLOSER_NEXT.match(s.text, behind_comma) is not None
    unsure = state.guess(state.at, PLACEHOLDER if alone else ELISION, cost=EDIT)
    if s.options.salvage:
        unsure = unsure.edit(state.at, end - state.at, "", K.ELLIPSIS, cost=0)
        kind = None if state.place in FIRST else K.DOUBLED_COMMA
        unsure = unsure.edit(end, behind_comma - end, "", kind, cost=0) if end < behind_comma else unsure
    else:
        complete(s, unsure.but(at=end))
    s.push(unsure.go(behind_comma, state.place))
    return True


def complete(s: Search, state: State) -> None:
    """A value ends here."""
    s.push(state.but(place=Place.AFTER, members=state.members.with_value(state.at), text=None))
