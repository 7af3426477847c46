"""The moves at strings: each quote that may end one is tried both as its end and as part of its text."""

from __future__ import annotations

import json
import re
from json.scanner import make_scanner

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, TWO_ESCAPE_READINGS, TWO_READINGS
from src.shared.domain.reading.costs import DOUBT, EDIT, OTHER_QUOTE, OTHER_SIGN
from src.shared.domain.reading.evidence import CODE, with_doubts
from src.shared.domain.reading.lexicon import COLONS, COMMAS, QUOTES
from src.shared.domain.reading.moves.ends import escaped_end, forgotten_ends, other_quotes
from src.shared.domain.reading.moves.gaps import complete
from src.shared.domain.reading.moves.keys import key_is_read
from src.shared.domain.reading.openings import KEY_AT, KEY_LIMIT, LINE_LIMIT
from src.shared.domain.reading.reading import NO_STRING_END
from src.shared.domain.reading.search import Search
from src.shared.domain.reading.states import Offsets, Place, State, Step, Text
from src.shared.domain.reading.tokens import COLON_NEXT, ESCAPED_STRING, NUMBERS, PREFIX_AT
from src.shared.domain.repair import RepairKind as K
from src.shared.domain.work import STEP

_AFTER_JSON = expression(rf"\s*+(?:[{COMMAS}][ \t]*+(?:\n|\s*+[\"“])|[}}\]])")
_RUN = expression(r"(.)" + repeated(r"\1"))
scan_once = make_scanner(json.JSONDecoder(strict=False))  # type: ignore[arg-type]  # typeshed asks for itself
"""Decodes the value at an offset, also with raw control characters in its strings: the value and its end."""


def json_inside(s: Search, state: State, char: str) -> None:
    """JSON that was written into a string without escapes, between double quotes or typographic ones."""
    at, raw = state.at, s.text
    if raw[at + 1 : at + 2] not in {"{", "["}:
        return
    try:
        end = scan_once(raw, at + 1)[1]
    except (ValueError, StopIteration, RecursionError):
        return
    is_closed = raw[end : end + 1] in set(QUOTES[char])
    if not is_closed or not raw.count('"', at + 1, end) or not _AFTER_JSON.match(raw, end + 1):
        return
    s.spend(end - at)
    inner = None
    for found in re.finditer('"', raw[at + 1 : end]):
        inner = Offsets(at + 1 + found.start(), inner)
    opened = state if char == '"' else state.again(char, OTHER_QUOTE)
    step = Step(opened.steps, text=Text(at, char, inner), end=end, closing=1)
    complete(s, opened.but(at=end + 1, cost=opened.cost + EDIT * (char == '"'), steps=step))


def triple_quotes(s: Search, state: State, char: str) -> None:
    """Python's triple quotes; a quote of the text may stand right before the last three."""
    at, raw = state.at, s.text
    end = raw.find(char * 3, at + 3) if raw.startswith(char * 3, at) else -1
    if end < 0:
        return
    end = _RUN.match(raw, end).end() - 3  # type: ignore[union-attr]  # it matches any sign
    s.spend(end - at)
    state = state.guess(at, TWO_READINGS) if char * 2 in raw[at + 3 : end] else state
    opened = state.edit(at, 3, '"', K.PYTHON_LITERAL)
    complete(s, opened.but(at=end + 3, steps=Step(opened.steps, text=Text(at + 2, char), end=end, closing=-3)))


def escaped_string(s: Search, state: State, _: str) -> bool:
    r"""`\"x\"`: a value whose quotes are escaped."""
    found = ESCAPED_STRING.match(s.text, state.at)
    if found is None:
        s.fail(state.at, NO_STRING_END)
        return True
    start, end = found.span("text")
    opened = state.edit(state.at, start - state.at, '"', K.ESCAPED_JSON)
    step = Step(opened.steps, text=Text(start - 1, '"'), end=end, closing=end - found.end())
    complete(s, opened.but(at=found.end(), steps=step))
    return True


def _to_next(closers: str) -> re.Pattern[str]:
    other = rf"[^\\{re.escape(closers)}]*+"
    return expression(other + repeated(rf"\\.{other}"), re.DOTALL)


QUOTED_LIMIT = 1_000
"""Most characters of an object that a sentence quotes: no longer one is looked for."""
_TO_NEXT = {quote: _to_next(closers) for quote, closers in QUOTES.items()}
_STRONG_END = expression(r",[ \t]*+(?:\n|```|~~~|</|<\||\[/)|[ \t]*+\n\s*+[}\]]|[}\]][}\]]*+,\s*+[\"{\[\n]")
"""What follows a quote that can hardly be text."""
_ELEMENT_END = expression(rf"\s{{0,10}}[{COMMAS}]\s{{0,10}}\"")
"""The same behind a single quote: Python writes the next element in double ones if it has an apostrophe."""
_JOINED = expression(r"\s*+\+\s*+\w")
_BETWEEN = expression(r"\s*+(?:[、；;。/|.]\s*+\"|\+\s*+\w)")
"""Between two quotes: a separator of elements, or the plus sign of code."""
_NOT_UNQUOTED = (*"{}[]", "```", "~~~", "<|")
_WORD_BESIDE = expression(r'\w""|""\w')
_BESIDE = expression(r"\s*+(?P<quote>\")(?P<blank> ?)")
_PLUS = expression(r"\s*+\+\s*+[\"']")
_PLAIN_QUOTE = expression('"')
_WORD_AND_QUOTE = expression(rf"(?:true|false|null|[-+]?\d[\d.]*+)\s{{0,10}}[{COMMAS}]\s{{0,10}}['“‘]")
"""A value without quotes, and the beginning of the next one."""
_MENDED = 16
"""Units of looking at a character of a string that was mended: each doubt looks at it."""
_PAIR = 2
_CALL_WITH_NOTHING = expression(r'[(\[=]""[)\],]')
"""Two quotes with nothing between them, as code has them."""
_BEFORE_WORD = frozenset(" ([`")
_BEHIND_WORD = frozenset(" )].,;`")
_SEPARATOR = expression(rf"\s*+[{COMMAS}}}\]]")
_NUMERIC = expression(r"[-+]?[\d.,]++\s*+")
_WHOLE = frozenset(QUOTES) - {'"'}
"""Quotes of which both are put anew, whatever the closing one was."""
_NOT_DOUBLED = frozenset(f'"{COMMAS}{COLONS}}}｝]］ \n')
_TWICE = expression(r"''(?P<text>" + repeated(r"[^'\n\\]|'(?!')") + r")''(?=\s*+[,:}\]])")
_MAY_BE_DOUBLED = expression(rf'[^"{COMMAS}{COLONS}}}｝\]］\s]|[ ][^"{COMMAS}{COLONS}}}｝\]］\n]')


def open_string(s: Search, state: State, char: str) -> None:
    """A string opens here, with whatever quote."""
    opened = state if char == '"' else state.again(char, OTHER_QUOTE)
    _go_on(s, opened, Text(state.at, char), state.at + 1)


def behind_prefix(s: Search, state: State) -> State | None:
    """At the quote behind the letter that Python writes before a string, if there is one."""
    found = PREFIX_AT.match(s.text, state.at)
    if found is None:
        return None
    return state.edit(state.at, len(found.group()), "", K.PYTHON_LITERAL, OTHER_SIGN).but(at=found.end())


def open_doubled(s: Search, state: State) -> None:
    """`""x"`: the opening quote twice."""
    may_be = _MAY_BE_DOUBLED if state.role is not Place.KEY else None
    after = s.text[state.at + 2 : state.at + 3]
    doubled = may_be.match(s.text, state.at + 2) if may_be else after not in _NOT_DOUBLED
    if s.text.startswith('""', state.at) and after and doubled:
        open_string(s, state.drop(K.STRAY_QUOTE), '"')


def open_unquoted(s: Search, state: State, char: str) -> None:
    """`x"`: a string whose opening quote was forgotten, on one line."""
    line_end = s.text.find("\n", state.at)
    end = s.text.find('"', state.at, len(s.text) if line_end < 0 else line_end)
    body = s.text[state.at : end]
    begins = char.isalnum() or char in "_$%-+." or not char.isascii()
    if end < 0 or not begins or any(sign in body for sign in _NOT_UNQUOTED):
        return
    cost = EDIT * (1 + any(sign in body for sign in f"{COLONS}{COMMAS};；"))
    if _WORD_AND_QUOTE.match(body):
        state = state.guess(state.at, TWO_READINGS)
    if _NUMERIC.fullmatch(body) or NUMBERS.fullmatch(body):
        state = state.guess(state.at, NUMBER_OR_TEXT, cost=DOUBT)
    opened = state.edit(state.at, 0, '"', K.MISSING_QUOTE, cost)
    _go_on(s, opened, Text(state.at, ""), state.at)


def _go_on(s: Search, state: State, text: Text, at: int) -> None:
    """Go to the next quote that may end the string; other ends may come before."""
    end = _TO_NEXT[text.quote or '"'].match(s.text, at).end()  # type: ignore[union-attr]  # it matches the empty text too
    s.spend(end - at)
    at_end = end >= len(s.text) or s.text[end] == "\\"
    end = len(s.text) if at_end else end
    for ended in (
        *forgotten_ends(s.text, state, text, at, end, at_end=at_end),
        *other_quotes(s.text, state, text, at, end),
        *escaped_end(s.text, state, text, at, end),
    ):
        end_string(s, ended.state, text, ended.at, ended.closing, ended.kind)
    if at_end:
        s.cut_off(state.but(text=text))
    elif state.role is Place.KEY and _cannot_be_a_key(s.text[text.start : end], text):
        s.fail(text.start, NO_STRING_END)
    else:
        s.push(state.but(at=end, place=Place.QUOTE, text=text))


def _cannot_be_a_key(body: str, text: Text) -> bool:
    """A key is on one line, and one with quotes inside has no brackets."""
    return "\n" in body or (text.inner is not None and any(sign in body for sign in "{}[]"))


def at_quote(s: Search, state: State, text: Text) -> None:
    """At a quote that may end the string: it does, or is a part of the text, or a part of what joins two pieces."""
    at = state.at
    end_string(s, state, text, at, 1, None)
    if state.role is not Place.KEY or not COLON_NEXT.match(s.text, at + 1):
        _take_as_text(s, state, text)
    if text.quote == '"' and s.text.startswith('""', at) and _WORD_BESIDE.search(s.text, at - 1, at + 3):
        doubled = text.with_joint(at, at + 1).with_inner(at + 1)
        _go_on(s, state.but(cost=state.cost + 2 * EDIT), doubled, at + 2)
    if state.role is not Place.KEY:
        _join(s, state, text)


def _take_object_as_text(s: Search, state: State, text: Text) -> bool:
    """An object that a sentence quotes, `"is {"a": 1} and"`: all its quotes are text, or none."""
    raw, at = s.text, state.at
    brace = at - 1 - raw.startswith(" ", at - 1)
    if text.quote != '"' or state.role is Place.KEY or not text.first < brace or raw[brace] != "{":
        return False
    if _in_code(raw, text, at):
        return False
    part = raw[brace : brace + QUOTED_LIMIT]  # errors of the decoder count the lines in front of them
    s.spend(len(part))
    try:
        end = brace + scan_once(part, 0)[1]
    except (ValueError, StopIteration, RecursionError):
        return False
    for found in _PLAIN_QUOTE.finditer(raw, at, end):
        text = text.with_inner(found.start())
    _go_on(s, state.but(cost=state.cost + EDIT), text, end)
    return True


def _take_as_text(s: Search, state: State, text: Text) -> None:
    if _take_object_as_text(s, state, text):
        return
    at, cost = state.at, _cost_of_inner(s.text, text, state.at)
    if state.role is not Place.KEY and _in_code(s.text, text, at):
        cost = DOUBT * (text.inner is None)
    elif state.role is not Place.KEY:
        if at == text.first and _SEPARATOR.match(s.text, at + 1):
            cost += EDIT  # an empty string is nearer
        if text.quote == '"' and KEY_AT.match(s.text, at):
            cost += DOUBT * (s.text.count("{", text.start, at) <= s.text.count("}", text.start, at))
        is_element = state.role is Place.ELEMENT and text.quote == "'"
        ended = _STRONG_END.match(s.text, at + 1) or (is_element and _ELEMENT_END.match(s.text, at + 1))
        if ended or (is_element and not text.inner and COLON_NEXT.match(s.text, at + 1)):
            state = state.guess(at, TWO_READINGS)
        between = (_JOINED if s.text[at - 1].isspace() else _BETWEEN).match(s.text, at + 1)
        is_quoted = text.marks[0] % 2 and between and _SEPARATOR.match(s.text, between.end())  # `the "moat"。",`
        state = state.guess(at, TWO_READINGS, between.end() - 1) if between and not is_quoted else state
    if s.text[at - 1] == "\\":
        state = state.guess(at, TWO_ESCAPE_READINGS)
    _go_on(s, state.but(cost=state.cost + cost), text.with_inner(at), at + 1)


def _in_code(raw: str, text: Text, at: int) -> bool:
    """Whether a quote stands between backticks, as Markdown marks code inside a line."""
    if text.quote != '"' or raw.count("`", text.first, at) % 2 == 0:
        return False
    start, end = raw.rfind("`", text.first, at), raw.find("`", at, at + LINE_LIMIT)
    return end >= 0 and CODE.fullmatch(raw, start, end + 1) is not None


def _cost_of_inner(raw: str, text: Text, at: int) -> int:
    """What a quote costs that is text: behind a word in quotes, the next one is half a slip."""
    if text.inner is not None and text.inner.at == at - 1 and _CALL_WITH_NOTHING.match(raw, at - 2):
        return 0
    if text.quote != '"' or text.marks[0] < _PAIR or text.inner is None:
        return EDIT
    is_first, pair = text.marks[0] % _PAIR == 0, text.inner
    if is_first:
        fits = raw[at - 1] in _BEFORE_WORD and raw[at + 1 : at + 2].isalnum()
    else:
        fits = _quotes_word(raw, pair.at, at)
        pair = pair.before or pair
    fits = fits and pair.before is not None and _quotes_word(raw, pair.before.at, pair.at)
    return DOUBT * is_first if fits else EDIT


def _quotes_word(raw: str, start: int, end: int) -> bool:
    """Whether two quotes stand around a word or some, as in a sentence or a list of words."""
    first, last = raw[start + 1], raw[end - 1]
    around = raw[start - 1] in _BEFORE_WORD and raw[end + 1 : end + 2] in _BEHIND_WORD
    return around and first.isalnum() and last.isalnum() and end - start < KEY_LIMIT


def _join(s: Search, state: State, text: Text) -> None:
    """`"x" + "y"`, and `"x" "y"`, where it may as well be two elements."""
    at = state.at
    plus = _PLUS.match(s.text, at + 1)
    if plus and s.text[plus.end() - 1] == text.quote and text.marks[0] % 2 == 0:
        joined = text.with_joint(at, plus.end())
        unsure = state.guess(at, TWO_READINGS) if text.inner else state
        _go_on(s, unsure.but(cost=state.cost + (2 * EDIT if text.inner else EDIT)), joined, plus.end())
    beside = _BESIDE.match(s.text, at + 1)
    if beside is None or text.quote != '"':
        return
    joined = text.with_joint(at, beside.end("quote"))
    if state.role is Place.VALUE and not s.text.startswith('"', at + 1):
        _go_on(s, state.guess(at, TWO_READINGS, cost=2 * EDIT), joined, beside.end("quote"))
    elif state.role is Place.ELEMENT and (beside["blank"] or s.text[at - 1] == " "):
        _go_on(s, state.but(cost=state.cost + EDIT), joined, beside.end("quote"))


def end_string(s: Search, state: State, text: Text, end: int, closing: int, kind: K | None) -> None:
    """The text of a string ends before `end`; so many characters there are its closing quote, of whatever kind."""
    s.spend((end - text.first) * (_MENDED if text.inner or kind else 1) + text.marks[0] * STEP)
    ended = with_doubts(s.text, state, text, end, mended=kind is not None, closed=closing > 0)
    ended = ended.but(steps=Step(ended.steps, text=text, end=end, closing=closing))
    if text.inner is not None:
        ended = ended.again(K.UNESCAPED_QUOTE, 0)
    if "\n" in s.text[text.first : end]:
        ended = ended.again(K.CONTROL_CHARACTER, 0)
    if kind is not None and not (closing and text.quote in _WHOLE):
        ended = ended.edit(end, closing, '"', kind, cost=0)
    string_is_read(s, ended.but(at=end + closing), s.text[text.first : end])


def string_is_read(s: Search, state: State, name: str) -> None:
    """A string ends where the state is."""
    if state.role is Place.KEY:
        key_is_read(s, state, name)
    else:
        complete(s, state)


def two_single_quotes(s: Search, state: State) -> None:
    """`''x''`: two single quotes for a double one."""
    found = _TWICE.match(s.text, state.at)
    if found:
        opened = state.edit(state.at, 2, '"', K.SINGLE_QUOTE)
        step = Step(opened.steps, text=Text(state.at + 1, "'"), end=found.end("text"), closing=-2)
        string_is_read(s, opened.but(at=found.end(), steps=step), found["text"])
