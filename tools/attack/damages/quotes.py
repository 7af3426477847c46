"""Quotes that are dropped, doubled, stray, misplaced, of another sort, or not escaped."""

from __future__ import annotations

import json
import re
from random import Random

from tools.attack.damages.places import (
    KEYS,
    NUMBERS,
    PLAIN,
    STRINGS,
    TEXTS,
    Damage,
    Rewrite,
    between,
    containers,
    every,
    one,
    with_text,
)
from tools.attack.pieces import Pieces, Role

_QUOTES = "\"'`“”‘’„«»＂＇「」『』"
_READ_OTHERWISE = re.compile(rf"[\W\d_]*|.?\d.*|\\?[{_QUOTES}].*|true|false|null|none", re.IGNORECASE | re.DOTALL)


def in_quotes(rewrite: Rewrite) -> Rewrite:
    """Do something to a string only while it has its quotes, of whatever sort: what stands between them is its text."""

    def guarded(text: str) -> str:
        has_both = len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES
        return rewrite(text) if has_both else text

    return guarded


def bare_text(text: str) -> str:
    """Drop both quotes of a text that would not be a number, a word, quoted or nothing without them."""
    return text if _READ_OTHERWISE.fullmatch(text[1:-1]) else text[1:-1]


def quoted_with(opening: str, closing: str) -> Rewrite:
    r"""Other quotes; those of the text that now would end it are escaped, and `\"` no longer is."""
    pattern = re.compile(r"\\.|" + re.escape(closing), re.DOTALL)

    def escaped(found: re.Match[str]) -> str:
        plain = '"' if found.group() == '\\"' else found.group()
        return "\\" + plain if plain == closing else plain

    return in_quotes(lambda text: opening + pattern.sub(escaped, text[1:-1]) + closing)


def with_quotes(opening: str, closing: str) -> Rewrite:
    """Other quotes around a text that stays as it is."""
    return in_quotes(lambda text: opening + text[1:-1] + closing)


def smart(opening: str, closing: str) -> Rewrite:
    """Quotes of print: those of JSON inside need no escape any more, and nobody escapes the quotes of print."""
    return in_quotes(lambda text: opening + inner_quotes('"')(text[1:-1]) + closing)


def inner_quotes(put_instead: str, count: int = 0) -> Rewrite:
    """Write the escaped quotes of a text otherwise: all of them, or so many of the first."""

    def rewrite(text: str) -> str:
        seen = 0

        def write(found: re.Match[str]) -> str:
            nonlocal seen
            if found.group() != '\\"' or (count and seen == count):
                return found.group()
            seen += 1
            return put_instead

        return re.sub(r"\\.", write, text, flags=re.DOTALL)

    return rewrite


def last_inner_quote(text: str) -> str:
    """Do not escape the last quote of a text."""
    start = text.rfind('\\"')
    return text if start < 0 or text[start - 1] == "\\" else text[:start] + text[start + 1 :]


def apostrophes_left(text: str) -> str:
    """Single quotes, and the apostrophes of the text not escaped."""
    return with_quotes("'", "'")(text) if "'" in text[1:-1] else text


def _apostrophes_doubled(text: str) -> str:
    """Single quotes, and those of the text twice, as SQL has them; three at one end would be Python's."""
    return text if "'" in (text[1:2], text[-2:-1]) else with_quotes("'", "'")(text.replace("'", "''"))


def split_by(joint: str) -> Rewrite:
    """Cut a text in two strings at a blank in its middle."""

    def rewrite(text: str) -> str:
        blank = text.find(" ", len(text) // 2)
        return text if blank < 0 or text[0] != '"' else f'{text[:blank]}"{joint}"{text[blank:]}'

    return rewrite


def _member_in_three_strings(rng: Random, pieces: Pieces) -> Pieces | None:
    """Cut the text of a member in three strings; as elements of a list they would be three."""
    texts = [end - 1 for each in containers(pieces) for start, end in each.items if pieces[start].role is Role.KEY]
    places = [
        at for at in texts if pieces[at].role is Role.TEXT and _in_three_strings(pieces[at].text) != pieces[at].text
    ]
    at = rng.choice(places) if places else None
    return None if at is None else with_text(pieces, {at: _in_three_strings(pieces[at].text)})


def _in_three_strings(text: str) -> str:
    """Cut a text in three strings at blanks, each on a line of its own."""
    words = text.split(" ")
    third = len(words) // 3
    if not third or text[:1] != '"':
        return text
    parts = (words[:third], words[third : 2 * third], words[2 * third :])
    return ' "\n"'.join(" ".join(part) for part in parts)


def triple(quote: str) -> Rewrite:
    """Python's triple quotes: line ends and quotes inside stand as they are."""

    def rewrite(text: str) -> str:
        try:
            value = str(json.loads(text))
        except ValueError:
            return text
        return text if quote[0] * 3 in value or "\\" in value else quote + value + quote

    return rewrite


def mark_inside(mark: Role, sign: str) -> Damage:
    """The colon after a key, or the comma after a text, inside the quotes."""
    before = KEYS if mark is Role.COLON else TEXTS

    def change(rng: Random, pieces: Pieces) -> Pieces | None:
        places = [
            at
            for at, piece in enumerate(pieces[:-1])
            if piece.role in before and pieces[at + 1].role is mark and piece.text[-1:] == '"' and pieces[at + 1].text
        ]
        if not places:
            return None
        at = rng.choice(places)
        return with_text(pieces, {at: pieces[at].text[:-1] + sign + '"', at + 1: ""})

    return Damage(f"{mark.name.lower()} inside the quotes", change)


def _member_in_one_pair(rng: Random, pieces: Pieces) -> Pieces | None:
    """Write a member with a text in one pair of quotes: its key's last one and its text's first one are dropped."""
    items = [item for each in containers(pieces) for item in each.items]
    places = [
        (start, end - 1)
        for start, end in items
        if pieces[start].role is Role.KEY and pieces[end - 1].role is Role.TEXT and pieces[end - 1].text[:1] == '"'
    ]
    if not places:
        return None
    key, text = rng.choice(places)
    return with_text(pieces, {key: pieces[key].text[:-1], text: pieces[text].text[1:]})


def _quote_before_brace(rng: Random, pieces: Pieces) -> Pieces | None:
    """Move the first quote of an object's first key before its brace, and put one behind its last brace."""
    found = [each for each in containers(pieces)[:-1] if each.items and pieces[each.items[0][0]].role is Role.KEY]
    if not found:
        return None
    opened, closed, items = rng.choice(found)
    key = items[0][0]
    texts = {opened: '"' + pieces[opened].text, key: pieces[key].text[1:], closed: pieces[closed].text + '"'}
    return with_text(pieces, texts)


def _python_string(text: str) -> str:
    try:
        return repr(json.loads(text))
    except ValueError:
        return text


_WITHOUT_FIRST = in_quotes(lambda text: text[1:])
_WITHOUT_LAST = in_quotes(lambda text: text[:-1])
_BARE = in_quotes(lambda text: text[1:-1])
_BARE_NAME = in_quotes(lambda text: text[1:-1] if text[1:-1].isidentifier() else text)
_BARE_TEXT = in_quotes(bare_text)

PYTHON_STRINGS = Damage("Python's strings", every(STRINGS, _python_string))

DAMAGES = (
    Damage("key's opening quote dropped", one(KEYS, _WITHOUT_FIRST)),
    Damage("key's closing quote dropped", one(KEYS, _WITHOUT_LAST)),
    Damage("text's opening quote dropped", one(TEXTS, _WITHOUT_FIRST)),
    Damage("text's closing quote dropped", one(TEXTS, _WITHOUT_LAST)),
    Damage("key's opening quote doubled", one(KEYS, between('"', ""))),
    Damage("key's closing quote doubled", one(KEYS, between("", '"'))),
    Damage("text's opening quote doubled", one(TEXTS, between('"', ""))),
    Damage("text's closing quote doubled", one(TEXTS, between("", '"'))),
    Damage("quotes doubled everywhere", every(STRINGS, between('"', '"'))),
    Damage("stray quote before a number", one(PLAIN, between('"', ""))),
    Damage("stray quote after a number", one(PLAIN, between("", '"'))),
    Damage("stray single quote", one(NUMBERS | TEXTS, between("", "'"), between("'", ""))),
    mark_inside(Role.COLON, ":"),
    mark_inside(Role.COMMA, ","),
    Damage("single quotes everywhere", every(STRINGS, quoted_with("'", "'"))),
    Damage("single quotes in one place", one(STRINGS, quoted_with("'", "'"))),
    Damage("single quotes, apostrophe left", one(TEXTS, apostrophes_left)),
    Damage("opened double, closed single", one(STRINGS, with_quotes('"', "'"), with_quotes("'", '"'))),
    Damage("single quotes, apostrophes doubled", every(STRINGS, _apostrophes_doubled)),
    Damage("two single quotes for a double", one(STRINGS, with_quotes("''", "''"))),
    Damage("backticks everywhere", every(STRINGS, quoted_with("`", "`"))),
    Damage("backticks in one place", one(STRINGS, quoted_with("`", "`"))),
    Damage("smart quotes everywhere", every(STRINGS, smart("“", "”"))),
    Damage("smart quotes in one place", one(STRINGS, smart("“", "”"), smart("‘", "’"))),
    Damage("smart quote at one end", one(STRINGS, with_quotes("“", '"'), with_quotes('"', "”"))),
    Damage("smart quotes reversed", one(STRINGS, with_quotes("”", "“"), with_quotes("”", "”"))),
    Damage("low smart quotes", every(STRINGS, with_quotes("„", "“"))),
    Damage("full-width quotes", every(STRINGS, with_quotes("＂", "＂"), with_quotes("＇", "＇"))),
    Damage("corner brackets as quotes", every(STRINGS, with_quotes("「", "」"), with_quotes("『", "』"))),
    Damage("angle quotes", every(STRINGS, with_quotes("«", "»"))),
    Damage("triple quotes", one(TEXTS, triple('"""'), triple("'''"))),
    Damage("inner quotes not escaped", one(TEXTS, inner_quotes('"'))),
    Damage("inner quotes not escaped anywhere", every(STRINGS, inner_quotes('"'))),
    Damage("first inner quote not escaped", one(TEXTS, inner_quotes('"', 1))),
    Damage("last inner quote not escaped", one(TEXTS, last_inner_quote)),
    Damage("inner quotes doubled", one(TEXTS, inner_quotes('""'))),
    Damage("inner quotes escaped twice", one(TEXTS, inner_quotes('\\\\"'))),
    Damage("key without quotes", one(KEYS, _BARE)),
    Damage("keys without quotes", every(KEYS, _BARE_NAME)),
    Damage("text without quotes", one(TEXTS, _BARE_TEXT)),
    Damage("texts without quotes", every(TEXTS, _BARE_TEXT)),
    Damage("text of two strings, plus", one(TEXTS, split_by(" + "))),
    Damage("text of two strings, no sign", one(TEXTS, split_by(" "), split_by("\n"))),
    Damage("text of three strings, no sign", _member_in_three_strings),
    Damage("member in one pair of quotes", _member_in_one_pair),
    Damage("quote before the brace", _quote_before_brace),
    Damage("letter before a text", one(TEXTS, *(between(letter, "") for letter in "bfruB"))),
    Damage("letter before every string", every(STRINGS, between("u", ""))),
    PYTHON_STRINGS,
    Damage("quotes as escapes in one place", one(STRINGS, with_quotes('\\"', '\\"'))),
)
