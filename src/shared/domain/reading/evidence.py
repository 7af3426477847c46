"""Evidence against the text of a mended string: its quotes, its brackets, or members inside it."""

from __future__ import annotations

import re

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TWO_ESCAPE_READINGS, TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT, STRANGE_KEY
from src.shared.domain.reading.lexicon import ANY_QUOTE, COLONS, COMMAS, MARGIN, OPENING_QUOTES, QUOTES, half_open
from src.shared.domain.reading.openings import KEY_LIMIT
from src.shared.domain.reading.reading import NO_VALUE
from src.shared.domain.reading.states import Place, State, Text, linked

_CLOSER_OF = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_CONTINUED = expression(r"(?<!\\)" + repeated(r"\\\\") + r"\\\n")
_KEY = expression(
    rf"""
    (?! (?<= [^\W_] [ ] ) "[^\W_][^"\n]{{0,59}}": [ ] (?!(?:true|false|null|True|False|None)\b) [^\W\d_] )
    (?: ["“”„‟「『＂] | [{{}},] \s{{0,10}} ['‘’‚＇`] )
    [^"'`“”„‟‘’‚「」『』＂＇\n{{}}]{{1,60}} ["'“”‘’」』＂＇`] \s{{0,10}} [{COLONS}]
    """,
    re.VERBOSE,
)
_END_OF_KEY = expression(rf"[^\s\"]\"\s{{0,10}}[{COLONS}]\s{{0,10}}(?:[^\w\s\\(–—-]|\d|\\\")")
_END_OF_SINGLE_KEY = expression(rf"[^\s']'\s{{0,10}}[{COLONS}]\s{{0,10}}(?:[^\w\s\\(–—-]|\d)")
_KEY_FIRST = expression(
    rf"""
    (?P<open> [{{\[｛［] \s{{0,40}} )? [\w$\\] [\w$\\ .-]{{0,59}}
    (?:
        ["”」』]
      | ['’] (?(open) | (?= \s{{0,10}} [{COLONS}] \s{{0,10}} ['‘] ))    # an apostrophe only before another one
    )
    \s{{0,10}} [{COLONS}]
    """,
    re.VERBOSE,
)
"""At the beginning of a value's text: that is a key."""
_BARE_KEY_FIRST = expression(rf"[\w$-]{{1,60}}\s{{0,10}}[{COLONS}]")
"""The same in front of quotes, where a string has none that opens it."""
_END_FIRST = expression(rf"[^\[\n]{{1,200}}?[\"'”’]\s{{0,10}}\]\s{{0,10}}[{COMMAS}]?\s{{0,10}}\[\s{{0,10}}[\"'“‘]")
"""At the beginning of a value's text: that is the end of a list, before another one."""
_DIVISION = expression(
    rf"""
    ["'`”’] (?:
        \s{{0,40}} [{COMMAS}、;；|｜/／·•│،] (?: \s{{0,40}} (?: -?\d[\d.eE+-]{{0,40}} | true | false | null ) )?
    ){{1,20}}
    \s{{0,40}} [{{\[]? \s{{0,40}} (?P<next> ["'`“‘] )
    """,
    re.VERBOSE,
)
"""A quote, signs with nothing but numbers between them, perhaps a bracket, a quote: one string ends, another begins."""
_DIVIDED = {
    opening: expression(
        rf"[{closing}]\s{{0,40}}(?:[{COMMAS}、;；|｜.]\s{{0,40}}[{{\[｛［]?\s{{0,40}}{ANY_QUOTE}|[{COLONS}])"
    )
    for opening, closing in QUOTES.items()
    if opening not in "\"'“”‘’"
}
"""For a quote that texts seldom have: its closing one, as it stands between two strings, or behind a key."""
_LINE_FIRST = expression(
    rf"\"\s{{0,10}}[{COMMAS}][^\"\n]{{0,200}}\n\s{{0,40}}[\w$-]{{1,60}}"
    rf"\s{{0,10}}[{COLONS}]\s{{0,10}}(?:[\"\d\[{{]|null|true|false)"
)
"""A quote and a comma, and a line that begins with a key."""
_BARE_MEMBER = expression(
    rf"""
      [{{{COMMAS}] \s{{0,10}} [\w$-]{{1,60}} \s{{0,10}} [{COLONS}] \s{{0,10}}
      (?: null | true | false | -?\d{{1,20}} (?: \.\d{{1,20}} )? | '[^'\n]{{0,60}}' | "[^"\n]{{0,60}}" )
      \s{{0,10}} [{COMMAS}}}]
    | ["'”’] \s{{0,10}} [{COMMAS}] \s{{0,10}} [\w$-]{{1,60}} \s{{0,10}} [{COLONS}] \s{{0,10}}   # behind a quote
      (?: [{{\[｛［"'“‘] | \Z )
    """,
    re.VERBOSE,
)
_ELEMENT = expression(rf"(?<!\\)[\"'”’]\s{{0,10}}[{COMMAS}]\s{{0,10}}[{{\[｛［]{{1,3}}\s{{0,10}}\\[\"']")
"""A quote, a comma and a bracket before an escaped quote: who escapes that one does not leave the first as it is."""
_BOLD_MEMBER = expression(rf"[{COMMAS};；>\n]\s{{0,10}}\*\*[^*\n]{{1,60}}\*\*\s{{0,10}}[{COLONS}]")
_MARK_AFTER_VALUE = expression(rf"[{COMMAS}\]}}]\s{{1,{MARGIN}}}(?:```|~~~|</\w|<\||\[/\w)")
"""A fence or a tag where a value would end: it stands between two of them."""
_MEMBERS = (_KEY, _END_OF_KEY, _BARE_MEMBER, _BOLD_MEMBER, _LINE_FIRST)
_MEMBER_WITHOUT_COLON = expression(rf"[\"”]\s{{0,10}}[{COMMAS}]\s{{0,10}}[\w$\-]{{1,60}}\s{{1,10}}[\"“]")
_WORD = expression(r"[A-Za-z0-9]")
_MORE_THAN_TEXT = expression(
    rf"""
      [\"\\”“„＂][ \t]{{0,{MARGIN}}}\Z                        # a quote of another kind at its end
    | [{{\[]\s{{0,{MARGIN}}}\Z                                # an opening bracket at its end
    | [\"”]\s{{0,{MARGIN}}}[{COMMAS}]?\s{{0,{MARGIN}}}     # a quote and closing ones
      [\]}}｝］][\]}}｝］{COMMAS}\s]{{0,{MARGIN}}}\Z
    | [\"”]\s{{0,{MARGIN}}}[{COMMAS}]\s{{0,{MARGIN}}}      # a key
      [\w$]{{1,{KEY_LIMIT}}}\s{{0,{MARGIN}}}[{COLONS}]\s{{0,{MARGIN}}}\Z
    | \n\s{{0,{MARGIN}}}[\]}}｝］\[{{][\]}}｝］{COMMAS}\s]{{0,{MARGIN}}}(?:\n|\Z)  # a line of brackets
    | ,\s{{1,{MARGIN}}}(?://|\#|/\*)                         # a comment after a comma
    | [{{｛]\s{{0,{MARGIN}}}[\"“'][^\"”'\n]{{1,{KEY_LIMIT}}}[\"”']\s{{0,{MARGIN}}}[{COLONS}]  # a first member
    | </\w                                               # a closing tag
    | [{COMMAS}][ \t]{{0,{MARGIN}}}\n[ \t]{{0,{MARGIN}}}(?:```|~~~)   # a fence after a comma
    """,
    re.VERBOSE,
)
"""What says that a string without a closing quote has swallowed structure."""
_PREFIX = expression(r"(?<![\w\"'])[bfru]{1,2}\Z", re.IGNORECASE)
_LONGEST_PREFIX = 2
_NO_TEXT_OF = {"f": expression(r"[{}]"), "r": expression(r"\\"), "b": expression("")}
"""What a string of Python's does not write as JSON does: a place for a value, a raw backslash, bytes."""
_PREFIXED = expression(r"(?<!\w)[bfru]{1,2}[\"']", re.IGNORECASE)
_BETWEEN = expression(rf"[{COMMAS}{COLONS}}}\]｝］]\s*+")
_IN_WORD = expression(r"[^\W\d]\"\w")
_LONGEST_INCHES = 8
INCHES = expression(r'["\s(（](?:[1-9]\d{1,2}(?:[.,]\d{1,2})?|\d[.,]\d{1,2})"\Z')
_INCHES = expression(r"(?<=\d)\\\"")
_DOUBLED = expression(r"[^']*+" + repeated(r"''[^']++", "+"))
"""Each quote twice, as SQL and YAML write one, or as it stands."""
_UNESCAPED = expression(r"(?<!\\)\"")
_ENDS_IN_QUOTE = expression(r'[^\\"\d]"\Z')
_QUOTED_TWICE = expression(r"\"[^\"]*+\"|'[^']*+'|`[^`]*+`")
_TWO_STRINGS = expression(r"[^\"]++(?<=\S)\"\s[^\"]*+(?<=\s)\"(?=\S)[^\"]++")
"""`a" and "b`: a string ends, and another begins."""
_OF_MEMBERS = expression(f"[{COLONS}\\[`~<]")
"""Without one of these a text has no member, no other list and no mark in it."""
_NO_KEY_SIGNS = f"{COMMAS}{COLONS}、;；|=`()"
"""What a key with quoted words in it hardly has."""
CODE = expression(r"(?<![A-Za-z0-9_])`(?=\S)[^`\n]{1,200}(?<=\S)`(?![A-Za-z0-9_])")
"""Code inside a line, as Markdown marks it."""
_LAST_ELEMENT = expression(rf"[{COMMAS}]\s{{0,10}}(?:-?\d[\d.eE+-]{{0,30}}|true|false|null)\Z")
"""What may be the element behind the text of a string in a list."""
_PHRASES = expression(
    repeated(
        r"""
          [^"]++
        | (?: (?<! [A-Za-z0-9^*)\]}] ) | (?<= \W [bfru] ) ) " (?= [^\s"] )  # a letter may be Python's
          [^"]++ (?<! \s ) " (?! [A-Za-z0-9^*] | \\ (?! [nrt] ) )
        """
    ),
    re.VERBOSE,
)
"""Every two quotes of a text stand around some words, or around a string of code."""
_NAMED = expression(r"'\\?\"'|`\\?\"`")
"""A quote between others is spoken of, not used."""


def with_doubts(raw: str, state: State, text: Text, end: int, *, mended: bool, closed: bool) -> State:
    """The reading with all that is evidence against a string whose text ends before `end`.

    `mended` says that its end is not its own quote, `closed` that a sign of some sort ends it.
    """
    state = _doubt_of_quotes(raw, state, text, end, closed=closed)
    if text.inner is None and _has_quote_beside(raw, text, end) and not _quotes_phrases(raw[text.first : end]):
        state = state.guess(text.first, TWO_READINGS, end)
    both_edges = text.inner is not None and text.inner.at == end - 1 and raw.startswith('"', text.first)
    if both_edges and "\\\\" in raw[text.first : end]:  # who escapes no quote may escape no backslash either
        state = state.guess(text.first, TWO_ESCAPE_READINGS)
    state = _doubt_of_closing(raw, state, text, end) if closed and text.quote in _CLOSER_OF else state
    if state.role is Place.KEY:
        return _doubt_of_key(state, text, raw[text.first : end], mended=mended or not closed)
    mended = mended or not closed
    is_doubtful = text.inner is not None or mended or not text.quote
    holds_members = is_doubtful and _holds_members(raw, text.first, end, mended=mended)
    divided = text.quote in _DIVIDED and _is_of_several(raw, text, end)
    is_quoted = mended and text.first < end and raw[end : end + 1] in tuple(QUOTES.get(raw[text.first], ""))
    if holds_members or divided or is_quoted or _is_divided(raw, text) or _may_close(raw, text, end):
        state = state.guess(text.first, TWO_READINGS, end)
    has_odd_quote = text.marks[0] % 2 == 1  # which may be the one that closed the string
    holds_element = state.frame.kind == "[" and _LAST_ELEMENT.search(raw, max(text.first, end - MARGIN), end)
    if not closed and (has_odd_quote or holds_element or _MORE_THAN_TEXT.search(raw, text.first, end)):
        state = state.guess(text.first, TWO_READINGS, end)
    of_letter = not text.quote and (_PREFIXED.match(raw, text.first, end) or _IN_WORD.search(raw, text.first, end))
    of_member = not text.quote and text.inner is not None and _BARE_KEY_FIRST.match(raw, text.first, end)
    if of_letter or of_member or _is_no_plain_string(raw, text, end):
        state = state.guess(text.first, TWO_READINGS, end)
    if text.quote == "'" and closed and raw.startswith('"', end + 1):
        state = state.guess(text.start, TWO_READINGS, end)
    if "\n" not in raw[text.first : end]:
        return state
    continued = _CONTINUED.search(raw, text.first, end)
    state = state.guess(continued.start(), TWO_ESCAPE_READINGS) if continued else state
    return state.but(cost=state.cost + DOUBT)


def _doubt_of_closing(raw: str, state: State, text: Text, end: int) -> State:
    """Another sign closes a string than the one that goes with its quote."""
    own = _CLOSER_OF[text.quote]
    if raw[end] == own:
        return state
    if own in raw[text.first : end]:
        return state.guess(text.start, TWO_READINGS, end)
    is_quoted = text.marks[0] % 2 and raw.startswith(own, end + 1)  # `“say "x"”`: it closes what another one opened
    return state.but(cost=state.cost + EDIT * bool(is_quoted))


def _is_of_several(raw: str, text: Text, end: int) -> bool:
    """Whether a string in quotes that texts seldom have holds the end of one, or the beginning of another."""
    body, quote = raw[text.first : end], text.quote
    opens = quote not in QUOTES[quote] and body.count(quote) > sum(map(body.count, QUOTES[quote]))
    return opens or _DIVIDED[quote].search(raw, text.first, end) is not None


def _is_divided(raw: str, text: Text) -> bool:
    """Whether every two quotes inside have nothing but a sign between them, so that they end and begin strings."""
    first = last = text.inner
    while last is not None:
        first = last.before
        found = _DIVISION.match(raw, first.at) if first else None
        if first is None or found is None or found.start("next") != last.at:
            return False
        last = first.before
    before = raw[text.first : first.at] if first else ""
    return first is not None and (not before[-1:].isspace() or before.isspace())


def _may_close(raw: str, text: Text, end: int) -> bool:
    """Whether the first quote inside may close the string: before it is a word, behind it a key without its colon."""
    first = raw.find(_CLOSER_OF.get(text.quote, text.quote), text.first, end) if text.inner and text.quote else -1
    return first > text.first and not raw[first - 1].isspace() and bool(_MEMBER_WITHOUT_COLON.match(raw, first))


def _is_no_plain_string(raw: str, text: Text, end: int) -> bool:
    """Whether a letter of Python's before the string says that its text is not what stands there."""
    prefix = _PREFIX.search(raw, max(0, text.start - _LONGEST_PREFIX - 1), text.start)
    if prefix is None:
        return False
    signs = [_PREFIXED, *(_NO_TEXT_OF[letter] for letter in prefix.group().lower() if letter in _NO_TEXT_OF)]
    may_divide = _BETWEEN.fullmatch(raw, text.first, end) is not None
    return may_divide or any(sign.search(raw, text.first, end) for sign in signs)


def _doubt_of_quotes(raw: str, state: State, text: Text, end: int, *, closed: bool) -> State:
    """Quotes and brackets inside a string pair up, mostly."""
    start, cost = text.first, 0
    only_quotes = text.marks[0] == end - start
    if text.inner is not None and (only_quotes or (text.quote == "'" and _DOUBLED.fullmatch(raw, start, end))):
        state = state.guess(start, TWO_READINGS, end)
    at_edge = text.marks[0] == 1 and text.inner is not None and text.inner.at in (start, end - 1)
    if text.marks[0] % 2 and not at_edge and raw.count("(", start, end) > raw.count(")", start, end):  # inside a call
        state = state.guess(start, TWO_READINGS, end)
    doubled = closed and raw.startswith('"', end + 1)
    if text.inner is not None and text.inner.at != end - 1:
        if _odd_inner_quotes(raw, text, end) and closed:
            state = state.guess(text.inner.at, TWO_READINGS, end, cost=EDIT + DOUBT)
    elif text.inner is not None or doubled:
        cost += DOUBT * _odd_quotes(raw, text, end)
    if text.inner is not None and text.inner.at == end - 1 and raw.startswith('""', text.start - 1):
        cost += 2 * EDIT  # one edge was dropped, the other taken for text: they pair
    if text.inner is not None or doubled:
        pairs = (("{", "}"), ("[", "]"))
        unequal = [one for one, other in pairs if raw.count(one, start, end) != raw.count(other, start, end)]
        cost += DOUBT * len(unequal)
    elif raw.startswith('""', text.start - 1):  # the first of both was dropped
        cost += DOUBT * (raw.count('"', start, end) % 2) + EDIT * half_open(raw, start, end)
    return state.but(cost=state.cost + cost)


def _has_quote_beside(raw: str, text: Text, end: int) -> bool:
    """Whether one of the quotes around a string stands there twice."""
    return text.quote == '"' and (raw.startswith('""', text.start - 1) or raw.startswith('""', end))


def _quotes_phrases(body: str) -> bool:
    """Whether all escaped quotes of a text stand around phrases; one beside its edge pairs with none of them then."""
    return '"' not in body or _PHRASES.fullmatch(_INCHES.sub("", body).replace('\\"', '"')) is not None


def _in_brackets(raw: str, start: int, end: int) -> bool:
    """Whether a round bracket is open in a text that has no quotes: one at its end stands inside."""
    return raw.count("(", start, end) > raw.count(")", start, end) and raw.count('"', start, end) == 0


def is_text_at_edge(raw: str, text: Text | None, end: int) -> bool:
    """Whether a quote right behind the string that ends there pairs with what is in its text, or means inches."""
    if text is None:
        return False
    begins_so = text.inner is not None and raw.startswith('"', text.first)
    is_half = half_open(raw, text.first, end - 1) or _in_brackets(raw, text.first, end - 1)
    return begins_so or is_half or text.marks[0] % 2 == 1 or is_inches(raw, text.start, end - 1)


def is_inches(raw: str, start: int, at: int) -> bool:
    """Whether the quote at an offset stands behind a short number, alone or behind a blank, in a string."""
    return INCHES.search(raw, max(start - 1, at - _LONGEST_INCHES), at + 1) is not None


def _odd_quotes(raw: str, text: Text, end: int) -> bool:
    """Whether the quotes inside, escaped or not, do not pair up; those after digits are inches."""
    last = text.inner is not None and text.inner.at == end - 1 and is_inches(raw, text.start, end - 1)
    if text.quote not in ('"', "") or last or half_open(raw, text.first, end) or _in_brackets(raw, text.first, end - 1):
        return False
    return (raw.count('"', text.first, end) - len(_INCHES.findall(raw, text.first, end))) % 2 == 1


def _odd_inner_quotes(raw: str, text: Text, end: int) -> bool:
    """The same without those that are spoken of, after digits or in the middle of words."""
    if text.quote not in ('"', "") or half_open(raw, text.first, end):
        return False
    named, inches = _NAMED.findall(raw, text.first, end), _INCHES.findall(raw, text.first, end)
    if (raw.count('"', text.first, end) - len(named) - len(inches)) % 2 == 0:
        return False
    odd = 0
    for at in linked(text.inner):
        before, behind = raw[at.at - 1], raw[at.at + 1 : at.at + 2]
        plain = before.isdigit() or (_WORD.match(before) and _WORD.match(behind)) or _NAMED.match(raw, at.at - 1)
        odd += not plain
    return odd % 2 == 1


def _doubt_of_key(state: State, text: Text, body: str, *, mended: bool) -> State:
    """A key that was mended has no structure in it; one that is clean JSON may, behind its escapes."""
    if text.quote not in ('"', "") and (_UNESCAPED.search(body) or _QUOTED_TWICE.fullmatch(body)):
        state = state.guess(text.start, TWO_READINGS)
    if text.inner is not None and _PREFIXED.match(body):
        state = state.guess(text.start, TWO_READINGS)
    begins_quoted = bool(body) and body[0] in OPENING_QUOTES and (mended or text.quote != '"')
    if begins_quoted or (text.quote in _DIVIDED and text.quote in body):  # which of both quotes is the key's
        state = state.guess(text.start, TWO_READINGS)
    if _ENDS_IN_QUOTE.search(body) and (body[-2:-1].isspace() or body.count('"') % 2):
        state = state.guess(text.start, TWO_READINGS)
    if text.inner is not None and _TWO_STRINGS.fullmatch(body):
        state = state.guess(text.first + body.index('"') + 1, NO_VALUE)
    cost, is_clean = 0, text.quote == '"' and text.inner is None and not mended
    if (
        ('":' in body and not is_clean)
        or "\n" in body
        or ((mended or text.inner) and any(sign in body for sign in "{}[]"))
    ):
        cost = STRANGE_KEY
    elif text.inner is not None and any(sign in body for sign in _NO_KEY_SIGNS):
        cost = EDIT * (1 + text.marks[0])
    is_doubled = text.inner is not None and body[0] == body[-1] == '"'  # quotes around all of it delimit it twice
    return state.but(cost=state.cost + cost + EDIT * (text.marks[0] % 2 or is_doubled))


def _holds_members(raw: str, start: int, end: int, *, mended: bool) -> bool:
    """Whether the text has members in it, other than those of an object that stands in it whole, or of code.

    `mended` says that its end is not its own quote; else it is the quotes in it that are in doubt.
    """
    if not _OF_MEMBERS.search(raw, start, end):
        return False
    if "`" in raw[start:end]:
        raw = raw[start - 1] + CODE.sub("` `", raw[start:end])
        start, end = 1, len(raw)
        if not mended and '"' not in raw[start:end]:
            return False
    begins = _KEY_FIRST.match(raw, start, end) or _END_FIRST.match(raw, start, end)
    if begins or _MARK_AFTER_VALUE.search(raw, start, end) or _ELEMENT.search(raw, start, end):
        return True
    members = (*_MEMBERS, _END_OF_SINGLE_KEY) if raw.startswith("'", start - 1) else _MEMBERS
    balanced = raw.count("{", start, end) == raw.count("}", start, end)
    return any(_stands_outside(raw, start, end, member, balanced=balanced) for member in members)


def _stands_outside(raw: str, start: int, end: int, member: re.Pattern[str], *, balanced: bool) -> bool:
    """Whether such a member stands in the text, and in none of its objects if all of these are whole."""
    depth, at = 0, start
    for found in member.finditer(raw, start, end):
        depth += raw.count("{", at, found.start()) - raw.count("}", at, found.start())
        at = found.start()
        if not balanced or depth <= 0:
            return True
    return False
